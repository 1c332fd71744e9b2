# SPDX-License-Identifier: Apache-2.0
"""nps_token_inject on both simulators, and bugs that its bench must catch. It has no parameters."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "nps_token_inject"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "counts_what_waits": ("if (pipe_valid && pipe_ready && mine) begin", "if (pipe_valid && mine) begin"),
    "counts_every_layer": ("wire mine = tok_layer == layer;", "wire mine = 1'b1;"),
    "one_late": ("due ? every == 16'd1 : left == 16'd2;", "due ? every == 16'd1 : left == 16'd1;"),
    "once_only": ("left <= due ? every :", "left <= due ? 16'd0 :"),
    "never_off": ("{4{due && mine && enable}}", "{4{due && mine}}"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch("nps_token_inject.v", *BUGS[bug]), tests=["test_random"])


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch("nps_token_inject.v", *BUGS["one_late"]), tests=["test_random"])
