# SPDX-License-Identifier: Apache-2.0
"""nps_ras_r on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed

TOP, FILE = "nps_ras_r", "nps_ras_r.v"


@pytest.mark.parametrize("bits", [2, 8])
def test_bench(sim, bits):
    bench(TOP, sim, {"COUNT_W": bits})


BUGS = {
    "invalid_goes_on": ("if (turns || (sample && !counts))", "if (turns || (sample && !counts && (excess || good)))"),
    "reneg_keeps_the_run": ("wire fresh = reneg_done || hold;", "wire fresh = hold;"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["invalid_goes_on"]))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)
