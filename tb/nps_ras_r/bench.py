# SPDX-License-Identifier: Apache-2.0
"""nps_ras_r against npuscope.encode.RasMapper: random samples, notes and limits, a decision a clock."""

import random
from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import RasConfig, RasMapper
from npuscope.layout import RasClass
from tb.signals import known, start


@cocotb.test()
async def test_random(dut):
    """Limits change at any time, runs and rows of every length."""
    await start(dut, "hold", "sample", "excess", "good", "reneg_done", "run_1", "rearm_1")
    most = 1 << known(dut.COUNT_W)
    mapper = RasMapper(RasConfig(10, 1 << 29, 1 << 29, r_run=2, r_rearm=3))
    mapper.note(RasClass.ENABLED, 0)
    hold, fires, bad = 0, 0, 0.9
    dut.run_1.value, dut.rearm_1.value = mapper.config.r_run - 1, mapper.config.r_rearm - 1
    for _ in range(8000):
        if random.random() < 0.02:
            bad = random.choice([0.1, 0.5, 0.9, 0.99])
        if random.random() < 0.02:
            run, rearm = (min(most - 1, random.choice([1, 2, 3, 5, 9])) for _ in range(2))
            mapper.config = replace(mapper.config, r_run=run, r_rearm=rearm)
            dut.run_1.value, dut.rearm_1.value = run - 1, rearm - 1
        if random.random() < 0.02:
            hold = 1 - hold
            mapper.note(RasClass.DISABLED if hold else RasClass.ENABLED, 0)
        reneg = random.random() < 0.01
        if reneg:
            mapper.note(RasClass.RENEG_DONE, 0)
        sample = random.random() < 0.8 and not hold
        ok, over = random.random() < 0.97, random.random() < bad
        expected = mapper.sample(0, 11 if over else 10, ok) if sample else []
        dut.hold.value, dut.sample.value, dut.reneg_done.value = hold, sample, reneg
        dut.excess.value, dut.good.value = sample and ok and over, sample and ok and not over
        await RisingEdge(dut.clk)
        assert known(dut.fire) == (expected == [RasClass.R])
        fires += len(expected)
    assert fires > 50
