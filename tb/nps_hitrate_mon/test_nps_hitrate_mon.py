# SPDX-License-Identifier: Apache-2.0
"""nps_hitrate_mon on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_hitrate_mon", "nps_hitrate_mon.v"
BUGS = {
    "empty_judged": ("if (done && k_accesses != 16'd0)", "if (done)", "test_limit"),
    "access_lost_at_the_turn": ("{15'd0, s2_access, 15'd0, s2_access && s2_hit}", "32'd0", "test_random"),
    "refused_taken": ("if (cfg_apply && legal)", "if (cfg_apply)", "test_new_limits"),
}


def test_bench(sim):
    bench(TOP, sim)


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(FILE, old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"HITRATE_LIMIT": 1001}, "nps_error__HITRATE_LIMIT_must_be_0_to_1000"),
        ({"HITRATE_WINDOW": 999}, "nps_error__HITRATE_WINDOW_must_be_1000_to_1073741823"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
