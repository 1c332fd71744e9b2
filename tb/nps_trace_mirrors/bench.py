# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirrors: the keyframe of a loss is the input mirror at its capture, that of a group the output mirror."""

import copy
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import Mirror, SourceConfig
from npuscope.encode.record import Record
from npuscope.layout import Cfg
from tb.nps_trace_mirror.bench import random_record
from tb.signals import known, start

LAYERS, DRY_MASK = 0xFFFFFFFF, 0x0000FFFF  # the bench is built with them
INPUTS = ("restart", "limits", "stale", "offered", "kind", "sub", "payload", "capture", "load", "emitted", "op_kind")
INPUTS += ("op_sub", "op_payload", "word_sub")


async def tick(dut, **values):
    """One clock with these inputs, the strobes among them only for this clock."""
    for name, value in values.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk)
    for name in ("restart", "offered", "capture", "load", "emitted"):
        getattr(dut, name).value = 0


async def check(dut, mirror):
    """All words of the output mirror."""
    for _ in range(3):
        await tick(dut)
    for sub, mask in mirror.keyframe():
        await tick(dut, word_sub=sub)
        await RisingEdge(dut.clk)
        assert known(dut.mask_word) == mask
    for word, value in mirror.cfg.items():
        await tick(dut, word_sub=word)
        await RisingEdge(dut.clk)
        assert known(dut.limit_word) == value


async def restart(dut):
    limits, stale = random.getrandbits(30), random.getrandbits(32)
    await tick(dut, restart=1, limits=limits, stale=stale)
    mirror = Mirror(SourceConfig(LAYERS, DRY_MASK))
    mirror.cfg[Cfg.BP_LIMITS], mirror.cfg[Cfg.STALE] = limits, stale
    await check(dut, mirror)
    return mirror, copy.deepcopy(mirror)


@cocotb.test()
async def test_random(dut):
    """Offers run ahead of emissions; captures with and without a record in their clock; loads; restarts."""
    await start(dut, *INPUTS)
    inside, outside = await restart(dut)
    for round_ in range(60):
        for _ in range(random.randrange(1, 30)):
            offered, emitted = random.random() < 0.7, random.random() < 0.4
            kind, sub, payload = random_record()
            op_kind, op_sub, op_payload = random_record()
            await tick(
                dut, offered=offered, kind=kind, sub=sub, payload=payload,
                emitted=emitted, op_kind=op_kind, op_sub=op_sub, op_payload=op_payload,
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
        for _ in range(3):
            await tick(dut)
        await tick(dut, load=1)
        await check(dut, outside)
        if round_ % 10 == 9:
            inside, outside = await restart(dut)
