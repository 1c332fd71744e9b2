# SPDX-License-Identifier: Apache-2.0
"""nps_histogram on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP, FILE = "nps_histogram", "nps_histogram.v"
SMALL = {"BINS": 5, "COUNT_W": 4}


def told(parameters):
    """The parameters, for the bench."""
    return {name: str(value) for name, value in parameters.items()}


@pytest.mark.parametrize("built", [SMALL, {"BINS": 46, "COUNT_W": 32}], ids=["small", "default"])
def test_bench(sim, built):
    bench(TOP, sim, built, env=told(built))


BUGS = {
    "neighbour_lost": ("s2_same ? s3_sum", "1'b0 ? s3_sum"),
    "never_cleared": ("prior = !s2_use ?", "prior = 1'b0 ?"),
    "snap_keeps_counting": ("wire bank_now = bank ^ s0_snap;", "wire bank_now = bank;"),
    "old_words_shown": ("used_shown[s0_bin] && ", ""),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), SMALL, env=told(SMALL))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["neighbour_lost"]), SMALL, env=told(SMALL))


@pytest.mark.parametrize("bins", [1, 65])
def test_illegal(any_tool, bins):
    refused(TOP, any_tool, {"BINS": bins}, "nps_error__BINS_must_be_2_to_64")
