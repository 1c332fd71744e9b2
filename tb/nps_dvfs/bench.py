# SPDX-License-Identifier: Apache-2.0
"""nps_dvfs against npuscope.encode.energy.Governor: every step, in its clock."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.energy import Governor
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

DWELL = int(os.environ["DWELL"])


class Harness:
    """The DUT and its model; ``steps`` are (token number, mV, MHz) of each step."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, Governor(dwell=DWELL), MonRecords(dut, 1)
        self.tokens, self.steps = 0, []
        dut.enable.value = 1

    async def token(self, over, under, *, token=True, enable=True):
        dut, model = self.dut, self.model
        dut.token.value, dut.over.value, dut.under.value, dut.enable.value = token, over, under, enable
        expected = model.token(over, under) if token and enable else None
        self.tokens += token and enable
        if expected:
            self.steps.append((self.tokens, model.voltage, model.frequency))
        await RisingEdge(dut.clk)
        self.records.clock(expected)
        voltage, frequency = known(dut.voltage), known(dut.frequency)
        assert voltage == model.v_high or frequency == model.f_low, "the voltage is too low for the frequency"
        assert model.v_low <= voltage <= model.v_high
        assert model.f_low <= frequency <= model.f_high


async def started(dut):
    await start(dut, "enable", "token", "over", "under")
    return Harness(dut)


@cocotb.test()
async def test_walk(dut):
    """G1 to G3, B6: down all frequencies, then all voltages; up the other way; one step a dwell; none in the band."""
    h = await started(dut)
    for over, under in ((1, 0), (0, 0), (0, 1), (0, 0)):
        for _ in range(12 * DWELL):
            await h.token(over, under)
    down = [(800, 550), (800, 500), (800, 450), (780, 450), (760, 450), (740, 450), (720, 450)]
    up = [*reversed(down[:-1]), (800, 600)]
    assert [step[1:] for step in h.steps] == down + up
    numbers = [step[0] for step in h.steps[:7]]
    assert numbers == [1 + n * DWELL for n in range(7)]


@cocotb.test()
async def test_random(dut):
    """Verdicts in any order and clock; pauses."""
    h = await started(dut)
    bias = 0.5
    for _ in range(3000):
        if random.random() < 0.02:
            bias = random.random()
        over = random.random() < bias
        await h.token(
            over, not over and random.random() < 0.8, token=random.random() < 0.8, enable=random.random() > 0.02
        )
    assert len(h.steps) > 2000 // (DWELL * 6)
