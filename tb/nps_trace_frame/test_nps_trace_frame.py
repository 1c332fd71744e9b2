# SPDX-License-Identifier: Apache-2.0
"""nps_trace_frame on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.nps_trace_frame.reading import parameters
from tb.others import env
from tb.runner import Patch, bench, caught, refused

PARAMETERS = parameters()


@pytest.mark.parametrize("others", [0, 7])
def test_bench(sim, others):
    bench("nps_trace_frame", sim, parameters(others), env=env(others))


@pytest.mark.parametrize("others", [1, 2, 4])
def test_one_more_source(others):
    bench("nps_trace_frame", "icarus", parameters(others), tests=["test_random"], env=env(others))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!fits ? CLOSE : e_mark", "e_mark"),
        ("in_group && !holds_b && place", "in_group && place"),
        ("(in_start_cfg && puts_list) || (puts_group && at == AT_CFG)", "in_start_cfg && puts_list"),
        ("in_close && emitted && !e_empty", "in_close && emitted"),
        ("(at == AT_SECOND && !e_loss_step) || at == AT_STEP_HI", "at == AT_SECOND || at == AT_STEP_HI"),
        ("is_last = at[3];", "is_last = at == AT_UNKNOWN;"),
    ],
    ids=["overlong_frame", "early_crc", "round_robin", "group_time", "lost_step", "short_group"],
)
def test_planted_bug(old, new):
    caught("nps_trace_frame", "icarus", Patch("nps_trace_frame.v", old, new), PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("place && word_sub == word_last", "place"),
        ("(has_context ? CONTEXT_WORDS : 5'd0)", "5'd0"),
        ("!e_loss_step && !has_layers && no_cfg", "!e_loss_step && !has_layers"),
    ],
    ids=["context_cut", "context_over_the_frame", "lost_words"],
)  # fmt: skip
def test_planted_bug_of_other_sources(old, new):
    caught("nps_trace_frame", "icarus", Patch("nps_trace_frame.v", old, new), parameters(7), env=env(7))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"NUM_BP": 0}, "nps_error__NUM_BP_must_be_1_to_62"),
        ({"NUM_BP": 63, "INDEX_W": 7}, "nps_error__NUM_BP_must_be_1_to_62"),
        ({"NUM_BP": 3}, "nps_error__INDEX_W_must_hold_the_framer"),
        ({"FRAME_RECORDS": 31}, "nps_error__FRAME_RECORDS_must_be_32_to_512"),
        ({"FRAME_RECORDS": 513}, "nps_error__FRAME_RECORDS_must_be_32_to_512"),
        ({"JITTER": 1}, "nps_error__INDEX_W_must_hold_the_framer"),
        ({"NUM_BP": 60, "INDEX_W": 7, "RAS": 1}, "nps_error__NUM_BP_must_be_at_most_59_beside_others"),
        ({"TOKEN": 2, "INDEX_W": 3}, "nps_error__TOKEN_RAS_JITTER_must_be_0_or_1"),
        ({"TOKEN": 1, "INDEX_W": 3, "WORDS": 17}, "nps_error__WORDS_must_be_4_to_16"),
        ({"TOKEN": 1, "INDEX_W": 3, "WORDS": 16}, "nps_error__FRAME_RECORDS_must_be_at_least_17_plus_WORDS"),
        ({"FRAME_AGE_NS": 0}, "nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS"),
        ({"FRAME_AGE_NS": 2001}, "nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS"),
    ],
)
def test_illegal(any_tool, changed, reason):
    refused("nps_trace_frame", any_tool, PARAMETERS | changed, reason)
