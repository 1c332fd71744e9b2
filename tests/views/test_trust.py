"""Statements of trust from hand-made ledgers: nothing is called good that is not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from npuscope.description import Description
from npuscope.layout import Cfg
from npuscope.ledger import Cause, Ledger, SourceCount, Window
from npuscope.timeline import EPISODE, Lane, Timeline
from npuscope.views import trust

EMPTY = np.empty((0, 2), np.int64)


def ledger(**changes: object) -> Ledger:
    return dataclasses.replace(Ledger(end_seen=True), **changes)


def with_windows(*windows: Window, missing: int = 0, dropped: int = 0, exact: bool = True) -> Ledger:
    found = ledger(sources={0: SourceCount(decoded=990, missing=missing, dropped=dropped, exact=exact)})
    for window in windows:
        found.windows.note(window)
    return found


LOST = Window(0, 3, 100, 200, Cause.FIFO_FULL, 10)
RESTART = Window(None, 0, 300, 400, Cause.RESTART, None)
STOPPED = Window(None, 0, 300, 400, Cause.STOPPED, None)


@pytest.mark.parametrize(
    ("found", "text", "mood"),
    [
        (with_windows(), "none", "ok"),
        (with_windows(STOPPED), "none", "ok"),
        (with_windows(LOST, dropped=10), "10 of 1,000 records (1.0 %), 1 window: fifo full", "bad"),
        (
            with_windows(LOST, RESTART, dropped=10),
            "at least 10 of 1,000 records (1.0 %), 2 windows: fifo full, restart",
            "bad",
        ),
        (with_windows(RESTART), "how many records is not known, 1 window: restart", "bad"),
        (
            with_windows(Window(None, 0, 1, 2, Cause.DAMAGE, 10), missing=10, exact=False),
            "at least 10 of 1,000 records (1.0 %), 1 window: damage",
            "bad",
        ),
    ],
)
def test_loss(found: Ledger, text: str, mood: str) -> None:
    assert trust.loss(found) == trust.Trust("loss", text, mood)  # type: ignore[arg-type]


def test_lost_says_when_more_may_be_lost() -> None:
    assert trust.lost(with_windows(LOST, dropped=10)) == (10, 1000, False)
    assert trust.lost(with_windows(RESTART)) == (0, 990, True)
    assert trust.lost(with_windows(STOPPED)) == (0, 990, False)


@pytest.mark.parametrize(
    ("changes", "text", "mood"),
    [
        ({}, "none", "ok"),
        ({"bad": 1200}, "1.2 kB are no record", "bad"),
        ({"blank": 4096}, "4.1 kB are blank", "warn"),
        ({"tail": 7, "end_seen": False}, "the last record is cut after 7 bytes", "bad"),
        ({"tail": 7, "behind_end": 7}, "7 B stand behind END and belong to nothing", "bad"),
        ({"bad": 40, "behind_end": 28}, "40 B are no record, 28 B stand behind END and belong to nothing", "bad"),
        (
            {"salvaged": 30, "open_records": 10, "bad": 5},
            "5 B are no record, 20 records salvaged from bad frames",
            "bad",
        ),
        ({"unknown": {"PAD.3": 2}}, "2 records of kinds this version does not know", "warn"),
    ],
)
def test_damage(changes: dict[str, object], text: str, mood: str) -> None:
    assert trust.damage(ledger(**changes)) == trust.Trust("damage", text, mood)  # type: ignore[arg-type]


def test_ending() -> None:
    assert trust.ending(ledger(runs=1)).mood == "ok"
    assert trust.ending(ledger(runs=3, restarts=1)).text == "END seen, 3 runs, 1 restart without END"
    assert trust.ending(ledger(end_seen=False)).mood == "bad"


def test_clock() -> None:
    assert trust.clock({2: 10}) == trust.Trust("clock", "locked throughout", "ok")
    assert trust.clock({2: 10}, [-2_000_000_000]).mood == "warn"
    assert trust.clock({2: 10}, [-20_000, 5]).text == "locked throughout; 2 steps, the first of -20.000 us"
    assert trust.clock({2: 999, 3: 1}).text == "doubt 0.1 %, locked 99.9 %"
    assert trust.clock({}).text == "not told"


@pytest.mark.parametrize(
    ("unknown", "text", "mood"),
    [
        ([], "100.0 % of the time, every buffer", "ok"),
        ([[0, 5]], "at least 99.5 % of the time known, b1 the least", "ok"),
        ([[0, 101]], "at least 89.9 % of the time known, b1 the least", "warn"),
    ],
)
def test_coverage(unknown: list[list[int]], text: str, mood: str) -> None:
    known, seen = Lane(EMPTY, EMPTY), Lane(EMPTY, np.array(unknown, np.int64).reshape(-1, 2))
    lanes = (known, seen)
    line = Timeline(Description.chain([(0, 0), (0, 1)]), 0, 1000, lanes, lanes, lanes, np.empty(0, EPISODE))
    assert trust.coverage(line) == trust.Trust("coverage", text, mood)  # type: ignore[arg-type]


def test_limits_of_sources_that_agree_are_one_line() -> None:
    word = 56 | 48 << 6 | 8 << 18 | 4 << 24
    same = {Cfg.BP_LIMITS: word, Cfg.STALE: 100_000}
    text = "full from 56/64, free below 48/64, not empty from 4/64, stale after 100.000 us"
    assert trust.limits({0: same, 1: same, 63: {Cfg.VERSION: 1}}) == [trust.Trust("limits", text)]
    other = {Cfg.BP_LIMITS: word | 1 << 23 | 2 << 12, Cfg.STALE: 0}
    found = trust.limits({0: same, 1: same, 2: other, 4: same})
    assert [t.name for t in found] == ["limits 0-1,4", "limits 2"]
    assert (
        found[1].text == "full from 56/64, free below 48/64, not empty from 4/64, level step 2/64, RAW on, stale never"
    )


def test_graph_assumed_is_said_in_capitals() -> None:
    assumed = trust.graph(Description.chain([(0, 0), (0, 1)]))
    assert assumed == trust.Trust("graph", "ASSUMED chain of 2 buffers (no description)", "warn")
