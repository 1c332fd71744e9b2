# SPDX-License-Identifier: Apache-2.0
"""nps_trace_merge on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught

PARAMETERS = {"SOURCES": 3, "DEPTH": 128, "INDEX_W": 3}


@pytest.mark.parametrize("token", [0, 1])
def test_bench(sim, token):
    bench("nps_trace_merge", sim, PARAMETERS | {"TOKEN": token}, env={"TOKEN": str(token)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("any_drained <= |drained && !drains && !rst;", "any_drained <= |drained && !rst;"),
        ("s_mark <= here_drain || |q_mark;", "s_mark <= |q_mark;"),
        ("assign order_ready = go && !any_drained;", "assign order_ready = go;"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_merge", "icarus", Patch("nps_trace_merge.v", old, new), PARAMETERS)
