# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_trace_pack: every bit of every record against the model's pack(), 3 clocks later."""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import Record, pack, unpack
from tb.signals import bursts, known, start
from tb.vectors import crc_vectors

INPUTS = ("s_valid", "s_ts", "s_tq", "s_kind", "s_sub", "s_src", "s_payload", "s_index", "s_accepted", "s_last")


def give(dut, record, index, accepted=0, last=0):
    """Put ``record`` (its seq is the module's business) on the inputs."""
    dut.s_valid.value = 1
    for name in ("ts", "tq", "kind", "sub", "src", "payload"):
        getattr(dut, f"s_{name}").value = getattr(record, name)
    dut.s_index.value, dut.s_accepted.value, dut.s_last.value = index, accepted, last


def random_record(src):
    return Record(
        ts=random.getrandbits(64), src=src, kind=random.randrange(16), sub=random.randrange(16),
        payload=random.getrandbits(32), tq=random.randrange(4),
    )  # fmt: skip


@cocotb.test()
async def test_random(dut):
    """Sources come in runs and at random, with gaps and restarts; the record comes out sealed after 3 clocks."""
    await start(dut, "restart", *INPUTS)
    counters = known(dut.COUNTERS)
    counts, valid, index = Counter(), bursts(20, 60, 100, mean=10), 0
    inside = deque([None] * 4, maxlen=4)
    checked = 0
    for clock in range(4000):
        expected = None
        dut.s_valid.value, dut.restart.value = 0, 0
        if clock % 700 == 699:
            for _ in range(3):  # restart comes with nothing in flight
                inside.append(None)
                await RisingEdge(dut.clk)
                checked += check(dut, inside[0])
            dut.restart.value = 1
            counts.clear()
        elif next(valid):
            if random.randrange(3):
                index = random.randrange(counters)
            record, accepted, last = random_record(index), random.randrange(2), random.randrange(2)
            give(dut, Record(**{**fields(record), "payload": 0}) if accepted else record, index, accepted, last)
            sealed = record if not accepted else Record(**{**fields(record), "payload": counts[index]})
            expected = pack(sealed.with_seq(counts[index] & 0xFF)), last
            counts[index] += 1
        inside.append(expected)
        await RisingEdge(dut.clk)
        checked += check(dut, inside[0])
    assert checked > 1000
    assert max(counts.values(), default=0) > 0


def fields(record):
    return {name: getattr(record, name) for name in Record.__dataclass_fields__}


def check(dut, expected):
    """Compare the output of this clock; returns 1 if there was a record."""
    assert known(dut.m_valid) == (expected is not None)
    if expected is None:
        return 0
    data, last = expected
    got = known(dut.m_data).to_bytes(16, "little")
    assert got == data, f"{unpack(got)} is not {unpack(data)}"
    assert known(dut.m_last) == last
    return 1


@cocotb.test()
async def test_vectors(dut):
    """The published CRC-8 vectors, each sent when its source's count is the vector's seq."""
    await start(dut, "restart", *INPUTS)
    for data, crc8, _ in crc_vectors():
        dut.restart.value, dut.s_valid.value = 1, 0
        await RisingEdge(dut.clk)
        dut.restart.value = 0
        record = unpack(data)
        for _ in range(record.seq + 1):
            give(dut, record, 0)
            await RisingEdge(dut.clk)
        dut.s_valid.value = 0
        for _ in range(3):
            await RisingEdge(dut.clk)
        sealed = known(dut.m_data).to_bytes(16, "little")
        assert sealed[11] == crc8
        assert sealed[:11] + sealed[12:] == data[:11] + data[12:]


@cocotb.test()
async def test_busy(dut):
    """busy is up while a record is inside."""
    await start(dut, "restart", *INPUTS)
    give(dut, random_record(0), 0)
    await RisingEdge(dut.clk)
    dut.s_valid.value = 0
    seen = []
    for _ in range(5):
        await RisingEdge(dut.clk)
        seen.append(known(dut.busy))
    assert seen == [1, 1, 1, 0, 0]
