# SPDX-License-Identifier: Apache-2.0
"""nps_link_probe on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP, FILE = "nps_link_probe", "nps_link_probe.v"
BUGS = {
    "stall_forgotten": ("stalled <= ((stalled & ~shows) | stalls)", "stalled <= (stalls)"),
    "code_rounded_up": ("wire fits = twice >=", "wire fits = twice >"),
    "not_aligned": ("{starves_3[at],", "{starves_2[at],"),
}


def built(*depths):
    """Parameters and what the bench is told, for links of these depths."""
    packed = sum(depth << 16 * n for n, depth in enumerate(depths))
    return {"LINKS": len(depths), "DEPTHS": f"{16 * len(depths)}'h{packed:x}"}, {"DEPTHS": " ".join(map(str, depths))}


FOUR = built(16, 0, 100, 1)


@pytest.mark.parametrize("links", [FOUR, built(8)], ids=["four", "one"])
def test_bench(sim, links):
    bench(TOP, sim, links[0], env=links[1])


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]), FOUR[0], env=FOUR[1])


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, FOUR[0], env=FOUR[1])


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"LINKS": 33}, "nps_error__LINKS_must_be_1_to_32"),
        ({"LINK_PERIOD": 9999}, "nps_error__LINK_PERIOD_must_be_10000_to_67108863"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
