# SPDX-License-Identifier: Apache-2.0
"""nps_util_probe on both simulators, its illegal parameters, and named mutants that its bench must kill."""

import pytest

from tb.runner import bench, killed, refused

TOP = "nps_util_probe"


@pytest.mark.parametrize("channels", [8, 32])
def test_bench(sim, channels):
    bench(TOP, sim, {"CHANNELS": channels})


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"CHANNELS": 63}, "nps_error__CHANNELS_must_be_2_to_62"),
        ({"UTIL_SATURATION": 1001}, "nps_error__UTIL_SATURATION_must_be_0_to_1000"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
