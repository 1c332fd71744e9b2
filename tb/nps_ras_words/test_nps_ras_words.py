# SPDX-License-Identifier: Apache-2.0
"""nps_ras_words on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP, FILE = "nps_ras_words", "nps_ras_words.v"


@pytest.mark.parametrize("words", [2, 6])
def test_bench(sim, words):
    bench(TOP, sim, {"WORDS": words, "FIRST": 8})


BUGS = {
    "one_word_short": ("tells && at == LAST && !rst", "tells && at == LAST - 3'd1 && !rst"),
    "step_late": ("ev_step <= in_step && !rst;", "ev_step <= ends;"),
    "record_of_another": ("ends ? has_record : in_valid", "in_valid || ends"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["step_late"]))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [({"WORDS": 1}, "WORDS_must_be_2_to_8"), ({"FIRST": 11}, "FIRST_must_be_0_to_16_less_WORDS")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_illegal(any_tool, parameters, reason):
    refused(TOP, any_tool, parameters, f"nps_error__{reason}")
