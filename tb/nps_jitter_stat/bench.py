# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_jitter_stat: samples of every size in any rhythm, every word of every snapshot against the model."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import JitterSample, JitterUnit
from npuscope.layout import JitterSub
from tb.signals import bursts, known, start

MAX = (1 << 31) - 1
WORD_LATENCY = 2
FLAGS = 10
MISSING = 4


class Bench:
    """Drives one clock at a time; ``read`` compares a snapshot."""

    def __init__(self, dut):
        self.dut, self.model = dut, JitterUnit(33)
        self.clock, self.compared = 0, 0

    async def start(self):
        await start(self.dut, "sample", "ok", "jitter", "snap", "index")

    async def step(self, sample=None, snap=False, index=None):
        """sample: a jitter, "invalid", or None. Returns the words that snap takes."""
        dut = self.dut
        self.clock += 1
        valid = isinstance(sample, int)
        dut.sample.value = int(sample is not None)
        dut.ok.value = int(valid)
        dut.jitter.value = (sample if valid else random.getrandbits(31)) & 0xFFFFFFFF
        dut.snap.value = int(snap)
        if index is not None:
            dut.index.value = index
        busy = self.clock < self.model.ready
        made = None
        if sample is not None:
            made = JitterSample(JitterSub.OK, sample) if valid else JitterSample(JitterSub.FIRST)
        words = self.model.clock(self.clock, made, snap)
        await RisingEdge(dut.clk)
        assert known(dut.busy) == busy
        return words

    async def read(self, traffic):
        """A snapshot in the midst of ``traffic`` (an iterator of samples), all its words compared."""
        words = await self.step(next(traffic), snap=True)
        while self.clock + 1 < self.model.ready:
            ignored = await self.step(next(traffic), snap=random.random() < 0.02)
            assert ignored is None
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
@cocotb.parametrize(percents=[(0, 100), (2,), (100,), (1, 5)])
async def test_random(dut, percents):
    """Snapshots at any moment of any traffic; what does not fit is told to be missing."""
    bench = Bench(dut)
    await bench.start()
    samples = traffic(percents, ANY)
    counts, flags = set(), set()
    for _ in range(25):
        for _ in range(random.randrange(60)):
            await bench.step(next(samples))
        words = await bench.read(samples)
        counts.add(words[0])
        flags.add(words[FLAGS])
    assert len(counts) > 10
    assert bench.compared == 25 * 11
    assert 100 not in percents or MISSING | 1 in flags


@cocotb.test()
async def test_carries(dut):
    """The largest samples: the sum of squares carries from word to word."""
    bench = Bench(dut)
    await bench.start()
    samples = traffic((2,), EXTREMES)
    for _ in range(8):
        words = await bench.read(samples)
        for _ in range(400):
            await bench.step(next(samples))
    assert words[7] or words[6] >> 31 or words[0] > 20


@cocotb.test()
async def test_window_of_lowest_and_highest(dut):
    """They are of the samples between two snapshots, and flagged when there are none."""
    bench = Bench(dut)
    await bench.start()
    nothing = iter(lambda: None, 0)
    for values in ([5, -7], [], [3], [-MAX, MAX], ["invalid"], []):
        for value in values:
            await bench.step(value)
        words = await bench.read(nothing)
        values = [value for value in values if value != "invalid"]
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
    words = await bench.read(nothing)
    assert (words[3], words[8]) == (41, 11)


@cocotb.test()
async def test_room(dut):
    """One at work and 15 waiting: the next sample is missing, a snap still fits and says so."""
    bench = Bench(dut)
    await bench.start()
    nothing = iter(lambda: None, 0)
    for _ in range(40):
        await bench.step()
    for _ in range(16):
        await bench.step(1)
    assert (await bench.read(nothing))[FLAGS] == 1
    for _ in range(18):
        await bench.step(1)
    words = await bench.read(nothing)
    assert (words[0], words[FLAGS]) == (32, MISSING | 1)
