# SPDX-License-Identifier: Apache-2.0
"""nps_window_count against npuscope.encode.windows: every window of every channel, and its length."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.windows import WindowModel
from tb.signals import known, start


@cocotb.test()
async def test_random(dut):
    """Windows of many lengths at many clocks; the reader slow at times; pauses and steps."""
    await start(dut, "enable", "rel_ns", "rel_step", "events", "period", "busy", "index")
    channels = len(dut.events)
    model = WindowModel(channels, 200)
    now, length, pending, reading, told = random.getrandbits(20), 5, None, None, 0
    dut.period.value = model.period
    for _ in range(7000):
        rare = random.random
        if rare() < 0.005:
            length = random.choice([1, 5, 40])
        now += length
        events, enable, rel_step = random.getrandbits(channels), rare() > 0.002, rare() < 0.002
        busy = reading is not None
        dut.rel_ns.value, dut.enable.value, dut.rel_step.value = now, enable, rel_step
        dut.events.value, dut.busy.value, dut.index.value = events, busy, min(max(reading or 0, 0), channels - 1)
        waits = busy or pending is not None
        ends = model.clock(
            now, [bool(events >> n & 1) for n in range(channels)], enable=enable, rel_step=rel_step, busy=waits
        )
        await RisingEdge(dut.clk)
        if known(dut.ready):
            assert pending is not None, "a snapshot of no window"
            counts, reading, pending = model.shown(), -1, None
            assert known(dut.clocks) == model.clocks
            told += 1
        if reading is not None:
            if reading > 0:
                assert known(dut.count) == counts[reading - 1], f"channel {reading - 1}"
            reading = reading + 1 if reading < channels else None
        if pending is not None:
            pending += 1
            assert pending <= channels + 4, "no snapshot of a window"
        if not enable or rel_step:
            pending = None
        elif ends:
            pending = 0
    assert told > 20
