"""Lanes and episodes against the slow state machine, on random streams with loss, ticks, steps, holes and nonsense."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from npuscope.description import Buffer, Description
from npuscope.intervals import intersect
from npuscope.layout import PAYLOAD, SRC_FRAMER, BpSub, Cfg, ClkSub, Kind, LossSub, State, SyncSub
from npuscope.ledger import Cause
from npuscope.records.batch import Batch, Hole
from npuscope.timeline import BLAME_KINDSUBS, EpisodeFlag, Lane, Timeline
from tests.timeline.oracle import COOL, HOT, LOST, Rec, Signal, axis_times, replay

LAYERS = 2
GRAPH = Description(tuple(Buffer(i, 0, i, f"q{i}") for i in range(LAYERS)))
LIMITS = [field.put(value) for field, value in zip(PAYLOAD[Kind.CFG, 2], (56, 48, 0, 3, 0, 4), strict=True)]

small = st.integers(0, 3)
masks = st.integers(0, 3)


@st.composite
def bp_record(draw: st.DrawFn) -> list[Rec]:
    sub = draw(st.sampled_from(list(BpSub)))
    low = 4 if sub in (BpSub.WET, BpSub.ENTER, BpSub.RAW) else 0
    occ = draw(st.sampled_from([o for o in (0, 1, 3, 4, 50, 60) if o >= low])) if sub != BpSub.DRY else 0
    values = {
        "bp_en": draw(st.booleans()),
        "peak": draw(st.integers(0, 63)),
        "dwell": draw(st.sampled_from([0, 5, 16383])),
    }
    return [Rec(Kind.BP, sub, draw(small), draw(st.integers(0, 1)), occ, **{k: int(v) for k, v in values.items()})]


@st.composite
def keyframe(draw: st.DrawFn) -> list[Rec]:
    ts = draw(st.integers(-3, 3))
    unknown = draw(masks)
    words = [draw(masks) & ~unknown, draw(masks), unknown, draw(masks) & ~unknown]
    full = [Rec(Kind.STATE, sub, ts if sub == 0 else 0, word=word) for sub, word in enumerate(words)]
    return full[: draw(st.sampled_from([4, 4, 4, 4, 2]))]


@st.composite
def step(draw: st.DrawFn) -> list[Rec]:
    size = draw(st.integers(-5000, 5000))
    word = size & (2**64 - 1)
    low = Rec(Kind.CLK, ClkSub.STEP_LO, size, word=word & 0xFFFFFFFF)
    return [low, Rec(Kind.CLK, ClkSub.STEP_HI, 0, word=word >> 32)]


@st.composite
def loss(draw: st.DrawFn) -> list[Rec]:
    first = Rec(Kind.LOSS, LossSub.FIRST, draw(small), word=3)
    second = Rec(Kind.LOSS, LossSub.SECOND, draw(small), word=draw(masks))
    stepped = [Rec(Kind.CLK, ClkSub.STATE), *draw(step())] if draw(st.booleans()) else []
    first.ts += draw(st.sampled_from([0, 700, -700])) if stepped else 0  # old or new time: nobody can tell
    both = [first, second, *stepped, *draw(st.one_of(st.just([]), keyframe()))]
    return both if draw(st.integers(0, 5)) else [first]


piece = st.one_of(
    bp_record(),
    bp_record(),
    bp_record(),
    keyframe(),
    loss(),
    step(),
    masks.map(lambda mask: [Rec(Kind.STATE, State.UNKNOWN, 1, word=mask)]),
    st.sampled_from([[Rec(Kind.CFG, Cfg.BP_LIMITS, 0, word=sum(LIMITS))], [Rec("hole")]]),
    st.integers(1500, 4000).map(lambda back: [Rec(Kind.BP, BpSub.LEVEL, -back, occ=50)]),
)


@st.composite
def streams(draw: st.DrawFn) -> list[Rec]:
    """Records of one source; the ``ts`` drawn so far are differences."""
    now = 100_000
    records = [Rec(Kind.CFG, Cfg.BP_LIMITS, now, word=sum(LIMITS))] if draw(st.booleans()) else []
    for group in draw(st.lists(piece, min_size=1, max_size=25)):
        for record in group:
            if record.kind == "hole":
                if records and records[-1].kind != "hole":
                    records.append(record)
                continue
            jitter = record.kind == Kind.STATE and record.sub == State.HOT
            ts = now + record.ts
            if not jitter:
                now = ts
            records.append(Rec(**{**vars(record), "ts": ts, "dwell": record.dwell}))
    for i, record in enumerate(records):  # the words of a keyframe share one ts
        if record.kind == records[i - 1].kind == Kind.STATE and record.sub == records[i - 1].sub + 1:
            record.ts = records[i - 1].ts
    while records and records[-1].kind == "hole":
        records.pop()
    records = records or [Rec(Kind.STATE, State.UNKNOWN, now, word=3)]
    records.append(Rec("end", ts=now + 5) if draw(st.booleans()) else Rec("hole"))
    return records


def payload(record: Rec) -> int:
    if record.kind != Kind.BP:
        return record.word
    return sum(field.put(getattr(record, field.name)) for field in PAYLOAD[Kind.BP, None])


def batches(records: list[Rec], cuts: list[int], table: np.ndarray | None = None) -> list[Batch]:
    """The stream as batches cut at ``cuts``; only records of ``table`` if given; masks of present layers in front."""
    ts = min(r.ts for r in records if r.kind != "hole") - 3
    rows = [Rec(Kind.CFG, Cfg.LAYERS, ts, word=3), Rec(Kind.CFG, Cfg.DRY_MASK, ts, word=3), *records]
    real, holes = [], []
    for row in rows:
        if row.kind == "hole":
            holes.append(len(real))
        else:
            real.append(row)
    kinds = [Kind.SYNC if r.kind == "end" else r.kind for r in real]
    subs = [SyncSub.END if r.kind == "end" else r.sub for r in real]
    srcs = [SRC_FRAMER if r.kind == "end" else 0 for r in real]
    seq = np.arange(len(real)) & 255
    whole = Batch.of([r.ts for r in real], srcs, kinds, subs, [payload(r) for r in real], seq=seq)
    keep = np.ones(len(whole), bool) if table is None else table[whole.kindsub]
    out, edges = [], sorted({0, *(c % len(whole) for c in cuts), len(whole)})
    for begin, end in pairwise(edges):
        inside = [h for h in holes if begin <= h < end or h == end == len(whole)]
        index = np.flatnonzero(keep[begin:end]) + begin
        marks = tuple(Hole(int(np.searchsorted(index, h)), 0, 0, None, None, Cause.DAMAGE) for h in inside)
        part = whole.take(index)
        out.append(Batch(part.raw, holes=marks))
    return out


def states(lane: Lane, times: list[int]) -> list[int]:
    """0, 1 or 2 (unknown) in the nanosecond that begins at each time."""

    def inside(intervals: np.ndarray, time: int) -> bool:
        return any(start <= time < end for start, end in intervals.tolist())

    return [LOST if inside(lane.unknown, t) else int(inside(lane.true, t)) for t in times]


def interesting(records: list[Rec], start: int, end: int) -> list[int]:
    edges = {start, *axis_times(records, 1000)}
    return sorted(t for e in edges for t in (e - 1, e, e + 1) if start <= t < end)


@given(streams(), st.lists(st.integers(0, 1000), max_size=3))
@settings(max_examples=400, deadline=None)
def test_lanes_and_episodes_equal_the_state_machine(records: list[Rec], cuts: list[int]) -> None:
    subs = {r.sub for r in records if r.kind == Kind.BP}
    assume(subs != {BpSub.RAW})  # may be a text dump: test_samples
    timeline = Timeline.build(batches(records, cuts), None, GRAPH)
    fast = Timeline.build(batches(records, cuts, BLAME_KINDSUBS), None, GRAPH, blame_only=True)
    times = interesting(records, timeline.start_ns, timeline.end_ns)
    for lane in timeline.hot + timeline.dry + timeline.bp:
        assert len(intersect(lane.true, lane.unknown)) == 0
    for layer in range(LAYERS):
        hot, dry = replay(records, layer)
        assert states(timeline.hot[layer], times) == [hot.at(t) for t in times]
        assert states(timeline.dry[layer], times) == [dry.at(t) for t in times]
        check_episodes(timeline, layer, hot)
        told = sorted((c.from_ns, c.to_ns) for c in timeline.conflicts if c.buffer == layer and " bp " not in c.what)
        assert told == sorted(hot.conflicts + dry.conflicts)
    for slow, quick in zip(timeline.hot + timeline.dry, fast.hot + fast.dry, strict=True):
        np.testing.assert_array_equal(slow.true, quick.true)
        np.testing.assert_array_equal(slow.unknown, quick.unknown)


def check_episodes(timeline: Timeline, layer: int, hot: Signal) -> None:
    rows = timeline.episodes[timeline.episodes["buffer"] == layer]
    flags = rows["flags"]
    found = [
        (int(s), int(e), bool(f & EpisodeFlag.LEFT_CENSORED), bool(f & EpisodeFlag.RIGHT_CENSORED))
        for s, e, f in zip(rows["start"], rows["end"], flags, strict=True)
    ]
    assert found == hot.episodes()
    censored = (flags & (EpisodeFlag.LEFT_CENSORED | EpisodeFlag.RIGHT_CENSORED)) > 0
    assert ((flags & EpisodeFlag.PEAK_LOWER) > 0).tolist() == censored.tolist()
    assert COOL < HOT < LOST


def test_a_last_keyframe_of_another_epoch_ends_with_the_stream() -> None:
    """The group before END has the time of another source's record, older than a step that this source has told."""
    far, now = 1 << 40, 1 << 42
    records = [
        Rec(Kind.BP, BpSub.KNOWN, now, occ=1),
        Rec(Kind.CLK, ClkSub.STEP_LO, now - far + 20, word=-far & 0xFFFFFFFF),
    ]
    records += [Rec(Kind.CLK, ClkSub.STEP_HI, now - far + 20, word=-far >> 32 & 0xFFFFFFFF)]
    records += [Rec(Kind.STATE, sub, now + 10, word=2 * (sub == State.UNKNOWN)) for sub in range(4)]
    records += [Rec("end", ts=now - far + 50)]
    timeline = Timeline.build(batches(records, []), None, GRAPH)
    assert timeline.end_ns == now + 50
    assert states(timeline.hot[0], [now + 19, now + 20]) == [0, LOST]
    assert timeline.hot[0].unknown[-1].tolist() == [now + 20, now + 50]
