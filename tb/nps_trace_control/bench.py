# SPDX-License-Identifier: Apache-2.0
"""nps_trace_control: start, offer window and flush against rule 25."""

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.signals import known, start

LATENCY, BEGIN = 8, 5


@cocotb.test()
async def test_random(dut):
    """Random enable, END taken a while after each flush: every window of the offer is the window of sampling, late."""
    await start(dut, "enable", "done")
    await RisingEdge(dut.clk)
    sampled = [0] * (LATENCY + 1)
    restarts = [0] * (BEGIN + 1)
    stage, wait, starts, length, enable = "idle", 0, 0, 0, False
    for _ in range(4000):
        await FallingEdge(dut.clk)
        enable = random.random() < 0.5 if length == 0 else enable
        length = random.choice((0, 1, 2, 5, 40)) if length == 0 else length - 1
        done = stage == "flush" and wait == 0
        dut.enable.value, dut.done.value = enable, done
        await RisingEdge(dut.clk)
        sampling, active, restart = known(dut.sampling), known(dut.active), known(dut.restart)
        assert active == (stage != "idle")
        assert sampling == (stage == "run" and enable)
        assert restart == restarts[-1]
        assert known(dut.begin_stream) == restarts.pop(0)
        assert known(dut.offer) == sampled.pop(0)
        assert known(dut.sampled) == sampled[-1]
        if known(dut.flush):
            assert stage in ("ending", "flush")
            assert not any(sampled) or done
            if stage == "ending":
                stage, wait = "flush", random.randrange(30)
        sampled.append(sampling)
        restarts.append(stage == "idle" and enable)
        if done:
            stage = "idle"
        elif stage == "idle" and enable:
            stage = "run"
            starts += 1
        elif stage == "run" and not enable:
            stage, wait = "ending", 0
        elif stage == "flush":
            wait -= 1
        elif stage == "ending":
            wait += 1
            assert wait < LATENCY + BEGIN + 6
    assert starts > 5
