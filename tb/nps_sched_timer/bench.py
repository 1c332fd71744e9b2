# SPDX-License-Identifier: Apache-2.0
"""nps_sched_timer against npuscope.encode.monitors: every tick, slot and record, at any clock."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.monitors import SchedModel
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

TICK_LATENCY = 2
INPUTS = ("enable", "rel_ns", "rel_frac", "rel_step", "cfg_apply", "cfg_ctrl")
LIMIT = THRESHOLDS["TOKEN_INTERVAL"].value << 8


class Harness:
    """The DUT and its model; ``ticks`` are the times of all ticks, in 1/256 ns."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, SchedModel(), MonRecords(dut)
        self.now, self.ticks = random.getrandbits(40) << 8, []
        self._coming = deque([None] * TICK_LATENCY)

    async def step(self, length=5 << 8, *, enable=True, rel_step=False, register=None):
        dut = self.dut
        self.now = (self.now + length) % (1 << 56)
        dut.rel_ns.value, dut.rel_frac.value = self.now >> 8 & 0xFFFFFF, self.now & 255
        dut.rel_step.value, dut.enable.value = rel_step, enable
        dut.cfg_apply.value, dut.cfg_ctrl.value = register is not None, register or 0
        if register is not None:
            self.legal = self.model.write(register)
        expected = self.model.clock(self.now, enable=enable, rel_step=rel_step)
        self._coming.append((self.now, self.model.slot) if self.model.tick else None)
        await RisingEdge(dut.clk)
        due = self._coming.popleft()
        assert known(dut.tick) == (due is not None)
        if due is not None:
            self.ticks.append(due[0])
            assert known(dut.slot) == due[1]
        return self.records.clock(expected)

    async def write(self, register):
        await self.step(register=register)
        await self.step()
        assert known(self.dut.cfg_error) == (not self.legal)

    def intervals(self):
        """Between the ticks since the last call but the first two, which may be of another register."""
        found = [b - a for a, b in zip(self.ticks[2:], self.ticks[3:], strict=False)]
        self.ticks.clear()
        return found


async def started(dut):
    await start(dut, *INPUTS)
    return Harness(dut)


@cocotb.test()
async def test_register(dut):
    """W1, B1: at 96 ns every interval is above 87 ns, at 80 ns none; 48 and 32 slots; told when it comes in force."""
    h = await started(dut)
    for register, slots, above in ((None, 48, True), (0xB000, 32, False), (0x8000, 32, True), (0x3000, 48, False)):
        if register is not None:
            await h.write(register)
        for _ in range(20 * (slots + 4)):
            await h.step()
        found = h.intervals()
        assert len(found) > slots
        assert {interval > LIMIT for interval in found} == {above}, found
        assert known(dut.ctrl) == (register or 0)
    assert h.records.seen == 4


@cocotb.test()
async def test_refused(dut):
    """W1: every value with a reserved bit or select, and only those, is refused and changes nothing."""
    h = await started(dut)
    for register in [1 << bit for bit in range(16)] + [0x9000, 0xA000, 0xB000, 0xF000, 0xB001, 0x3000, 0xFFFF]:
        await h.write(register)
    for _ in range(60):
        await h.step()
    assert h.records.seen >= 2


@cocotb.test()
async def test_any_clock(dut):
    """W2: the mean period is the register's at any clock, no tick more than a clock late."""
    h = await started(dut)
    await h.write(0xB000)
    for length in (256, 853, 1280, 1777, 6 << 8, 7 << 8):
        h.ticks.clear()
        for _ in range(60 * (80 << 8) // length // 4):
            await h.step(length)
        found = h.intervals()
        assert abs(sum(found) - len(found) * (80 << 8)) <= 2 * length
        assert max(found) < (80 << 8) + length
        assert max(found) <= LIMIT


@cocotb.test()
async def test_random(dut):
    """Everything at any time: writes, enable, steps, clocks that stop."""
    h = await started(dut)
    length, enable = 5 << 8, True
    for _ in range(6000):
        rare = random.random
        if rare() < 0.01:
            length = random.choice([256, 1280, 3000, 26 << 8])
        if rare() < 0.01:
            enable = not enable or rare() < 0.5
        register = random.choice([0, 0xB000, 0x8000, 0x3000, random.getrandbits(16)]) if rare() < 0.01 else None
        stop = random.choice([80 << 8, 96 << 8, 100000]) if rare() < 0.005 else 0
        await h.step(length + stop, enable=enable, rel_step=rare() < 0.003, register=register)
    assert len(h.ticks) > 150
    assert h.records.seen > 20
