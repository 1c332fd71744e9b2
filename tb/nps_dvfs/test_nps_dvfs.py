# SPDX-License-Identifier: Apache-2.0
"""nps_dvfs on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_dvfs", "nps_dvfs.v"
SMALL = {"DVFS_DWELL": 3}
ENV = {"DWELL": "3"}
BUGS = {
    "voltage_first": ("wire v_down = down && frequency == F_LOW &&", "wire v_down = down &&"),
    "frequency_first": ("wire f_up = up && voltage == V_HIGH &&", "wire f_up = up &&"),
}


@pytest.mark.parametrize("dwell", [1, 4])
def test_bench(sim, dwell):
    bench(TOP, sim, {"DVFS_DWELL": dwell}, env={"DWELL": str(dwell)})


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), SMALL, env=ENV)


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, SMALL, env=ENV)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"DVFS_V_STEP": 30}, "nps_error__DVFS_V_STEP_must_divide_the_range"),
        ({"DVFS_DWELL": 0}, "nps_error__DVFS_DWELL_must_be_1_to_255"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
