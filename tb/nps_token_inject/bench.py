# SPDX-License-Identifier: Apache-2.0
"""nps_token_inject against its model, every clock: random tokens, stalls and configurations."""

import random
from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import TokenInjectModel
from tb.signals import known, start

PINS = ("enable", "first", "every", "layer", "cause", "pipe_valid", "pipe_ready", "tok_layer")


def configuration():
    first = random.choice([0, 1, 1, 2, 3, 7, 300])
    return first, random.choice([0, 0, 1, 2, 5]), random.choice([0, 1, 254]), random.randrange(16)


@cocotb.test()
async def test_random(dut):
    """What is forced on the token shown, in every clock."""
    await start(dut, *PINS)
    model, enable, config, seen = None, False, (1, 0, 0, 1), Counter()
    for _ in range(8000):
        if random.random() < 0.01:
            enable = not enable
            config = configuration() if enable else config
        valid, ready, layer = random.random() < 0.8, random.random() < 0.8, random.choice([0, 1, 254, 255])
        dut.enable.value = enable
        for name, value in zip(PINS[1:5], config, strict=True):
            getattr(dut, name).value = value
        dut.pipe_valid.value, dut.pipe_ready.value, dut.tok_layer.value = valid, ready, layer
        await RisingEdge(dut.clk)
        model = (model or TokenInjectModel(*config)) if enable else None
        forced = model.forced(True, layer) if model else 0
        assert known(dut.inj_cause) == forced
        if model:
            model.clock(True, layer if valid and ready else None)
        seen["forced"] += forced != 0
        seen["forced, waits"] += forced != 0 and not (valid and ready)
        seen["every"] += forced != 0 and config[1] > 0
        seen["late"] += forced != 0 and config[0] > 5
    assert min(seen[name] for name in ("forced", "forced, waits", "every", "late")) > 0, dict(seen)


@cocotb.test()
async def test_large_numbers(dut):
    """Once at 4097; every 4097 after the first; never within 4200 for numbers that are larger in their upper bits."""
    for first, every, turns in ((4097, 0, [4097]), (1, 4097, [1, 4098]), (0x8001, 0, []), (1, 0xF001, [1])):
        await start(dut, *PINS)
        dut.first.value, dut.every.value, dut.cause.value, dut.enable.value = first, every, 8, 1
        await RisingEdge(dut.clk)
        dut.pipe_valid.value = dut.pipe_ready.value = 1
        await RisingEdge(dut.clk)
        forced = []
        for number in range(1, 4200):
            if known(dut.inj_cause):
                forced.append(number)
            await RisingEdge(dut.clk)
        assert forced == turns
        dut.enable.value = 0
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
