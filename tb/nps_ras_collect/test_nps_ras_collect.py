# SPDX-License-Identifier: Apache-2.0
"""nps_ras_collect on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught

TOP, FILE = "nps_ras_collect", "nps_ras_collect.v"
BUILT = {"DATA_W": 16}


def test_bench(sim):
    bench(TOP, sim, BUILT)


BUGS = {
    "one_too_many": ("level == 4'd7) ||", "level == 4'd8) ||"),
    "lost_with_room": ("level == 4'd7) ||", "level == 4'd6) ||"),
    "step_overwritten": ("(steps && step_inside)", "1'b0"),
    "step_told_twice": ("head <= records & ~first;", "head <= head & ~first;"),
    "accepted_behind_a_loss": ("any && (full || losing ||", "any && (full ||"),
    "new_words_too_early": ("cfg_left != 3'd1", "cfg_left == 3'd0"),
    "count_short": ("{1'b0, in_happens[N-1:`NPS_RAS_H_FLUSHED]}", "{2'd0, in_happens[N-2:`NPS_RAS_H_FLUSHED]}"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), BUILT)


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["one_too_many"]), BUILT)
