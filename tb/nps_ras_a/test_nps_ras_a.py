# SPDX-License-Identifier: Apache-2.0
"""nps_ras_a on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed

TOP, FILE = "nps_ras_a", "nps_ras_a.v"


@pytest.mark.parametrize("bits", [16, 32])
def test_bench(sim, bits):
    bench(TOP, sim, {"TIME_W": bits})


BUGS = {
    "window_open": ("wire [TIME_W-1:0] left_time = runs_until - s1_rel;",
                    "wire [TIME_W-1:0] left_time = runs_until - s1_rel - 1'b1;"),
    "no_hold_off_after_the_change": ("wire note = phy_changed || rel_step;", "wire note = rel_step;"),
    "exhausted_told_twice": ("!can && !(runs_now && told)", "!can"),
    "step_ends_the_window": ("(!runs_old || rel_step)", "!runs_old"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["window_open"]))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)
