# SPDX-License-Identifier: Apache-2.0
"""nps_hitrate_mon against npuscope.encode.monitors: every window in its clock, every verdict."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.monitors import HitrateModel
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

LATENCY = 16
WINDOW = THRESHOLDS["HITRATE_WINDOW"].min
INPUTS = ("enable", "rel_ns", "rel_step", "access", "hit", "cfg_apply", "cfg_limit", "cfg_window")


class Harness:
    """The DUT and its model, with the smallest window."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, HitrateModel(), MonRecords(dut, LATENCY)
        self.now = random.getrandbits(32)

    async def step(self, access=False, hit=False, *, length=5, enable=True, rel_step=False):
        dut = self.dut
        self.now += length
        dut.rel_ns.value, dut.rel_step.value, dut.enable.value = self.now % (1 << 32), rel_step, enable
        dut.access.value, dut.hit.value = access, hit
        expected = self.model.clock(self.now, access, hit, enable=enable, rel_step=rel_step)
        await RisingEdge(dut.clk)
        return self.records.clock(expected)

    async def configure(self, limit=None, window=WINDOW):
        """New limits while disabled; whether they are refused."""
        dut, before = self.dut, (self.model.limit, self.model.window)
        limit = self.model.limit if limit is None else limit
        dut.cfg_limit.value, dut.cfg_window.value, dut.cfg_apply.value = limit, window, 1
        await self.step(enable=False)
        dut.cfg_apply.value = 0
        await self.step(enable=False)
        legal = limit <= 1000 and window >= WINDOW
        assert known(dut.cfg_error) == (not legal)
        self.model.limit, self.model.window = (limit, window) if legal else before
        assert (known(dut.limit), known(dut.window)) == (self.model.limit, self.model.window)

    async def window(self, hits, accesses):
        """One window of so many; the verdict."""
        first = self.now
        for number in range(accesses):
            await self.step(True, number < hits, length=0 if number else 5)
        while self.now - first < self.model.window:
            await self.step()
        for _ in range(LATENCY + 1):
            await self.step()
        return known(self.dut.under)


async def started(dut):
    await start(dut, *INPUTS)
    return Harness(dut)


@cocotb.test()
async def test_limit(dut):
    """H3, B3: 923 of 1000 is not under, 922 is, 924 is not; nor 0 of 0, which keeps the verdict; 0 of 1, 1 of 1."""
    h = await started(dut)
    await h.configure()
    for hits, accesses, under in (
        (923, 1000, 0), (922, 1000, 1), (0, 0, 1), (924, 1000, 0), (12, 13, 0), (11, 12, 1), (0, 0, 1),
        (1, 1, 0), (0, 1, 1),
    ):  # fmt: skip
        assert await h.window(hits, accesses) == under == h.model.under, (hits, accesses)
    assert h.records.seen >= 9


@cocotb.test()
async def test_new_limits(dut):
    """H4: a limit of 0 is never undercut, 1000 by any miss; what is illegal is refused as a whole."""
    h = await started(dut)
    for limit, window, hits, under in ((0, 1000, 0, 0), (1000, 1000, 99, 1), (1000, 1500, 100, 0), (1001, 2000, 99, 1),
                                       (500, 999, 99, 1), (990, 1000, 99, 0)):  # fmt: skip
        await h.configure(limit, window)
        assert await h.window(hits, 100) == under, (limit, window)


@cocotb.test()
async def test_saturation(dut):
    """H5: a window counts its first 65535 accesses."""
    h = await started(dut)
    await h.configure()
    dut, model = h.dut, h.model
    await h.step(True, True)
    dut.access.value, dut.hit.value, dut.enable.value = 1, 0, 1
    for _ in range(65534 + 20):  # time stands still: one window
        await RisingEdge(dut.clk)
    for _ in range(65534 + 20):
        model.clock(h.now, True, False)
    h.records = MonRecords(dut, LATENCY)
    assert await h.window(0, 0) == 1
    assert h.records.seen == 1
    assert known(dut.ev_payload) == 65535 << 16 | 1


@cocotb.test()
async def test_random(dut):
    """H1, H2: windows in time, at any clock, across steps and pauses; each access in exactly one."""
    h = await started(dut)
    await h.configure()
    length = 5
    for _ in range(8000):
        rare = random.random
        if rare() < 0.01:
            length = random.choice([1, 5, 17, 60])
        stop = 1000 if rare() < 0.002 else 0
        await h.step(rare() < 0.6, rare() < 0.92, length=length + stop, enable=rare() > 0.002, rel_step=rare() < 0.002)
    assert h.records.seen > 30
