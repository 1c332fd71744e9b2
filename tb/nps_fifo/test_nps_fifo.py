# SPDX-License-Identifier: Apache-2.0
"""nps_fifo on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

SMALL = {"DEPTH": 4, "DATA_W": 3}


@pytest.mark.parametrize("parameters", [SMALL, {"DEPTH": 64, "DATA_W": 140}], ids=["small", "default"])
def test_bench(sim, parameters):
    bench("nps_fifo", sim, parameters)


def test_many_banks():
    tests = ["test_latency", "test_resume_below_half", "test_drain"]
    bench("nps_fifo", "icarus", {"DEPTH": 256, "DATA_W": 8}, tests=tests)


def test_planted_bug(sim):
    half = Patch("nps_fifo.v", "low   <= level <= HALF;", "low   <= level <= HALF + ONE;")
    caught("nps_fifo", sim, half, SMALL, tests=["test_random"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assign s_mark = s_accept && dropping;", "assign s_mark = s_accept && dropping && !empty;"),
        ("idle <= !(take && take_bank == bank) || rst;", "idle <= !(take_bank == bank) || rst;"),
    ],
    ids=["mark", "read"],
)
def test_more_planted_bugs(old, new):
    caught("nps_fifo", "icarus", Patch("nps_fifo.v", old, new), SMALL, tests=["test_random"])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"DEPTH": 6}, "nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4"),
        ({"DEPTH": 2}, "nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4"),
        ({"DATA_W": 0}, "nps_error__DATA_W_must_be_at_least_1"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_fifo", any_tool, parameters, error)
