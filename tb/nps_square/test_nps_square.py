# SPDX-License-Identifier: Apache-2.0
"""nps_square on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "nps_square"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "middle_unsigned": ("{{14{hl_kept[32]}}, hl_kept}", "{14'd0, hl_kept}"),
    "middle_shifted": ("{hh_kept, ll_kept[31:17]}", "{hh_kept, ll_kept[30:16]}"),
    "late": ("y[16:0] <= ll_kept[16:0];", "y[16:0] <= ll[16:0];"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug, sim):
    caught(TOP, sim, Patch("nps_square.v", *BUGS[bug]))
