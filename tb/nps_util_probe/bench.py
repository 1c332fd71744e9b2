# SPDX-License-Identifier: Apache-2.0
"""nps_util_probe: every record of every window; the boundary of the verdict."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.windows import UTIL_LIMIT, WindowModel, util_records
from npuscope.layout import THRESHOLDS
from tb.signals import known, start

PERIOD = THRESHOLDS["UTIL_PERIOD"].min
INPUTS = ("enable", "rel_ns", "rel_step", "channel_busy", "cfg_apply", "cfg_period", "cfg_saturation")


class Harness:
    """The DUT and its model with the shortest period; ``windows`` are the records of each."""

    def __init__(self, dut):
        self.dut, self.channels = dut, len(dut.channel_busy)
        self.model = WindowModel(self.channels, PERIOD)
        self.limit, self.now, self.records, self.windows, self.coming = UTIL_LIMIT, 1000, [], 0, None
        self.phase = 0

    async def configure(self, limit=UTIL_LIMIT, period=PERIOD):
        dut = self.dut
        dut.cfg_saturation.value, dut.cfg_period.value, dut.cfg_apply.value = limit, period, 1
        await self.step(0)
        dut.cfg_apply.value = 0
        await self.step(0)
        legal = limit <= 1000 and period >= PERIOD
        assert known(dut.cfg_error) == (not legal)
        if legal:
            self.limit, self.model.period = limit, period

    async def step(self, busy, length=50):
        """One clock; True if a window ends with it."""
        dut = self.dut
        self.now += length
        dut.rel_ns.value, dut.enable.value, dut.channel_busy.value = self.now, 1, busy
        telling = self.coming is not None
        events = [bool(busy >> n & 1) for n in range(self.channels)]
        ends = self.model.clock(self.now, events, busy=telling)
        await RisingEdge(dut.clk)
        if known(dut.ev_valid):
            self.records.append((known(dut.ev_sub), known(dut.ev_payload)))
            if len(self.records) == 1:
                self.coming = util_records(self.model.clocks, self.model.shown(), self.limit)
            if len(self.records) == self.channels + 1:
                assert self.records == [(int(sub), word) for sub, word in self.coming], "window differs"
                self.verdicts = [word >> 6 & 1 for _, word in self.records[1:]]
                self.records, self.coming = [], None
                self.windows += 1
        self.phase = 0 if ends else self.phase + 1
        if ends:
            self.coming = []
        return ends


async def started(dut):
    await start(dut, *INPUTS)
    harness = Harness(dut)
    await harness.configure()
    return harness


async def fill(h, counts, windows=3):
    """Windows in which channel n is busy so many clocks, from its own first clock on; the verdicts of the last."""
    last = h.windows + windows
    while h.windows < last:
        await h.step(sum(1 << n for n, count in enumerate(counts) if n <= h.phase < n + count))
    return h.verdicts


@cocotb.test()
async def test_limit(dut):
    """C4, U5: exactly the limit is not saturated, a clock more is; one less, none and all."""
    h = await started(dut)
    await fill(h, [0] * h.channels)
    clocks = h.model.clocks
    at = clocks // 8 * 7
    limit = 1000 * at // clocks
    assert limit * clocks == 1000 * at, "a length of window whose 7/8 are whole thousandths"
    await h.configure(limit)
    verdicts = await fill(h, [at, at + 1, at - 1, 0, clocks, at, at, at])
    assert h.model.clocks == clocks
    assert verdicts[:5] == [0, 1, 0, 0, 1]
    await h.configure()  # 94.3 % of the window, rounded down and up
    at = h.limit * clocks // 1000
    assert (await fill(h, [at, at + 1]))[:2] == [0, 1]


@cocotb.test()
async def test_windows(dut):
    """U1 to U4: windows at clocks of 5 to 500 ns, at exactly the period too; new limits, or refused."""
    h = await started(dut)
    for length in (50, 125, 500, 30):
        h_windows = h.windows
        while h.windows < h_windows + 3:
            await h.step(random.getrandbits(h.channels), length)
    a_round = 50 * h.channels
    await h.configure(period=-(-PERIOD // a_round) * a_round + a_round - 100)  # judged when it is exactly over
    last = h.windows + 3
    while h.windows < last:
        await h.step(random.getrandbits(h.channels))
    await h.configure(1001)
    await h.configure(500, PERIOD - 1)
    assert h.windows == 15
