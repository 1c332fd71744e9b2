"""Token flow: gaps, bursts, freezes, interrupts, and whether it is true or pseudo streaming.

A token arrives with TOKEN FIRST, NEXT or TRIMMED, or with its TOKINT. A gap is the time from one arrival to the next of
the same sequence. It is not known across a hole or a clock step, and it is no gap of the stream when the pipeline was
frozen in it, or in front of the first token of a sequence: such gaps are counted, not measured. A burst is a run of
tokens whose gaps are all within the limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import PAYLOAD, THRESHOLDS, CtxSub, Kind, TokenSub
from npuscope.ledger import MAX_LISTED
from npuscope.tables.events import Break, Chunk, Gap, Picker
from npuscope.tables.rows import InterruptRows
from npuscope.tables.spread import Spread

__all__ = [
    "ARRIVAL",
    "GAP_LIMIT_NS",
    "MIN_GAPS",
    "TOKINT",
    "ArrivalRows",
    "Flow",
    "Streaming",
    "TokenMeter",
    "Why",
    "joined",
    "streaming",
]

I8 = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

GAP_LIMIT_NS: Final = THRESHOLDS["TOKEN_INTERVAL"].value
LONGEST: Final = 8
"""Longest gaps kept."""
MIN_GAPS: Final = 8
"""Fewer gaps than this decide nothing."""
_HEAD_FIRST: Final = next(field.lsb for field in PAYLOAD[Kind.CTX, int(CtxSub.HEAD)] if field.name == "first")
_ARRIVES: Final = np.isin(np.arange(16), [TokenSub.FIRST, TokenSub.NEXT, TokenSub.TRIMMED])
_WHY: Final = np.zeros(len(Break), np.uint8)
TOKINT: Final = 15
"""``how`` of a token that arrived with its TOKINT."""

ARRIVAL: Final = np.dtype(
    [
        ("at", "<i8"),
        ("time", "<i8"),
        ("ts", "<i8"),
        ("token", "<u4"),
        ("how", "u1"),
        ("cause", "u1"),
        ("why", "u1"),
        ("gap", "<i8"),
        ("span", "<i8"),
    ]
)
"""One token. how: ``TokenSub``, or 15 for TOKINT, whose mask is ``cause``. span: ns since the token before it that is
here, 0 for the first. gap: the same, or -1 where that is no gap of the stream, and ``why`` (``Why``)."""


class Why(IntEnum):
    """Why the time before a token is no gap of the stream, the weightiest reason."""

    GAP = 0  # it is one
    FIRST = 1  # the first token of a sequence
    FROZEN = 2  # the pipeline was frozen in it
    START = 3  # the first token of the capture or of a run of the stream
    UNKNOWN = 4  # records may be missing in it, or the clock stepped


class Streaming(StrEnum):
    """The verdict. LATE: token by token, but over the limit. UNDECIDED: too few gaps, or loss could turn it."""

    TRUE = "true"
    LATE = "late"
    PSEUDO = "pseudo"
    UNDECIDED = "undecided"


_WHY[[Break.STEP, Break.LOSS, Break.DAMAGE]] = Why.UNKNOWN
_WHY[[Break.START, Break.RESTART]] = Why.START


@dataclass
class _Source:
    """One token source so far: what the next chunk needs of it."""

    held: Chunk | None = None  # a TOKINT whose context may not be complete yet
    time: int | None = None  # of the last arrival
    why: int = Why.GAP  # collected since then
    frozen: tuple[int, int] | None = None  # time and token of a FROZEN without its RESUMED


@dataclass
class Flow:
    """What was found by ``TokenMeter``. Gaps, pauses and freezes are ns.

    gaps: all that are known. late: those over the limit, pauses: their spread. tokens: arrivals, by ``how`` in hows.
    not_measured: tokens by why there is no gap before them. unknown_ns: sum of the times between tokens that are no
    known gap because records may be missing there. bursts: sizes of the bursts whose both ends are known; cut: others.
    freezes: from FROZEN to RESUMED; open_freezes: without one of the two; frozen: the first ``MAX_LISTED`` as time of
    FROZEN, token, time of RESUMED. interrupts, incomplete, nested: TOKINT rows.
    causes: by mask. listed: the first ``MAX_LISTED`` rows of INTERRUPT. longest: time on the axis, token and gap of the
    longest late gaps.
    """

    limit: int = GAP_LIMIT_NS
    tokens: int = 0
    hows: Counter[int] = field(default_factory=Counter)
    gaps: Spread = field(default_factory=Spread)
    pauses: Spread = field(default_factory=Spread)
    bursts: Spread = field(default_factory=Spread)
    cut: int = 0
    not_measured: Counter[int] = field(default_factory=Counter)
    unknown_ns: int = 0
    freezes: Spread = field(default_factory=Spread)
    open_freezes: int = 0
    frozen: list[tuple[int, int, int]] = field(default_factory=list)
    interrupts: int = 0
    incomplete: int = 0
    orphans: int = 0
    causes: Counter[int] = field(default_factory=Counter)
    listed: list[Rows] = field(default_factory=list)
    longest: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def late(self) -> int:
        """Gaps over the limit."""
        return self.pauses.count


class ArrivalRows:
    """Rows of ARRIVAL out of chunks. A TOKINT is held back until its context is known; ``finish`` gives it out."""

    def __init__(self) -> None:
        self._picker = Picker(Kind.TOKEN, Kind.TOKINT, Kind.CTX)
        self.sources: dict[int, _Source] = {}

    def feed(self, chunks: Sequence[Chunk]) -> list[tuple[Chunk, Rows]]:
        """The TOKEN, TOKINT and CTX records that are done with, and the rows of the tokens among them."""
        done = []
        for chunk in chunks:
            own = self._picker.feed(chunk)
            if not len(own):
                continue
            source = self.sources.setdefault(own.src, _Source())
            whole = own if source.held is None else source.held.join(own)
            last = np.flatnonzero(whole.kind != Kind.CTX)[-1:]
            hold = len(last) > 0 and whole.kind[last[0]] == Kind.TOKINT
            cut = int(last[0]) if hold else len(whole)
            source.held = whole.part(cut, len(whole)) if hold else None
            if cut:
                done.append((whole.part(0, cut), _arrivals(source, whole.part(0, cut))))
        return done

    def finish(self) -> list[tuple[Chunk, Rows]]:
        """What was held back; the capture is over."""
        left = [(source, source.held) for source in self.sources.values() if source.held is not None]
        return [(chunk, _arrivals(source, chunk)) for source, chunk in left]


class TokenMeter:
    """Fed with chunks in stream order; ``flow`` is what was found. window: [from, to) ns on the axis."""

    def __init__(self, limit: int = GAP_LIMIT_NS, window: tuple[int, int] | None = None) -> None:
        self.flow, self.window = Flow(limit), window
        self._arrivals, self._interrupts = ArrivalRows(), InterruptRows()
        self._burst: dict[int, tuple[int, bool]] = {}
        self._kept = 0

    def feed(self, chunks: Sequence[Chunk]) -> None:
        """Take the chunks of one batch."""
        for chunk, rows in self._arrivals.feed(chunks):
            self._take(chunk, rows)
        self._list(self._interrupts.feed(chunks))

    def finish(self, gaps: Iterable[Gap] = ()) -> None:
        """The capture is over. gaps: of ``events.Reader``; those behind the last token are time that is not known."""
        gaps = list(gaps)
        for chunk, rows in self._arrivals.finish():
            self._take(chunk, rows)
        for src, source in self._arrivals.sources.items():
            self._behind(source, [gap for gap in gaps if gap.src == src])
            self.flow.open_freezes += source.frozen is not None
            self.flow.cut += self._burst.pop(src, (0, False))[0] > 0
        self._list(self._interrupts.finish())
        self.flow.orphans = self._interrupts.orphans

    def _behind(self, source: _Source, gaps: list[Gap]) -> None:
        """Tokens may be missing behind the last one, as far as the gaps of the last run reach."""
        if source.time is None or not gaps:
            return
        last = max(gap.run for gap in gaps)
        low, high = (source.time, max(gap.to_ns for gap in gaps if gap.run == last))
        if self.window is not None:
            low, high = max(low, self.window[0]), min(high, self.window[1])
        self.flow.unknown_ns += max(0, high - low)

    def _take(self, chunk: Chunk, rows: Rows) -> None:
        if self.window is not None:
            rows = rows[(rows["time"] >= self.window[0]) & (rows["time"] < self.window[1])]
        flow = self.flow
        self._freezes(self._arrivals.sources[chunk.src], chunk)
        if not len(rows):
            return
        flow.tokens += len(rows)
        flow.hows.update(dict(_counts(rows["how"])))
        why, gap = rows["why"], rows["gap"]
        known = why == Why.GAP
        flow.gaps.feed(gap[known])
        late = known & (gap > flow.limit)
        flow.pauses.feed(gap[late])
        flow.not_measured.update(dict(_counts(why[~known])))
        flow.unknown_ns += int(rows["span"][why == Why.UNKNOWN].sum())
        self._bursts(chunk.src, why, late)
        worst = np.flatnonzero(late)
        worst = np.sort(worst[np.argsort(-gap[worst], kind="stable")[:LONGEST]])
        columns = (rows[name][worst].tolist() for name in ("time", "token", "gap"))
        found = [*flow.longest, *zip(*columns, strict=True)]
        flow.longest = sorted(found, key=lambda item: -item[2])[:LONGEST]

    def _bursts(self, src: int, why: npt.NDArray[np.uint8], late: npt.NDArray[np.bool_]) -> None:
        """Runs of tokens; one whose begin or end is a hole, a freeze or the edge of the capture is cut."""
        opens = late | (why != Why.GAP)
        clean = late | (why == Why.FIRST)
        index = np.flatnonzero(opens)
        size, sure = self._burst.get(src, (0, False))
        if not len(index):
            self._burst[src] = (size + len(why), sure)
            return
        sizes = np.diff(np.append(index, len(why)))
        lengths = np.append(size + index[0], sizes[:-1])
        begins, ends = np.append(sure, clean[index[:-1]]), clean[index]
        there = lengths > 0
        whole = there & begins & ends
        self.flow.bursts.feed(lengths[whole].astype(np.int64))
        self.flow.cut += int(np.count_nonzero(there & ~whole))
        self._burst[src] = (int(sizes[-1]), bool(clean[index[-1]]))

    def _freezes(self, source: _Source, chunk: Chunk) -> None:
        """Times from FROZEN to RESUMED of the same token with nothing missing between."""
        inside = chunk.kind == Kind.TOKEN
        events = np.flatnonzero(inside & ((chunk.sub == TokenSub.FROZEN) | (chunk.sub == TokenSub.RESUMED)))
        broken = np.cumsum(chunk.cause > 0)
        spans = []
        seen = 0
        for i in events.tolist():
            gap, seen = int(broken[i]) - seen, int(broken[i])
            if self.window is not None and not self.window[0] <= chunk.time[i] < self.window[1]:
                continue
            time, token = int(chunk.time[i]), int(chunk.payload[i])
            if gap and source.frozen is not None:
                self.flow.open_freezes += 1
                source.frozen = None
            if chunk.sub[i] == TokenSub.FROZEN:
                self.flow.open_freezes += source.frozen is not None
                source.frozen = time, token
            elif source.frozen is not None and source.frozen[1] == token:
                spans.append(time - source.frozen[0])
                if len(self.flow.frozen) < MAX_LISTED:
                    self.flow.frozen.append((*source.frozen, time))
                source.frozen = None
            else:
                self.flow.open_freezes += 1
        if len(broken) and broken[-1] > seen and source.frozen is not None:
            self.flow.open_freezes += 1
            source.frozen = None
        self.flow.freezes.feed(np.array(spans, np.int64))

    def _list(self, parts: list[Rows]) -> None:
        flow = self.flow
        for part in parts:
            rows = part
            if self.window is not None:
                rows = rows[(rows["time"] >= self.window[0]) & (rows["time"] < self.window[1])]
            flow.interrupts += len(rows)
            flow.incomplete += int(np.count_nonzero(rows["complete"] == 0))
            flow.causes.update(dict(_counts(rows["cause"])))
            room = MAX_LISTED - self._kept
            if room > 0 and len(rows):
                flow.listed.append(rows[:room])
                self._kept += len(rows[:room])


def _counts(values: npt.NDArray[np.uint8]) -> list[tuple[int, int]]:
    counts = np.bincount(values)
    return [(int(value), int(counts[value])) for value in np.flatnonzero(counts)]


def _arrivals(source: _Source, chunk: Chunk) -> Rows:
    """The tokens of ``chunk``, which holds TOKEN, TOKINT and CTX rows; ``source`` is brought to behind them."""
    is_token, is_interrupt = chunk.kind == Kind.TOKEN, chunk.kind == Kind.TOKINT
    index = np.flatnonzero((is_token & _ARRIVES[chunk.sub]) | is_interrupt)
    why = _WHY[chunk.cause]
    frozen = is_token & ((chunk.sub == TokenSub.FROZEN) | (chunk.sub == TokenSub.RESUMED))
    why = np.maximum(why, np.where(frozen, Why.FROZEN, Why.GAP).astype(np.uint8))
    first = is_token & (chunk.sub == TokenSub.FIRST)
    head, known = _first_flags(chunk, is_interrupt)
    first |= head
    why = np.maximum(why, np.where(first, Why.FIRST, Why.GAP).astype(np.uint8))
    why = np.maximum(why, np.where(is_interrupt & ~known, Why.UNKNOWN, Why.GAP).astype(np.uint8))
    worst = np.maximum.reduceat(np.append(why, np.uint8(0)), np.append(0, index + 1))
    rows = np.zeros(len(index), ARRIVAL)
    if len(index):
        worst[0] = max(int(worst[0]), source.why)
        source.why = int(worst[-1])
        time = chunk.time[index]
        before = np.append(time[0] if source.time is None else source.time, time[:-1])
        if source.time is None:
            worst[0] = Why.START
        span = np.maximum(time - before, 0)
        rows["at"], rows["time"], rows["ts"] = chunk.at[index], time, chunk.ts[index]
        rows["token"], rows["span"], rows["why"] = chunk.payload[index], span, worst[:-1]
        rows["how"] = np.where(is_interrupt[index], TOKINT, chunk.sub[index])
        rows["cause"] = np.where(is_interrupt[index], chunk.sub[index], 0)
        rows["gap"] = np.where(worst[:-1] == Why.GAP, span, -1)
        source.time = int(time[-1])
    else:
        source.why = max(source.why, int(worst[-1]))
    return rows


def _first_flags(chunk: Chunk, interrupt: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Of each record: a TOKINT of the first token of its sequence, and whether its context tells."""
    head = np.zeros(len(chunk), np.bool_)
    known = np.zeros(len(chunk), np.bool_)
    index = np.flatnonzero(interrupt[:-1] & (chunk.kind[1:] == Kind.CTX) & (chunk.sub[1:] == CtxSub.HEAD))
    index = index[(chunk.ts[index] == chunk.ts[index + 1]) & (chunk.cause[index + 1] == 0)]
    known[index] = True
    head[index] = chunk.payload[index + 1] >> np.uint32(_HEAD_FIRST) & np.uint32(1) > 0
    return head, known


def joined(parts: Sequence[Rows], window: tuple[int, int] | None = None) -> Rows:
    """One table of rows of ARRIVAL in stream order, those with a time in ``window`` = [from, to) ns on the axis."""
    rows = np.concatenate([np.empty(0, ARRIVAL), *parts])
    if window is not None:
        rows = rows[(rows["time"] >= window[0]) & (rows["time"] < window[1])]
    return rows[np.argsort(rows["at"], kind="stable")]


def streaming(flow: Flow) -> Streaming:
    """The verdict on ``flow``.

    True streaming: no gap over the limit, or less than half of the time in such gaps. Pseudo streaming: half of the
    time or more in them, and two tokens or more between one and the next. Late: half or more, token by token. The
    times that are not known count for either side: when that could turn the verdict it is undecided.
    """
    if flow.gaps.count < MIN_GAPS:
        return Streaming.UNDECIDED
    paused, all_ns = flow.pauses.total, flow.gaps.total
    few = 2 * (paused + flow.unknown_ns) < all_ns + flow.unknown_ns
    many = 2 * paused >= all_ns + flow.unknown_ns
    if few:
        return Streaming.TRUE
    if not many:
        return Streaming.UNDECIDED
    return Streaming.PSEUDO if flow.gaps.count >= 2 * flow.late else Streaming.LATE
