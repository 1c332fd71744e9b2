# SPDX-License-Identifier: Apache-2.0
"""nps_fifo_async on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

SMALL = {"DEPTH": 4, "DATA_W": 5}


def test_bench(sim):
    bench("nps_fifo_async", sim, {"DEPTH": 16, "DATA_W": 64})


def test_smallest():
    bench("nps_fifo_async", "icarus", SMALL, tests=["test_random"])


def test_planted_bug(sim):
    empty = Patch("nps_fifo_async.v", "ram_some    <= read_gray_next != write_gray_m;", "ram_some    <= 1'b1;")
    caught("nps_fifo_async", sim, empty, SMALL, tests=["test_random"])


def test_planted_bug_in_full():
    full = Patch(
        "nps_fifo_async.v",
        "{~read_gray_s[AW:AW-1], read_gray_s[AW-2:0]}",
        "{~read_gray_s[AW], read_gray_s[AW-1:0]}",
    )
    caught("nps_fifo_async", "icarus", full, SMALL, tests=["test_random"])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"DEPTH": 12}, "nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4"),
        ({"DATA_W": 0}, "nps_error__DATA_W_must_be_at_least_1"),
        ({"STAGES": 1}, "nps_error__STAGES_must_be_at_least_2"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_fifo_async", any_tool, parameters, error)
