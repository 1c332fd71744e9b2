# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_trace_crc: frames of random records with gaps; zlib is the reference."""

import random
import zlib

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import RECORD_FIELDS, Kind, SyncSub
from tb.signals import bursts, known, start
from tb.vectors import crc_vectors

SYNC_A = RECORD_FIELDS["kind"].put(Kind.SYNC) | RECORD_FIELDS["sub"].put(SyncSub.A)
KIND_SUB = RECORD_FIELDS["kind"].put(15) | RECORD_FIELDS["sub"].put(15)


def is_sync_a(word):
    return word & KIND_SUB == SYNC_A


@cocotb.test()
async def test_random(dut):
    """Whenever busy is 0, `value` is the CRC of the frame before a SYNC-A that came last, else of what is open."""
    await start(dut, "s_valid", "s_data")
    valid, pause, frames, checked = bursts(0, 40, 100, mean=8), 0, [], [0, 0]
    for _ in range(3000):
        word = random.getrandbits(128)
        if random.randrange(16) == 0:
            word = word & ~KIND_SUB | SYNC_A
        up = next(valid) and not pause
        pause = max(pause - 1, 0)
        dut.s_valid.value, dut.s_data.value = int(up), word
        await RisingEdge(dut.clk)
        if not known(dut.busy) and len(frames) >= 2:
            opened = len(frames[-1]) == 16
            assert known(dut.value) == zlib.crc32(frames[-2] if opened else frames[-1])
            checked[opened] += 1
        if up:
            if is_sync_a(word):
                frames.append(b"")
                pause = random.choice((0, 6))  # as the framer, which waits for the value
            if frames:
                frames[-1] += word.to_bytes(16, "little")
    assert min(checked) > 20
    assert len(frames) > 30


@cocotb.test()
async def test_vectors(dut):
    """The published vectors that are a SYNC-A, as frames of one record, each closed by the next."""
    await start(dut, "s_valid", "s_data")
    vectors = [(data, crc32) for data, _, crc32 in crc_vectors() if is_sync_a(int.from_bytes(data, "little"))]
    assert vectors
    closed = None
    for data, crc32 in [*vectors, vectors[0]]:
        dut.s_valid.value, dut.s_data.value = 1, int.from_bytes(data, "little")
        await RisingEdge(dut.clk)
        dut.s_valid.value = 0
        for _ in range(6):
            await RisingEdge(dut.clk)
        assert not known(dut.busy)
        assert closed is None or known(dut.value) == closed
        closed = crc32


@cocotb.test()
async def test_latency(dut):
    """Busy for the 5 clocks after a record, then the value holds."""
    await start(dut, "s_valid", "s_data")
    dut.s_valid.value, dut.s_data.value = 1, SYNC_A
    await RisingEdge(dut.clk)
    dut.s_valid.value = 0
    seen = []
    for _ in range(7):
        await RisingEdge(dut.clk)
        seen.append(known(dut.busy))
    assert seen == [1, 1, 1, 1, 1, 0, 0]
