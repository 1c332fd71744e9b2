# SPDX-License-Identifier: Apache-2.0
"""nps_trace_close: the causes of rule 24 and 6, one by one; FRAME_RECORDS 32, age 1000 ns, heartbeat 5000 ns."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import GROUP_RECORDS
from tb.signals import known, start

FRAME, AGE, HEARTBEAT = 32, 1000, 5000
NS = 5
INPUTS = ("restart", "rel_ns", "record", "sync_a", "loss", "step", "step_pending")
WAIT = 8


class Frame:
    """Drives one frame after another; keeps the reference count."""

    def __init__(self, dut):
        self.dut, self.rel, self.count = dut, random.getrandbits(48), 0

    async def tick(self, **strobes):
        self.rel = (self.rel + NS) % (1 << 48)
        self.dut.rel_ns.value = self.rel
        for name in ("record", "sync_a", "loss", "step"):
            getattr(self.dut, name).value = strobes.get(name, 0)
        await RisingEdge(self.dut.clk)
        self.count += strobes.get("record", 0)

    async def group(self):
        """Nine records; `previous` then tells the frame before."""
        before = self.count
        self.count = 0
        await self.tick(record=1, sync_a=1)
        for _ in range(GROUP_RECORDS - 1):
            await self.tick(record=1)
        assert known(self.dut.previous) == before
        await self.idle(WAIT)
        assert not known(self.dut.close)
        assert known(self.dut.room) == FRAME - GROUP_RECORDS

    async def idle(self, clocks):
        for _ in range(clocks):
            await self.tick()

    async def closes_within(self, clocks):
        for _ in range(clocks):
            await self.tick()
            if known(self.dut.close):
                return
        raise AssertionError("close is not asked for")


async def begin(dut):
    await start(dut, *INPUTS)
    dut.restart.value = 1
    await RisingEdge(dut.clk)
    dut.restart.value = 0
    frame = Frame(dut)
    await frame.group()
    return frame


@cocotb.test()
async def test_full(dut):
    """close rises in the clock after the last record that fits, not before, and room counts down."""
    frame = await begin(dut)
    for _ in range(5):
        while frame.count < FRAME:
            assert not known(dut.close)
            await frame.tick(record=1)
            if frame.count < FRAME and random.random() < 0.3:
                await frame.tick()
                assert known(dut.room) == FRAME - frame.count
                assert not known(dut.close)
        await frame.tick()
        assert known(dut.close)
        await frame.group()


@cocotb.test()
async def test_age(dut):
    """A frame with contents closes at its age, an empty one does not; the heartbeat closes any."""
    frame = await begin(dut)
    await frame.idle(AGE // NS + 20)
    assert not known(dut.close)
    await frame.tick(record=1)
    await frame.closes_within(WAIT)
    await frame.group()
    await frame.tick(record=1)
    await frame.idle((AGE - 40) // NS - GROUP_RECORDS - WAIT - 1)
    assert not known(dut.close)
    await frame.closes_within(20)
    await frame.group()
    await frame.idle((HEARTBEAT - 40) // NS - GROUP_RECORDS - WAIT - 1)
    assert not known(dut.close)
    await frame.closes_within(20)


@cocotb.test()
async def test_loss(dut):
    """The first LOSS forces a group; the next one waits until FRAME_RECORDS records have passed, or any group comes."""
    frame = await begin(dut)
    await frame.tick(record=1, loss=1)
    await frame.closes_within(WAIT)
    await frame.group()
    await frame.tick(record=1, loss=1)
    await frame.idle(WAIT)
    assert not known(dut.close)
    await frame.group()  # for another cause: satisfies it
    while frame.count < FRAME - 2:
        await frame.tick(record=1)
    await frame.idle(WAIT)
    assert not known(dut.close)
    await frame.tick(record=1, loss=1)
    await frame.closes_within(WAIT)


@cocotb.test()
async def test_step(dut):
    """A clock step forces a group when no source has one to tell any more."""
    frame = await begin(dut)
    dut.step_pending.value = 1
    await frame.tick(record=1, step=1)
    await frame.idle(WAIT)
    assert not known(dut.close)
    dut.step_pending.value = 0
    await frame.closes_within(3)
    await frame.group()
