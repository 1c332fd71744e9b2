# SPDX-License-Identifier: Apache-2.0
"""nps_trace_loss against npuscope.encode.stream.Dropped: random losses, the shadow after each move."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import Mirror
from npuscope.encode.stream import Dropped, Entry
from npuscope.layout import Kind, State
from tb.nps_trace_mirror.bench import random_record
from tb.signals import known, start

INPUTS = (
    "drop",
    "drop_record",
    "drop_cfg",
    "drop_whole",
    "drop_step",
    "drop_tokint",
    "drop_before",
    "before_count",
    "tq",
    "ts",
    "step_ns",
    "touched",
    "move",
    "clear",
    "at_last",
)


CONTEXT = int(os.environ.get("CONTEXT", "0"))


def random_entry():
    kind, sub, payload = random_record()
    if CONTEXT and random.random() < 0.2:
        kind = Kind.TOKINT
    step = random.getrandbits(64) - (1 << 63) if random.random() < 0.2 else None
    if step is not None and random.random() < 0.5:
        kind = None
    context = (0,) * CONTEXT if kind == Kind.TOKINT else ()
    return Entry(random.getrandbits(63), 0, kind, sub, payload, random.getrandbits(2), step, context=context)


class Shown:
    """The layers that records name reach the account 2 clocks behind them."""

    def __init__(self, dut):
        self.dut = dut
        self.layers = [random.getrandbits(32)] * 2

    async def clock(self, layers=None):
        self.dut.touched.value = self.layers.pop(0)
        self.layers.append(random.getrandbits(32) if layers is None else layers)
        await RisingEdge(self.dut.clk)

    async def drop(self, entry):
        dut = self.dut
        lapse = entry.kind == Kind.STATE and entry.sub == State.UNKNOWN
        layers = entry.payload if lapse else 1 << (entry.payload & 31) if entry.kind == Kind.BP else None
        dut.drop.value, dut.drop_record.value = 1, entry.kind is not None
        dut.drop_cfg.value = entry.kind == Kind.CFG
        dut.drop_whole.value = layers is None or entry.step_ns is not None
        dut.drop_tokint.value = entry.kind == Kind.TOKINT
        dut.drop_step.value, dut.step_ns.value = entry.step_ns is not None, (entry.step_ns or 0) % (1 << 64)
        dut.tq.value, dut.ts.value = entry.tq, entry.ts
        await self.clock(layers)
        dut.drop.value = 0

    async def move(self):
        self.dut.move.value = self.dut.clear.value = 1
        await self.clock()
        self.dut.move.value = self.dut.clear.value = 0

    async def free(self):
        self.dut.free.value = 1
        await self.clock()
        self.dut.free.value = 0

    async def check(self, account):
        """The shadow tells the account."""
        dut = self.dut
        for last, entry in enumerate((account.first, account.last)):
            dut.at_last.value = last
            for _ in range(2):
                await self.clock()
            assert (known(dut.at_ts), known(dut.at_tq)) == (entry.ts, entry.tq)
        assert known(dut.busy)
        assert known(dut.count) == account.count
        assert known(dut.layers) == (0 if account.whole else account.layers)
        assert known(dut.last_tq) == account.last.tq
        assert (known(dut.has_cfg), known(dut.has_step)) == (account.cfg, account.step_ns is not None)
        if account.step_ns is not None:
            assert known(dut.step_sum) == account.step_ns % (1 << 64)


@cocotb.test()
async def test_before(dut):
    """News of records lost before they were offered add up, and the account says when there is nothing else in it."""
    await start(dut, *INPUTS, "free")
    dut.clear.value = 1  # as under reset
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    for _ in range(40):
        counts, others = [random.randrange(1 << 20) for _ in range(random.randrange(1, 5))], random.randrange(2)
        for count in counts:
            dut.drop.value = dut.drop_before.value = dut.drop_whole.value = 1
            dut.drop_record.value, dut.drop_step.value, dut.drop_tokint.value, dut.before_count.value = 0, 0, 0, count
            await RisingEdge(dut.clk)
        dut.drop_before.value, dut.drop.value, dut.drop_record.value = 0, others, 1
        await RisingEdge(dut.clk)
        dut.drop.value, dut.move.value, dut.clear.value = 0, 1, 1
        await RisingEdge(dut.clk)
        dut.move.value = dut.clear.value = 0
        dut.free.value = 1
        await RisingEdge(dut.clk)
        assert (known(dut.count), known(dut.earlier)) == (sum(counts) + others, not others)
        dut.free.value = 0
        await RisingEdge(dut.clk)


@cocotb.test()
async def test_random(dut):
    """Accounts of 1 to 40 entries; the next one opens in the clock after the move and leaves the shadow alone."""
    await start(dut, *INPUTS, "free")
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    shown = Shown(dut)
    for _ in range(150):
        account = Dropped(Mirror(None))
        account.mirror.update = lambda record: None
        for _ in range(random.choice((1, 1, random.randrange(2, 40)))):
            entry = random_entry()
            account.add(entry)
            await shown.drop(entry)
            for _ in range(random.choice((0, 0, 0, 1, 3))):
                await shown.clock()
        steps = account.step_ns is not None
        await shown.clock()
        assert known(dut.step_open) == steps
        await shown.move()
        following = random_entry()
        await shown.drop(following)
        await shown.check(account)
        await shown.free()
        await shown.clock()
        assert (known(dut.busy), known(dut.has_cfg), known(dut.has_step)) == (0, 0, 0)
        await shown.move()
        second = Dropped(Mirror(None))
        second.mirror.update = lambda record: None
        second.add(following)
        await shown.check(second)
        await shown.free()
