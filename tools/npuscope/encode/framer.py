"""Checks a dump of the RTL record by record against what was offered: the schedule-directed model of the fabric.

Where records are lost, where groups fall and how sources merge depends on the sink. So the model takes exactly
that from the dump: source, LOSS count, group positions, SYNC B.ts, CNT STALLED, the time of END. It predicts every
other bit, and at END every offered event must be accounted for. Rule numbers are those of ``traces/FORMAT.md``.
What it takes is judged by ``schedule`` from clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from npuscope.crc import crc32
from npuscope.encode.ras_source import Latches
from npuscope.encode.record import Record, describe, pack, unpack
from npuscope.encode.stream import Dropped, Entry, StreamConfig, StreamState
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import (
    GROUP_RECORDS,
    RECORD_BYTES,
    SRC_FRAMER,
    SRC_RAS,
    Cnt,
    Kind,
    LossCause,
    LossSub,
    SyncSub,
)

__all__ = ["Session", "StreamModel", "Unit", "UnitKind", "Walk", "check_dump"]


_UNTOLD = 3
"""Records of a group before its CNT: with no more of it, the model cannot tell what they should say."""


class UnitKind(Enum):
    """What a run of records that no group cuts is."""

    GROUP = "group"
    START = "start"
    ENTRY = "entry"
    LOSS = "loss"
    END = "end"


@dataclass(frozen=True, slots=True)
class Unit:
    """Records ``index .. index + count - 1`` of the dump.

    src: 63 for groups, of start and END contents their own. ts, tq: group, start and END: the time latched; else that
    of the entry. entry: the offered entry, of ENTRY units. LOSS units: lost records, and whether steps are among them.
    """

    kind: UnitKind
    index: int
    count: int
    src: int
    ts: int
    tq: int
    entry: Entry | None = None
    lost: int = 0
    steps: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """What the bench knows of one start: everything offered until the flush.

    offered: by source, in order. cfg: by source, its CFG words in force at the start (default: those of the config).
    bp_samples: by source, CNT BP_SAMPLES or TOKENS at END (default: as of the last entry). complete: an END is
    expected. latches: those of RAS, which go on from session to session. untold: what RAS latched since the one before.
    """

    offered: Mapping[int, Sequence[Entry]]
    cfg: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    bp_samples: Mapping[int, int] = field(default_factory=dict)
    complete: bool = True
    latches: Latches = field(default_factory=Latches)
    untold: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Walk:
    """The result of a check: the dump as units, records compared, entries delivered and records lost by source."""

    units: list[Unit] = field(default_factory=list)
    compared: int = 0
    delivered: dict[int, int] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)


def _cause(found: Record) -> int:
    """The cause of a loss: RAS alone can lose before it offers, and how much of a loss that was the dump says."""
    cause = found.sub & ~LossSub.SECOND
    return cause if found.src == SRC_RAS and cause == LossCause.COLLECTOR else LossCause.FIFO_FULL


class _EndOfDump(Exception):
    """The dump ends here."""


class StreamModel:
    """Checks one session of a dump.

    dump: whole records (16 bytes each). first: index of its first record in the whole dump, for messages.
    Raises NpuscopeError (exit code 1) at the first difference, with record index, expected and found.
    """

    def __init__(self, config: StreamConfig, session: Session, dump: bytes, first: int = 0) -> None:
        self.config, self.session, self.dump, self.first = config, session, dump, first
        self.state = StreamState(config)
        for src, words in session.cfg.items():
            self.state.mirrors[src].cfg.update(words)
        self.walk = Walk(delivered=dict.fromkeys(self.state.mirrors, 0), lost=dict.fromkeys(self.state.mirrors, 0))
        self._at = 0
        self._frame_start = 0
        self._next = dict.fromkeys(self.state.mirrors, 0)
        self._time = (0, 0)

    def check(self) -> Walk:
        """The whole session; returns what was found. ``at`` then tells where the session ends in the dump."""
        for entry in self.session.untold:
            self.session.latches.lost(entry, collector=False)
        try:
            self._group()
            self._start()
            while self._peek().kind != Kind.CNT:  # CNT outside a group begins the end
                self._unit()
            self._end()
        except _EndOfDump:
            if self.session.complete:
                raise self._error("the dump ends here", expected="more records, or END") from None
            return self.walk
        for src in self.state.mirrors:
            rest = len(self._offered(src)) - self._next[src]
            if rest:
                raise self._error(f"END, but {rest} entries offered by source {src} are neither delivered nor lost")
        if self.session.latches.owed:
            raise self._error("END, but RAS records show the overflow of a loss that is not told")
        return self.walk

    @property
    def at(self) -> int:
        """Records of the dump consumed."""
        return self._at

    # ---------------------------------------------------------------- units
    def _unit(self) -> None:
        """A group, a LOSS burst or the next entry of the source that the dump names."""
        record = self._peek()
        if self._is_group(record):
            return self._group()
        if record.src not in self.state.mirrors:
            raise self._error("a record of a source that does not exist", found=describe(record))
        if record.kind == Kind.LOSS:
            return self._loss(record)
        if self._next[record.src] == len(self._offered(record.src)):
            raise self._error(f"source {record.src} has offered nothing more", found=describe(record))
        return self._entry(record.src)

    def _entry(self, src: int) -> None:
        entry = self._take_offered(src)
        if entry.latch is not None:
            found = self._peek(2 * (entry.step_ns is not None))
            entry = self.session.latches.told(entry, found.sub, found.payload)
        at = self._at
        for record in entry.records():
            self._expect(self.state.take(record))
        if entry.bp_samples is not None:
            self.state.mirrors[src].bp_samples = entry.bp_samples
        self.walk.delivered[src] += entry.size
        self._done(UnitKind.ENTRY, at, src, entry.ts, entry.tq, entry)

    def _loss(self, found: Record) -> None:
        """Skip as many offered records as the burst says; then it must say all the rest right (rules 3, 12)."""
        src, count = found.src, found.payload
        dropped = Dropped(self.state.mirrors[src])
        while dropped.count < count:
            if self._next[src] == len(self._offered(src)):
                raise self._error(f"LOSS of more than source {src} offered", found=describe(found))
            entry = self._take_offered(src)
            dropped.add(entry)
            self.session.latches.lost(entry, _cause(found) == LossCause.COLLECTOR)
        if dropped.count != count or not count:
            raise self._error("LOSS ends inside an entry", found=describe(found), expected=f"count={dropped.count}")
        at = self._at
        for record in dropped.burst(src, _cause(found)):
            self._expect(self.state.take(record))
        self.walk.lost[src] += count
        self._done(UnitKind.LOSS, at, src, found.ts, found.tq, lost=count, steps=dropped.step_ns is not None)

    def _group(self) -> None:
        """Nine records at one time, taken from SYNC B; the CRC and count of the frame before (rules 10, 11)."""
        at, rest = self._at, len(self.dump) // RECORD_BYTES - self._at
        if not self.session.complete and rest <= _UNTOLD:
            self._at += rest  # cut where the group's time and counter are not told yet: nothing to compare
            raise _EndOfDump
        group_b = self._peek(1)
        self._time = (group_b.ts, group_b.tq)
        self._take_stalled(self._peek(3))
        if rest > GROUP_RECORDS and self._peek(GROUP_RECORDS).kind == Kind.CNT:
            self._take_total(self._peek(3))
        frame = self._frame()
        for record in self.state.group(*self._time, crc32(frame), len(frame) // RECORD_BYTES):
            self._expect(record)
        self._frame_start = at
        self._done(UnitKind.GROUP, at, SRC_FRAMER, *self._time)

    def _start(self) -> None:
        """CFG words, then keyframes, at the time of the last group (rule 7)."""
        for src, word in self.config.cfg_order:
            self._groups()
            self._content(UnitKind.START, src, Kind.CFG, word, self.state.cfg_word(src, word))
        for src, mirror in self.state.mirrors.items():
            for sub, mask in mirror.keyframe() if mirror.layers else []:
                self._groups()
                self._content(UnitKind.START, src, Kind.STATE, sub, mask)

    def _end(self) -> None:
        """CNT of all sources, then END, at one time that the dump names; a group in between renews it (rule 25)."""
        first = self._peek()
        self._time = (first.ts, first.tq)
        for src, total in self.session.bp_samples.items():
            self.state.mirrors[src].bp_samples = total
        for src, counter in self.config.cnt_order:
            self._groups()
            self._take_stalled(self._peek())
            self._content(UnitKind.END, src, Kind.CNT, counter, self.state.counter(src, counter))
        self._groups()
        at = self._at
        self._expect(self.state.end(*self._time, crc32(self._frame())))
        self._done(UnitKind.END, at, SRC_FRAMER, *self._time)

    def _content(self, unit: UnitKind, src: int, kind: Kind, sub: int, word: int) -> None:
        at, (ts, tq) = self._at, self._time
        self._expect(self.state.take(Record(ts, src, kind, sub, word, tq)))
        self._done(unit, at, src, ts, tq)

    def _groups(self) -> None:
        while self._is_group(self._peek()):
            self._group()

    # ---------------------------------------------------------------- dump
    def _frame(self) -> bytes:
        return self.dump[self._frame_start * RECORD_BYTES : self._at * RECORD_BYTES]

    def _peek(self, ahead: int = 0) -> Record:
        start = (self._at + ahead) * RECORD_BYTES
        if start + RECORD_BYTES > len(self.dump):
            raise _EndOfDump
        return unpack(self.dump[start : start + RECORD_BYTES])

    def _expect(self, record: Record) -> None:
        """The next record of the dump is ``record``, every bit of it."""
        found = self._peek()
        start = self._at * RECORD_BYTES
        data = self.dump[start : start + RECORD_BYTES]
        wanted = pack(record)
        if data != wanted:
            where = "" if found != record else f", crc8={data[11]:#04x} for {wanted[11]:#04x}"
            raise self._error("the record differs", found=describe(found) + where, expected=describe(record))
        self._at += 1
        self.walk.compared += 1

    def _done(
        self,
        kind: UnitKind,
        at: int,
        src: int,
        ts: int,
        tq: int,
        entry: Entry | None = None,
        lost: int = 0,
        steps: bool = False,
    ) -> None:
        self.walk.units.append(Unit(kind, self.first + at, self._at - at, src, ts, tq, entry, lost, steps))
        size, limit = self._at - self._frame_start, self.config.frame_records
        if size > limit:
            raise self._error("the frame is too long", found=f"{size} records", expected=f"at most {limit}")

    def _take_stalled(self, record: Record) -> None:
        if (record.src, record.kind, record.sub) == (SRC_FRAMER, Kind.CNT, Cnt.STALLED):
            self.state.stalled = record.payload

    def _take_total(self, record: Record) -> None:
        """The total in the group before END's counters: that of END already, if END's time was latched before it."""
        is_samples = record.kind == Kind.CNT and record.sub in (Cnt.BP_SAMPLES, Cnt.TOKENS)
        if is_samples and record.payload == self.session.bp_samples.get(record.src):
            self.state.mirrors[record.src].bp_samples = record.payload

    def _offered(self, src: int) -> Sequence[Entry]:
        return self.session.offered.get(src, ())

    def _take_offered(self, src: int) -> Entry:
        entry = self._offered(src)[self._next[src]]
        self._next[src] += 1
        return entry

    @staticmethod
    def _is_group(record: Record) -> bool:
        return record.kind == Kind.SYNC and record.sub == SyncSub.A

    def _error(self, what: str, found: str | None = None, expected: str | None = None) -> NpuscopeError:
        index = self.first + self._at
        return NpuscopeError(
            what,
            record=index,
            offset=index * RECORD_BYTES,
            found=found,
            expected=expected,
            exit_code=Exit.CHECK_FAILED,
        )


def check_dump(config: StreamConfig, sessions: Iterable[Session], dump: bytes, first: int = 0) -> list[Walk]:
    """Check a dump of several starts in turn; raises as ``StreamModel`` does, and when something is left over.

    first: index of its first record in a longer dump, for units and messages.
    """
    walks, at = [], 0
    for session in sessions:
        model = StreamModel(config, session, dump[at * RECORD_BYTES :], first + at)
        walks.append(model.check())
        at += model.at
    if at * RECORD_BYTES != len(dump):
        raise NpuscopeError(
            "the dump goes on after the last END",
            record=first + at,
            offset=(first + at) * RECORD_BYTES,
            exit_code=Exit.CHECK_FAILED,
        )
    return walks
