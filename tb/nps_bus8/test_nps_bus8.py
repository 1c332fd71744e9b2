# SPDX-License-Identifier: Apache-2.0
"""nps_bus8 on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_bus8"
SMALL = {"COUNT_W": 8}


@pytest.mark.parametrize("parameters", [SMALL, {"COUNT_W": 1}], ids=["eight", "one"])
def test_bench(sim, parameters):
    bench(TOP, sim, parameters)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("held_valid      <= bus_valid && !(held_valid && match);", "held_valid      <= bus_valid && !held_valid;"),
        ("wire [3:0] check = ~(", "wire [3:0] check = ("),
        (
            "held_valid      <= bus_valid && !(held_valid && match);",
            "held_valid      <= (bus_valid || held_valid) && !(second && match);",
        ),
        ("if (held_valid && !bus_valid && !(&orphans))", "if (held_valid && !bus_valid)"),
    ],
    ids=["both_beats_dropped", "check_inverted", "phase_not_reset", "counter_wraps"],
)
def test_planted_bug(old, new):
    caught(TOP, "icarus", Patch("nps_bus8.v", old, new), SMALL)


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch("nps_bus8.v", "wire [3:0] check = ~(", "wire [3:0] check = ("), SMALL)


@pytest.mark.parametrize("width", [0, 33])
def test_illegal(any_tool, width):
    refused(TOP, any_tool, {"COUNT_W": width}, "nps_error__COUNT_W_must_be_1_to_32")
