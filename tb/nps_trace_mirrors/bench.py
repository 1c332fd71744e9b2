# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirrors: the keyframe of a loss is the input mirror at its capture, that of a group the output mirror."""

import copy
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record
from npuscope.layout import Cfg, Kind
from tb.nps_trace_mirror.bench import random_record
from tb.signals import known, start

LAYERS, DRY_MASK = 0xFFFFFFFF, 0x0000FFFF  # the bench is built with them
INPUTS = ("restart", "limits", "stale", "offered", "kind", "sub", "payload", "capture")
INPUTS += ("op_valid", "op_entry", "op_burst", "op_kind", "op_sub", "op_payload")
GAP = 2  # clocks between the last entry and what is told from the output mirror
LATENCY = 2  # from an op to its word
STARTS = 14  # from a restart


async def tick(dut, **values):
    """One clock with these inputs, the strobes among them only for this clock."""
    for name, value in values.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk)
    for name in ("restart", "offered", "capture", "op_valid", "op_entry", "op_burst"):
        getattr(dut, name).value = 0


async def tell(dut, mirror, burst):
    """All words of the snapshot, as a burst, or of the output mirror; in a row."""
    words = [(Kind.STATE, sub, mask) for sub, mask in mirror.keyframe()]
    words += [(Kind.CFG, word, value) for word, value in mirror.cfg.items()]
    due = [None] * LATENCY
    for op in [*words, *due]:
        if op:
            payload = random.getrandbits(32)  # of some entry
            await tick(dut, op_valid=1, op_burst=burst, op_kind=op[0], op_sub=op[1], op_payload=payload)
        else:
            await tick(dut)
        due.append(op)
        shown = due.pop(0)
        assert known(dut.shot_word) | known(dut.out_word) == (shown[2] if shown else 0), shown
        constant = shown and (shown[0], shown[1]) in ((Kind.CFG, Cfg.LAYERS), (Kind.CFG, Cfg.DRY_MASK))
        assert not known(dut.out_word if burst and not constant else dut.shot_word)


async def check(dut, mirror):
    for _ in range(GAP):
        await tick(dut)
    await tell(dut, mirror, burst=0)


async def restart(dut):
    limits, stale = random.getrandbits(30), random.getrandbits(32)
    await tick(dut, restart=1, limits=limits, stale=stale)
    dut.limits.value, dut.stale.value = random.getrandbits(32), random.getrandbits(32)
    mirror = Mirror(SourceConfig(LAYERS, DRY_MASK))
    mirror.cfg[Cfg.BP_LIMITS], mirror.cfg[Cfg.STALE] = limits, stale
    for _ in range(STARTS):
        await tick(dut)
    await tell(dut, mirror, burst=0)
    return mirror, copy.deepcopy(mirror)


@cocotb.test()
async def test_random(dut):
    """Offers run ahead of emissions; captures with and without a record in their clock; bursts; restarts."""
    await start(dut, *INPUTS)
    inside, outside = await restart(dut)
    for round_ in range(60):
        for _ in range(random.randrange(1, 30)):
            offered, emitted = random.random() < 0.7, random.random() < 0.4
            kind, sub, payload = random_record()
            op_kind, op_sub, op_payload = random_record()
            await tick(
                dut, offered=offered, kind=kind, sub=sub, payload=payload,
                op_valid=emitted, op_entry=emitted, op_kind=op_kind, op_sub=op_sub, op_payload=op_payload,
            )  # fmt: skip
            if offered:
                inside.update(Record(0, 0, kind, sub, payload))
            if emitted:
                outside.update(Record(0, 0, op_kind, op_sub, op_payload))
        if round_ % 2:  # else a record comes in the clock before the capture
            await check(dut, outside)
        kind, sub, payload = random_record()
        offered = random.getrandbits(1)
        await tick(dut, capture=1, offered=offered, kind=kind, sub=sub, payload=payload)
        outside = copy.deepcopy(inside)
        if offered:
            inside.update(Record(0, 0, kind, sub, payload))
        for _ in range(2):
            await tick(dut)
        await tell(dut, outside, burst=1)
        await check(dut, outside)
        if round_ % 10 == 9:
            inside, outside = await restart(dut)
