# SPDX-License-Identifier: Apache-2.0
"""nps_ratio against the products themselves, on random numbers and where they are equal or one apart."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import known, start

LATENCY = 12


@cocotb.test()
async def test_random(dut):
    """Every size; equal products and neighbours; a start before done begins anew."""
    await start(dut, "start", "x", "x_factor", "y", "y_factor")
    most = (1 << len(dut.x)) - 1
    seen = {"less": 0, "equal": 0, "one": 0, "again": 0}
    for _ in range(700):
        k, m = (
            random.choice([1000, 1023, 0, random.randrange(1024)]),
            random.choice([923, 943, 1, random.randrange(1024)]),
        )
        y = random.getrandbits(random.randint(1, len(dut.x)))
        x = min(most, max(0, (y * m // k if k else y) + random.choice([-1, 0, 0, 1, random.getrandbits(8)])))
        dut.x.value, dut.x_factor.value, dut.y.value, dut.y_factor.value = x, k, y, m
        if random.random() < 0.05:
            dut.start.value = 1
            for _ in range(random.randint(1, LATENCY - 1)):
                await RisingEdge(dut.clk)
                dut.start.value = 0
                assert not known(dut.done)
            seen["again"] += 1
        dut.start.value = 1
        for clock in range(LATENCY + 1):
            await RisingEdge(dut.clk)
            assert known(dut.done) == (clock == LATENCY), f"done in clock {clock}"
            dut.start.value = 0
        assert known(dut.less) == (x * k < y * m), (x, k, y, m)
        seen["less"] += x * k < y * m
        seen["equal"] += x * k == y * m
        seen["one"] += abs(x * k - y * m) in (1, k)
    assert min(seen.values()) > 10, seen
