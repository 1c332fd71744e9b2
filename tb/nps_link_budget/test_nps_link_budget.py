# SPDX-License-Identifier: Apache-2.0
"""nps_link_budget on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_link_budget", "nps_link_budget.v"
BUGS = {
    "from_start": ("now - passed", "now - set_out", "test_limits"),
    "mark_behind_start": ("under_way && !just_started &&", "under_way &&", "test_mark_behind_a_start"),
    "refused_taken": ("else if (cfg_apply && legal)", "else if (cfg_apply)", "test_new_limits"),
}


def test_bench(sim):
    bench(TOP, sim)


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(FILE, old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize("name", ["LINK_TLP", "LINK_TOTAL"])
def test_illegal(any_tool, name):
    refused(TOP, any_tool, {name: 0}, f"nps_error__{name}_must_be_1_to_1048575")
