# SPDX-License-Identifier: Apache-2.0
"""nps_link_budget against npuscope.encode.monitors: every stage and the whole of every shard."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.monitors import LinkModel
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

STAGES = ("LINK_TLP", "LINK_PHY", "LINK_ARBITRATION", "LINK_SHARD")
LIMITS = [THRESHOLDS[name].value for name in STAGES]
TOTAL = THRESHOLDS["LINK_TOTAL"].value
INPUTS = ("enable", "rel_ns", "rel_frac", "rel_step", "start", "mark", "cfg_apply", "cfg_stage", "cfg_limit")


class Harness:
    """The DUT and its model; ``told`` are (stage, over, ns) of the records."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, LinkModel(), MonRecords(dut)
        self.now, self.told, self._whole = random.getrandbits(40), [], None

    async def step(self, length=1280, start=False, mark=False, *, enable=True, rel_step=False, cfg=None):
        dut = self.dut
        self.now = (self.now + length) % (1 << 56)
        dut.rel_ns.value, dut.rel_frac.value, dut.rel_step.value = self.now >> 8, self.now & 255, rel_step
        dut.start.value, dut.mark.value, dut.enable.value = start, mark, enable
        dut.cfg_apply.value = cfg is not None
        dut.cfg_stage.value, dut.cfg_limit.value = cfg or (0, 0)
        found = self.model.clock(self.now, start, mark, enable=enable, rel_step=rel_step)
        assert self._whole is None or not found, "the stimulus marks in the clock after a start"
        expected, self._whole = (self._whole or (found[0] if found else None)), found[1] if len(found) > 1 else None
        await RisingEdge(dut.clk)
        record = self.records.clock(expected)
        if record:
            self.told.append((record[1] & 7, record[1] >> 3 & 1, record[1] >> 4))

    async def shard(self, *times):
        """A shard whose stages take so long, in 1/256 ns; what was told of it."""
        await self.step(start=True)
        await self.step(0)
        for time in times:
            await self.step(time, mark=True)
        for _ in range(6):
            await self.step()
        told, self.told = self.told, []
        return told

    async def limit(self, stage, limit):
        await self.step(cfg=(stage, limit))
        await self.step()
        legal = stage < 5 and limit > 0
        assert known(self.dut.cfg_error) == (not legal)
        if legal:
            self.model.limits[stage] = limit


async def started(dut):
    await start(dut, *INPUTS)
    return Harness(dut)


@cocotb.test()
async def test_limits(dut):
    """K3, C1: each stage at its limit, 1/256 ns above and below; the whole likewise; what overran is named."""
    h = await started(dut)
    exact = [limit << 8 for limit in LIMITS]
    assert await h.shard(*exact) == [(n, 0, limit) for n, limit in enumerate(LIMITS)] + [(4, 0, TOTAL)]
    for stage in range(4):
        for more in (1, -1):
            times = list(exact)
            times[stage] += more
            over = [(told[0], told[1]) for told in await h.shard(*times)]
            assert over == [(n, int(n == stage and more > 0)) for n in range(4)] + [(4, int(more > 0))]
    times = [exact[0] + 256, exact[1] - 256, *exact[2:]]
    assert [told[1] for told in await h.shard(*times)] == [1, 0, 0, 0, 0]
    assert [told[1:] for told in await h.shard(0, 1 << 36, 0, 0)][1] == (1, (1 << 28) - 1)


@cocotb.test()
async def test_new_limits(dut):
    """K5: Gen5's 1200 ns; 0 and a stage that is none are refused."""
    h = await started(dut)
    for stage, limit in ((4, 1200), (5, 100), (7, 100), (0, 0), (1, 1 << 19)):
        await h.limit(stage, limit)
    exact = [limit << 8 for limit in LIMITS]
    exact[1] += 400 << 8
    assert [told[1] for told in await h.shard(*exact)] == [0, 0, 0, 0, 0]
    exact[1] += 1
    assert [told[1] for told in await h.shard(*exact)] == [0, 0, 0, 0, 1]


@cocotb.test()
async def test_random(dut):
    """K1, K2: starts, marks, steps and pauses in any clock but a mark behind a start."""
    h = await started(dut)
    started_before = False
    for _ in range(8000):
        rare = random.random
        begin, mark = rare() < 0.15, rare() < 0.4 and not started_before
        length = random.choice([1280, random.getrandbits(random.randint(1, 40))])
        await h.step(length, begin, mark, enable=rare() > 0.01, rel_step=rare() < 0.01)
        started_before = begin
    assert sum(told[0] == 4 for told in h.told) > 30


@cocotb.test()
async def test_mark_behind_a_start(dut):
    """K2: a mark in the clock behind a start is not seen, that in its own clock is the old shard's."""
    h = await started(dut)
    for _ in range(40):
        await h.step(start=True)
        await h.step(mark=True)
        assert h.model.stage == 0
        for _ in range(3):
            await h.step(mark=True)
        await h.step(mark=True, start=random.random() < 0.5)
        for _ in range(3):
            await h.step()
    for _ in range(6):
        await h.step()
    assert len(h.told) == 200
