# SPDX-License-Identifier: Apache-2.0
"""nps_trace_frame between fake neighbours: queues with losses and clock steps, sources that answer, seal, CRC, sink."""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import OWNED_CFG_JITTER, OWNED_CFG_RAS, Cfg, ClkSub, Kind
from tb.nps_trace_frame.reading import (
    CFG_WORDS,
    CNT_WORDS,
    JITTER,
    LIMIT,
    MARK,
    RAS,
    STATE_WORDS,
    TOKEN,
    Entry,
    Log,
    Op,
    Reading,
    Record,
    crc,
)
from tb.signals import bursts, known, start

INPUTS = (
    *("restart", "rel_ns", "ts_ns", "tq", "flush", "go", "out_empty", "stalled", "crc_closed", "crc_open", "sealing"),
    *("e_valid", "e_index", "e_mark", "e_loss_cfg", "e_loss_step", "e_plain", "e_entry", "e_empty"),
    *("word", "word_ts", "word_tq", "word_cause", "step_pending"),
)
SEAL = 6  # clocks from a record to its CRC
ANSWER = 3  # clocks from an op to its word
ROOM = 18  # records behind the framer, more than it takes clocks to have their CRC
STEP_SHOWN = 3  # clocks from an op until step_pending shows it
LONGEST = 6000  # clocks of a stream


def word(bits: int) -> int:
    return random.getrandbits(bits)


def plain(index=None) -> Entry:
    """A record of any source; that of TOKEN may take its context along."""
    index = random.randint(0, MARK) if index is None else index
    kinds = {
        MARK: ((Kind.MARK, 1),),
        TOKEN: ((Kind.TOKEN, 1), (Kind.TOKINT, 5)),
        RAS: ((Kind.RAS, 1), (Kind.CFG, random.choice(OWNED_CFG_RAS))),
        JITTER: ((Kind.JITTER, 0), (Kind.CFG, random.choice(OWNED_CFG_JITTER))),
    }
    of_bp = ((Kind.BP, 0), (Kind.BP, 1), (Kind.STATE, 2), (Kind.CFG, Cfg.STALE))
    kind, sub = random.choice(kinds.get(index, of_bp))
    return Entry(index, word(63), word(2), kind, sub, word(32), word(32))


def special(index=None, *, mark=None, cfg=None, lost_step=None, step=None, record=None) -> Entry:
    """An entry with a mark, a clock step or both; what is not given is drawn. Without a step and record: drained."""
    flags = [random.random() < 0.5 if flag is None else flag for flag in (mark, cfg, lost_step, step, record)]
    base, (mark, cfg, lost_step, step, record) = plain(index), flags
    mark = mark or not step
    drained = mark and not step and not record
    return Entry(
        *(base.index, base.ts, base.tq, *((0, 0, 0) if drained else (base.kind, base.sub, base.payload))),
        bp_samples=base.bp_samples,
        step=step,
        record=record,
        mark=mark,
        loss_cfg=mark and cfg and base.index not in (MARK, TOKEN),
        loss_step=mark and lost_step,
    )


class Neighbours:
    """All that surrounds the framer. `clock` drives one clock and logs it."""

    def __init__(self, dut, go=None) -> None:
        self.dut, self.rel, self.tq = dut, word(40), word(2)
        self.go = go or bursts(100, 100, 20, 0)
        self.driven: dict[str, int] = {}
        self.begin()

    def begin(self) -> None:
        """A new log, everything empty."""
        self.log = Log()
        self.queue: deque[tuple[int, Entry]] = deque()  # (clock in which it is visible, entry)
        self.answers: deque[tuple[int, int, int]] = deque([(0, 0, 0)] * ANSWER)
        self.steps, self.told_steps = 0, deque()  # untold; clocks in which one less is shown
        self.sealing: deque[int] = deque()  # clocks in which a record is sealed
        self.sealed = self.inside = self.crc_closed = self.last_clock = 0
        self.flags: Counter[str] = Counter()  # pulses seen: done, final_counts

    def offer(self, entry: Entry) -> None:
        """Into the queue: visible some clocks later, told of by e_empty and step_pending at once."""
        visible = max(len(self.log.rel) + random.randint(3, 6), self.queue[-1][0] if self.queue else 0)
        self.queue.append((visible, entry))
        self.log.entries.append(entry)
        self.steps += entry.steps

    async def clock(self, *, restart=False, flush=False) -> None:
        """One clock."""
        dut, log, now = self.dut, self.log, len(self.log.rel)
        self.rel += random.randint(1, 8)
        self.tq = word(2) if random.random() < 0.02 else self.tq
        log.rel.append(self.rel)
        log.times.append(((self.rel * 3 + word(1)) % 2**63, self.tq))
        log.empty.append(not self.queue and self.last_clock != now - 1)
        while self.told_steps and self.told_steps[0] <= now:
            self.told_steps.popleft()
            self.steps -= 1
        log.pending.append(self.steps > 0)
        log.stalled.append(log.stalled[-1] + word(1) if log.stalled else word(20))
        while self.sealing and self.sealing[0] <= now:
            self.sealing.popleft()
            opens = log.records[self.sealed][1][2:4] == (Kind.SYNC, 0)
            self.crc_closed = crc(self.sealed) if opens else self.crc_closed
            self.sealed += 1
        out = self.inside - (len(log.claims) - self.sealed)  # records that the sink could take
        self.inside -= out > 0 and random.random() < 0.9
        entry = self.queue[0][1] if self.queue and self.queue[0][0] <= now else None
        self.drive(now, entry, restart, flush)
        await RisingEdge(dut.clk)
        self.watch(now, entry)

    def drive(self, now: int, entry: Entry | None, restart: bool, flush: bool) -> None:
        log = self.log
        self.may = self.inside < ROOM - 1 and next(self.go)
        ts, tq = log.times[now]
        reply, reply_ts, reply_tq = self.answers.popleft()
        inputs = {
            "restart": restart, "flush": flush, "rel_ns": self.rel, "ts_ns": ts, "tq": tq,
            "e_valid": entry is not None, "e_empty": log.empty[now], "step_pending": log.pending[now],
            "word": reply, "word_ts": reply_ts, "word_tq": reply_tq,
            "go": self.may, "out_empty": self.inside == 0, "sealing": len(self.sealing) > 0,
            "stalled": log.stalled[now], "crc_open": crc(self.sealed), "crc_closed": self.crc_closed,
        }  # fmt: skip
        if entry:
            inputs |= {
                "e_index": entry.index, "e_entry": entry.bits, "e_mark": entry.mark, "e_plain": entry.is_plain,
                "e_loss_cfg": entry.loss_cfg, "e_loss_step": entry.loss_step,
            }  # fmt: skip
        for name, value in inputs.items():
            if self.driven.get(name) != value:
                getattr(self.dut, name).value = value
        self.driven |= inputs

    def watch(self, now: int, entry: Entry | None) -> None:
        dut, log = self.dut, self.log
        if known(dut.claim):
            assert self.may, "a claim without go"
            log.claims.append(now)
            self.inside += 1
        if known(dut.m_valid):
            log.records.append((now, Record(*(known(getattr(dut, f"m_{name}")) for name in Record._fields))))
            self.sealing.append(now + SEAL)
        self.answer(now)
        for name in ("done", "final_counts"):
            self.flags[name] += known(getattr(dut, name))
        if entry and known(dut.e_ready):
            assert not entry.mark or log.told, "a marked entry leaves before its loss is told"
            self.queue.popleft()
            self.last_clock = now

    def answer(self, now: int) -> None:
        """The source that is shown a record answers 3 clocks later: nothing but to what it has to tell."""
        dut, selected = self.dut, known(self.dut.op_select)
        if not selected:
            self.answers.append((0, 0, 0))
            return
        assert selected & (selected - 1) == 0, "two sources selected"
        index = selected.bit_length() - 1
        kind, sub = (known(port) >> 4 * index & 15 for port in (dut.op_kind, dut.op_sub))
        own = known(dut.op_entry)
        says = not own or kind in (Kind.CLK, Kind.CTX)
        reply = (word(32) if says else 0, *((word(63), word(2)) if known(dut.op_burst) else (0, 0)))
        self.answers.append(reply)
        shown = {name: known(getattr(dut, f"op_{name}")) for name in Op._fields[1:-3]} | {"kind": kind, "sub": sub}
        op = Op(index, *shown.values(), *reply)
        self.log.ops.append(op)
        self.log.told += op.free
        if (op.kind, op.sub) == (
            Kind.CLK,
            ClkSub.STEP_HI,
        ):  # a lost step counts until the burst ends, FORMAT.md rule 21
            self.told_steps.append(now + STEP_SHOWN)

    async def stream(self, clocks: int, traffic) -> Reading:
        """Start, `traffic(clock)` entries to offer in each clock, flush, END; returns the checked reading."""
        self.begin()
        await self.clock(restart=True)
        for number in range(clocks):
            for entry in traffic(number):
                self.offer(entry)
            assert not self.flags["done"] + self.flags["final_counts"], "an end without flush"
            await self.clock()
        while not self.flags["done"]:
            assert len(self.log.rel) < LONGEST, "END does not come"
            await self.clock(flush=True)
        assert self.inside == 0
        assert self.flags["final_counts"]
        for _ in range(20):
            await self.clock()
        assert self.flags["done"] == 1
        reading = Reading(self.log)
        reading.stream()
        return reading


async def neighbours(dut, go=None) -> Neighbours:
    await start(dut, *INPUTS)
    around = Neighbours(dut, go)
    for _ in range(5):
        await around.clock()
    assert not around.log.claims, "a record before the start"
    return around


@cocotb.test()
async def test_random(dut):
    """Streams of mixed traffic with stalls and a quiet end; every cause of a group is met."""
    around = await neighbours(dut)
    causes: Counter[str] = Counter()
    records = 0
    for share in (None, 0.0, 0.02, 0.02, 0.1, 0.1, 0.4):  # of special entries; None: an idle stream, for its heartbeat
        busy = bursts(0, 2, 10, 60, mean=100)

        def traffic(number, busy=busy, share=share):
            if share is not None and number < 800 and next(busy) and len(around.queue) < 40:
                yield special() if random.random() < share else plain()

        reading = await around.stream(1300, traffic)
        causes.update(reading.causes)
        records += reading.at
    assert set(causes) == {"full", "fit", "age", "heartbeat", "step", "loss"}, causes
    assert records > 1000


@cocotb.test()
async def test_runs_at_frame_end(dut):
    """Runs of every length at every place of a frame: a frame closes early exactly before those that do not fit."""
    around = await neighbours(dut, bursts(100))
    causes: Counter[str] = Counter()
    for length in range(0, LIMIT - 9, 2):
        ahead = [plain() for _ in range(length)]
        run = special(random.randrange(MARK), mark=True) if length % 4 else special(mark=False, step=True)
        longest = special(0, mark=True, cfg=True, lost_step=True, step=True, record=True)
        assert len(longest.words()) == 16
        entries = [*ahead, run, plain(), longest, longest]
        reading = await around.stream(1, lambda _, entries=entries: entries)
        causes.update(reading.causes)
    assert causes["fit"] > 10
    assert causes["full"] > 10


@cocotb.test()
async def test_full_speed(dut):
    """Plain entries leave one a clock, but for the groups between them."""
    around = await neighbours(dut, bursts(100))
    reading = await around.stream(1, lambda _: [Entry(0, word(63), 2, Kind.BP, 0, word(32), 0) for _ in range(300)])
    said = [record.kind for _, record in reading.log.records]
    claims = reading.log.claims
    gaps = [claims[at + 1] - claims[at] for at in range(len(said) - 1) if said[at] == said[at + 1] == Kind.BP]
    assert len(gaps) > 250
    assert set(gaps) == {1}


@cocotb.test()
async def test_empty_stream(dut):
    """A start that is flushed at once, twice: group 0, start contents, counters, END."""
    around = await neighbours(dut)
    for _ in range(2):
        reading = await around.stream(0, lambda _: [])
        assert reading.at == 9 * reading.frame + len(CFG_WORDS + STATE_WORDS + CNT_WORDS) + 1


@cocotb.test()
async def test_reset(dut):
    """A reset in any state ends the stream without END; the next start is whole."""
    around = await neighbours(dut)
    for _ in range(12):
        around.begin()
        await around.clock(restart=True)
        for _ in range(random.randint(1, 250)):
            if random.random() < 0.1:
                around.offer(random.choice((plain, special))())
            await around.clock()
        around.begin()
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await around.stream(100, lambda number: [plain()] if number % 10 == 0 else [])
