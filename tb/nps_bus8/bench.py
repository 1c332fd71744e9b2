# SPDX-License-Identifier: Apache-2.0
"""Rules of rtl/probe/README.md for nps_bus8, then random beats against a model written from them."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


def beats(layer, occ, bp):
    """The two beats of a sample."""
    first = layer << 3 | occ >> 3
    high = (occ & 7) << 1 | bp
    check = ~(first >> 4 ^ first & 15 ^ high) & 15
    return first, high << 4 | check


class Bus:
    """Drives one beat (or None: idle) a clock; ``said`` are the samples that came out, with the clock of each."""

    def __init__(self, dut):
        self.dut, self.clock, self.said = dut, 0, []

    async def start(self):
        Clock(self.dut.clk, 10, unit="ns").start()
        self.dut.rst.value = 1
        self.dut.bus_valid.value = 0
        self.dut.bus_data.value = 0
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def put(self, *bytes_):
        dut = self.dut
        for byte in bytes_:
            self.clock += 1
            dut.bus_valid.value = int(byte is not None)
            dut.bus_data.value = byte or 0
            await RisingEdge(dut.clk)
            if int(dut.trace_valid.value):
                fields = dut.layer_id, dut.buf_occupancy, dut.backpressure_en
                self.said.append((self.clock, *(int(field.value) for field in fields)))

    def counts(self):
        return int(self.dut.mismatches.value), int(self.dut.orphans.value)


def limit(dut):
    """What the counters stop at."""
    return (1 << len(dut.mismatches)) - 1


async def started(dut):
    bus = Bus(dut)
    await bus.start()
    return bus


@cocotb.test()
async def test_every_sample(dut):
    bus = await started(dut)
    samples = [(layer, occ, bp) for layer in range(32) for occ in range(64) for bp in range(2)]
    for one in samples:
        await bus.put(*beats(*one))
    await bus.put(None)
    assert [said[1:] for said in bus.said] == samples
    assert [said[0] for said in bus.said] == [2 * n + 3 for n in range(len(samples))], "one clock after the second beat"
    assert bus.counts() == (0, 0)


@cocotb.test()
async def test_idle_resets_the_phase(dut):
    bus = await started(dut)
    first, second = beats(21, 42, 1)
    await bus.put(first, None, second, None, first, second, None, None)
    assert [said[1:] for said in bus.said] == [(21, 42, 1)]
    assert bus.counts() == (0, min(2, limit(dut)))


@cocotb.test()
async def test_mismatch_drops_the_older_beat_only(dut):
    bus = await started(dut)
    first, second = beats(21, 42, 1)
    stray = next(b for b in range(256) if beats_fail(b, first))
    await bus.put(stray, first, second, None, None)
    assert [said[1:] for said in bus.said] == [(21, 42, 1)]
    assert bus.counts() == (1, 0)


def beats_fail(first, second):
    return ~(first >> 4 ^ first & 15 ^ second >> 4) & 15 != second & 15


@cocotb.test()
async def test_every_flip_of_up_to_one_bit_is_refused(dut):
    bus = await started(dut)
    first, second = beats(9, 33, 0)
    for bit in range(16):
        await bus.put(first ^ (1 << bit & 255), second ^ (1 << bit >> 8), None)
    await bus.put(None)
    assert bus.said == []


@cocotb.test()
async def test_blank_buses_are_refused(dut):
    bus = await started(dut)
    await bus.put(*[0] * 50, *[255] * 50, None, None)
    assert bus.said == []


@cocotb.test()
async def test_counters_saturate(dut):
    bus = await started(dut)
    end = limit(dut)
    await bus.put(*[0] * (end + 5), None, None)
    assert bus.counts() == (end, 1)
    await bus.put(*[0, None] * (end + 5), None)
    assert bus.counts() == (end, end)


@cocotb.test()
async def test_random(dut):
    bus = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    held, said, queue = None, [], []
    mismatches = orphans = given = 0
    for clock in range(1, 8001):
        if not queue and rng.random() < 0.8:
            queue += beats(rng.randrange(32), rng.randrange(64), rng.randrange(2))
            if rng.random() < 0.1:
                queue[rng.randrange(2)] ^= 1 << rng.randrange(8)
        beat = queue.pop(0) if queue and rng.random() < 0.95 else None
        await bus.put(beat)
        given += beat is not None
        if beat is None:
            orphans += held is not None
            held = None
        elif held is None or beats_fail(held, beat):
            mismatches += held is not None
            held = beat
        else:
            said.append((clock + 1, held >> 3, (held & 7) << 3 | beat >> 5, beat >> 4 & 1))
            held = None
    await bus.put(None)
    orphans += held is not None
    await bus.put(None)
    assert bus.said == said
    assert len(said) > 2000
    assert bus.counts() == (min(limit(dut), mismatches), min(limit(dut), orphans))
    assert given == 2 * len(said) + mismatches + orphans
