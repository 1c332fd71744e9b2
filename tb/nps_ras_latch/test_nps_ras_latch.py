# SPDX-License-Identifier: Apache-2.0
"""nps_ras_latch on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught

TOP, FILE = "nps_ras_latch", "nps_ras_latch.v"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "clear_beats_set": ("held <= (held & ~clear) | sets;", "held <= (held | sets) & ~clear;"),
    "clear_joins_bursts": ("wire new2 = (held & ~clear & set_mask)", "wire new2 = (held & set_mask)"),
    "count_wraps": ("full3 ? MOST", "1'b0 ? MOST"),
    "loss_forgotten": ("(overflow & ~clear) | lose |", "(overflow & ~clear) |"),
    "least_kept": ("worst2 < set_key, count2", "set_key < worst2, count2"),
    "first_moves": ("if (set3 || (set4 && new3))", "if (set3 || set4)"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["clear_beats_set"]))
