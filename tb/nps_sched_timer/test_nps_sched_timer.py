# SPDX-License-Identifier: Apache-2.0
"""nps_sched_timer on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_sched_timer", "nps_sched_timer.v"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "drifts": ("due <= s2_late ? s2_anew : s2_on_time", "due <= s2_anew", "test_any_clock"),
    "burst_after_a_stop": ("s1_start || s1_behind >= ahead", "s1_start", "test_random"),
    "reserved_taken": ("cfg_ctrl[SELECT+1] == cfg_ctrl[SELECT]", "1'b1", "test_refused"),
    "told_always": ("(reached && changed)", "reached", "test_register"),
    "slots_swapped": ("mode ? LAST_LOW : LAST", "mode ? LAST : LAST_LOW", "test_register"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(FILE, old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"SCHED_PERIOD": 7}, "nps_error__SCHED_PERIOD_must_be_8_to_65535"),
        ({"SCHED_PERIOD_LOW": 65536}, "nps_error__SCHED_PERIOD_LOW_must_be_8_to_65535"),
        ({"SCHED_SLOTS": 65}, "nps_error__SCHED_SLOTS_must_be_1_to_64"),
        ({"SCHED_SLOTS_LOW": 0}, "nps_error__SCHED_SLOTS_LOW_must_be_1_to_64"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
