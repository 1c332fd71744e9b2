# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_ptp_clock: every output in every clock against the reference model."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ptp import LOAD_LATENCY, RATE_LATENCY, PtpClock, PtpRate
from tb.signals import known, start

SECOND = 10**9
INPUTS = (
    "rate_apply", "rate_period", "rate_drift", "rate_drift_clocks", "load", "load_sec", "load_nsec", "servo_locked",
    "servo_holdover",
)  # fmt: skip


class Bench:
    """One clock at a time; ``step`` drives, compares, and returns the time of the clock."""

    def __init__(self, dut):
        self.dut = dut
        self.model = PtpClock(int(os.environ.get("P_PERIOD", str(5 << 32)), 0))
        self.errors = [(False, False)]  # load_error of the last clock
        self.rate_errors = [False, False]
        self.servo = (0, 0)
        self.steps = self.seconds = self.refused = 0

    async def start(self):
        await start(self.dut, *INPUTS)

    async def step(self, rate=None, load=None, servo=(0, 0)):
        dut = self.dut
        dut.rate_apply.value, dut.load.value = int(rate is not None), int(load is not None)
        if rate is not None:
            dut.rate_period.value, dut.rate_drift.value = rate.period, rate.drift & 0xFFFFFFFF
            dut.rate_drift_clocks.value = rate.clocks
        if load is not None:
            dut.load_sec.value, dut.load_nsec.value = load
        dut.servo_locked.value, dut.servo_holdover.value = servo
        await RisingEdge(dut.clk)
        time = self.model.clock(rate, load)
        shown = tuple(known(getattr(dut, name)) for name in ("rel_ns", "rel_frac", "offset_ns", "step", "pps"))
        assert shown == (time.rel_ns, time.rel_frac, time.offset, time.step, time.pps)
        assert (known(dut.locked), known(dut.holdover)) == self.servo
        self.servo = servo
        errors = (self.rate_errors.pop(0), self.errors.pop(0)[1])
        assert (known(dut.rate_error), known(dut.load_error)) == errors
        self.rate_errors.append(self.model.rate_error)
        self.errors.append((False, self.model.load_error))
        self.steps += time.step
        self.seconds += time.pps
        self.refused += sum(errors)
        return time


async def started(dut):
    bench = Bench(dut)
    await bench.start()
    return bench


@cocotb.test()
async def test_random(dut):
    """Rates, drifts, offsets near a second's end, refused ones, at any time."""
    bench = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    time = await bench.step()
    servo = (0, 0)
    for _ in range(6000):
        rate = load = None
        if rng.random() < 0.01:
            period = rng.choice([(1 << 32) - 1, 1 << 32, 254 << 32, (254 << 32) + 1, rng.randrange(1 << 32, 254 << 32)])
            rate = PtpRate(period, rng.choice([-(1 << 31), (1 << 31) - 1, rng.randrange(-99, 99)]), rng.randrange(6))
        if rng.random() < 0.02:
            soon = (SECOND - time.rel_ns - rng.randrange(40000)) % SECOND
            load = rng.randrange(1 << rng.randrange(1, 34)), rng.choice([soon, soon, SECOND, SECOND - 1, 0])
        if rng.random() < 0.05:
            servo = (rng.randrange(2), rng.randrange(2))
        time = await bench.step(rate, load, servo)
    assert bench.steps > 20
    assert bench.seconds > 2
    assert bench.refused > 20


@cocotb.test()
async def test_fractions_add_up(dut):
    """6.4 ns exactly: 6 + 0.4, and the rest of 2/5 of 2^-32 ns by the drift."""
    bench = await started(dut)
    rate = PtpRate((6 << 32) + (1 << 32) * 2 // 5, 2, 5)
    before = [await bench.step(rate)]
    for _ in range(RATE_LATENCY - 1):
        before.append(await bench.step())
    first = before[-1].rel
    for _ in range(1000):
        time = await bench.step()
    assert time.rel - first == 6400 << 32


@cocotb.test()
async def test_a_second(dut):
    """A pulse in the clock that reaches the second, none when a new offset jumps over one."""
    bench = await started(dut)
    for _ in range(3):
        time = await bench.step()
    await bench.step(load=(7, SECOND - 1000))
    seconds = []
    for _ in range(300):
        time = await bench.step()
        if time.pps:
            seconds.append(time.ts_ns)
    assert seconds == [8 * SECOND]
    await bench.step(load=(1 << 32, SECOND - 1))
    for _ in range(LOAD_LATENCY):
        time = await bench.step()
        assert not time.pps
    assert time.step
    assert time.offset == ((1 << 32) + 1) * SECOND - 1
    for nsec in (0, 5, SECOND - 1, 3, SECOND - 2000, 17):
        await bench.step(load=(100, nsec))
        for _ in range(LOAD_LATENCY + 10):
            await bench.step()


@cocotb.test()
async def test_refusals(dut):
    """A load while one is under way, too many ns, a period out of range: told, and nothing changes."""
    bench = await started(dut)
    await bench.step(load=(3, 4))
    for clock in range(LOAD_LATENCY):
        await bench.step(load=(5, 6) if clock in (0, LOAD_LATENCY - 2) else None)
    assert (await bench.step()).offset == 3 * SECOND + 4
    await bench.step(load=(9, SECOND))
    await bench.step(rate=PtpRate((1 << 32) - 1))
    await bench.step(rate=PtpRate((254 << 32) + 1))
    for _ in range(LOAD_LATENCY + 5):
        time = await bench.step()
    assert time.offset == 3 * SECOND + 4
    assert bench.refused == 5
