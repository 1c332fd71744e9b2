# SPDX-License-Identifier: Apache-2.0
"""nps_trace_source on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"HAS_LAYERS": 1, "LAYERS": 0xFFFFFFFF, "DRY_MASK": 0x0000FFFF, "FIFO_DEPTH": 8}


def test_bench(sim):
    bench("nps_trace_source", sim, PARAMETERS)


OTHERS = {
    "token": {"HAS_LAYERS": 0, "CONTEXT": 5, "FIFO_DEPTH": 8},
    "ras": {"HAS_LAYERS": 0, "CFG_FIRST": 8, "CFG_WORDS": 6, "FIFO_DEPTH": 8},
}


@pytest.mark.parametrize("sort", OTHERS)
def test_other_sources(sim, sort):
    """Contexts that go whole or not at all; CFG words without layers."""
    bench("nps_trace_source", sim, OTHERS[sort], tests=["test_random", "test_no_loss"], env={"SORT": sort})


@pytest.mark.parametrize(
    ("sort", "old", "new"),
    [
        ("token", "|| (tokint && contexts_full)", ""),
        ("token", ".drop_tokint(is_tokint)", ".drop_tokint(1'b0)"),
        ("token", "op_kind == `NPS_K_CTX && op_sub == LAST_WORD", "op_kind == `NPS_K_CTX && op_sub == 4'd0"),
    ],
)
def test_planted_bug_of_other_sources(sort, old, new):
    patch = Patch("nps_trace_source.v", old, new)
    caught("nps_trace_source", "icarus", patch, OTHERS[sort], tests=["test_random"], env={"SORT": sort})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".s_refuse((ev_step && steps_full)", ".s_refuse(1'b0"),
        ("from_loss ? step_sum : step_head", "step_head"),
        ("dropped <= dropped + loss_count", "dropped <= loss_count"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_source", "icarus", Patch("nps_trace_source.v", old, new), PARAMETERS)
