# SPDX-License-Identifier: Apache-2.0
"""nps_trace_source against npuscope.encode: every entry, every word of every LOSS burst, keyframe, limit and counter.

The bench plays the merge and the framer: it takes entries, tells losses, reads the words of groups.
"""

import os
import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.stream import Dropped, Entry
from npuscope.layout import OWNED_CFG_RAS, Cfg, ClkSub, Cnt, Kind
from tb.nps_trace_mirror.bench import random_record
from tb.signals import bursts, known, start

LAYERS, DRY_MASK, DEPTH = 0xFFFFFFFF, 0x0000FFFF, 8  # the bench is built with them
SORT = os.environ.get("SORT", "bp")  # bp, token or ras
WORDS = 5  # of a context
STEPS = 4  # clock steps, or contexts, that a side FIFO holds
EVENT = ("valid", "kind", "sub", "tq", "ts", "payload", "bp_samples", "step", "step_ns")
OP = ("select", "entry", "burst", "free", "kind", "sub", "payload", "bp_samples")
LATENCY = 3  # clocks from an op to its word
GAP = 2  # clocks between the last entry and what a group tells
SHOWS = 2  # clocks from a take to its entry


def offered():
    """(kind, sub, payload) of a record of this sort of source."""
    if SORT == "bp":
        return random_record()
    payload, draw = random.getrandbits(32), random.random()
    if SORT == "token":
        return (Kind.TOKINT, random.randrange(1, 16), payload) if draw < 0.4 else (Kind.TOKEN, 1, payload)
    return (Kind.CFG, random.choice(OWNED_CFG_RAS), payload) if draw < 0.3 else (Kind.RAS, 1, payload)


class Bench:
    """The source's neighbours and the golden books."""

    def __init__(self, dut, percents):
        self.dut = dut
        self.offers, self.stepping = bursts(*percents), bursts(0, 5, 90, mean=10)
        owned = {"bp": (), "token": (), "ras": OWNED_CFG_RAS}[SORT]
        layers = SourceConfig(LAYERS, DRY_MASK) if SORT == "bp" else None
        self.mirror = Mirror(layers, {int(word): random.getrandbits(32) for word in owned})  # of what was emitted
        self.kept = []  # entries in the queue: (entry, the loss before it or None)
        self.open = None  # the loss that goes on
        self.drained = None  # a loss that nothing follows
        self.level = 0  # of the queue, at the start of the clock
        self.soon = [(False, 0, 0)] * 2  # (shadow in use, clock steps, contexts held) in this clock and the next
        self.dropped = self.lost = self.told = self.delivered = self.samples = 0
        self.offering = True
        self.expected = [None] * LATENCY

    def event(self):
        kind, sub, payload = offered()
        step = random.getrandbits(64) - (1 << 63) if next(self.stepping) else None
        if step is not None and random.random() < 0.5:
            kind, sub, payload = None, 0, 0
        self.samples += 1
        context = tuple(random.getrandbits(32) for _ in range(WORDS)) if kind == Kind.TOKINT else ()
        time = random.getrandbits(63)
        return Entry(time, 0, kind, sub, payload, random.getrandbits(2), step, self.samples, context=context)

    async def clock(self, op=None, wanted=None, take=False, take_drained=False):
        """One clock: an event offered or not, an op or not; ``wanted`` = (word, ts, tq) of the op, ts None if free."""
        dut = self.dut
        await FallingEdge(dut.clk)
        entry = self.event() if self.offering and next(self.offers) else None
        dut.ev_valid.value, dut.ev_step.value = 0, 0
        if entry:
            dut.ev_valid.value, dut.ev_step.value = entry.kind is not None, entry.step_ns is not None
            dut.ev_kind.value, dut.ev_sub.value, dut.ev_payload.value = entry.kind or 0, entry.sub, entry.payload
            dut.ev_tq.value, dut.ev_ts.value, dut.ev_bp_samples.value = entry.tq, entry.ts, entry.bp_samples
            dut.ev_step_ns.value = (entry.step_ns or 0) % (1 << 64)
            if SORT == "token":
                dut.ev_context.value = sum(word << 32 * i for i, word in enumerate(entry.context))
        for name in OP:
            getattr(dut, f"op_{name}").value = 0
        for name, value in ({"select": 1} | op if op else {}).items():
            getattr(dut, f"op_{name}").value = int(value)
        dut.q_take.value, dut.drained_ready.value = take, take_drained
        self.expected.append((wanted, op) if wanted else None)
        await RisingEdge(dut.clk)
        due = self.expected.pop(0)
        if due is not None:
            (word, ts, tq), shown = due
            assert word is None or known(dut.word) == word, shown
            assert ts is None or (known(dut.word_ts), known(dut.word_tq)) == (ts, tq), shown
        self.books(entry, op or {}, take)

    def books(self, entry, op, take):
        """What the queue must do with this clock's entry (rule 22): all that follows from it is predicted."""
        self.shadow_used, self.steps_held, self.contexts_held = self.soon.pop(0)
        half = self.level < DEPTH // 2 and not self.shadow_used
        room = half if self.open else self.level < DEPTH
        accept = entry is not None and room and not (entry.step_ns is not None and self.steps_held == STEPS)
        accept = accept and not (entry.context and self.contexts_held == STEPS)
        assert known(self.dut.accept) == bool(accept)
        used, held, contexts = self.soon[-1]
        moves = False
        if accept:
            self.kept.append((entry, self.open))
            moves, self.open = self.open is not None, None
        elif entry:
            self.open = (self.open or []) + [entry]
            self.lost += entry.size
        elif self.open and not self.level and not self.shadow_used:
            moves, self.drained, self.open = True, self.open, None
        self.level += bool(accept) - bool(take)
        used = (used or moves) and not op.get("free")
        held -= bool(op.get("entry")) and (op["kind"], op["sub"]) == (Kind.CLK, ClkSub.STEP_HI)
        contexts -= bool(op.get("entry")) and (op["kind"], op["sub"]) == (Kind.CTX, WORDS - 1)
        self.soon.append((used, held, contexts))
        if accept:  # what is put in is seen in the next clock
            puts = entry.step_ns is not None, bool(entry.context)
            self.soon = [(used, held + puts[0], contexts + puts[1]) for used, held, contexts in self.soon]

    async def tell(self, entries):
        """The burst of one loss, word by word."""
        account = Dropped(self.mirror)
        for entry in entries:
            account.add(entry)
        records = account.burst(0)
        assert known(self.dut.loss_cfg) == account.cfg
        assert known(self.dut.loss_step) == (account.step_ns is not None)
        for at, record in enumerate(records):
            op = {"burst": 1, "kind": record.kind, "sub": record.sub, "free": at == len(records) - 1}
            await self.clock(op, (record.payload, record.ts, record.tq))
        samples = self.mirror.bp_samples
        self.mirror = account.mirror
        self.mirror.bp_samples = samples
        self.dropped += account.count
        self.told += account.count

    async def emit(self, entry):
        """The records of one entry, the last of which takes it from the queue."""
        for record in entry.records():
            op = {"entry": 1, "kind": record.kind, "sub": record.sub}
            op |= {"payload": entry.payload, "bp_samples": entry.bp_samples}
            step = record.kind == Kind.CLK and entry.step_ns is not None
            asked = (step and record.sub in (ClkSub.STEP_LO, ClkSub.STEP_HI)) or record.kind == Kind.CTX
            await self.clock(op, (record.payload if asked else 0, 0, 0))  # what is its own is not told again
            self.mirror.update(record)
        self.mirror.bp_samples = entry.bp_samples
        self.delivered += entry.size

    async def group(self):
        """A keyframe, the limits and the counters, behind the last entry as soon as they may come."""
        for _ in range(GAP):
            await self.clock()
        words = [(Kind.CFG, word, value) for word, value in self.mirror.cfg.items()]
        words += [(Kind.CNT, Cnt.DROPPED, self.dropped)]
        if SORT == "bp":
            words += [(Kind.STATE, sub, mask) for sub, mask in self.mirror.keyframe()]
            words += [(Kind.CNT, Cnt.BP_SAMPLES, self.mirror.bp_samples)]
        if SORT == "token":
            words += [(Kind.CNT, Cnt.TOKENS, self.mirror.bp_samples)]
        for kind, sub, word in words:
            await self.clock({"kind": kind, "sub": sub}, (word, None, None))

    async def step(self):
        """Take what the queue shows, or a drained loss; True if there was something."""
        dut = self.dut
        if known(dut.drained):
            await self.clock(take_drained=True)
            await self.tell(self.drained)
            return True
        if not self.kept:
            return False
        entry, lost = self.kept[0]
        await self.clock()  # until it is in the queue
        await self.clock(take=True)
        self.kept.pop(0)
        for _ in range(SHOWS):
            await self.clock()
        mark = known(dut.q_mark)
        shown = known(dut.q_entry)
        assert mark == (lost is not None)
        assert shown >> 138 == (entry.step_ns is not None) * 2 + (entry.kind is not None)
        assert shown >> 40 & (1 << 64) - 1 == entry.ts
        if entry.kind is not None:
            assert shown & (1 << 40) - 1 == entry.kind << 36 | entry.sub << 32 | entry.payload
        if lost:
            await self.tell(lost)
        await self.emit(entry)
        return True


async def begin(dut, *percents):
    names = [f"ev_{name}" for name in EVENT] + [f"op_{name}" for name in OP]
    await start(dut, *names, "restart", "limits", "stale", "q_take", "drained_ready", "final_counts")
    bench = Bench(dut, percents)
    limits, stale = random.getrandbits(30), random.getrandbits(32)
    dut.limits.value, dut.stale.value, dut.restart.value = limits, stale, 1
    dut.cfg_words.value = (
        sum(word << 32 * i for i, word in enumerate(bench.mirror.cfg.values())) if SORT == "ras" else 0
    )
    dut.ev_context.value = 0
    await RisingEdge(dut.clk)
    dut.restart.value = 0
    if SORT == "bp":
        bench.mirror.cfg[Cfg.BP_LIMITS], bench.mirror.cfg[Cfg.STALE] = limits, stale
    for _ in range(12):
        await RisingEdge(dut.clk)
    return bench


async def finish(bench):
    """No more events: everything is delivered or told, and the source says that it is idle."""
    bench.offering = False
    for _ in range(200):
        for _ in range(8):
            await bench.clock()
        if not await bench.step() and known(bench.dut.idle):
            break
    await bench.group()
    for _ in range(4):
        await bench.clock()
    assert not bench.kept
    assert not bench.open
    assert bench.told == bench.lost
    assert not known(bench.dut.step_pending)


@cocotb.test()
async def test_random(dut):
    """Bursts into a slow reader: losses of every sort, each told to the bit; groups in between."""
    bench = await begin(dut, 2, 5, 60)
    for _ in range(500):
        if not await bench.step():
            await bench.clock()
        if random.random() < 0.1:
            await bench.group()
    await finish(bench)
    assert bench.told > 100
    assert bench.delivered > 100


@cocotb.test()
async def test_no_loss(dut):
    """A source slower than its reader loses nothing; a restart begins from the limits given."""
    bench = await begin(dut, 3, 6)
    for _ in range(250):
        if not await bench.step():
            await bench.clock()
    bench.offering = False
    await finish(bench)
    assert bench.told == 0
    assert bench.delivered > 5


@cocotb.test()
async def test_final_counts(dut):
    """final_counts turns BP_SAMPLES into the live total."""
    bench = await begin(dut, 2)
    dut.ev_bp_samples.value = 4711
    dut.final_counts.value = 1
    await RisingEdge(dut.clk)
    dut.final_counts.value = 0
    bench.offering = False
    bench.mirror.bp_samples = 4711
    await finish(bench)
