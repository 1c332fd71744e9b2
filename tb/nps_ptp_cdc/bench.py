# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_ptp_cdc: a PTP clock that drifts, steps, stops and wakes, seen from clocks of any ratio.

What is shown in each clock must be a time that the PTP clock had, no older than the header allows, in order; steps,
lock and time quality follow the rules C1 to C6, which are computed here from the times shown alone.
"""

import os
import random
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Combine, RisingEdge, Timer
from cocotb.utils import get_sim_time

from npuscope.layout import THRESHOLDS, TimeQuality
from tb.signals import known

TIMEOUT = THRESHOLDS["PTP_TIMEOUT"].value
GAP = 1 << 10
STAGES, QUEUE = 2, 12
U48, U64 = (1 << 48) - 1, (1 << 64) - 1
RATIOS = [(5000, 5000), (8000, 4998), (4000, 5000), (5000, 5002), (20000, 5000), (3334, 10000)]
"""Periods of ptp_clk and clk in ps."""


@dataclass
class Source:
    """The PTP side: times in 1/256 ns, driven here; ``past`` maps what may be shown to when it was current."""

    dut: object
    rel: int = 1 << 20
    offset: int = 1_700_000_000_000_000_000
    locked: int = 1
    holdover: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    past: dict = field(default_factory=dict)
    drift: int = 3
    on: bool = True

    async def run(self, period):
        dut = self.dut
        advance = period * 256 // 1000
        while True:
            dut.ptp_rel_ns.value, dut.ptp_rel_frac.value = self.rel >> 8 & U64, self.rel & 255
            dut.ptp_offset_ns.value = self.offset & U64
            dut.ptp_locked.value, dut.ptp_holdover.value = self.locked, self.holdover
            word = (self.rel, self.offset, self.locked, self.holdover)
            await RisingEdge(dut.ptp_clk)
            rel, offset = word[:2]
            key = (rel >> 8 & U48, rel & 255, (rel >> 8) + offset & U64)
            self.past[key] = (len(self.past), get_sim_time("ps"), word)
            self.rel += max(1, advance + self.rng.randint(-self.drift, self.drift))


@dataclass
class View:
    """The clk side: checks every clock; ``age`` is that of the times shown, in ps."""

    dut: object
    source: Source
    ages: list = field(default_factory=list)
    steps: int = 0
    jumps: int = 0
    shown: int = 0
    last: tuple | None = None  # index, word
    quiet: int = 0
    stopped: bool = False
    doubt: bool = False

    async def run(self):
        while True:
            await RisingEdge(self.dut.clk)
            self.check()

    def check(self):
        dut = self.dut
        key = (known(dut.rel_ns), known(dut.rel_frac), known(dut.ts_ns))
        flags = (known(dut.ts_step), known(dut.rel_step))
        before = self.last
        self.quiet += 1
        if before is None and key == (0, 0, 0):
            assert flags == (0, 0)
            assert self.state() == (0, 0, TimeQuality.FREE_RUN)
            return
        assert key in self.source.past, f"{key} is no time that the PTP clock had"
        index, at, word = self.source.past[key]
        self.ages.append(get_sim_time("ps") - at)
        if before is not None and index == before[0]:
            if self.quiet >= TIMEOUT:
                self.stopped = self.doubt = True
            assert flags == (0, 0), "a step without a new time"
        else:
            assert before is None or index > before[0], "an older time"
            self.new(before, word, flags)
            self.last, self.quiet, self.stopped = (index, word), 0, False
        self.expect_state()

    def new(self, before, word, flags):
        """A new time is shown: the steps that it must come with."""
        rel, offset, locked, holdover = word
        old_rel, old_offset = (0, 0) if before is None else before[1][:2]
        moved, shift = (rel >> 8) - (old_rel >> 8), offset - old_offset
        jump = before is None or self.stopped or not 0 <= moved < GAP
        self.shown += 1
        self.jumps += jump
        self.steps += shift != 0 and not jump
        assert flags == (int(shift != 0 and not jump), int(jump)), (moved, shift, self.stopped)
        if any(flags):
            assert known(self.dut.step_ns) == (moved * jump + shift) & U64
        if jump and before is not None:
            self.doubt = True
        elif not locked and not holdover:
            self.doubt = False

    def state(self):
        dut = self.dut
        return known(dut.locked), known(dut.holdover), known(dut.tq)

    def expect_state(self):
        locked, holdover = self.last[1][2:]
        if self.doubt:
            assert self.state() == (0, 0, TimeQuality.DOUBT)
            return
        quality = TimeQuality.LOCKED if locked else TimeQuality.HOLDOVER if holdover else TimeQuality.FREE_RUN
        assert self.state() == (locked, holdover, quality)


class Bench:
    """Both sides and their clocks, each of which can be stopped."""

    def __init__(self, dut, ptp_period, period):
        self.dut, self.ptp_period, self.period = dut, ptp_period, period
        seed = int(os.environ["NPUSCOPE_SEED"])
        self.source = Source(dut, rng=random.Random(seed))
        self.view = View(dut, self.source)
        self.ptp_clock = Clock(dut.ptp_clk, ptp_period, unit="ps")
        self.clock = Clock(dut.clk, period, unit="ps")

    async def start(self):
        dut = self.dut
        dut.ptp_rst.value = dut.rst.value = 1
        self.ptp_clock.start()
        self.clock.start()
        cocotb.start_soon(self.source.run(self.ptp_period))

        async def edges(clk):
            for _ in range(5):
                await RisingEdge(clk)

        await Combine(cocotb.start_soon(edges(dut.ptp_clk)), cocotb.start_soon(edges(dut.clk)))
        dut.ptp_rst.value = 0
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self.view.run())
        await self.run(60)

    async def run(self, clocks):
        """Time passes, in periods of the slower clock."""
        await Timer(clocks * max(self.ptp_period, self.period), unit="ps")

    def done(self):
        self.ptp_clock.stop()
        self.clock.stop()


async def started(dut, ratio):
    bench = Bench(dut, *ratio)
    await bench.start()
    return bench


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_accuracy(dut, ratio):
    """A drifting clock, no steps: the age of what is shown is within what the header says, and so is its spread."""
    bench = await started(dut, ratio)
    ptp, clk = ratio
    bench.source.drift = 20
    await bench.run(200)
    bench.view.ages.clear()
    await bench.run(1500)
    low, high = min(bench.view.ages), max(bench.view.ages)
    cocotb.log.info("age %d..%d ps, spread %d ps, %d times", low, high, high - low, bench.view.shown)
    assert low >= (STAGES + 6) * clk
    assert high <= (STAGES + 7 + (QUEUE if clk > ptp else 0)) * clk + ptp
    assert high - low <= ptp + clk
    assert bench.view.shown > 300
    assert bench.view.jumps == 1
    assert not bench.view.steps
    bench.done()


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_steps_and_servo(dut, ratio):
    """The offset steps by any size, the servo loses and finds lock, two steps may fall into one time shown."""
    bench = await started(dut, ratio)
    rng = bench.source.rng
    for _ in range(60):
        bench.source.offset += rng.choice([1, -1, 37_000_000_000, -37_000_000_000, rng.randrange(-(1 << 50), 1 << 50)])
        if rng.random() < 0.5:
            bench.source.locked, bench.source.holdover = rng.randrange(2), rng.randrange(2)
        await bench.run(rng.choice([1, 1, 2, 20]))
    await bench.run(60)
    assert bench.view.steps > 20
    assert bench.view.jumps == 1
    bench.done()


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_stopped_clock(dut, ratio):
    """The PTP clock stops, and wakes believing in its lock: in doubt until the servo has said unlocked."""
    bench = await started(dut, ratio)
    for _ in range(5):
        bench.ptp_clock.stop()
        await bench.run(4 * TIMEOUT + 20)
        assert bench.view.state() == (0, 0, TimeQuality.DOUBT)
        jumps = bench.view.jumps
        bench.ptp_clock.start()
        await bench.run(60)
        assert bench.view.jumps == jumps + 1
        assert bench.view.state() == (0, 0, TimeQuality.DOUBT)
        bench.source.locked = 0
        await bench.run(60)
        assert bench.view.state() == (0, 0, TimeQuality.FREE_RUN)
        bench.source.locked = 1
        await bench.run(60)
        assert bench.view.state() == (1, 0, TimeQuality.LOCKED)
    bench.done()


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def test_stopped_reader(dut, ratio):
    """clk stops for longer than a gap: what is shown then is in order, the jump is told."""
    bench = await started(dut, ratio)
    bench.clock.stop()
    await Timer(40, unit="us")
    bench.clock.start()
    await bench.run(100)
    assert bench.view.jumps == 2
    assert bench.view.state() == (0, 0, TimeQuality.DOUBT)
    bench.done()


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS[:3])
async def test_jumps(dut, ratio):
    """Relative time that goes back, or too far at once, is told as a step of it."""
    bench = await started(dut, ratio)
    for jump in (-(1 << 19), 1 << 30, GAP << 8, -256 * 4000):
        jumps = bench.view.jumps
        bench.source.rel += jump
        await bench.run(60)
        assert bench.view.jumps == jumps + 1
    bench.done()


@cocotb.test()
async def test_wrap(dut):
    """48 bits of relative time wrap: no step, absolute time goes on."""
    bench = Bench(dut, 5000, 5000)
    bench.source.rel = (1 << 56) - 150 * 1280
    await bench.start()
    await bench.run(300)
    assert bench.source.rel >> 56
    assert (bench.view.jumps, bench.view.steps) == (1, 0)
    bench.done()
