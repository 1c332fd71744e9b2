# SPDX-License-Identifier: Apache-2.0
"""nps_trace_words: offered and emitted CFG records, captures and loads at random, every word after each."""

import os
import random
from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import Kind
from tb.signals import known, start

FIRST, COUNT = int(os.environ["FIRST"]), int(os.environ["COUNT"])
PINS = (
    "restart",
    "reload",
    "words",
    "offered",
    "kind",
    "sub",
    "payload",
    "capture",
    "load",
    "emitted",
    "op_kind",
    "op_sub",
)


def random_record():
    """(kind, sub, payload): mostly a CFG word of the source."""
    sub = random.randrange(16) if random.random() < 0.2 else FIRST + random.randrange(COUNT)
    return random.choice([Kind.CFG, Kind.CFG, Kind.RAS]), sub, random.getrandbits(32)


def told(words, record):
    """``words`` with the record."""
    kind, sub, payload = record
    if kind == Kind.CFG and FIRST <= sub < FIRST + COUNT:
        return words | {sub: payload}
    return words


@cocotb.test()
async def test_random(dut):
    """A capture is of what was offered before its clock; a load brings it to the words that are read."""
    await start(dut, *PINS, "op_kind", "op_sub", "op_payload", "word_sub")
    before = {FIRST + i: random.getrandbits(32) for i in range(COUNT)}
    dut.words.value = sum(word << 32 * i for i, word in enumerate(before.values()))
    dut.restart.value = 1
    await RisingEdge(dut.clk)
    dut.restart.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
    inside, shot, out = dict(before), dict(before), dict(before)
    seen, since_capture = Counter(), 0
    for _ in range(3000):
        reload = random.random() < 0.05
        offer = random_record() if random.random() < 0.5 and not reload else None
        if reload:  # the words stand until they are taken, a clock later
            given = {FIRST + i: random.getrandbits(32) for i in range(COUNT)}
            dut.words.value = sum(word << 32 * i for i, word in enumerate(given.values()))
        dut.reload.value = int(reload)
        emit = random_record() if random.random() < 0.3 else None
        capture = since_capture > 6 and random.random() < 0.1
        load = since_capture >= 3 and not capture and random.random() < 0.1
        emit = None if load else emit
        dut.offered.value, dut.emitted.value = offer is not None, emit is not None
        dut.kind.value, dut.sub.value, dut.payload.value = offer or (0, 0, 0)
        dut.op_kind.value, dut.op_sub.value, dut.op_payload.value = emit or (0, 0, 0)
        dut.capture.value, dut.load.value = capture, load
        await RisingEdge(dut.clk)
        since_capture = 0 if capture else since_capture + 1
        shot = dict(inside) if capture else shot
        inside = dict(given) if reload else told(inside, offer) if offer else inside
        out = dict(shot) if load else told(out, emit) if emit else out
        seen.update(capture=capture, load=load, offer=offer is not None, emit=emit is not None, reload=reload)
        if random.random() < 0.3 or load:
            await quiet(dut, out)
            since_capture += 2 + COUNT
    assert min(seen[name] for name in ("capture", "load", "offer", "emit", "reload")) > 50, seen


async def quiet(dut, out):
    """Two clocks later all words are there."""
    for name in ("offered", "emitted", "capture", "load", "reload"):
        getattr(dut, name).value = 0
    await RisingEdge(dut.clk)
    for sub in out:
        dut.word_sub.value = sub
        await RisingEdge(dut.clk)
        assert known(dut.word) == out[sub]
