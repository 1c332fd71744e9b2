# SPDX-License-Identifier: Apache-2.0
"""nps_energy against npuscope.encode.energy: every record and verdict of every token."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.energy import ENERGY_MAX, EnergyModel
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

LATENCY = 7
LIMIT, RELEASE = THRESHOLDS["ENERGY_LIMIT"].value, THRESHOLDS["ENERGY_RELEASE"].value
INPUTS = (
    "enable", "rel_ns", "rel_step", "power_valid", "power_mw", "token", "cfg_apply", "cfg_limit", "cfg_release",
)  # fmt: skip


class Harness:
    """The DUT and its model; ``verdicts`` are those of the tokens so far."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, EnergyModel(), MonRecords(dut, LATENCY)
        self.now, self.verdicts = random.getrandbits(40), []
        self._coming = deque([None] * LATENCY)

    async def step(self, length=5, power=None, token=False, *, enable=True, rel_step=False, cfg=None):
        dut = self.dut
        self.now += length
        dut.rel_ns.value, dut.rel_step.value, dut.enable.value = self.now, rel_step, enable
        dut.power_valid.value, dut.power_mw.value, dut.token.value = power is not None, power or 0, token
        dut.cfg_apply.value = cfg is not None
        dut.cfg_limit.value, dut.cfg_release.value = cfg or (0, 0)
        verdict = self.model.clock(self.now, power, token, enable=enable, rel_step=rel_step)
        if verdict:
            self.verdicts.append(verdict)
        self._coming.append(verdict)
        await RisingEdge(dut.clk)
        self.records.clock(verdict and verdict.record)
        due = self._coming.popleft()
        assert known(dut.done) == (due is not None)
        if due:
            assert (known(dut.over), known(dut.under)) == (due.over, due.under)

    async def token(self, energy):
        """A token of so many pJ: in clocks of at most 255 ns."""
        clocks = 1 + (energy >> 31)
        power = energy // (200 * clocks)
        await self.step(0, power)
        for _ in range(clocks):
            await self.step(200)
        await self.step(0, energy - 200 * clocks * power)
        await self.step(1, token=True)

    async def configure(self, limit, release):
        await self.quiet()
        await self.step(0, cfg=(limit, release))
        await self.step(0)
        assert known(self.dut.cfg_error) == (release > limit)
        if release <= limit:
            self.model.limit, self.model.release = limit, release

    async def quiet(self):
        for _ in range(LATENCY):
            await self.step(0)


async def started(dut):
    await start(dut, *INPUTS)
    harness = Harness(dut)
    await harness.step(power=0)
    await harness.step(0, token=True)
    return harness


@cocotb.test()
async def test_limits(dut):
    """E3, B5: 3.8 mJ exactly is not over, 1 pJ more is; 3.0 mJ is not under, 1 pJ less is; 0; saturated is over."""
    h = await started(dut)
    for energy, over, under in (
        (LIMIT, 0, 0), (LIMIT + 1, 1, 0), (LIMIT - 1, 0, 0), (RELEASE, 0, 0), (RELEASE - 1, 0, 1), (RELEASE + 1, 0, 0),
        (0, 0, 1),
    ):  # fmt: skip
        await h.token(energy)
        verdict = h.verdicts[-1]
        assert (verdict.energy, verdict.over, verdict.under) == (energy, over, under)
    await h.quiet()
    assert h.records.seen == 7


@cocotb.test()
async def test_saturation(dut):
    """E4: more than 2^42 - 1 pJ, or a told sum of more, is told as all ones; over even the highest limit."""
    h = await started(dut)
    await h.configure(ENERGY_MAX, 0)
    await h.step(0, (1 << 24) - 1)
    for clocks in (1027, 1028, 1030):
        for _ in range(clocks):
            await h.step(255)
        await h.step(0, token=True)
    await h.quiet()
    assert [v.energy is None for v in h.verdicts] == [
        (c * 255 * ((1 << 24) - 1)) > ENERGY_MAX for c in (1027, 1028, 1030)
    ]
    assert h.verdicts[-1].over


@cocotb.test()
async def test_carry(dut):
    """E2, E4: sensor periods longer and shorter than a token; what is told adds up to what was used, within a unit."""
    h = await started(dut)
    for sensor in (3, 40, 700):
        for clock in range(1500):
            await h.step(
                random.choice([4, 5, 6]), random.getrandbits(17) if clock % sensor == 0 else None, clock % 16 == 15
            )
    await h.quiet()
    used, told = sum(v.energy for v in h.verdicts), sum(v.told for v in h.verdicts)
    assert used - 1024 < told * 1024 <= used


@cocotb.test()
async def test_random(dut):
    """Everything at any time: pauses, steps, jumps, tokens in adjacent clocks, new limits, refused ones too."""
    h = await started(dut)
    for number in range(6000):
        rare = random.random
        if number % 500 == 499:
            await h.configure(*(random.getrandbits(random.choice([20, 42])) for _ in range(2)))
        length = random.choice([5, 5, random.randrange(256), 256 if rare() < 0.1 else 7])
        power = random.getrandbits(random.randint(1, 24)) if rare() < 0.1 else None
        await h.step(length, power, rare() < 0.3, enable=rare() > 0.01, rel_step=rare() < 0.01)
    assert len(h.verdicts) > 800
