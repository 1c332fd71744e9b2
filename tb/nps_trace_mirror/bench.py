# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirror against npuscope.encode.mirror.Mirror: random records without pause, loads in between."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record, payload
from npuscope.layout import BpSub, Cfg, Kind, State
from tb.signals import PERIOD_NS, known

LAYERS, DRY_MASK = 0xFFFFFFFF, 0x00FF00F0  # the bench is built with them
LATENCY = 4
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


def random_told():
    """(kind, sub, payload) of a record, words of a LOSS burst among them."""
    draw = random.random()
    if draw < 0.5:
        return random_record()
    if draw < 0.75:
        layer = random.choice([layer for layer in range(32) if DRY_MASK >> layer & 1])
        return Kind.BP, random.choice(list(BpSub)), layer | random.choice((0, 0, 1, 2, 3)) << 5
    if draw < 0.9:
        limits = {"th_wet": random.choice((1, 2, 3)), "k": random.randrange(32)}
        return Kind.CFG, Cfg.BP_LIMITS, payload(Kind.CFG, Cfg.BP_LIMITS, **limits)
    sub = random.choice((State.HOT, State.BP_EN, State.DRY))
    return Kind.STATE, sub, random.getrandbits(32) & (DRY_MASK if sub == State.DRY else LAYERS)


@cocotb.test()
async def test_random(dut):
    """Every word of the mirror, after each record; payloads that come late, and clears, in between."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    dut.update.value, dut.late.value, dut.clear.value = 0, 0, 1
    dut.late_limits.value, dut.late_stale.value = 0, 0
    for _ in range(LATENCY):
        await RisingEdge(dut.clk)
    mirror = Mirror(SourceConfig(LAYERS, DRY_MASK))
    first = [(Kind.CFG, word, value) for word, value in mirror.cfg.items() if word in (Cfg.BP_LIMITS, Cfg.STALE)]
    pending, cleared, late = [None] * LATENCY, False, [0, 0]
    records = lates = clears = 0
    for clock in range(4000):
        kind, sub, word = first.pop(0) if first else random_told()
        update = clock < 2 or random.random() < 0.6
        given = kind not in (Kind.STATE, Kind.CFG) or random.random() < 0.5
        clear = not update and pending[1:] == [None] * (LATENCY - 1) and random.random() < 0.1
        dut.update.value, dut.kind.value, dut.sub.value, dut.clear.value = update, kind, sub, clear
        strobe = update and kind == Kind.CFG and not given and random.random() < 0.5  # the same, said otherwise
        dut.update.value = update and not strobe
        dut.late_limits.value = strobe and sub == Cfg.BP_LIMITS
        dut.late_stale.value = strobe and sub == Cfg.STALE
        dut.given.value, dut.payload.value = given, word if given else random.getrandbits(32)
        dut.late.value = late.pop(0)
        late.append(0 if given else word)
        await RisingEdge(dut.clk)
        if cleared:
            mirror.hot, mirror.bp_en, mirror.unknown, mirror.dry = 0, 0, LAYERS, 0
        record = pending.pop(0)
        if record:
            mirror.update(record)
        if clock > LATENCY + 2:
            assert [known(getattr(dut, name)) for name in NAMES] == list(words(mirror))
        pending.append(Record(0, 0, kind, sub, word) if update else None)
        cleared = clear
        records, lates, clears = records + update, lates + (update and not given), clears + clear
    assert records > 2000
    assert lates > 100
    assert clears > 5
