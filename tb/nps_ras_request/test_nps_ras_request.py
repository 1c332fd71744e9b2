# SPDX-License-Identifier: Apache-2.0
"""nps_ras_request on both simulators, its illegal parameter, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_ras_request", "nps_ras_request.v"


def test_bench(sim):
    bench(TOP, sim, {"TIMEOUT": 16})


def test_shortest_timeout(sim):
    bench(TOP, sim, {"TIMEOUT": 2}, tests=["test_random"])


BUGS = {
    "fire_in_the_clock_of_the_ack": ("(fire && !merges)", "(fire && !req)"),
    "rises_into_an_ack": ("wire free = !req && !ack;", "wire free = !req;"),
    "told_twice": ("wire waits = req != ack && !is_stuck;", "wire waits = req != ack;"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), {"TIMEOUT": 16})


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["rises_into_an_ack"]), {"TIMEOUT": 16})


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, {"TIMEOUT": 16})


@pytest.mark.parametrize("timeout", [1, 1 << 24])
def test_illegal(any_tool, timeout):
    refused(TOP, any_tool, {"TIMEOUT": timeout}, "nps_error__REQ_TIMEOUT_must_be_2_to_16777215")
