# SPDX-License-Identifier: Apache-2.0
"""nps_energy_dvfs on both simulators, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught

TOP, FILE = "nps_energy_dvfs", "nps_energy_dvfs.v"
BUGS = {
    "turned_round": (
        ".over(over),\n        .under(under),\n        .vol",
        ".over(under),\n        .under(over),\n        .vol",
    ),
    "always_governs": (".enable(govern)", ".enable(1'b1)"),
}


def test_bench(sim):
    bench(TOP, sim)


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))
