# SPDX-License-Identifier: Apache-2.0
"""nps_interval_mon against npuscope.encode.monitors: every record of every clock, and every word of its snapshots."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.monitors import BINS, INTERVAL_MAX, IntervalModel, interval_bin
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

LIMIT = THRESHOLDS["TOKEN_INTERVAL"].value << 8  # 1/256 ns
SNAP_AGE, SNAP_LATENCY, WORD_LATENCY = 5, 1, 5
INPUTS = (
    "enable", "rel_ns", "rel_frac", "rel_step", "token", "token_id", "idle", "cfg_apply", "cfg_limit", "stat_snap",
    "stat_index",
)  # fmt: skip


class Harness:
    """The DUT and its model; ``step`` is one clock, whose length is given with it."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, IntervalModel(known(dut.limit)), MonRecords(dut)
        self.now, self.ids = random.getrandbits(40) << 8, 0

    async def step(
        self, length=5 << 8, token=False, *, idle=False, enable=True, rel_step=False, limit=None, snap=False
    ):
        dut = self.dut
        self.now = (self.now + length) % (1 << 56)
        self.ids = (self.ids + token) % (1 << 32)
        dut.rel_ns.value, dut.rel_frac.value, dut.rel_step.value = self.now >> 8, self.now & 255, rel_step
        dut.token.value, dut.token_id.value, dut.idle.value, dut.enable.value = token, self.ids, idle, enable
        dut.cfg_apply.value, dut.cfg_limit.value, dut.stat_snap.value = limit is not None, limit or 0, snap
        expected = self.model.clock(self.now, self.ids if token else None, idle=idle, enable=enable, rel_step=rel_step)
        await RisingEdge(dut.clk)
        return self.records.clock(expected)

    async def write(self, limit):
        """A limit, between tokens; whether it is refused."""
        await self.quiet()
        await self.step(limit=limit)
        await self.step()
        assert known(self.dut.cfg_error) == (limit == 0)
        if limit:
            self.model.limit = limit

    async def quiet(self):
        for _ in range(SNAP_AGE):
            await self.step()

    async def interval(self, length):
        """A token so much after the last one, in one clock."""
        await self.step(length, True)

    async def snapshot(self):
        """All words, compared."""
        await self.quiet()
        await self.step(snap=True)
        words = self.model.snap().words()
        for _ in range(SNAP_LATENCY):
            await self.step()
        for clock in range(len(words) + WORD_LATENCY):
            self.dut.stat_index.value = min(clock, len(words) - 1)
            await self.step()
            if clock >= WORD_LATENCY:
                index = clock - WORD_LATENCY
                assert known(self.dut.stat_word) == words[index], f"word {index}"
        return words


async def started(dut):
    await start(dut, *INPUTS)
    return Harness(dut)


@cocotb.test()
async def test_limit(dut):
    """V1, V3: 87 ns exactly does not violate, 1/256 ns more does; 80 never, 96 always; the late token is named."""
    h = await started(dut)
    await h.step(token=True)
    over = []
    for length in (LIMIT, LIMIT + 1, LIMIT - 1, 80 << 8, 96 << 8, 0, INTERVAL_MAX, INTERVAL_MAX + 1, 1 << 55):
        await h.interval(length)
        over.append((length, h.ids, h.model.counting.violations))
    words = await h.snapshot()
    assert [b[2] - a[2] for a, b in zip([(0, 0, 0), *over], over, strict=False)] == [0, 1, 0, 0, 1, 0, 1, 1, 1]
    assert words[BINS + 2 :] == [9, 5, over[-1][1]]
    assert h.records.seen == 9


@cocotb.test()
async def test_new_limit(dut):
    """V4: a new limit judges the tokens behind it, on its own boundary; 0 is refused and changes nothing."""
    h = await started(dut)
    await h.step(token=True)
    for limit in (1, 80, 8388607, 0, 300):
        await h.write(limit)
        await h.step(token=True)
        for length in (-1, 0, 1):
            await h.interval((h.model.limit << 8) + length)
    await h.quiet()
    assert h.records.seen == 20


@cocotb.test()
async def test_any_clock(dut):
    """V1: the same intervals at clocks of 1 to 90 ns that change at any time are measured in time."""
    h = await started(dut)
    for _ in range(40):
        length = random.choice([256, 1024, 1279, 1280, 3333, 90 << 8])
        for _ in range(random.randint(1, 40)):
            await h.step(length, random.random() < 0.2)
    await h.snapshot()
    assert h.records.seen > 50


@cocotb.test()
async def test_random(dut):
    """Everything at any time, in adjacent clocks too; snapshots in the midst of it."""
    h = await started(dut)
    for _ in range(8):
        dense = random.choice([0.05, 0.5, 1.0])
        for _ in range(300):
            place = random.randrange(31)
            length = random.choice([5 << 8, random.getrandbits(place + 1)])
            rare = random.random
            await h.step(
                length, rare() < dense, idle=rare() < 0.02, enable=rare() > 0.02, rel_step=rare() < 0.02
            )  # fmt: skip
        await h.snapshot()
    assert h.records.seen > 500


@cocotb.test()
async def test_bins(dut):
    """V5: each bin, by its first and its last interval."""
    h = await started(dut)
    await h.step(token=True)
    edges = [ns for place in range(23) for m in range(2) if (ns := (2 + m) << place >> 1)]
    for ns in [*edges, *(ns - 1 for ns in edges), (1 << 23) - 1]:
        await h.interval((ns << 8) + random.randrange(256))
    words = await h.snapshot()
    assert all(words[:BINS])
    assert [interval_bin(ns) for ns in (0, 1, 2, 3, 4, 80, 87, 95, 96)] == [0, 1, 2, 3, 4, 12, 12, 12, 13]
