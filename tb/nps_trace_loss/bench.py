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
    "drop_bp",
    "drop_lapse",
    "drop_cfg",
    "drop_other",
    "drop_step",
    "drop_tokint",
    "tq",
    "ts",
    "payload",
    "step_ns",
    "move",
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


async def drop(dut, entry):
    lapse = entry.kind == Kind.STATE and entry.sub == State.UNKNOWN
    dut.drop.value = 1
    dut.drop_bp.value, dut.drop_lapse.value = entry.kind == Kind.BP, lapse
    dut.drop_cfg.value = entry.kind == Kind.CFG
    dut.drop_other.value = entry.kind in (Kind.MARK, Kind.MON, Kind.TOKINT)
    dut.drop_tokint.value = entry.kind == Kind.TOKINT
    dut.drop_step.value, dut.step_ns.value = entry.step_ns is not None, (entry.step_ns or 0) % (1 << 64)
    dut.tq.value, dut.ts.value, dut.payload.value = entry.tq, entry.ts, entry.payload
    await RisingEdge(dut.clk)
    dut.drop.value = 0


async def move(dut):
    dut.move.value = 1
    await RisingEdge(dut.clk)
    dut.move.value = 0


def check(dut, account):
    """The shadow tells the account."""
    assert known(dut.busy)
    assert known(dut.count) == account.count
    assert known(dut.layers) == (0 if account.whole else account.layers)
    assert (known(dut.first_ts), known(dut.first_tq)) == (account.first.ts, account.first.tq)
    assert (known(dut.last_ts), known(dut.last_tq)) == (account.last.ts, account.last.tq)
    assert (known(dut.has_cfg), known(dut.has_step)) == (account.cfg, account.step_ns is not None)
    if account.step_ns is not None:
        assert known(dut.step_sum) == account.step_ns % (1 << 64)


@cocotb.test()
async def test_random(dut):
    """Accounts of 1 to 40 entries; the next one opens in the clock after the move and leaves the shadow alone."""
    await start(dut, *INPUTS, "free")
    for _ in range(150):
        account = Dropped(Mirror(None))
        account.mirror.update = lambda record: None
        for _ in range(random.randrange(1, 40)):
            entry = random_entry()
            account.add(entry)
            await drop(dut, entry)
            for _ in range(random.choice((0, 0, 0, 1, 3))):
                await RisingEdge(dut.clk)
        steps = account.step_ns is not None
        await RisingEdge(dut.clk)
        assert known(dut.step_open) == steps
        await move(dut)
        following = random_entry()
        await drop(dut, following)
        for _ in range(3):
            await RisingEdge(dut.clk)
        check(dut, account)
        dut.free.value = 1
        await RisingEdge(dut.clk)
        dut.free.value = 0
        await RisingEdge(dut.clk)
        assert (known(dut.busy), known(dut.has_cfg), known(dut.has_step)) == (0, 0, 0)
        await move(dut)
        for _ in range(3):
            await RisingEdge(dut.clk)
        second = Dropped(Mirror(None))
        second.mirror.update = lambda record: None
        second.add(following)
        check(dut, second)
        dut.free.value = 1
        await RisingEdge(dut.clk)
        dut.free.value = 0
