# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_sync: each value of d is at q after STAGES clocks; d changes between the edges, as in use."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge, Timer

from tb.signals import known, start


@cocotb.test()
async def test_delay(dut):
    """q is d, STAGES clocks later, every bit."""
    await start(dut, "d")
    width, stages = known(dut.W), known(dut.STAGES)
    # + 1: RisingEdge still shows the clock before
    history = deque([known(dut.RESET_VALUE)] * stages + [0], maxlen=stages + 1)
    for _ in range(500):
        await RisingEdge(dut.clk)
        assert known(dut.q) == history[0]
        await Timer(random.randint(1, 3), unit="ns")
        value = random.getrandbits(width)
        dut.d.value = value
        history.append(value)


@cocotb.test()
async def test_reset_value(dut):
    """Under reset q is RESET_VALUE whatever d is."""
    await start(dut, "d")
    width, value = known(dut.W), known(dut.RESET_VALUE)
    dut.d.value = ~value & ((1 << width) - 1)
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert known(dut.q) != value
    dut.rst.value = 1
    for _ in range(2):
        await RisingEdge(dut.clk)
    assert known(dut.q) == value
