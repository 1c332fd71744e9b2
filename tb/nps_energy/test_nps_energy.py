# SPDX-License-Identifier: Apache-2.0
"""nps_energy on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_energy", "nps_energy.v"
BUGS = {
    "new_power_at_once": ("s1_power <= power;", "s1_power <= power_valid ? power_mw : power;", "test_carry"),
    "rest_dropped": ("{{E + 1 - K{1'b0}}, left_now}", "{E + 1{1'b0}}", "test_carry"),
    "high_ns_lost": ("s3_high <= {2'd0, s2_c}", "s3_high <= 28'd0 & {2'd0, s2_c}", "test_random"),
}


def test_bench(sim):
    bench(TOP, sim)


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(FILE, old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


def test_illegal(any_tool):
    parameters = {"ENERGY_RELEASE": 2, "ENERGY_LIMIT": 1}
    refused(TOP, any_tool, parameters, "nps_error__ENERGY_RELEASE_must_not_be_above_ENERGY_LIMIT")
