# SPDX-License-Identifier: Apache-2.0
"""nps_ras_words on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP, FILE = "nps_ras_words", "nps_ras_words.v"


@pytest.mark.parametrize("words", [2, 6])
def test_bench(sim, words):
    bench(TOP, sim, {"WORDS": words, "FIRST": 8})


BUGS = {
    "one_word_short": ("if (age != {WORDS{1'b0}} && tells)", "if (age[WORDS-2:0] != 0 && tells)"),
    "step_twice": ("has_step && !tells};", "has_step};"),
    "time_of_the_next": ("late_ts, late_payload, late_step_ns} <= {kind, sub, tq, ts,",
                         "late_ts, late_payload, late_step_ns} <= {kind, sub, tq, in_ts,"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["step_twice"]))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [({"WORDS": 1}, "WORDS_must_be_2_to_8"), ({"FIRST": 11}, "FIRST_must_be_0_to_16_less_WORDS")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_illegal(any_tool, parameters, reason):
    refused(TOP, any_tool, parameters, f"nps_error__{reason}")
