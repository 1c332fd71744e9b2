# SPDX-License-Identifier: Apache-2.0
"""nps_ras_a against npuscope.encode.RasMapper: random excesses, notes, budgets and windows."""

import random
from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import RasConfig, RasMapper
from npuscope.layout import RasClass
from tb.signals import known, start

OVER = 1 << 20


@cocotb.test()
async def test_random(dut):
    """Ages at the ends of hold-off and window, steps of relative time within, time that wraps."""
    idle = ("s1_rel", "s1_budget", "s2_until", "s2_held_until", "excess", "phy_changed", "rel_step")
    await start(dut, *idle)
    width = known(dut.TIME_W)
    mapper = RasMapper(RasConfig(10, 20, 1 << 29, r_run=255, s_window=5000, a_holdoff=1))
    mapper.note(RasClass.ENABLED, 0)
    rel, elapsed, seen = random.getrandbits(40), 0, dict.fromkeys(("A", "REDUNDANCY_EXHAUSTED", "held", "step"), 0)
    ahead, dense, gap = None, 0.5, 0  # what is in stage 2: (rel, elapsed, it is a step, config)
    for _ in range(20000):
        if random.random() < 0.002:
            window, budget = random.choice([1000, 3000, 5000, 20000]), random.choice([0, 1, 2, 3, 100])
            mapper_config = replace(mapper.config, s_window=window, a_budget=budget, a_holdoff=random.randint(1, 4))
            dense = random.choice([0.05, 0.5, 1.0])
        else:
            mapper_config = ahead[3] if ahead else mapper.config
        step = random.random() < 0.003
        if step:  # how long its clock took is not known
            rel, elapsed = rel + random.getrandbits(30), elapsed - gap
        dut.s1_rel.value, dut.s1_budget.value = rel % (1 << width), mapper_config.a_budget
        expected = []
        if ahead is None:
            dut.excess.value, dut.phy_changed.value, dut.rel_step.value = 0, 0, 0
        else:
            its_rel, its_elapsed, its_step, mapper.config = ahead
            phy, excess = random.random() < 0.003, random.random() < dense
            dut.excess.value, dut.phy_changed.value, dut.rel_step.value = excess, phy, its_step
            dut.s2_until.value = (its_rel + mapper.config.s_window) % (1 << width)
            dut.s2_held_until.value = (its_rel + mapper.config.holdoff_ns) % (1 << width)
            if its_step:
                mapper.note(RasClass.FLUSHED, its_elapsed)
            if phy:
                mapper.note(RasClass.PHY_CHANGED, its_elapsed)
            if excess:
                expected = [what for what in mapper.sample(its_elapsed, OVER) if what != RasClass.R]
            seen["held"] += excess and not expected
            seen["step"] += its_step
        await RisingEdge(dut.clk)
        fired = [RasClass.A] * known(dut.fire) + [RasClass.REDUNDANCY_EXHAUSTED] * known(dut.exhausted)
        assert fired == expected
        for what in expected:
            seen[what.name] += 1
        ahead = (rel, elapsed, step, mapper_config)
        gap = random.choice([0, 1, 5, 5, 50, 200, 999])
        ends = [end - elapsed for end in (mapper.held_until, mapper.window_until) if end is not None]
        ends = [end + late for end in ends for late in (0, 1) if 0 <= end + late < 1000]
        if ends and random.random() < 0.5:
            gap = random.choice(ends)
        rel, elapsed = rel + gap, elapsed + gap
    assert min(seen.values()) > 20, seen
