# SPDX-License-Identifier: Apache-2.0
"""The fabric behind a token interrupt, on both simulators, and bugs it must show; tb/nps_top has all other sources."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "token_fabric"
BUILD = {"WORDS": 5, "MEM_LOW_ON": 10, "MEM_LOW_OFF": 20, "FIFO_DEPTH": 16, "FRAME_RECORDS": 64}
TOLD = {f"P_{name}": str(BUILD[name]) for name in ("WORDS", "MEM_LOW_ON", "MEM_LOW_OFF")}
WITH = {"module": "tb.nps_trace_fabric.bench", "env": TOLD}


def test_bench(sim):
    bench(TOP, sim, BUILD, **WITH)


@pytest.mark.parametrize(
    ("file", "old", "new", "test"),
    [
        ("nps_trace_merge.v", "s_entry[39:36] == `NPS_K_TOKINT", "1'b0", "test_no_loss"),
        ("nps_trace_frame.v", "place && word_sub == word_last", "place", "test_no_loss"),
        ("nps_trace_source.v", ".drop_tokint(is_tokint)", ".drop_tokint(1'b0)", "test_losses"),
        ("nps_trace_context.v", "contexts[takes];", "contexts[puts];", "test_no_loss"),
    ],
)
def test_planted_bug(file, old, new, test):
    caught(TOP, "icarus", Patch(file, old, new), BUILD, tests=[test], **WITH)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"NUM_BP": 63, "LAYERS": 1, "DRY_MASK": 0}, "NUM_BP_must_be_1_to_62"),
        ({"FIFO_DEPTH": 6}, "FIFO_DEPTH_must_be_a_power_of_two_from_4_to_4096"),
        ({"RAS": 2}, "TOKEN_RAS_JITTER_must_be_0_or_1"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_trace_fabric", any_tool, parameters, f"nps_error__{error}")
