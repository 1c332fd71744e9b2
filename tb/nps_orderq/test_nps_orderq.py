# SPDX-License-Identifier: Apache-2.0
"""nps_orderq on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

SMALL = {"N": 3, "DEPTH": 16}


@pytest.mark.parametrize("parameters", [SMALL, {"N": 16, "DEPTH": 128}], ids=["three", "many"])
def test_bench(sim, parameters):
    bench("nps_orderq", sim, parameters)


def test_single_source():
    bench("nps_orderq", "icarus", {"N": 1, "DEPTH": 16})


def test_planted_bug(sim):
    rest = Patch("nps_orderq.v", "advance && !rest_some && next_valid", "advance && next_valid")
    caught("nps_orderq", sim, rest, SMALL, tests=["test_random"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m_src  <= index(rest_some ? rest_first : next_first);", "m_src  <= index(next_first);"),
        ("&& !next_valid && !m_valid;", "&& !m_valid;"),
    ],
    ids=["source", "empty"],
)
def test_more_planted_bugs(old, new):
    caught("nps_orderq", "icarus", Patch("nps_orderq.v", old, new), SMALL, tests=["test_random"])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"N": 0}, "nps_error__N_must_be_1_to_64"),
        ({"N": 65}, "nps_error__N_must_be_1_to_64"),
        ({"DEPTH": 24}, "nps_error__DEPTH_must_be_a_power_of_two_of_at_least_4"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_orderq", any_tool, parameters, error)
