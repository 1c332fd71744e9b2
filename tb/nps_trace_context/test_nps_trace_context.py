# SPDX-License-Identifier: Apache-2.0
"""nps_trace_context on both simulators, bugs it must show, parameters it must refuse."""

import pytest

from tb.runner import Patch, bench, caught, refused


@pytest.mark.parametrize("words", [1, 4, 16])
def test_bench(sim, words):
    bench("nps_trace_context", sim, {"WORDS": words}, env={"WORDS": str(words)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assign full = held[2];", "assign full = 1'b0;"),
        ("contexts[takes];", "contexts[puts];"),
        ("oldest[32*i+:32];", "oldest[31:0];"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_context", "icarus", Patch("nps_trace_context.v", old, new), {"WORDS": 4}, env={"WORDS": "4"})


@pytest.mark.parametrize("words", [0, 17])
def test_illegal(any_tool, words):
    refused("nps_trace_context", any_tool, {"WORDS": words}, "nps_error__WORDS_must_be_1_to_16")
