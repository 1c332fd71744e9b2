# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_trace_out: claims followed by their records a fixed time later, a sink that stalls at random."""

import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.signals import bursts, known, start

INPUTS = ("restart", "claim", "s_valid", "s_data", "s_last", "m_axis_tready")
PIPELINE = 7  # clocks from a claim to its record


async def stream(dut, clocks, wish, ready):
    """Claim when allowed and wished; check order, AXI-Stream rules, stall count, empty; returns records taken."""
    coming = deque([None] * PIPELINE)
    inside, stalls, taken, offered = deque(), 0, 0, None
    counted = deque([0] * 2, maxlen=2)  # a stall shows in the counter 2 clocks later
    for _ in range(clocks):
        await FallingEdge(dut.clk)  # go is of this clock, as the framer sees it
        claim = bool(known(dut.go)) and next(wish)
        coming.append((random.getrandbits(128), random.randrange(2)) if claim else None)
        arrives = coming.popleft()
        dut.claim.value, dut.s_valid.value = int(claim), int(arrives is not None)
        if arrives:
            dut.s_data.value, dut.s_last.value = arrives
            inside.append(arrives)
        take = next(ready)
        dut.m_axis_tready.value = int(take)
        await RisingEdge(dut.clk)
        assert known(dut.stalled) == counted[0] >> 8
        if known(dut.m_axis_tvalid):
            item = known(dut.m_axis_tdata), known(dut.m_axis_tlast)
            assert item == inside[0]
            assert offered in (None, item)
            offered = None if take else item
            if take:
                inside.popleft()
                taken += 1
            else:
                stalls += 1
        else:
            assert offered is None, "valid fell before the transfer"
        counted.append(stalls)
        if known(dut.empty):
            assert len([x for x in coming if x]) + len(inside) <= 1
    return taken


@cocotb.test()
async def test_random(dut):
    """Nothing is lost, doubled, changed or withdrawn; stalls are counted."""
    await start(dut, *INPUTS)
    await RisingEdge(dut.clk)
    taken = await stream(dut, 6000, bursts(0, 50, 100), bursts(0, 30, 100))
    assert taken > 1000


@cocotb.test()
async def test_full_speed(dut):
    """One record a clock when the sink takes one a clock."""
    await start(dut, *INPUTS)
    await RisingEdge(dut.clk)
    taken = await stream(dut, 400, bursts(100), bursts(100))
    assert taken >= 400 - PIPELINE - 4


@cocotb.test()
async def test_stalled_sink(dut):
    """A sink that never takes: claims end at the depth, nothing overflows, every clock counts as stalled."""
    await start(dut, *INPUTS)
    await RisingEdge(dut.clk)
    taken = await stream(dut, 1000, bursts(100), bursts(0))
    assert taken == 0
    assert known(dut.go) == 0
    assert known(dut.stalled) == (1000 - PIPELINE - 4) >> 8
    dut.restart.value = 1
    await RisingEdge(dut.clk)
    dut.restart.value = 0
    await RisingEdge(dut.clk)
    assert known(dut.stalled) == 0
