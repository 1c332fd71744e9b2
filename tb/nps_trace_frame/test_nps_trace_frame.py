# SPDX-License-Identifier: Apache-2.0
"""nps_trace_frame on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.nps_trace_frame.reading import PARAMETERS
from tb.runner import Patch, bench, caught, refused


def test_bench(sim):
    bench("nps_trace_frame", sim, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("state <= !fits ? CLOSE : e_mark", "state <= e_mark"),
        ("offers = at != AT_SYNC_B || !moving;", "offers = 1'b1;"),
        ("(|(state & START_CFG) || (|(state & GROUP) && at == AT_CFG))", "|(state & START_CFG)"),
        ("|(state & CLOSE) && emitted && !e_empty", "|(state & CLOSE) && emitted"),
        ("if (at == AT_SECOND && !e_loss_step) at <= AT_HOT;", "if (at == AT_SECOND) at <= AT_HOT;"),
        ("is_last = at == AT_DRY;", "is_last = at == AT_UNKNOWN;"),
    ],
    ids=["overlong_frame", "early_crc", "round_robin", "group_time", "lost_step", "short_group"],
)
def test_planted_bug(old, new):
    caught("nps_trace_frame", "icarus", Patch("nps_trace_frame.v", old, new), PARAMETERS)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"NUM_BP": 0}, "nps_error__NUM_BP_must_be_1_to_62"),
        ({"NUM_BP": 63, "INDEX_W": 7}, "nps_error__NUM_BP_must_be_1_to_62"),
        ({"NUM_BP": 3}, "nps_error__INDEX_W_must_hold_NUM_BP_plus_1"),
        ({"FRAME_RECORDS": 31}, "nps_error__FRAME_RECORDS_must_be_32_to_512"),
        ({"FRAME_RECORDS": 513}, "nps_error__FRAME_RECORDS_must_be_32_to_512"),
        ({"FRAME_AGE_NS": 0}, "nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS"),
        ({"FRAME_AGE_NS": 2001}, "nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS"),
    ],
)
def test_illegal(any_tool, changed, reason):
    refused("nps_trace_frame", any_tool, PARAMETERS | changed, reason)
