# SPDX-License-Identifier: Apache-2.0
"""Reads what nps_trace_frame said in one stream and demands every record: order, words, times, groups and their cause.

The log is read after the stream has ended. What the framer may choose freely (when a group comes) is taken from it and
checked against the causes of ``traces/FORMAT.md``; all else is predicted from the entries offered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from npuscope.encode.mirror import KEYFRAME
from npuscope.layout import (
    FORMAT_MAJOR,
    FORMAT_MINOR,
    GROUP_RECORDS,
    MAGIC,
    OWNED_CFG_BP,
    SRC_FRAMER,
    SRC_JITTER,
    SRC_MARK,
    SRC_RAS,
    SRC_TOKEN,
    Cfg,
    ClkSub,
    Cnt,
    Kind,
    LossSub,
    SyncSub,
)
from tb.others import OWNED, config, index_of, present
from tb.others import parameters as others_parameters

NUM_BP = 2
LIMIT, AGE, HEARTBEAT = 32, 800, 2000  # FRAME_RECORDS, ns, ns
CLK_PERIOD_PS, DESC_HASH = 4000, 0x1122334455667788
INDEX = index_of(NUM_BP)
SRC_OF = {index: src for src, index in INDEX.items()}
MARK, FRAMER = INDEX[SRC_MARK], INDEX[SRC_FRAMER]
TOKEN, RAS, JITTER = (INDEX.get(src) for src in (SRC_TOKEN, SRC_RAS, SRC_JITTER))  # None: not there
WORDS = 5  # of a context


def parameters(others: int = 0) -> dict[str, int]:
    """Those of the bench, with the sources of the bits ``others``."""
    return {
        "NUM_BP": NUM_BP,
        "INDEX_W": 3 if others else 2,
        "FRAME_RECORDS": LIMIT,
        "FRAME_AGE_NS": AGE,
        "HEARTBEAT_NS": HEARTBEAT,
        "CLK_PERIOD_PS": CLK_PERIOD_PS,
        "DESC_HASH": DESC_HASH,
        "WORDS": WORDS,
    } | others_parameters(others)


TO_RECORD = 5  # clocks from a choice to its record
SETTLED = 4  # clocks from the choice of STEP_HI until step_pending shows it

CNT_WORDS = [(INDEX[src], Kind.CNT, sub) for src, sub in config(NUM_BP).cnt_order]
CFG_WORDS = [(INDEX[src], Kind.CFG, sub) for src, sub in config(NUM_BP).cfg_order]
OWNED_AT = {INDEX[src]: OWNED[src] for src in present()}
STATE_WORDS = [(index, Kind.STATE, word) for index in range(NUM_BP) for word in KEYFRAME]


def crc(records: int) -> int:
    """What the fake CRC-32 says after so many records."""
    return (records + 1) * 0x9E3779B1 & 0xFFFFFFFF


class Record(NamedTuple):
    """A record at the framer's exit. accepted: the payload is left to nps_trace_pack."""

    ts: int
    tq: int
    kind: int
    sub: int
    src: int
    payload: int
    index: int
    accepted: int
    last: int


class Op(NamedTuple):
    """A record shown to its source, and the word and time that the source answered."""

    index: int
    entry: int
    burst: int
    free: int
    kind: int
    sub: int
    payload: int
    bp_samples: int
    word: int
    ts: int
    tq: int


@dataclass(frozen=True)
class Entry:
    """A merged entry. mark: a loss is told first, of an account with or without a CFG word and a clock step."""

    index: int
    ts: int
    tq: int
    kind: int
    sub: int
    payload: int
    bp_samples: int
    step: bool = False
    record: bool = True
    mark: bool = False
    loss_cfg: bool = False
    loss_step: bool = False

    @property
    def bits(self) -> int:
        """As the port e_entry shows it."""
        head = (self.step << 1 | self.record) << 138 | self.bp_samples << 106 | self.tq << 104 | self.ts << 40
        return head | self.kind << 36 | self.sub << 32 | self.payload

    @property
    def is_plain(self) -> bool:
        """Neither mark nor clock step nor context."""
        return not self.mark and not self.step and not self.has_context

    @property
    def has_context(self) -> bool:
        """CTX words follow its record."""
        return self.record and self.kind == Kind.TOKINT

    @property
    def steps(self) -> int:
        """How many clock steps it tells."""
        return self.step + (self.mark and self.loss_step)

    def words(self) -> list[tuple[int, int, str]]:
        """(kind, sub, origin) of its records, in the order of FORMAT.md rule 3."""
        burst: list[tuple[int, int]] = []
        pair = [(Kind.CLK, ClkSub.STEP_LO), (Kind.CLK, ClkSub.STEP_HI)]
        if self.mark:
            burst += [(Kind.LOSS, LossSub.FIRST), (Kind.LOSS, LossSub.SECOND)]
            burst += [(Kind.CLK, ClkSub.STATE), *pair] if self.loss_step else []
        if self.mark and self.loss_cfg and self.index in OWNED_AT:
            burst += [(Kind.CFG, word) for word in OWNED_AT[self.index]]
        if self.mark and self.index < NUM_BP:
            burst += [(Kind.STATE, word) for word in KEYFRAME]
            burst += [(Kind.CFG, word) for word in (OWNED_CFG_BP if self.loss_cfg else OWNED_CFG_BP[:2])]
        told = [(kind, sub, "burst") for kind, sub in burst]
        told += [(kind, sub, "step") for kind, sub in (pair if self.step else [])]
        told += [(self.kind, self.sub, "given")] * self.record
        return told + [(Kind.CTX, word, "context") for word in range(WORDS)] * self.has_context


@dataclass
class Log:
    """One stream, clock by clock: lists by clock number, and what came out with its clock."""

    times: list[tuple[int, int]] = field(default_factory=list)  # (ts, tq)
    rel: list[int] = field(default_factory=list)
    empty: list[bool] = field(default_factory=list)
    pending: list[bool] = field(default_factory=list)
    stalled: list[int] = field(default_factory=list)
    claims: list[int] = field(default_factory=list)  # clocks
    records: list[tuple[int, Record]] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    told: int = 0
    entries: list[Entry] = field(default_factory=list)


class Reading:
    """Walks through a log; ``causes`` counts why groups came."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.at = self.op_at = 0
        self.frame = self.count = self.previous = 0
        self.time: tuple[int, int] = (0, 0)  # of the group
        self.last: tuple[int, int] | None = None  # of the last FIFO record
        self.opened = 0  # clock of SYNC-A
        self.loss_told = False  # in this frame
        self.step_told: int | None = None  # clock of the last STEP_HI in this frame
        self.loss_group: int | None = None  # position of the last group behind a frame with a loss
        self.only_loss: int | None = None  # position of the last group that nothing but a loss explains
        self.causes: dict[str, int] = {}

    # ---------------------------------------------------------------- one record
    def chosen(self) -> int:
        """The clock in which the next record was chosen."""
        return self.log.records[self.at][0] - TO_RECORD

    def window(self) -> range:
        """The clocks since the record before it was chosen."""
        before = self.log.records[self.at - 1][0] - TO_RECORD + 1 if self.at else 0
        return range(before, self.chosen() + 1)

    def is_group(self) -> bool:
        """The next record is SYNC-A."""
        record = self.log.records[self.at][1]
        return (record.kind, record.sub) == (Kind.SYNC, SyncSub.A)

    def take(self, index, kind, sub, origin="group", *, entry=None, free=False, last=False) -> Record:
        """The next record must be this one, with the word and time of its origin."""
        assert self.at < len(self.log.records), "the stream ends too early"
        clock, record = self.log.records[self.at]
        assert self.chosen() == self.log.claims[self.at], "a record without a claim"
        where = f"record {self.at} of clock {clock}: {record}, wanted index {index} kind {kind} sub {sub}"
        assert (record.index, record.kind, record.sub) == (index, kind, sub), where
        assert record.src == SRC_OF[index], where
        assert record.last == last, where
        assert record.accepted == (origin == "group" and (kind, sub) == (Kind.CNT, Cnt.ACCEPTED)), where
        word, time = self.own(clock, kind, sub), self.time
        if index != FRAMER:
            op = self.log.ops[self.op_at]
            self.op_at += 1
            assert (op.index, op.kind, op.sub) == (index, kind, sub), f"{where}, shown {op}"
            assert (op.entry, op.burst, op.free) == (entry is not None, origin == "burst", free), f"{where}, shown {op}"
            word = op.word
            time = (op.ts, op.tq) if origin == "burst" else time
        if entry is not None:
            time = self.last = (entry.ts, entry.tq)
            if origin == "given":
                word = entry.payload
                assert (op.payload, op.bp_samples) == (word, entry.bp_samples), where
        assert record.accepted or record.payload == word, f"{where}, payload {word}"
        if (kind, sub) != (Kind.SYNC, SyncSub.A):
            assert (record.ts, record.tq) == time, f"{where}, time {time}"
        if (kind, sub) == (Kind.CLK, ClkSub.STEP_HI):
            self.step_told = self.chosen()
        self.loss_told = self.loss_told or kind == Kind.LOSS
        self.at += 1
        self.count += 1
        assert self.count <= LIMIT, f"{where}: a frame of {self.count}"
        return record

    def own(self, clock: int, kind: int, sub: int) -> int:
        """The framer's word for the next record (rules 9 and 11)."""
        if kind == Kind.CNT:
            return self.log.stalled[clock - 3]
        if kind == Kind.CFG:
            return {
                Cfg.VERSION: FORMAT_MAJOR << 16 | FORMAT_MINOR,
                Cfg.CLK_PERIOD: CLK_PERIOD_PS,
                Cfg.DESC_HASH_LO: DESC_HASH & 0xFFFFFFFF,
                Cfg.DESC_HASH_HI: DESC_HASH >> 32,
            }.get(sub, 0)
        return {
            SyncSub.A: self.frame,
            SyncSub.B: crc(self.at - 1) if self.frame else 0,  # of all before SYNC-A
            SyncSub.C: self.previous | (DESC_HASH & 0xFFFF) << 16,
            SyncSub.END: crc(self.at),
        }.get(sub, 0)

    # ---------------------------------------------------------------- groups
    def group(self) -> None:
        """Nine records (FORMAT.md, Frames); time by rule 10, round robins by rule 9."""
        window, record = self.window(), self.log.records[self.at + 1][1]
        empty = [self.log.empty[clock] for clock in window]
        legal = [self.log.times[clock] for clock in window] if self.last is None or any(empty) else []
        legal += [self.last] if self.last is not None and not all(empty) else []
        assert (record.ts, record.tq) in legal, f"group {self.frame}: {record} has the time of no legal moment"
        self.time = (record.ts, record.tq)
        self.opened = self.chosen()
        self.previous, self.count = self.count, 0
        self.loss_told, self.step_told = False, None
        frame = self.frame
        assert self.take(FRAMER, Kind.SYNC, SyncSub.A)[:2] == (MAGIC, self.time[1])
        self.take(FRAMER, Kind.SYNC, SyncSub.B)
        self.take(FRAMER, Kind.SYNC, SyncSub.C)
        self.take(*CNT_WORDS[frame % len(CNT_WORDS)])
        self.take(*CFG_WORDS[frame % len(CFG_WORDS)])
        for word in KEYFRAME:
            self.take(frame % NUM_BP, Kind.STATE, word, last=word == KEYFRAME[-1])
        self.frame += 1

    def cause(self, needs: int) -> set[str]:
        """What allows SYNC-A to be next, before a run of ``needs`` records (rules 4, 6, 21, 24)."""
        age = self.log.rel[self.chosen()] - self.log.rel[self.opened]
        causes = {"full"} if self.count == LIMIT else set()
        causes |= {"fit"} if self.count < LIMIT < self.count + needs else set()
        causes |= {"age"} if age >= AGE and self.count > GROUP_RECORDS else set()
        causes |= {"heartbeat"} if age >= HEARTBEAT else set()
        causes |= {"step"} if self.step_told is not None and not all(
            self.log.pending[self.step_told : self.chosen()]
        ) else set()  # fmt: skip
        if self.loss_told and (self.only_loss is None or self.at - self.only_loss >= LIMIT):
            causes |= {"loss"}
        return causes

    def must_close(self) -> bool:
        """A group is due, whatever comes: every pair is told, or a loss whose turn it is."""
        clock = self.chosen()
        step = self.step_told is not None and not any(self.log.pending[self.step_told + SETTLED : clock + 1])
        loss = self.loss_told and (self.loss_group is None or self.at - self.loss_group > LIMIT)
        return step or loss

    def groups(self, needs: int) -> None:
        """All groups before the next run; it must then fit the frame."""
        due = self.must_close()
        assert not due or self.is_group(), f"record {self.at}: no group behind a loss or clock step"
        while self.is_group():
            causes = self.cause(needs)
            assert causes, f"record {self.at}: a group without a cause, {self.count} records"
            for name in causes:
                self.causes[name] = self.causes.get(name, 0) + 1
            if self.loss_told:
                self.loss_group = self.at
            if causes == {"loss"}:
                self.only_loss = self.at
            self.group()
        assert self.count + needs <= LIMIT, f"record {self.at}: a run of {needs} behind {self.count}"

    # ---------------------------------------------------------------- a whole stream
    def stream(self) -> None:
        """Group 0, start contents, entries, counters, END, and nothing else."""
        assert len(self.log.claims) == len(self.log.records)
        self.group()
        for word in CFG_WORDS + STATE_WORDS:
            self.groups(1)
            self.take(*word)
        for entry in self.log.entries:
            self.run(entry)
        self.groups(1)  # a group that is due comes before the time of the counters is latched
        latched = [self.log.times[clock] for clock in self.window()]
        latched += [self.time] if self.log.records[self.at - 1][1].last else []  # the group came between
        record = self.log.records[self.at][1]
        assert (record.ts, record.tq) in latched, "the end is not told with its own time"
        self.time = (record.ts, record.tq)
        for word in CNT_WORDS:
            self.groups(1)
            self.take(*word)
        self.groups(1)
        self.take(FRAMER, Kind.SYNC, SyncSub.END, last=True)
        assert self.at == len(self.log.records), "records behind END"
        assert self.op_at == len(self.log.ops)
        assert self.log.told == sum(entry.mark for entry in self.log.entries)

    def run(self, entry: Entry) -> None:
        """The records of one entry, uninterrupted."""
        words = entry.words()
        self.groups(len(words))
        burst = sum(origin == "burst" for _, _, origin in words)
        for at, (kind, sub, origin) in enumerate(words):
            owner = None if origin == "burst" else entry
            self.take(entry.index, kind, sub, origin, entry=owner, free=at == burst - 1)
