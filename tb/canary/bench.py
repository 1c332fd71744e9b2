# SPDX-License-Identifier: Apache-2.0
"""What every other bench relies on: after RisingEdge of the top's own clock a register still has its old value."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer


async def start(dut):
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.d.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0


@cocotb.test()
async def test_register_is_old_after_rising_edge(dut):
    await start(dut)
    given = []
    for clock in range(64):
        await RisingEdge(dut.clk)
        if clock > 1:
            assert int(dut.q.value) == given[-2], "a register read after RisingEdge must still be old"
        given.append(random.getrandbits(8))
        dut.d.value = given[-1]


@cocotb.test()
async def test_register_is_new_after_read_only(dut):
    await start(dut)
    await RisingEdge(dut.clk)
    for value in range(1, 32):
        dut.d.value = value
        await RisingEdge(dut.clk)
        await ReadOnly()
        assert int(dut.q.value) == value
        assert int(dut.sum.value) == value + 1
        await FallingEdge(dut.clk)


@cocotb.test()
async def test_write_is_not_seen_before_the_next_edge(dut):
    await start(dut)
    await RisingEdge(dut.clk)
    dut.d.value = 1
    await RisingEdge(dut.clk)
    dut.d.value = 2  # written in the clock of the edge: the edge must have taken 1
    await ReadOnly()
    assert int(dut.q.value) == 1
    assert int(dut.sum.value) == 3


@cocotb.test()
async def test_no_clock_is_lost_or_doubled(dut):
    await start(dut)
    await RisingEdge(dut.clk)
    first = None
    for clock in range(100):
        await RisingEdge(dut.clk)
        now = int(dut.count.value)
        assert int(dut.later.value) == (now + 1) & 0xFF, "combinational outputs must be old too"
        first = now if first is None else first
        assert now == (first + clock) & 0xFF
        await Timer(3, unit="ns")
