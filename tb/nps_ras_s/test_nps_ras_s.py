# SPDX-License-Identifier: Apache-2.0
"""nps_ras_s on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_ras_s", "nps_ras_s.v"
SMALL = {"COUNT": 3, "TIME_W": 8}


def told(parameters):
    """The parameters, for the bench."""
    return {name: str(value) for name, value in parameters.items()}


@pytest.mark.parametrize("count", [2, 3, 8])
def test_bench(sim, count):
    built = {"COUNT": count, "TIME_W": 10}
    bench(TOP, sim, built, env=told(built))


BUGS = {
    "never_too_old": ("taken & ~old &", "taken &"),
    "not_consumed": ("if (rst || fire) taken", "if (rst) taken"),
    "flush_forgotten": (" & ~{PLACES{flush}}", ""),
    "neighbour_too_old": ("left[TIME_W-1] && !takes[place]", "left[TIME_W-1]"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), SMALL, env=told(SMALL))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["never_too_old"]), SMALL, env=told(SMALL))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, SMALL, env=told(SMALL))


@pytest.mark.parametrize("count", [1, 9])
def test_illegal(any_tool, count):
    refused(TOP, any_tool, {"COUNT": count}, "nps_error__S_COUNT_must_be_2_to_8")
