# SPDX-License-Identifier: Apache-2.0
"""nps_trace_fetch on both simulators, and bugs it must show."""

import pytest

from tb.others import env, parameters
from tb.runner import Patch, bench, caught

PARAMETERS = {"NUM_BP": 2, "INDEX_W": 2, "CLK_PERIOD_PS": 5000, "DESC_HASH": 0x1122334455667788}


@pytest.mark.parametrize("others", [0, 5, 7])
def test_bench(sim, others):
    width = {"INDEX_W": 3} if others else {}
    bench("nps_trace_fetch", sim, PARAMETERS | width | parameters(others), env=env(others))


@pytest.mark.parametrize(
    ("old", "new"),
    [("`NPS_SYNC_B && !first_frame", "`NPS_SYNC_B"), ("ready_ts <= hold_burst ? 64'd0 :", "ready_ts <=")],
)
def test_planted_bug(old, new):
    caught("nps_trace_fetch", "icarus", Patch("nps_trace_fetch.v", old, new), PARAMETERS)
