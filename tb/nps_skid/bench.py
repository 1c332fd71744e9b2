# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_skid: a stream through it, both sides stalling at random, every clock checked."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start


async def stream(dut, valid, ready, clocks):
    """Drive by the two patterns and check each clock; returns transfers per side and the most that were inside."""
    inside, width = deque(), known(dut.DATA_W)
    taken = given = most = 0
    offered = None  # what was at the output and not taken in the clock before
    item, up = random.getrandbits(width), 0
    for clock in range(clocks):
        up = up or next(valid)  # AXI-Stream: valid stays until the transfer
        take = next(ready)
        dut.s_axis_tvalid.value, dut.s_axis_tdata.value, dut.m_axis_tready.value = int(up), item, int(take)
        await RisingEdge(dut.clk)
        if clock == 0:
            assert not known(dut.s_axis_tready), "ready must be a register: 0 in the clock after reset"
        else:
            assert known(dut.s_axis_tready) == (len(inside) < 2)
        assert known(dut.m_axis_tvalid) == bool(inside)
        if inside:
            assert known(dut.m_axis_tdata) == inside[0]
            assert offered in (None, inside[0])
        offered = inside[0] if inside and not take else None
        accepted = up and known(dut.s_axis_tready)
        if inside and take:
            inside.popleft()
            taken += 1
        if accepted:
            inside.append(item)
            given += 1
            item, up = random.getrandbits(width), 0
        most = max(most, len(inside))
    return given, taken, most


async def begin(dut):
    await start(dut, "s_axis_tvalid", "s_axis_tdata", "m_axis_tready")


@cocotb.test()
async def test_random(dut):
    """Both sides in bursts: nothing lost, doubled, changed or withdrawn."""
    await begin(dut)
    given, taken, most = await stream(dut, bursts(0, 30, 100), bursts(0, 30, 100), 4000)
    assert most == 2
    assert taken >= 500
    assert 0 <= given - taken <= 2


@cocotb.test()
async def test_full_speed(dut):
    """One transfer a clock when nobody stalls, 1 clock late."""
    await begin(dut)
    given, taken, most = await stream(dut, bursts(100), bursts(100), 200)
    assert (given, taken, most) == (199, 198, 1)


@cocotb.test()
async def test_reset(dut):
    """Valid and ready are 0 under reset, and what was inside is gone."""
    await begin(dut)
    await stream(dut, bursts(100), bursts(0), 10)
    dut.rst.value = 1
    dut.s_axis_tvalid.value = 0
    for _ in range(2):
        await RisingEdge(dut.clk)
    assert (known(dut.s_axis_tready), known(dut.m_axis_tvalid)) == (0, 0)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert known(dut.m_axis_tvalid) == 0


@cocotb.test()
async def test_reset_of_one_clock(dut):
    """Nothing that was inside comes out after a reset as short as can be."""
    await begin(dut)
    await stream(dut, bursts(100), bursts(0), 10)
    dut.rst.value = 1
    dut.s_axis_tvalid.value = 0
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
        assert known(dut.m_axis_tvalid) == 0
