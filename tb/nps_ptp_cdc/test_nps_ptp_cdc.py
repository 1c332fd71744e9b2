# SPDX-License-Identifier: Apache-2.0
"""nps_ptp_cdc on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP = "nps_ptp_cdc"


def test_bench(sim):
    bench(TOP, sim)


def test_planted_bug(sim):
    torn = Patch("nps_ptp_cdc.v", "{c_rel, c_frac, c_ts};", "{b_rel[47:0], c_frac, c_ts};")
    caught(TOP, sim, torn, tests=["test_accuracy"])


BUGS = {
    "step_lost": ("c_shifts <= b_shift != 64'd0;", "c_shifts <= b_shift[63:1] != 63'd0;", "test_steps_and_servo"),
    "step_size": ("b_shift <= a_offset - b_offset;", "b_shift <= a_offset;", "test_steps_and_servo"),
    "believed": ("& {2{!(doubt || loses)}};", "& {2{!loses}};", "test_stopped_clock"),
    "unseen_stop": ("assign stops = quiet == LIMIT && !c_new;", "assign stops = 1'b0;", "test_stopped_clock"),
    "unseen_jump": ("b_first || b_moved[63:GAP_LOG2] != {64 - GAP_LOG2{1'b0}} ||", "b_first ||", "test_jumps"),
    "wrap_is_a_jump": ("b_moved <= a_rel - b_rel;", "b_moved <= {16'd0, a_rel[47:0]} - {16'd0, b_rel[47:0]};",
                       "test_wrap"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_of_a_rule(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_ptp_cdc.v", old, new), tests=[test])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"TIMEOUT": 3}, "nps_error__TIMEOUT_must_be_4_to_65535"),
        ({"TIMEOUT": 65536}, "nps_error__TIMEOUT_must_be_4_to_65535"),
        ({"GAP_LOG2": 3}, "nps_error__GAP_LOG2_must_be_4_to_32"),
        ({"GAP_LOG2": 33}, "nps_error__GAP_LOG2_must_be_4_to_32"),
        ({"STAGES": 1}, "nps_error__STAGES_must_be_at_least_2"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
