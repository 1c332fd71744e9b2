# SPDX-License-Identifier: Apache-2.0
"""nps_event_delay: every event and what goes with it CLOCKS later; nothing of what was before a reset."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start

WIDTH, RECORD, STEP = 204, 138, 139
STROBES = 1 << RECORD | 1 << STEP


@cocotb.test()
async def test_random(dut):
    """Records and steps at any rate, resets in between."""
    await start(dut, "in_event", "in_more")
    clocks, shares, resets = known(dut.CLOCKS), bursts(0, 5, 100), 0
    coming = [(0, 0)] * clocks
    seen = 0
    for _ in range(3000):
        word = random.getrandbits(WIDTH)
        if not next(shares):
            word &= ~STROBES
        more, reset = random.getrandbits(len(dut.in_more)), random.random() < 0.002
        dut.in_event.value, dut.in_more.value, dut.rst.value = word, more, int(reset)
        await RisingEdge(dut.clk)
        coming.append((word, more))
        expected, expected_more = coming[-1 - clocks]
        shown = dut.event_bus.value
        strobes = int(shown[RECORD]), int(shown[STEP])
        assert strobes == (expected >> RECORD & 1, expected >> STEP & 1)
        if any(strobes):
            assert (int(shown), known(dut.more)) == (expected, expected_more)
            seen += 1
        if reset:
            resets += 1
            coming = [(0, 0)] * (clocks + 1)
    assert seen > 500
    assert resets
