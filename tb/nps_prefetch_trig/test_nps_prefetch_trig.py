# SPDX-License-Identifier: Apache-2.0
"""nps_prefetch_trig on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_prefetch_trig", "nps_prefetch_trig.v"
BUGS = {
    "same_position": ("seq_pos + 24'd1", "seq_pos", "test_window"),
    "asks_every_time": ("!(known && last_block == s3_block)", "1'b1", "test_window"),
    "never_forgets": ("has_asked[s2_place] && !s2_forget", "has_asked[s2_place]", "test_window"),
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
        ({"PREFETCH_FIRST": 25}, "nps_error__PREFETCH_FIRST_must_be_0_to_PREFETCH_LAST"),
        ({"PREFETCH_BLOCK": 100}, "nps_error__PREFETCH_BLOCK_must_be_a_power_of_two_from_2_to_4096"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
