# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirror on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"LAYERS": 0xFFFFFFFF, "DRY_MASK": 0x00FF00F0}


def test_bench(sim):
    bench("nps_trace_mirror", sim, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("occ >= th_wet", "occ > th_wet"),
        ("to_limits ? touched[WET+:WET_W] :", "1'b0 ? touched[WET+:WET_W] :"),
        ("cools || tells_unknown ?", "cools ?"),
        ("|| late[i]", ""),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_mirror", "icarus", Patch("nps_trace_mirror.v", old, new), PARAMETERS)
