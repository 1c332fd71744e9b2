"""Token flow against a plain twin, whatever pieces it comes in; the verdict on streams of known kind."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.encode import Entry
from npuscope.layout import SRC_TOKEN, Kind, TokenSub
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import TABLE_KINDSUBS, Break, Chunk, Reader
from npuscope.tables.spread import Spread
from npuscope.tables.tokens import (
    GAP_LIMIT_NS,
    TOKINT,
    ArrivalRows,
    Flow,
    Streaming,
    TokenMeter,
    Why,
    joined,
    streaming,
)
from tests.tables.dumps import START, context, token, tokint, writer

Event = tuple[int, int, int, int, int]  # kind, sub, payload, ns since the one before, break before it
HOWS = {TokenSub.FIRST, TokenSub.NEXT, TokenSub.TRIMMED}


@st.composite
def events(draw: st.DrawFn) -> list[Event]:
    """Events of one token source; a TOKINT has its context, sometimes with words missing."""
    found: list[Event] = []
    for number in range(draw(st.integers(0, 25))):
        gap = draw(st.sampled_from([5, 40, 87, 88, 500]))
        broken = draw(st.sampled_from([0] * 12 + [Break.STEP, Break.LOSS, Break.DAMAGE, Break.RESTART]))
        what = draw(st.integers(0, 9))
        if what < 6:
            found.append((Kind.TOKEN, draw(st.sampled_from([1, 1, 1, 0, 4])), number, gap, broken))
        elif what < 8:
            found.append((Kind.TOKEN, draw(st.sampled_from([2, 3])), number // 3, gap, broken))
        else:
            found.append((Kind.TOKINT, draw(st.integers(1, 15)), number, gap, broken))
            words = context(own=[7] * draw(st.integers(0, 2)), first=draw(st.integers(0, 1)))
            gone = draw(st.sampled_from([None] * 5 + [0, 1]))
            missing = 0
            for index, word in enumerate(words):
                if index == gone:
                    missing = Break.DAMAGE
                    continue
                found.append((Kind.CTX, index, word, 0, missing))
                missing = 0
            if missing:
                found.append((Kind.TOKEN, 1, number, gap, missing))
    return found


def chunk(found: list[Event], times: list[int], first: int) -> Chunk:
    size = len(found)
    column = np.array(found, np.int64).reshape(size, 5)
    time = np.array(times, np.int64)
    byte = np.zeros(size, np.uint8)
    return Chunk(
        SRC_TOKEN,
        first + np.arange(size, dtype=np.int64),
        time,
        time,
        byte.astype(np.int32),
        column[:, 0].astype(np.uint8),
        column[:, 1].astype(np.uint8),
        byte,
        (first + np.arange(size)).astype(np.uint8),
        column[:, 2].astype(np.uint32),
        column[:, 4].astype(np.uint8),
    )


class Twin:
    """One event at a time."""

    def __init__(self, found: list[Event], times: list[int]) -> None:
        self.gaps: list[int] = []
        self.why: Counter[int] = Counter()
        self.bursts: list[int] = []
        self.cut = self.tokens = self.unknown_ns = self.open = 0
        self.freezes: list[int] = []
        last: int | None = None
        worst, burst, sure = Why.GAP, 0, False
        frozen: tuple[int, int] | None = None
        for place, ((kind, sub, word, _, broken), time) in enumerate(zip(found, times, strict=True)):
            if broken and frozen:
                self.open, frozen = self.open + 1, None
            if broken in (Break.START, Break.RESTART):
                worst = max(worst, Why.START)
            elif broken:
                worst = Why.UNKNOWN
            if kind == Kind.CTX:
                continue
            if kind == Kind.TOKEN and sub not in HOWS:
                worst = max(worst, Why.FROZEN)
                if sub == TokenSub.FROZEN:
                    self.open += frozen is not None
                    frozen = time, word
                elif frozen and frozen[1] == word:
                    self.freezes.append(time - frozen[0])
                    frozen = None
                else:
                    self.open += 1
                continue
            self.tokens += 1
            if kind == Kind.TOKINT:
                head = found[place + 1] if place + 1 < len(found) else None
                if head is None or head[0] != Kind.CTX or head[1] or head[4]:
                    worst = Why.UNKNOWN
                elif head[2] >> 30 & 1:
                    worst = max(worst, Why.FIRST)
            elif sub == TokenSub.FIRST:
                worst = max(worst, Why.FIRST)
            if last is None:
                worst = Why.START
            gap = time - (time if last is None else last)
            if worst == Why.GAP:
                self.gaps.append(gap)
            else:
                self.why[worst] += 1
                self.unknown_ns += gap if worst == Why.UNKNOWN else 0
            late = worst == Why.GAP and gap > GAP_LIMIT_NS
            if late or worst != Why.GAP:
                clean = late or worst == Why.FIRST
                if burst and sure and clean:
                    self.bursts.append(burst)
                elif burst:
                    self.cut += 1
                burst, sure = 0, clean
            burst += 1
            last, worst = time, Why.GAP
        self.cut += burst > 0
        self.open += frozen is not None


@settings(max_examples=150, deadline=None)
@given(events(), st.lists(st.integers(0, 80)))
def test_flow_is_that_of_the_twin(found: list[Event], cuts: list[int]) -> None:
    times = np.cumsum([e[3] for e in found]).tolist() if found else []
    meter, arrived = TokenMeter(), ArrivalRows()
    rows = []
    bounds = sorted({0, *(c for c in cuts if c < len(found)), len(found)})
    for low, high in pairwise(bounds):
        part = chunk(found[low:high], times[low:high], low)
        meter.feed([part])
        rows += [rows for _, rows in arrived.feed([part])]
    meter.finish()
    table = joined([*rows, *(rows for _, rows in arrived.finish())])
    twin, flow = Twin(found, times), meter.flow
    assert flow.tokens == twin.tokens == len(table)
    assert _spread(flow.gaps) == _summary(twin.gaps)
    assert table["gap"][table["gap"] >= 0].tolist() == twin.gaps
    assert flow.not_measured == twin.why
    assert flow.unknown_ns == twin.unknown_ns
    assert _spread(flow.pauses) == _summary([g for g in twin.gaps if g > GAP_LIMIT_NS])
    assert _spread(flow.bursts) == _summary(twin.bursts)
    assert flow.cut == twin.cut
    assert _spread(flow.freezes) == _summary(twin.freezes)
    assert flow.open_freezes == twin.open
    assert flow.interrupts == sum(e[0] == Kind.TOKINT for e in found)
    assert [gap for _, _, gap in flow.longest] == sorted((g for g in twin.gaps if g > GAP_LIMIT_NS), reverse=True)[:8]
    histogram = flow.gaps.histogram()
    assert sum(number for _, number in histogram) == len(twin.gaps)
    low = -1
    for top, number in histogram:
        assert number == sum(low < gap <= top for gap in twin.gaps)
        low = top


def _spread(spread: Spread) -> tuple[object, ...]:
    return spread.count, spread.low, spread.high, spread.total


def _summary(values: list[int]) -> tuple[object, ...]:
    return len(values), min(values, default=None), max(values, default=None), sum(values)


def flow_of(entries: list[Entry], path: Path, lose: tuple[int, int] | None = None) -> Flow:
    """Through a dump and back. lose: these entries are dropped."""
    made = writer()
    todo = list(entries)
    if lose is not None:
        for entry in todo[: lose[0]]:
            made.offer(entry)
        made.drop(SRC_TOKEN, todo[lose[0] : lose[1]], marked=todo[lose[1]] if lose[1] < len(todo) else None)
        todo = todo[lose[1] + 1 :]
    for entry in todo:
        made.offer(entry)
    made.flush()
    path.write_bytes(made.data())
    meter, reader = TokenMeter(), Reader(keep_gaps=True)
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS, block_bytes=20_000):
            meter.feed(reader.feed(batch)[0])
    meter.finish(reader.gaps)
    return meter.flow


def steady(period: int, number: int = 400) -> list[Entry]:
    return [token(START + 1000 + i * period, i, TokenSub.NEXT if i else TokenSub.FIRST) for i in range(number)]


def batches(size: int, pause: int, number: int = 400) -> list[Entry]:
    return [token(START + 1000 + 10 * i + i // size * pause, i) for i in range(number)]


def test_the_pair_of_the_article(tmp_path: Path) -> None:
    """At 96 ns every token violates the limit of 87 ns, at 80 ns none does."""
    slow, fast = flow_of(steady(96), tmp_path / "a"), flow_of(steady(80), tmp_path / "b")
    assert (slow.late, slow.gaps.count) == (399, 399)
    assert (fast.late, fast.gaps.count) == (0, 399)
    assert streaming(slow) is Streaming.LATE
    assert streaming(fast) is Streaming.TRUE


def test_batches_are_pseudo_streaming_with_their_size_as_evidence(tmp_path: Path) -> None:
    flow = flow_of(batches(16, 2_000), tmp_path / "a")
    assert streaming(flow) is Streaming.PSEUDO
    assert (flow.bursts.low, flow.bursts.high, flow.bursts.count) == (16, 16, 23)
    assert flow.cut == 2
    assert (flow.pauses.low, flow.pauses.high) == (2_010, 2_010)
    assert streaming(flow_of(batches(2, 200), tmp_path / "b")) is Streaming.PSEUDO
    assert streaming(flow_of(batches(200, 2_000), tmp_path / "c")) is Streaming.TRUE


def test_a_few_gaps_decide_nothing(tmp_path: Path) -> None:
    assert streaming(flow_of(steady(96, 8), tmp_path / "a")) is Streaming.UNDECIDED
    assert streaming(flow_of(steady(96, 9), tmp_path / "b")) is Streaming.LATE


def test_loss_makes_undecided_never_the_other_verdict(tmp_path: Path) -> None:
    for kind, entries in (("true", steady(80)), ("late", steady(96)), ("pseudo", batches(16, 2_000))):
        seen = set()
        for number, lose in enumerate([(5, 20), (10, 60), (10, 200), (3, 300), (2, 380), (390, 400), (100, 400)]):
            flow = flow_of(entries, tmp_path / f"{kind}{number}", lose)
            assert flow.unknown_ns > 0
            seen.add(streaming(flow).value)
        assert seen == {kind, "undecided"}, kind


def test_a_pause_between_runs_is_no_pause_of_the_stream(tmp_path: Path) -> None:
    made = writer()
    for run in range(2):
        if run:
            made.start(START + 10**12)
        for entry in steady(80):
            made.offer(Entry(entry.ts + run * 10**12, entry.src, entry.kind, entry.sub, entry.payload))
        made.flush()
    path = tmp_path / "runs.npt"
    path.write_bytes(made.data())
    meter, reader = TokenMeter(), Reader()
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS):
            meter.feed(reader.feed(batch)[0])
    meter.finish()
    assert streaming(meter.flow) is Streaming.TRUE
    assert meter.flow.not_measured == {Why.START: 2}


def test_freezes_belong_to_their_interrupts(tmp_path: Path) -> None:
    entries = steady(80, 40)
    now = entries[-1].ts
    for number in range(5):
        entries.append(tokint(now + 100, 100 + number, 0b0010, context(number, number)))
        entries.append(token(now + 105, 100 + number, TokenSub.FROZEN))
        entries.append(token(now + 1_105 + number, 100 + number, TokenSub.RESUMED))
        entries.append(token(now + 1_200, 200 + number))
        now += 1_300
    flow = flow_of(entries, tmp_path / "a")
    assert (flow.freezes.count, flow.freezes.low, flow.freezes.high, flow.open_freezes) == (5, 1_000, 1_004, 0)
    assert flow.hows == {TokenSub.FIRST: 1, TokenSub.NEXT: 44, TOKINT: 5}
    assert flow.not_measured == {Why.START: 1, Why.FROZEN: 5}
    assert (flow.interrupts, flow.incomplete, flow.orphans) == (5, 0, 0)
    assert flow.causes == {0b0010: 5}


@pytest.mark.parametrize("window", [(START + 1000, START + 1800), (START, START + 1)])
def test_a_window_takes_the_tokens_in_it(window: tuple[int, int]) -> None:
    meter = TokenMeter(window=window)
    found: list[Event] = [(Kind.TOKEN, 1, i, 80, 0) for i in range(20)]
    times = [START + 1000 + 80 * i for i in range(20)]
    meter.feed([chunk(found, times, 0)])
    meter.finish()
    assert meter.flow.tokens == sum(window[0] <= t < window[1] for t in times)
