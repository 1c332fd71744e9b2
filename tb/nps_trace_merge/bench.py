# SPDX-License-Identifier: Apache-2.0
"""nps_trace_merge with real queue behaviour in Python: arrival order, drained losses first."""

import os
import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from npuscope.layout import Kind
from tb.signals import bursts, known, start

SOURCES, SHOWS = 3, 2  # clocks from a take to its entry
STEP, RECORD = 1 << 139, 1 << 138
TOKEN = int(os.environ.get("TOKEN", "0"))  # 1: a TOKINT is not plain


@cocotb.test()
async def test_random(dut):
    """Everything that is accepted or drained comes out once, in order."""
    await start(dut, "accept", "q_mark", "q_entry", "drained", "loss_cfg", "loss_step", "m_ready")
    await RisingEdge(dut.clk)
    queues = [deque() for _ in range(SOURCES)]  # (accepted in clock, entry, mark)
    shown = deque([(0, 0)] * SHOWS)  # (entries, marks) of all queues, coming
    shadow = [None] * SOURCES  # (cfg, step) of an untold loss
    drained = [False] * SOURCES
    order = deque()  # masks of sources left to grant
    passed = deque()  # taken from a queue, not yet out
    quiet = 0
    busy, sink = bursts(0, 0, 3, 50, mean=60), bursts(100, 30, 80)
    done = marks = drains = contexts = 0
    for clock in range(4000):
        await FallingEdge(dut.clk)
        accept, stop = 0, clock > 3600
        for src, queue in enumerate(queues):
            if not stop and next(busy) and len(queue) < 30:
                mark = shadow[src] is None and random.random() < 0.05
                if mark:
                    shadow[src] = (random.getrandbits(1), random.getrandbits(1))
                queue.append((clock, random.getrandbits(138) | random.choice((STEP, RECORD, STEP | RECORD)), mark))
                accept |= 1 << src
            elif not queue and shadow[src] is None and random.random() < 0.05 and not stop:
                shadow[src], drained[src] = (random.getrandbits(1), random.getrandbits(1)), True
        if accept:
            order.append([src for src in range(SOURCES) if accept >> src & 1])
        dut.accept.value = accept
        dut.drained.value = sum(flag << src for src, flag in enumerate(drained))
        dut.q_entry.value, dut.q_mark.value = shown.popleft()
        dut.loss_cfg.value = sum(bool(s and s[0]) << src for src, s in enumerate(shadow))
        dut.loss_step.value = sum(bool(s and s[1]) << src for src, s in enumerate(shadow))
        ready = stop or next(sink)
        dut.m_ready.value = ready
        await RisingEdge(dut.clk)
        entries = marked = 0
        for src in range(SOURCES):
            if known(dut.q_take) >> src & 1:
                assert queues[src], "an entry is taken from an empty queue"
                entry = queues[src].popleft()
                assert entry[0] < clock, "an entry is taken in the clock of its arrival"
                entries, marked = entry[1] << 140 * src, int(entry[2]) << src
                group = order[0]
                assert src == group.pop(0), "out of order"
                if not group:
                    order.popleft()
                passed.append((src, entry[1], entry[2], shadow[src]))
            if known(dut.drained_ready) >> src & 1 and drained[src]:
                drained[src] = False
                passed.append((src, None, True, shadow[src]))
        shown.append((entries, marked))
        if known(dut.m_valid) and ready:
            src, entry, mark, account = passed.popleft()
            assert known(dut.m_index) == src
            assert known(dut.m_mark) == mark
            if entry is None:  # of a drained loss only the two flags count
                assert str(dut.m_entry.value)[:2] == "00"
            else:
                assert known(dut.m_entry) == entry
            context = TOKEN and entry is not None and entry >> 36 & 15 == Kind.TOKINT
            contexts += context
            assert known(dut.m_plain) == (not mark and not entry & STEP and not context)
            if mark:
                assert (known(dut.m_loss_cfg), known(dut.m_loss_step)) == account
                shadow[src] = None
                marks, drains = marks + 1, drains + (entry is None)
            done += 1
        quiet = 0 if passed or order or any(drained) else quiet + 1
        if quiet > 16:
            assert known(dut.empty)
    assert not order
    assert not passed
    assert done > 300
    assert marks > drains > 1
    assert contexts > 5 or not TOKEN
