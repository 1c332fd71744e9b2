# SPDX-License-Identifier: Apache-2.0
"""nps_link_probe: every sample of its trace port, every class count of every window, against the golden models."""

import os
import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.windows import LinkProbeModel, WindowModel, class_records, link_class, occupancy
from npuscope.layout import THRESHOLDS
from tb.signals import known, start

DEPTHS = [int(text) for text in os.environ["DEPTHS"].split()]
LINKS = len(DEPTHS)
A_ROUND = 50 * 4 * LINKS
PERIOD = -(-THRESHOLDS["LINK_PERIOD"].min // A_ROUND) * A_ROUND + A_ROUND - 100  # judged when it is exactly over
LATENCY = 8
INPUTS = ("enable", "rel_ns", "rel_step", "valid", "ready", "level", "cfg_apply", "cfg_period")


class Harness:
    """The DUT and its models; ``samples`` are those shown, ``windows`` the counts of each window."""

    def __init__(self, dut):
        self.dut, self.probe, self.window = dut, LinkProbeModel(DEPTHS), WindowModel(4 * LINKS, PERIOD)
        self.now, self.shown, self.records, self.windows = 1000, 0, [], []
        self.samples = deque([None] * LATENCY)
        self.classes = deque([[0] * LINKS] * 5, maxlen=6)
        self.busy, self.whole = False, True  # whole: without pauses, windows are compared

    async def step(self, valid, ready, levels, *, enable=True, length=50):
        dut = self.dut
        self.now += length
        dut.rel_ns.value, dut.enable.value = self.now, enable
        dut.valid.value, dut.ready.value = valid, ready
        dut.level.value = sum(level << 16 * n for n, level in enumerate(levels))
        self.samples.append(self.probe.clock(valid, ready, levels, enable=enable))
        kinds = [link_class(valid >> n & 1, ready >> n & 1) for n in range(LINKS)]
        self.classes.append(kinds)  # a class comes 2 clocks late, and as many more as its number
        events = [self.classes[3 - c][n] == c for n in range(LINKS) for c in range(4)]
        ends = self.window.clock(self.now, events, enable=enable, busy=self.busy)
        await RisingEdge(dut.clk)
        self._sample(self.samples.popleft())
        if known(dut.ev_valid) and self.whole:
            self.records.append((known(dut.ev_sub), known(dut.ev_payload)))
            if len(self.records) == 1:
                self.counts = self.window.shown()
            if len(self.records) == 4 * LINKS:
                assert self.records == [(int(sub), word) for sub, word in class_records(self.counts)]
                for n in range(LINKS):
                    assert sum(self.counts[4 * n : 4 * n + 4]) == self.window.clocks, "classes do not add up"
                self.windows.append(self.counts)
                self.records, self.busy = [], False
        self.busy = self.busy or ends

    def _sample(self, due):
        dut = self.dut
        assert known(dut.trace_valid) == (due is not None)
        if due:
            found = known(dut.layer_id), known(dut.buf_occupancy), bool(known(dut.backpressure_en))
            assert found == (due.link, due.occupancy, due.stalled)
            self.shown += 1


async def started(dut):
    await start(dut, *INPUTS)
    dut.cfg_period.value, dut.cfg_apply.value = PERIOD, 1
    await RisingEdge(dut.clk)
    dut.cfg_apply.value = 0
    await RisingEdge(dut.clk)
    return Harness(dut)


def levels():
    return [random.choice([0, depth, depth + 1, random.randint(0, depth or 9)]) for depth in DEPTHS]


@cocotb.test()
async def test_classes(dut):
    """L1, L5: every clock of every link in exactly one class; the four counts add up to the window."""
    h = await started(dut)
    most = 1 << LINKS
    while len(h.windows) < 5:
        await h.step(random.randrange(most), random.randrange(most), [0] * LINKS)
    assert all(min(counts) > 0 for counts in h.windows)


@cocotb.test()
async def test_trace_port(dut):
    """L2 to L4: levels as codes, stalls of one clock shown, what both stalled and starved counted; pauses."""
    h = await started(dut)
    h.whole = False
    most = 1 << LINKS
    for _ in range(4000):
        valid, ready = (
            (most - 1, most - 1) if random.random() < 0.7 else (random.randrange(most), random.randrange(most))
        )
        await h.step(valid, ready, levels(), enable=random.random() > 0.003)
    for _ in range(3):
        await h.step(0, 0, [0] * LINKS)
    assert h.shown > 1500
    assert known(dut.overflow) == h.probe.overflow > 10


@cocotb.test()
async def test_codes(dut):
    """L3: the code of every level of every link."""
    h = await started(dut)
    for level in range(max(DEPTHS) + 2):
        for _ in range(max(2, LINKS)):
            await h.step(0, 0, [level] * LINKS)
    for _ in range(2 * LATENCY):  # the last ones come out
        await h.step(0, 0, [level] * LINKS)
    assert occupancy(7, 8) == 56
    assert h.shown > max(DEPTHS)
