# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirror on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"DRY_MASK": 0x00FF00F0}


def test_bench(sim):
    bench("nps_trace_mirror", sim, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [("occ >= th_wet", "occ > th_wet"), ("th_wet = new_limits ?", "th_wet = 1'b0 ?"), ("hot & ~lapsed & ", "hot & ")],
)
def test_planted_bug(old, new):
    caught("nps_trace_mirror", "icarus", Patch("nps_trace_mirror.v", old, new), PARAMETERS)
