# SPDX-License-Identifier: Apache-2.0
"""nps_jitter_stat on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "nps_jitter_stat"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "torn": ("if (snapped_hi) k_squares_hi", "if (snapped) k_squares_hi", "test_random"),
    "sample_lost": ("some <= add || (some && !snapped);", "some <= !snapped && (add || some);", "test_random"),
    "unsigned": ("wire [31:0] place = {!c_jitter[31], c_jitter[30:0]};", "wire [31:0] place = c_jitter;",
                 "test_window_of_lowest_and_highest"),
    "carry_lost": ("{47'd0, squares_lo[48]}", "48'd0", "test_carries"),
    "error_kept": ("if (c_sample && !c_ok) error <= 64'd0;", "", "test_error_starts_anew_after_an_invalid_sample"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_jitter_stat.v", old, new), tests=[test])


def test_planted_bug_on_verilator():
    old, new, test = BUGS["torn"]
    caught(TOP, "verilator", Patch("nps_jitter_stat.v", old, new), tests=[test])
