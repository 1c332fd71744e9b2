# SPDX-License-Identifier: Apache-2.0
"""nps_trace_source on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"HAS_LAYERS": 1, "LAYERS": 0xFFFFFFFF, "DRY_MASK": 0x0000FFFF, "FIFO_DEPTH": 8}


def test_bench(sim):
    bench("nps_trace_source", sim, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".s_refuse(ev_step && steps_full)", ".s_refuse(1'b0)"),
        ("op_burst ? step_sum : step_head", "step_head"),
        ("dropped <= dropped + loss_count", "dropped <= loss_count"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_source", "icarus", Patch("nps_trace_source.v", old, new), PARAMETERS)
