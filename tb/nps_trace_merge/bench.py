# SPDX-License-Identifier: Apache-2.0
"""nps_trace_merge with real queue behaviour in Python: arrival order, marks that wait, drained losses first."""

import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.signals import bursts, known, start

SOURCES, HEAD = 3, 4  # clocks from accept to the queue's head
STEP, RECORD = 1 << 139, 1 << 138


@cocotb.test()
async def test_random(dut):
    """Everything that is accepted or drained comes out once, in order, and nothing behind a mark before `told`."""
    await start(dut, "accept", "q_mark", "q_entry", "drained", "loss_cfg", "loss_step", "m_ready", "told")
    await RisingEdge(dut.clk)
    queues = [deque() for _ in range(SOURCES)]  # (visible from, entry, mark)
    shadow = [None] * SOURCES  # (cfg, step) of an untold loss
    drained = [False] * SOURCES
    order = deque()  # masks of sources left to grant
    passed = deque()  # taken from a queue, not yet out
    telling, quiet = None, 0
    busy, sink = bursts(0, 0, 3, 50, mean=60), bursts(100, 30, 80)
    done = marks = drains = 0
    for clock in range(4000):
        await FallingEdge(dut.clk)
        accept, stop = 0, clock > 3600
        for src, queue in enumerate(queues):
            if not stop and next(busy) and len(queue) < 30:
                mark = shadow[src] is None and random.random() < 0.05
                if mark:
                    shadow[src] = (random.getrandbits(1), random.getrandbits(1))
                queue.append(
                    (clock + HEAD, random.getrandbits(138) | random.choice((STEP, RECORD, STEP | RECORD)), mark)
                )
                accept |= 1 << src
            elif not queue and shadow[src] is None and random.random() < 0.05 and not stop:
                shadow[src], drained[src] = (random.getrandbits(1), random.getrandbits(1)), True
        if accept:
            order.append([src for src in range(SOURCES) if accept >> src & 1])
        dut.accept.value = accept
        dut.drained.value = sum(flag << src for src, flag in enumerate(drained))
        heads = [queue[0] if queue and queue[0][0] <= clock else None for queue in queues]
        dut.q_mark.value = sum(bool(head and head[2]) << src for src, head in enumerate(heads))
        dut.q_entry.value = sum((head[1] if head else 0) << 140 * src for src, head in enumerate(heads))
        dut.loss_cfg.value = sum(bool(s and s[0]) << src for src, s in enumerate(shadow))
        dut.loss_step.value = sum(bool(s and s[1]) << src for src, s in enumerate(shadow))
        ready = stop or next(sink)
        dut.m_ready.value = ready
        told = telling is not None and random.random() < 0.2
        dut.told.value = told
        if told:
            shadow[telling], telling = None, None
        await RisingEdge(dut.clk)
        for src in range(SOURCES):
            if known(dut.q_ready) >> src & 1:
                assert heads[src], "a queue is read before its head is there"
                entry = queues[src].popleft()
                group = order[0]
                assert src == group.pop(0), "out of order"
                if not group:
                    order.popleft()
                passed.append((src, entry[1], entry[2], shadow[src]))
            if known(dut.drained_ready) >> src & 1 and drained[src]:
                drained[src] = False
                passed.append((src, None, True, shadow[src]))
        if known(dut.m_valid) and ready:
            src, entry, mark, account = passed.popleft()
            assert known(dut.m_index) == src
            assert known(dut.m_mark) == mark
            if entry is None:  # of a drained loss only the two flags count
                assert str(dut.m_entry.value)[:2] == "00"
            else:
                assert known(dut.m_entry) == entry
            assert known(dut.m_plain) == (not mark and not entry & STEP)
            if mark:
                assert telling is None, "a marked entry behind a loss not yet told"
                assert (known(dut.m_loss_cfg), known(dut.m_loss_step)) == account
                telling = src
                marks, drains = marks + 1, drains + (entry is None)
            else:
                assert telling is None, "an entry behind a mark not yet told"
            done += 1
        quiet = 0 if passed or order or any(drained) else quiet + 1
        if quiet > 12:
            assert known(dut.empty)
    assert not order
    assert not passed
    assert done > 300
    assert marks > drains > 1
