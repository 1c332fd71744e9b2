# SPDX-License-Identifier: Apache-2.0
"""nps_ratio on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_ratio"
BUGS = {
    "one_less": ("{{S - 1{1'b0}}, carry}", "{S{1'b0}}"),
    "sign_dropped": ("{S - W - 1{difference[W]}}", "{S - W - 1{1'b0}}"),
}


def test_bench(sim):
    bench(TOP, sim, {"W": 25})


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch("nps_ratio.v", *BUGS[bug]), {"W": 25})


def test_illegal(any_tool):
    refused(TOP, any_tool, {"W": 33}, "nps_error__W_must_be_2_to_32")
