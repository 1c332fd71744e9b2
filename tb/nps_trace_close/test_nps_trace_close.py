# SPDX-License-Identifier: Apache-2.0
"""nps_trace_close on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"FRAME_RECORDS": 32, "FRAME_AGE_NS": 1000, "HEARTBEAT_NS": 5000}


def test_bench(sim):
    bench("nps_trace_close", sim, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("room_for_one <= room == 10'd2", "room_for_one <= room == 10'd3"),
        ("&& room < GROUP_LEFT", "&& room <= GROUP_LEFT"),
        ("owes <= credit != 10'd1;", "owes <= 1'b0;"),
        ("step_told && !step_pending", "step_told"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_close", "icarus", Patch("nps_trace_close.v", old, new), PARAMETERS)
