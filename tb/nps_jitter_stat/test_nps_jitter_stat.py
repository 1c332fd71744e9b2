# SPDX-License-Identifier: Apache-2.0
"""nps_jitter_stat on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_jitter_stat"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "torn": ("{snaps, sample && fits,", "{snaps && !sample, sample && fits,", "test_random"),
    "sample_lost": ("some <= e_ok || (some && !e_snap);", "some <= e_ok;", "test_random"),
    "unsigned": ("{compares, {W - 1{1'b0}}}", "{W{1'b0}}", "test_window_of_lowest_and_highest"),
    "carry_lost": ("if (writes) chain <= out;", "if (writes) chain <= out && pass == WORDS;", "test_carries"),
    "error_kept": ("(e_sample && is_error)", "1'b0", "test_error_starts_anew_after_an_invalid_sample"),
    "sign_of_the_square": ("{W + 1{sign_bit}}}", "{W + 1{1'b0}}}", "test_random"),
    "one_too_many": ("level < 5'd15", "level < 5'd16", "test_room"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_jitter_stat.v", old, new), tests=[test])


def test_planted_bug_on_verilator():
    old, new, test = BUGS["torn"]
    caught(TOP, "verilator", Patch("nps_jitter_stat.v", old, new), tests=[test])


def test_illegal(any_tool):
    refused(TOP, any_tool, {"W": 3}, "nps_error__W_must_be_4_to_32")
