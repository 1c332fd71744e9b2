# SPDX-License-Identifier: Apache-2.0
"""nps_skid on both simulators, its illegal parameter, and bugs that its bench must catch."""

from tb.runner import Patch, bench, caught, refused


def test_bench(sim):
    bench("nps_skid", sim, {"DATA_W": 129})


def test_single_bit():
    bench("nps_skid", "icarus", {"DATA_W": 1})


def test_planted_bug(sim):
    spare = Patch("nps_skid.v", "if (push) spare <= s_axis_tdata;", "if (s_axis_tvalid) spare <= s_axis_tdata;")
    caught("nps_skid", sim, spare, {"DATA_W": 129})


def test_planted_bug_in_ready():
    ready = Patch("nps_skid.v", "s_axis_tready <= advance || !(spare_valid || push);", "s_axis_tready <= advance;")
    caught("nps_skid", "icarus", ready, {"DATA_W": 129})


def test_illegal(any_tool):
    refused("nps_skid", any_tool, {"DATA_W": 0}, "nps_error__DATA_W_must_be_at_least_1")
