# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_fifo_async: a numbered stream between two clocks of any ratio, both sides stalling at random."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Combine, RisingEdge, Timer, with_timeout

from tb.signals import bursts, known

# Periods of writer and reader in ps: equal, fast to slow, slow to fast, and two that drift through every phase.
RATIOS = [(4000, 4000), (2000, 9000), (9000, 2000), (3334, 3332), (5000, 3002)]
RESET_EDGES = 4


class Bench:
    """Two sides with a list between them."""

    def __init__(self, dut, s_period, m_period):
        self.dut = dut
        self.clocks = [Clock(dut.s_clk, s_period, unit="ps"), Clock(dut.m_clk, m_period, unit="ps")]
        self.inside = deque()
        self.written = self.read = self.refused = self.starved = 0

    async def reset(self):
        """Both resets overlap for RESET_EDGES edges of each side and fall independently."""
        dut = self.dut
        dut.s_valid.value = dut.s_data.value = dut.m_ready.value = 0
        dut.s_rst.value = dut.m_rst.value = 1
        for clock in self.clocks:
            clock.start()

        async def side(clk, rst):
            for _ in range(RESET_EDGES):
                await RisingEdge(clk)

        await Combine(cocotb.start_soon(side(dut.s_clk, dut.s_rst)), cocotb.start_soon(side(dut.m_clk, dut.m_rst)))
        assert (known(dut.s_ready), known(dut.m_valid)) == (0, 0)
        for clk, rst in random.sample([(dut.s_clk, dut.s_rst), (dut.m_clk, dut.m_rst)], 2):
            await RisingEdge(clk)
            rst.value = 0

    async def write(self, pattern, count):
        dut, width = self.dut, known(self.dut.DATA_W)
        while self.written < count:
            offer, data = next(pattern), random.getrandbits(width)
            dut.s_valid.value, dut.s_data.value = int(offer), data
            await RisingEdge(dut.s_clk)
            if offer and known(dut.s_ready):
                self.inside.append(data)
                self.written += 1
            self.refused += offer and not known(dut.s_ready)
        dut.s_valid.value = 0

    async def take(self, pattern, count):
        dut = self.dut
        while self.read < count:
            ready = next(pattern)
            dut.m_ready.value = int(ready)
            await RisingEdge(dut.m_clk)
            if known(dut.m_valid):
                assert self.inside, "an entry that was not written"
                assert known(dut.m_data) == self.inside[0]
                if ready:
                    self.inside.popleft()
                    self.read += 1
            self.starved += ready and not known(dut.m_valid)
        dut.m_ready.value = 0


async def stream(dut, ratio, valid, ready, count=400):
    bench = Bench(dut, *ratio)
    await bench.reset()
    tasks = [cocotb.start_soon(bench.write(valid, count)), cocotb.start_soon(bench.take(ready, count))]
    await with_timeout(Combine(*tasks), 100, "us")
    await Timer(50, unit="ns")
    assert not bench.inside
    assert known(dut.m_valid) == 0
    for clock in bench.clocks:
        clock.stop()
    return bench


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_random(dut, ratio):
    """Both sides in bursts: in order, unchanged, none lost, none doubled; it was full and it was empty."""
    bench = await stream(dut, ratio, bursts(20, 100), bursts(0, 20, 100))
    assert bench.refused
    assert bench.starved


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_rate(dut, ratio):
    """One entry in each clock of the slower side, but for the first of the reader."""
    before = cocotb.utils.get_sim_time("ps")
    count = 200
    await stream(dut, ratio, bursts(100), bursts(100), count)
    clocks = (cocotb.utils.get_sim_time("ps") - before) / max(ratio)
    assert clocks < count + 50, f"{clocks:.0f} clocks of the slower side for {count} entries"
