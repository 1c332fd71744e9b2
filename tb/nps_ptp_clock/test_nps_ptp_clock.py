# SPDX-License-Identifier: Apache-2.0
"""nps_ptp_clock on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_ptp_clock"


def test_bench(sim):
    bench(TOP, sim)


def test_other_period():
    bench(TOP, "icarus", {"PERIOD": 0x0123456789}, env={"P_PERIOD": "0x0123456789"}, tests=["test_random"])


BUGS = {
    "carry_lost": ("high <= high + {55'd0, carry};", "high <= high;", "test_random"),
    "torn": ("mid <= low[39:24];", "mid <= {low[39:32], mid[7:0]};", "test_random"),
    "drift_unsigned": ("{{8{p_drift[31]}}, p_drift}", "{8'd0, p_drift}", "test_random"),
    "drift_phase": (
        "clocks, left_clocks} <= {d_period, d_drift, d_clocks, d_clocks}",
        "clocks} <= {d_period, d_drift, d_clocks}",
        "test_random",
    ),
    "second_kept": ("taken ? {shift[30], shift} : {whole, owed}", "{whole, owed}", "test_a_second"),
    "second_in_a_jump": ("shifted <= {shifted[4:0], taken};", "shifted <= 6'd0;", "test_a_second"),
    "advance_lost": ("(owed & {9{taken}})", "9'd0", "test_random"),
    "load_while_busy": ("load && !(idle && fits)", "load && !fits", "test_refusals"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_ptp_clock.v", old, new), tests=[test])


def test_planted_bug_on_verilator():
    old, new, test = BUGS["torn"]
    caught(TOP, "verilator", Patch("nps_ptp_clock.v", old, new), tests=[test])


@pytest.mark.parametrize("period", [0, 0xFFFFFFFF, 0xFE00000001])
def test_illegal(any_tool, period):
    refused(TOP, any_tool, {"PERIOD": period}, "nps_error__PERIOD_must_be_1_to_254_ns")
