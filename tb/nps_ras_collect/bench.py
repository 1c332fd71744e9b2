# SPDX-License-Identifier: Apache-2.0
"""nps_ras_collect: every entry is told happening by happening or shown as lost, in order."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start

HAPPENS, FIRST_RECORD, ENTRIES, STANDS, OFFER = 13, 2, 8, 6, 6
STANDS_CFG = 12  # clocks from the first of a configuration until another is accepted


def parts(happens):
    """What is told one after the other: the first record with step and configuration, then the other records."""
    records = [1 << n for n in range(FIRST_RECORD, HAPPENS) if happens >> n & 1]
    extra = happens & ((1 << FIRST_RECORD) - 1)
    return [(records[0] if records else 0) | extra, *records[1:]]


@cocotb.test()
async def test_random(dut):
    """Bursts far beyond 8, steps, pauses: nothing lost with room, all of it counted, each stands for its clocks."""
    await start(dut, "in_happens", "in_more", "in_time", "in_data", "in_step_ns", "pause", "lost_told")
    offers, pauses = bursts(0, 2, 10, 90), bursts(0, 0, 0, 100)
    queue, told, lost, stands, wait = deque(), 0, 0, 0, 0
    shown, losing, cfg_until = None, False, 0
    for clock in range(20000):
        happens = 0
        if next(offers):
            happens = sum(1 << n for n in range(HAPPENS) if random.random() < random.choice([0.05, 0.1, 0.9]))
            happens &= ~1 if random.random() < 0.9 else -1
        item = (random.getrandbits(7), random.getrandbits(66), random.getrandbits(16), random.getrandbits(64))
        pause = next(pauses)
        lost_told = random.random() < 0.3
        dut.in_happens.value, dut.pause.value, dut.lost_told.value = happens, pause, int(lost_told)
        dut.in_more.value, dut.in_time.value, dut.in_data.value, dut.in_step_ns.value = item
        had, was_losing = bool(queue), losing
        await RisingEdge(dut.clk)
        assert not (known(dut.idle) and had)
        assert known(dut.offers) or not any(word[0] >> OFFER for _, word in queue)
        assert not (known(dut.offers) and known(dut.idle))
        if known(dut.lost_waits):
            assert losing
            assert not queue
            losing = not lost_told
        if known(dut.lost_valid):
            losing = True
            inside = any(part & 1 for left, _ in queue for part in left) or (stands and shown[0] & 1)
            cfgs = any(part & 2 for left, _ in queue for part in left) or clock <= cfg_until
            excused = was_losing or (happens & 1 and inside) or (happens & 2 and cfgs)
            assert happens
            assert len(queue) >= ENTRIES or excused, "lost with room"
            assert known(dut.lost_records) == bin(happens >> FIRST_RECORD).count("1")
            lost += 1
        elif happens:
            assert not was_losing, "accepted behind a loss that is not told"
            assert not (happens & 2 and clock <= cfg_until), "new words while the old ones are told"
            queue.append((parts(happens), item))
        if known(dut.out_tell):
            assert not stands, "too early"
            (left, expected), stands = queue[0], STANDS
            shown = (left.pop(0), *expected)
            told, wait = told + 1, 0
            if shown[0] & 2:
                cfg_until = clock + STANDS_CFG
        if stands:
            stands -= 1
            out = tuple(known(getattr(dut, f"out_{name}")) for name in ("happens", "more", "time", "data"))
            assert out == shown[:-1]
            assert not shown[0] & 1 or known(dut.out_step_ns) == shown[-1]
            if not stands and not queue[0][0]:
                queue.popleft()
        assert not (known(dut.paused) and stands)
        wait = 0 if pause or not queue else wait + 1
        assert wait < 12, "stuck"
    assert told > 500
    assert lost > 100
