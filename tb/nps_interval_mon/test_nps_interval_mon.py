# SPDX-License-Identifier: Apache-2.0
"""nps_interval_mon on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_interval_mon", "nps_interval_mon.v"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "refused_taken": ("if (cfg_apply && cfg_limit != 23'd0)", "if (cfg_apply)", "test_new_limit"),
    "across_idle": ("wire broken = idle ||", "wire broken =", "test_random"),
    "bin_shifted": ("5'd3 * g[4:0] +", "5'd2 * g[4:0] +", "test_bins"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(FILE, old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize("limit", [0, 8388608])
def test_illegal(any_tool, limit):
    refused(TOP, any_tool, {"TOKEN_INTERVAL": limit}, "nps_error__TOKEN_INTERVAL_must_be_1_to_8388607")
