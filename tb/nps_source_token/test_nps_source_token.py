# SPDX-License-Identifier: Apache-2.0
"""nps_source_token on both simulators, and bugs that its bench must catch; tb/nps_token_irq has the rules."""

import pytest

from tb.runner import Patch, bench, caught

TOP, BUILT = "nps_source_token", {"WORDS": 5}


def test_bench(sim):
    bench(TOP, sim, BUILT)


@pytest.mark.parametrize(
    ("old", "new"),
    [("+ 1 - `NPS_TOKEN_EV_LATENCY", "- `NPS_TOKEN_EV_LATENCY"), (".more(context_words)", ".more()")],
    ids=["as_early_as_the_others", "no_context"],
)
def test_planted_bug(old, new):
    caught(TOP, "icarus", Patch("nps_source_token.v", old, new), BUILT)
