# SPDX-License-Identifier: Apache-2.0
"""nps_trace_pack on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused


@pytest.mark.parametrize("parameters", [{}, {"COUNTERS": 33, "INDEX_W": 6}], ids=["default", "many"])
def test_bench(sim, parameters):
    bench("nps_trace_pack", sim, parameters)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a_again ? b_next : a_before", "a_before"),
        ("a_known ? a_count : 32'd0", "a_count"),
        ("b_crc ^ `NPS_CRC8(late)", "b_crc ^ `NPS_CRC8(128'd0)"),
    ],
    ids=["forwarding", "restart", "crc"],
)
def test_planted_bug(sim, old, new):
    caught("nps_trace_pack", sim, Patch("nps_trace_pack.v", old, new))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"COUNTERS": 65, "INDEX_W": 7}, "nps_error__COUNTERS_must_be_1_to_64"),
        ({"COUNTERS": 5, "INDEX_W": 2}, "nps_error__INDEX_W_must_hold_COUNTERS"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_trace_pack", any_tool, parameters, error)
