# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_jitter_stat: samples of every size in any rhythm, every word of every snapshot against the model."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import JitterSample, JitterStatistics
from npuscope.layout import JitterSub
from tb.signals import bursts, known, start

MAX = (1 << 31) - 1
AGE = 4
"""Clocks from a sample until it is in a snapshot."""
SNAP_LATENCY, WORD_LATENCY = 3, 2
FLAGS = 10


class Bench:
    """Drives one clock at a time; ``read`` compares a snapshot."""

    def __init__(self, dut):
        self.dut, self.model = dut, JitterStatistics()
        self.waiting, self.clock, self.compared = [], 0, 0

    async def start(self):
        await start(self.dut, "sample", "ok", "jitter", "snap", "index", clocks=8)

    async def step(self, sample=None, snap=False, index=None):
        """sample: a jitter, "invalid", or None. snap returns the words that it must take."""
        dut = self.dut
        self.clock += 1
        dut.sample.value = int(sample is not None)
        dut.ok.value = int(isinstance(sample, int))
        dut.jitter.value = (sample if isinstance(sample, int) else 0) & 0xFFFFFFFF
        dut.snap.value = int(snap)
        if index is not None:
            dut.index.value = index
        if sample is not None:
            valid = isinstance(sample, int)
            self.waiting.append(
                (self.clock, JitterSample(JitterSub.OK, sample) if valid else JitterSample(JitterSub.FIRST))
            )
        words = None
        if snap:
            while self.waiting and self.waiting[0][0] + AGE <= self.clock:
                self.model.add(self.waiting.pop(0)[1])
            words = self.model.snapshot().words
        await RisingEdge(dut.clk)
        return words

    async def read(self, traffic):
        """A snapshot in the midst of ``traffic`` (an iterator of samples), all its words compared."""
        words = await self.step(next(traffic), snap=True)
        for _ in range(SNAP_LATENCY - 1):
            await self.step(next(traffic))
        for at in range(len(words) + WORD_LATENCY):
            await self.step(next(traffic), index=min(at, len(words) - 1))
            word = at - WORD_LATENCY
            if word >= 0:
                assert known(self.dut.word) == words[word], f"word {word}, not {words[word]:#x}"
                self.compared += 1
        return words


def traffic(percents, values):
    """Endless samples: in bursts, one in eight invalid."""
    for on in bursts(*percents):
        yield (random.choice(values)() if random.random() < 0.875 else "invalid") if on else None


EXTREMES = [lambda: MAX, lambda: -MAX]
ANY = [*EXTREMES, lambda: 0, lambda: 1, lambda: -1, lambda: random.randint(-MAX, MAX), lambda: random.randint(-9, 9)]


@cocotb.test()
@cocotb.parametrize(percents=[(0, 100), (50,), (100,), (5,)])
async def test_random(dut, percents):
    """Snapshots at any moment of any traffic."""
    bench = Bench(dut)
    await bench.start()
    samples = traffic(percents, ANY)
    counts = set()
    for _ in range(80):
        for _ in range(random.randrange(12)):
            await bench.step(next(samples))
        counts.add((await bench.read(samples))[0])
    assert len(counts) > 30
    assert bench.compared > 600


@cocotb.test()
async def test_carries(dut):
    """The largest samples, back to back: the sum of squares carries from word to word."""
    bench = Bench(dut)
    await bench.start()
    samples = traffic((100,), EXTREMES)
    for _ in range(20):
        words = await bench.read(samples)
    assert words[7] or words[6] >> 31 or words[0] > 200


@cocotb.test()
async def test_window_of_lowest_and_highest(dut):
    """They are of the samples between two snapshots, and flagged when there are none."""
    bench = Bench(dut)
    await bench.start()
    nothing = iter(lambda: None, 0)
    for values in ([5, -7], [], [3], [-MAX, MAX], []):
        for value in values:
            await bench.step(value)
        for _ in range(AGE):
            await bench.step()
        words = await bench.read(nothing)
        assert words[FLAGS] == bool(values)
        if values:
            assert (words[1], words[2]) == (min(values) & 0xFFFFFFFF, max(values) & 0xFFFFFFFF)


@cocotb.test()
async def test_error_starts_anew_after_an_invalid_sample(dut):
    bench = Bench(dut)
    await bench.start()
    nothing = iter(lambda: None, 0)
    for value in (10, 20, "invalid", 5, 6):
        await bench.step(value)
    for _ in range(AGE):
        await bench.step()
    words = await bench.read(nothing)
    assert (words[3], words[8]) == (41, 11)
