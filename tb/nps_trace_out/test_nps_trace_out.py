# SPDX-License-Identifier: Apache-2.0
"""nps_trace_out on both simulators, a bug it must show, parameters it must refuse."""

import pytest

from tb.runner import Patch, bench, caught, refused


def test_bench(sim):
    bench("nps_trace_out", sim)


def test_planted_bug():
    """Room for one too many."""
    caught("nps_trace_out", "icarus", Patch("nps_trace_out.v", "claims < FULL - ONE", "claims < FULL"))


@pytest.mark.parametrize("depth", [2, 12, 128])
def test_illegal(any_tool, depth):
    error = "nps_error__DEPTH_must_be_a_power_of_two_from_4_to_64"
    refused("nps_trace_out", any_tool, {"DEPTH": depth}, error)
