# SPDX-License-Identifier: Apache-2.0
"""nps_trace_control on both simulators, a bug it must show, parameters it must refuse."""

import pytest

from tb.runner import Patch, bench, caught, refused


def test_bench(sim):
    bench("nps_trace_control", sim)


def test_planted_bug():
    """The clock of the falling enable still offered."""
    caught("nps_trace_control", "icarus", Patch("nps_trace_control.v", "sampling = run && enable", "sampling = run"))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"LATENCY": 2, "BEGIN_LATENCY": 2}, "nps_error__LATENCY_must_be_3_to_63"),
        ({"LATENCY": 8, "BEGIN_LATENCY": 8}, "nps_error__BEGIN_LATENCY_must_be_2_to_LATENCY_minus_1"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_trace_control", any_tool, parameters, error)
