# SPDX-License-Identifier: Apache-2.0
"""nps_mark on both simulators, a bug it must show, parameters it must refuse."""

import pytest

from tb.runner import Patch, bench, caught, refused


@pytest.mark.parametrize("latency", [3, 8])
def test_bench(sim, latency):
    bench("nps_mark", sim, {"LATENCY": latency}, env={"LATENCY": str(latency)})


def test_planted_bug():
    """A jump of relative time not passed on."""
    caught("nps_mark", "icarus", Patch("nps_mark.v", "ts_step || rel_step}", "ts_step}"))


@pytest.mark.parametrize("latency", [2, 64])
def test_illegal(any_tool, latency):
    refused("nps_mark", any_tool, {"LATENCY": latency}, "nps_error__LATENCY_must_be_3_to_63")
