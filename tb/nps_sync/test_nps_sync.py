# SPDX-License-Identifier: Apache-2.0
"""nps_sync on both simulators, its illegal parameters, and a bug that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused


def test_bench(sim):
    bench("nps_sync", sim, {"W": 7, "STAGES": 3, "RESET_VALUE": 9})


def test_planted_bug(sim):
    early = Patch("nps_sync.v", "assign q = chain[W*STAGES-1-:W];", "assign q = chain[W-1:0];")
    caught("nps_sync", sim, early, {"W": 7, "STAGES": 3, "RESET_VALUE": 9})


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"STAGES": 1}, "nps_error__STAGES_must_be_at_least_2"),
        ({"W": 0}, "nps_error__W_must_be_at_least_1"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused("nps_sync", any_tool, parameters, error)
