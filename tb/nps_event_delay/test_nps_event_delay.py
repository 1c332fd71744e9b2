# SPDX-License-Identifier: Apache-2.0
"""nps_event_delay on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_event_delay"
BUILDS = [{"CLOCKS": 3, "MORE_W": 1}, {"CLOCKS": 7, "MORE_W": 40}]


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: f"{build['CLOCKS']} clocks")
def test_bench(sim, build):
    bench(TOP, sim, build)


@pytest.mark.parametrize(
    ("old", "new"),
    [("CLOCKS - 2;", "CLOCKS - 3;"), ("records <= {CLOCKS{1'b0}};", "records <= records;")],
    ids=["ring_too_short", "records_before_a_reset"],
)
def test_planted_bug(old, new):
    caught(TOP, "icarus", Patch("nps_event_delay.v", old, new), BUILDS[1])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [({"CLOCKS": 2}, "CLOCKS_must_be_3_to_63"), ({"MORE_W": 0}, "MORE_W_must_be_at_least_1")],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, f"nps_error__{error}")
