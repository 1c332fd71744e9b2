# SPDX-License-Identifier: Apache-2.0
"""nps_ras_config against npuscope.encode.RasConfig: legal and illegal sets of words."""

import random
from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import RasConfig
from npuscope.layout import THRESHOLDS, Cfg
from tb.signals import known, start

NAMES = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "a_budget", "s_window", "a_holdoff")
WIDTHS = {"r_limit": 30, "a_limit": 30, "s_limit": 30, "r_run": 8, "r_rearm": 8, "a_budget": 8, "s_window": 31}


def random_config():
    """Every word at its ends or anywhere; the limits mostly in order, equal or one apart."""
    values = {}
    for name in NAMES:
        book, top = THRESHOLDS[name.upper()], (1 << WIDTHS.get(name, 18)) - 1
        edges = [0, book.min - 1, book.min, book.max, top, random.randint(0, top), random.randint(book.min, book.max)]
        values[name] = max(0, min(top, random.choice(edges[-1:] * 6 + edges)))
    limit = random.randint(0, (1 << 30) - 1)
    if random.random() < 0.8:
        near = sorted(min((1 << 30) - 1, max(0, limit + random.choice([-1, 0, 0, 1]))) for _ in range(3))
        if random.random() < 0.2:
            random.shuffle(near)
        values |= dict(zip(NAMES[:3], near, strict=True))
    return RasConfig(**values)


def in_force(dut):
    shown = int(dut.words.value)
    return {Cfg(Cfg.R_LIMIT + n): shown >> 32 * n & 0xFFFFFFFF for n in range(6)}, known(dut.holdoff_ns)


@cocotb.test()
async def test_random(dut):
    """Each set is done or refused two clocks later, and shows its words and ns in the clock after, or the old ones."""
    await start(dut, "apply", *NAMES)
    held = RasConfig()
    answers = [0, 0]
    await RisingEdge(dut.clk)
    for _ in range(3000):
        config = random_config()
        for name in NAMES:
            getattr(dut, name).value = getattr(config, name)
        await RisingEdge(dut.clk)
        assert in_force(dut) == (held.words(), held.holdoff_ns)
        dut.apply.value = 1
        await RisingEdge(dut.clk)
        dut.apply.value = 0
        await RisingEdge(dut.clk)
        assert (known(dut.done), known(dut.error)) == (0, 0)
        await RisingEdge(dut.clk)
        assert (known(dut.done), known(dut.error)) == (config.legal, not config.legal), config
        answers[config.legal] += 1
        assert in_force(dut) == (held.words(), held.holdoff_ns)
        held = config if config.legal else held
    assert min(answers) > 100


@cocotb.test()
async def test_answer_after_answer(dut):
    """Applies in adjacent clocks are answered one by one; a refused one changes nothing."""
    legal, wrong = RasConfig(r_limit=7, a_budget=9), replace(RasConfig(), r_run=0)
    await start(dut, "apply", *NAMES)
    for first, second in ((legal, wrong), (wrong, legal)):
        for name in NAMES:
            getattr(dut, name).value = getattr(legal, name)
        dut.apply.value = 1
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        dut.apply.value = 0
        await RisingEdge(dut.clk)
        assert known(dut.done)
        await RisingEdge(dut.clk)
        assert known(dut.done)
        await RisingEdge(dut.clk)
        assert in_force(dut)[0] == legal.words()
        for name in NAMES:
            getattr(dut, name).value = getattr(first if first is wrong else second, name)
        await RisingEdge(dut.clk)
        dut.apply.value = 1
        await RisingEdge(dut.clk)
        dut.apply.value = 0
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        assert known(dut.error)
        await RisingEdge(dut.clk)
        assert in_force(dut)[0] == legal.words()
