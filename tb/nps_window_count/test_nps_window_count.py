# SPDX-License-Identifier: Apache-2.0
"""nps_window_count on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP, FILE = "nps_window_count", "nps_window_count.v"
BUGS = {
    "clock_lost": ("mine ? {S{1'b0}} : pre", "mine ? {{S - 1{1'b0}}, 1'b1} : pre"),
    "not_cleared": ("s2_opens ? {W{1'b0}} : s2_sum", "s2_sum"),
    "ends_while_read": ("&& !opens && !waits && !busy", "&& !opens && !waits"),
}


@pytest.mark.parametrize("channels", [2, 5, 8])
def test_bench(sim, channels):
    bench(TOP, sim, {"CHANNELS": channels})


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), {"CHANNELS": 5})


def test_illegal(any_tool):
    refused(TOP, any_tool, {"CHANNELS": 1}, "nps_error__CHANNELS_must_be_2_to_128")
