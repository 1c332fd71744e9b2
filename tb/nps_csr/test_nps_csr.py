# SPDX-License-Identifier: Apache-2.0
"""nps_csr on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_csr"
TOLD = {"S_COUNT": 4, "CLK_PERIOD_PS": 6250, "DESC_HASH": 0x0123456789ABCDEF}
FULL = {"NUM_BP": 3, "JITTER": 1, "RAS": 1, "TOKEN": 1, "WORDS": 5, "SOURCES": 7, **TOLD}
LEAST = {"NUM_BP": 1, "JITTER": 0, "RAS": 0, "TOKEN": 0, "WORDS": 4, "SOURCES": 2, **TOLD}


def told(parameters):
    """The parameters, for the bench."""
    return {f"P_{name}": str(value) for name, value in parameters.items()}


@pytest.mark.parametrize("build", [FULL, LEAST], ids=["full", "least"])
def test_bench(sim, build):
    bench(TOP, sim, build, env=told(build))


BUGS = {  # old text, new text, the test that must see it
    "apply_to_all": ("bp_apply[a] <= !rst && apply_bp && port == a[5:0];", "bp_apply[a] <= !rst && apply_bp;",
                     "test_orders"),
    "port_off_by_one": ("{26'd0, port} >= NUM_BP", "{26'd0, port} > NUM_BP", "test_nobody_takes_it"),
    "options_swapped": ("sync_lost_a, strobe, exclude, need_lock}", "sync_lost_a, exclude, strobe, need_lock}",
                        "test_configuration"),
    "mark_lost": ("(written || (waiting && mark_in_valid));", "written;", "test_marks"),
    "mark_doubled": ("(written || (waiting && mark_in_valid));", "(written || waiting);",
                     "test_a_waiting_mark_is_replaced"),
    "drops_once_a_clock": ("{25'd0, counted}", "32'd1", "test_dropped"),
    "classes_swapped": (".ras_pending_exhausted_clear(ras_clear[4])", ".ras_pending_exhausted_clear(ras_clear[3])",
                        "test_orders"),
    "id_for_context": ("token_index == 5'd16", "token_index == 5'd4", "test_windows"),
    "held_ignored": ("|token_held", "token_held[0]", "test_interrupts"),
    "refusal_silent": ("refuses_jitter || refuses_ras", "refuses_ras", "test_interrupts"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_csr.v", old, new), FULL, tests=[test], env=told(FULL))


def test_planted_bug_on_verilator():
    old, new, test = BUGS["drops_once_a_clock"]
    caught(TOP, "verilator", Patch("nps_csr.v", old, new), FULL, tests=[test], env=told(FULL))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"NUM_BP": 0}, "NUM_BP_must_be_1_to_62"),
        ({"NUM_BP": 63, "SOURCES": 64}, "NUM_BP_must_be_1_to_62"),
        ({"WORDS": 3}, "WORDS_must_be_4_to_16"),
        ({"WORDS": 17}, "WORDS_must_be_4_to_16"),
        ({"SOURCES": 2}, "SOURCES_must_be_above_NUM_BP_and_at_most_64"),
        ({"SOURCES": 65}, "SOURCES_must_be_above_NUM_BP_and_at_most_64"),
        ({"RAS": 2}, "JITTER_RAS_and_TOKEN_must_be_0_or_1"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, f"nps_error__{error}")
