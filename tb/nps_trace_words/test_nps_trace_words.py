# SPDX-License-Identifier: Apache-2.0
"""nps_trace_words on both simulators, bugs it must show, parameters it must refuse."""

import pytest

from tb.runner import Patch, bench, caught, refused

BUILDS = {"ras": (8, 6), "jitter": (6, 2), "all": (0, 16)}


def told(first, count):
    return {"FIRST": str(first), "COUNT": str(count)}


@pytest.mark.parametrize("build", BUILDS)
def test_bench(sim, build):
    first, count = BUILDS[build]
    bench("nps_trace_words", sim, {"FIRST": first, "COUNT": count}, env=told(first, count))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("captures <= capture && !rst;", "captures <= 1'b0;"),
        ("if (load || load_start) out <= shot;", "if (load || load_start) out <= in;"),
        ("op_kind == `NPS_K_CFG && !rst;", "!rst;"),
        ("{sub - BASE, payload}", "{sub, payload}"),
    ],
)
def test_planted_bug(old, new):
    patch = Patch("nps_trace_words.v", old, new)
    caught("nps_trace_words", "icarus", patch, {"FIRST": 8, "COUNT": 6}, env=told(8, 6))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"FIRST": 16, "COUNT": 1}, "nps_error__FIRST_must_be_0_to_15"),
        ({"FIRST": 8, "COUNT": 9}, "nps_error__COUNT_must_be_1_to_16_minus_FIRST"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_trace_words", any_tool, parameters, error)
