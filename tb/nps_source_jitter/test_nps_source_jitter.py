# SPDX-License-Identifier: Apache-2.0
"""nps_source_jitter on both simulators, and bugs that its bench must catch; tb/nps_jitter has the rules."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "nps_source_jitter"


def test_bench(sim):
    bench(TOP, sim)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".CLOCKS(`NPS_BP_LATENCY - `NPS_JITTER_LATENCY)", ".CLOCKS(`NPS_BP_LATENCY - `NPS_JITTER_LATENCY + 1)"),
        ("if (restarted[2]) words", "if (restart) words"),
        ("if (restarted[2]) words", "words"),
    ],
    ids=["late", "words_before_the_restart", "words_of_now"],
)
def test_planted_bug(old, new):
    caught(TOP, "icarus", Patch("nps_source_jitter.v", old, new))
