# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_square: numbers of every size, one a clock."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from tb.signals import PERIOD_NS, known

LATENCY = 4
CORNERS = [v for n in range(32) for v in ((1 << n) - 1, -((1 << n) - 1), 1 << n if n < 31 else 0, -(1 << n))]


@cocotb.test()
async def test_square(dut):
    """All corners (powers of two, one less, either sign), then random numbers of random size."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    values = CORNERS + [random.choice([-1, 1]) * random.getrandbits(random.randint(1, 31)) for _ in range(3000)]
    for clock, value in enumerate([*values, *[0] * LATENCY]):
        dut.x.value = value & 0xFFFFFFFF
        await RisingEdge(dut.clk)
        if clock >= LATENCY:
            x = values[clock - LATENCY]
            assert known(dut.y) == x * x, x
