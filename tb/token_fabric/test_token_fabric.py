# SPDX-License-Identifier: Apache-2.0
"""The way of a token interrupt to the stream, on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "token_fabric"
BUILD = {"WORDS": 5, "MEM_LOW_ON": 10, "MEM_LOW_OFF": 20, "FIFO_DEPTH": 16, "FRAME_RECORDS": 64}
TOLD = {f"P_{name}": str(BUILD[name]) for name in ("WORDS", "MEM_LOW_ON", "MEM_LOW_OFF")}


def test_bench(sim):
    bench(TOP, sim, BUILD, env=TOLD)


@pytest.mark.parametrize(
    ("file", "old", "new", "test"),
    [
        ("nps_trace_merge.v", "s_entry[39:36] != `NPS_K_TOKINT", "1'b1", "test_no_loss"),
        ("nps_trace_frame.v", "if (word_sub == word_last) state <= POP;", "state <= POP;", "test_no_loss"),
        ("nps_trace_source.v", ".drop_tokint(is_tokint)", ".drop_tokint(1'b0)", "test_losses"),
        ("nps_trace_context.v", "contexts[takes[1:0]];", "contexts[puts[1:0]];", "test_no_loss"),
    ],
)
def test_planted_bug(file, old, new, test):
    caught(TOP, "icarus", Patch(file, old, new), BUILD, tests=[test], env=TOLD)
