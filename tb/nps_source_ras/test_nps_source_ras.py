# SPDX-License-Identifier: Apache-2.0
"""nps_source_ras on both simulators, and bugs that its bench must catch; tb/nps_ras_map has the rules of the mapper."""

import pytest

from tb.runner import Patch, bench, caught

TOP = "nps_source_ras"
BUILT = {
    "R_LIMIT": 2000, "A_LIMIT": 3000, "S_LIMIT": 4000, "R_RUN": 2, "R_REARM": 2, "S_COUNT": 3, "A_BUDGET": 2,
    "S_WINDOW": 2000, "A_HOLDOFF": 1, "REQ_TIMEOUT": 40,
}  # fmt: skip


def test_bench(sim):
    bench(TOP, sim, BUILT)


BUGS = {
    "loss_told_too_early": ("wire ready = lost_waits && words_idle", "wire ready = words_idle"),
    "drop_while_told_forgotten": ("(tells_last && !loses);", "tells_last;"),
    "step_lost": ("(lost_step && has_step && !tells_last ? STEP_RECORDS : 32'd0)", "32'd0"),
    "words_not_counted": ("(lost_cfg ? CFG_RECORDS : 32'd0)", "32'd0"),
    "offers_the_rest": ("event_offer <= ev_offer;", "event_offer <= 1'b1;"),
    "done_too_early": ("assign offers = map_offers || !words_idle || open", "assign offers = open"),
    "words_of_another": (".words(told_words)", ".words(words)"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch("nps_source_ras.v", *BUGS[bug]), BUILT)
