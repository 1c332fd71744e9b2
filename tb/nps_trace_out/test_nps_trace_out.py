# SPDX-License-Identifier: Apache-2.0
"""nps_trace_out on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused


@pytest.mark.parametrize("depth", [16, 64])
def test_bench(sim, depth):
    bench("nps_trace_out", sim, {"DEPTH": depth})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("go <= claims < FULL - ONE;", "go <= 1'b1;"),
        ("stall <= m_axis_tvalid && !m_axis_tready;", "stall <= m_axis_tvalid;"),
        ("lasts[put[AW-1:0]] <= s_last;", "lasts[put[AW-1:0]] <= 1'b0;"),
    ],
    ids=["overflow", "stall", "last"],
)
def test_planted_bug(sim, old, new):
    caught("nps_trace_out", sim, Patch("nps_trace_out.v", old, new))


@pytest.mark.parametrize("depth", [2, 24, 128])
def test_illegal(any_tool, depth):
    refused("nps_trace_out", any_tool, {"DEPTH": depth}, "nps_error__DEPTH_must_be_a_power_of_two_from_4_to_64")
