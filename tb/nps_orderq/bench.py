# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_orderq: random arrivals against a list, as many pending as the FIFOs of real use allow."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start

LATENCY = 6


class Bench:
    """Drives one clock at a time; ``pending`` is the list of sources in the order in which they must be granted."""

    def __init__(self, dut):
        self.dut = dut
        self.sources, self.depth = known(dut.N), known(dut.DEPTH)
        self.pending = deque()
        self.granted = [0] * self.sources
        self.most = self.waited = 0

    async def clock(self, mask=0, ready=0):
        dut = self.dut
        dut.s_mask.value, dut.m_ready.value = mask, int(ready)
        await RisingEdge(dut.clk)
        valid = known(dut.m_valid)
        assert known(dut.empty) == (not self.pending)
        self.waited = 0 if valid or not self.pending else self.waited + 1
        assert self.waited < LATENCY, "an arrival is pending and no grant comes"
        if valid:
            assert self.pending, "a grant without an arrival"
            assert known(dut.m_src) == self.pending[0]
            assert known(dut.m_mask) == 1 << self.pending[0]
            if ready:
                self.granted[self.pending.popleft()] += 1
        self.pending += [source for source in range(self.sources) if mask >> source & 1]
        self.most = max(self.most, len(self.pending))
        return valid

    def arrivals(self):
        """A random mask, 0 if it would be more than fits."""
        mask = random.getrandbits(self.sources) & random.getrandbits(self.sources)
        return mask if len(self.pending) + mask.bit_count() <= self.depth else 0


async def begin(dut):
    await start(dut, "s_mask", "m_ready")
    return Bench(dut)


@cocotb.test()
async def test_random(dut):
    """Arrivals and grants in bursts: order, conservation, no invented grant, empty exact."""
    bench = await begin(dut)
    busy, ready = bursts(0, 30, 100), bursts(0, 0, 50, 100)
    for _ in range(4000):
        await bench.clock(bench.arrivals() if next(busy) else 0, next(ready))
    while bench.pending:
        await bench.clock(ready=1)
    await bench.clock()
    assert all(count > 50 for count in bench.granted), bench.granted
    assert bench.most > bench.depth - bench.sources, "the queue never got full"


@cocotb.test()
async def test_latency_and_rate(dut):
    """A lone arrival is granted 6 clocks later; with all sources arriving every N clocks each clock has a grant."""
    bench = await begin(dut)
    await bench.clock(mask=1)
    for clock in range(1, LATENCY + 1):
        assert await bench.clock() == (clock == LATENCY)
    await bench.clock(ready=1)
    for clock in range(40 * bench.sources):
        mask = (1 << bench.sources) - 1 if clock % bench.sources == 0 else 0
        valid = await bench.clock(mask, 1)
        assert valid or clock < LATENCY, "a bubble"


@cocotb.test()
async def test_one_source_each_clock(dut):
    """Masks of a single source in adjacent clocks: one grant a clock, no bubble between masks."""
    bench = await begin(dut)
    for clock in range(100):
        valid = await bench.clock(1 << random.randrange(bench.sources), 1)
        assert valid or clock < LATENCY, "a bubble"


@cocotb.test()
async def test_all_pending(dut):
    """As many single arrivals as fit, without a grant; then all leave in order, one a clock."""
    bench = await begin(dut)
    for _ in range(bench.depth):
        await bench.clock(1 << random.randrange(bench.sources))
    for _ in range(bench.depth):
        assert await bench.clock(ready=1)
    assert not bench.pending
    await bench.clock()
