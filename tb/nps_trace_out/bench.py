# SPDX-License-Identifier: Apache-2.0
"""nps_trace_out: order, room, throughput and the stall counter, with a maker of fixed delay and random sinks."""

import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.signals import bursts, known, start

MAKER = 6  # clocks from a claim to its record
DEPTH = 16


async def run(dut, clocks, claims, sink):
    """Claim whenever allowed and wanted; returns records taken. Checks order, valid/data stability, stalled, empty."""
    making, inside = deque([None] * MAKER), deque()
    taken = stalls = claimed = 0
    offered = None
    shown_stalls = deque([0, 0])
    for _ in range(clocks):
        await FallingEdge(dut.clk)
        claim = next(claims) and known(dut.go)
        dut.claim.value = claim
        making.append((random.getrandbits(128), random.getrandbits(1)) if claim else None)
        record = making.popleft()
        dut.s_valid.value = record is not None
        if record:
            dut.s_data.value, dut.s_last.value = record
        ready = next(sink)
        dut.m_axis_tready.value = ready
        await RisingEdge(dut.clk)
        claimed += bool(claim)
        assert known(dut.empty) == (claimed - bool(claim) - taken == 0)
        assert claimed - taken <= DEPTH
        assert known(dut.stalled) == shown_stalls.popleft() >> 8
        if known(dut.m_axis_tvalid):
            found = (known(dut.m_axis_tdata), known(dut.m_axis_tlast))
            assert found == inside[0]
            assert offered in (None, found)
            offered = None if ready else found
            if ready:
                inside.popleft()
                taken += 1
            stalls += not ready
        else:
            assert offered is None
        if record:
            inside.append(record)
        shown_stalls.append(stalls)
    return taken


async def begin(dut):
    await start(dut, "restart", "claim", "s_valid", "s_data", "s_last", "m_axis_tready")
    await RisingEdge(dut.clk)


def always():
    while True:
        yield True


def never():
    while True:
        yield False


@cocotb.test()
async def test_random(dut):
    """Random claims and sinks."""
    await begin(dut)
    assert await run(dut, 3000, bursts(100, 30, 80), bursts(0, 20, 100, 70)) > 800


@cocotb.test()
async def test_full_rate(dut):
    """With a sink that always takes, one record a clock."""
    await begin(dut)
    assert await run(dut, 500, always(), always()) >= 500 - MAKER - 4


@cocotb.test()
async def test_dead_sink(dut):
    """A sink that never takes: the room fills, nothing overflows, every clock of it is counted."""
    await begin(dut)
    assert await run(dut, 700, always(), never()) == 0
    assert not known(dut.go)
