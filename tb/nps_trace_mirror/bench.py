# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirror against npuscope.encode.mirror.Mirror: random records without pause, loads in between."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record
from npuscope.layout import BpSub, Cfg, Kind, State
from tb.signals import PERIOD_NS, known

DRY_MASK = 0x00FF00F0  # the bench is built with it
LATENCY = 2
NAMES = ("hot", "bp_en", "unknown", "dry", "limits", "stale")


def random_record():
    """(kind, sub, payload) that a source may offer."""
    draw = random.random()
    if draw < 0.75:
        occ = random.choice((0, 0, random.randrange(64), 63))
        layer = random.choice((0, 4, 5, 31, random.randrange(32)))
        return Kind.BP, random.choice(list(BpSub)), layer | occ << 5 | random.getrandbits(21) << 11
    if draw < 0.85:
        return Kind.STATE, State.UNKNOWN, random.getrandbits(32)
    if draw < 0.95:
        return Kind.CFG, random.choice((Cfg.BP_LIMITS, Cfg.STALE)), random.getrandbits(32)
    return random.choice((Kind.MARK, Kind.MON)), random.randrange(4), random.getrandbits(32)


def words(mirror):
    return (mirror.hot, mirror.bp_en, mirror.unknown, mirror.dry, mirror.cfg[Cfg.BP_LIMITS], mirror.cfg[Cfg.STALE])


@cocotb.test()
async def test_random(dut):
    """Every word of the mirror, after each record."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    await RisingEdge(dut.clk)
    mirror = Mirror(SourceConfig(0xFFFFFFFF, DRY_MASK))
    pending = []
    records = 0
    for clock in range(4000):
        load = clock == 0 or random.random() < 0.01
        update = not load and random.random() < 0.8
        kind, sub, payload = random_record()
        dut.load.value = load
        dut.update.value, dut.kind.value, dut.sub.value, dut.payload.value = update, kind, sub, payload
        if load:
            state = [random.getrandbits(32) for _ in range(6)]
            state[0] &= ~state[2]
            for name, value in zip(NAMES, state, strict=True):
                getattr(dut, f"load_{name}").value = value
        await RisingEdge(dut.clk)
        if clock:
            assert [known(getattr(dut, name)) for name in NAMES] == list(words(mirror))
        if pending:  # decoded in the clock before
            record = pending.pop()
            if not load:
                mirror.update(record)
                records += 1
        if load:
            mirror.hot, mirror.bp_en, mirror.unknown, mirror.dry = state[:4]
            mirror.cfg[Cfg.BP_LIMITS], mirror.cfg[Cfg.STALE] = state[4:]
        if update:
            pending.append(Record(0, 0, kind, sub, payload))
    assert records > 2000
