"""A hand-made capture of 12 buffers: one slow stage, one loss window, names that try to break out."""

from __future__ import annotations

import random

import numpy as np

from npuscope.analysis import Cell, Row, Stalls
from npuscope.description import Buffer, Description
from npuscope.ledger import Cause, Ledger, SourceCount, Window
from npuscope.timeline import EPISODE, EpisodeFlag, Lane, Timeline
from npuscope.views.report import FileFact, ReportData
from npuscope.views.trust import Trust

START = 1_764_475_200_000_000_000
SPAN = 5_243_000
SLOW = 7
LOSS = (START + 3_100_000, START + 3_190_000)
EMPTY = np.empty((0, 2), np.int64)
NASTY = '</script><script>alert("x")</script>'


def description() -> Description:
    stages = ["load", "conv1", "relu1", "conv2", "relu2", "pool", "split", "conv3", "conv4", "join", "softmax"]
    stages.append(NASTY)
    buffers = tuple(
        Buffer(i, 0, i, f"q{i}" if i != 4 else "q4<b>&'\"", stages[i], (stages[i + 1],) if i < 11 else ())
        for i in range(12)
    )
    return Description(buffers, title="NPU pipeline, conv3 slowed")


def timeline() -> Timeline:
    chance = random.Random(7)
    hot, dry, episodes = [], [], []
    for i in range(12):
        spans, t = [], START + chance.randrange(20_000)
        while t < START + SPAN:
            slow = START + 1_500_000 <= t < START + 4_000_000 and i < SLOW
            length = chance.randrange(20_000, 60_000) if slow else chance.randrange(60, 900)
            spans.append([t, min(t + length, START + SPAN)])
            t += length + (chance.randrange(500, 4_000) if slow else chance.randrange(20_000, 120_000))
        array = np.array(spans, np.int64)
        if i >= SLOW - 1:
            array = np.array([s for s in spans if not LOSS[0] <= s[0] < LOSS[1]], np.int64)
        unknown = np.array([LOSS], np.int64) if i in (5, 6, 7) else EMPTY
        if i in (5, 6, 7):
            array = np.array([s for s in array if s[1] <= LOSS[0] or s[0] >= LOSS[1]], np.int64)
        hot.append(Lane(array, unknown))
        after = np.array([[START + 1_600_000, START + 3_950_000]], np.int64) if i > SLOW else EMPTY
        dry.append(Lane(after, EMPTY))
        episodes += [(i, 0, chance.randrange(56, 64), s, e, e - s) for s, e in array.tolist()]
    table = np.array(episodes, EPISODE)
    table = table[np.lexsort((table["buffer"], table["start"]))]
    longest = int(np.argmax(table["end"] - table["start"]))
    table["flags"][longest] = EpisodeFlag.LEFT_CENSORED | EpisodeFlag.PEAK_LOWER
    lanes = tuple(Lane(EMPTY, EMPTY) for _ in range(12))
    return Timeline(description(), START, START + SPAN, tuple(hot), tuple(dry), lanes, table)


def stalls(line: Timeline) -> Stalls:
    hot = tuple(int((lane.true[:, 1] - lane.true[:, 0]).sum()) for lane in line.hot)
    unseen = tuple(int((lane.unknown[:, 1] - lane.unknown[:, 0]).sum()) for lane in line.hot)
    names = [b.name for b in line.description.buffers]
    upper = [min(h + u, SPAN) for h, u in zip(hot, unseen, strict=True)]
    matrix = tuple(Cell(i, "conv3", 9 * hot[i] // 10, upper[i], hot[i] // 20) for i in range(SLOW))
    matrix += (Cell(10, NASTY, hot[10], hot[10], 0),)
    certain = sum(c.min_ns for c in matrix[:SLOW])
    rows = (
        Row("conv3", "stage", (6,), certain, sum(upper[:SLOW]), sum(hot[:SLOW]) // 20, tuple(range(SLOW))),
        Row(NASTY, "stage", (10,), hot[10], hot[10], 0, (10,)),
        Row("sink", "sink", (11,), 0, hot[11], 0, ()),
    )
    order = np.argsort(line.episodes["start"] - line.episodes["end"], kind="stable")
    known = {c.victim: c.min_ns for c in matrix}
    unknown = tuple(hot[i] - known.get(i, 0) for i in range(12))
    return Stalls(
        verdict="Stage conv3 causes 88.1..99.2 % of 16.114 ms stall time; it stalls q0 to q6.",
        graph_assumed=False,
        from_ns=START,
        to_ns=START + SPAN,
        buffers=tuple(names),
        coverage=tuple(SPAN - u for u in unseen),
        coverage_min=SPAN - max(unseen),
        hot_ns=hot,
        unknown_ns=unknown,
        unseen_ns=unseen,
        draining_ns=tuple(c // 20 for c in hot),
        ambiguous_ns=(0,) * 12,
        rows=rows,
        matrix=matrix,
        cycles=(),
        evidence=tuple(int(i) for i in order[:8]),
    )


def ledger() -> Ledger:
    found = Ledger(total=663_552, ok=41_216, sync=256, end_seen=True)
    found.sources = {0: SourceCount(decoded=40_000, dropped=96, exact=True), 63: SourceCount(decoded=1_472, exact=True)}
    found.windows.note(Window(0, 0b111 << 5, *LOSS, Cause.FIFO_FULL, 96))
    return found


def report() -> ReportData:
    line = timeline()
    trust = [
        Trust("loss", "96 of 41,312 records lost in 1 window, 90 us", "bad"),
        Trust("coverage", "98.2 % of the time at least, q5 the least", "warn"),
        Trust("end", "END seen", "ok"),
        Trust("clock", "locked throughout", "ok"),
        Trust("graph", "given, hash 9f0a4c11d2e3b455", "ok"),
        Trust("limits", "full from 56/64, free below 48/64, stale after 100.000 us", "plain"),
    ]
    return ReportData(
        title="NPU pipeline, conv3 slowed",
        stalls=stalls(line),
        timeline=line,
        trust=trust,
        losses=[LOSS],
        ledger=ledger(),
        places=[LOSS],
        files=[FileFact("my runs/run.npt", 663_552, "ab" * 32)],
        version="0.1.0",
    )
