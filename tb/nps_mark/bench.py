# SPDX-License-Identifier: Apache-2.0
"""nps_mark: what goes in comes out LATENCY clocks later, as MARK records and steps; restart voids what is inside."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import Kind
from tb.signals import known, start

LATENCY = int(os.environ.get("LATENCY", "8"))
INPUTS = ("restart", "mark_valid", "mark_sub", "mark_value", "ts_ns", "tq", "ts_step", "rel_step", "step_ns")


@cocotb.test()
async def test_random(dut):
    """Marks, both kinds of step and restarts at random."""
    await start(dut, *INPUTS)
    expected = [None] * LATENCY
    marks = steps = 0
    for _ in range(1500):
        restart = random.random() < 0.01
        mark, ts_step, rel_step = random.random() < 0.3, random.random() < 0.1, random.random() < 0.1
        sub, value, ts, tq = (
            random.getrandbits(2),
            random.getrandbits(32),
            random.getrandbits(64),
            random.getrandbits(2),
        )
        step = random.getrandbits(64)
        dut.restart.value = restart
        dut.mark_valid.value, dut.mark_sub.value, dut.mark_value.value = mark, sub, value
        dut.ts_ns.value, dut.tq.value, dut.step_ns.value = ts, tq, step
        dut.ts_step.value, dut.rel_step.value = ts_step, rel_step
        expected.append((mark, ts_step or rel_step, sub, value, ts, tq, step))
        await RisingEdge(dut.clk)
        wanted = expected.pop(0)
        valid, stepped = known(dut.ev_valid), known(dut.ev_step)
        assert (valid, stepped) == (wanted[:2] if wanted else (0, 0))
        if valid:
            found = [known(s) for s in (dut.ev_kind, dut.ev_sub, dut.ev_payload, dut.ev_ts, dut.ev_tq)]
            assert found == [Kind.MARK, *wanted[2:6]]
            marks += 1
        if stepped:
            assert (known(dut.ev_ts), known(dut.ev_tq), known(dut.ev_step_ns)) == wanted[4:]
            steps += 1
        if restart:
            expected = [None] * LATENCY
    assert marks > 200
    assert steps > 100
