# SPDX-License-Identifier: Apache-2.0
"""Throughput of nps_top: one source in RAW mode, a record for every sample, into a sink that is always ready.

The time of a record is not looked at, so time stands still; a frame closes only when it is full.
"""

from __future__ import annotations

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode import Record, unpack
from npuscope.layout import FRAME_RECORDS, GROUP_RECORDS, RECORD_BYTES, SRC_FRAMER, Cnt, Kind

FRAMES = int(os.environ.get("NPS_TOP_FRAMES", "64"))
START_CLOCKS = 200
END_CLOCKS = 500
IDLE = (
    *("rel_frac", "sync_valid", "phy_changed", "crc_reneg_ack", "phy_switch_ack", "reneg_done"),
    *(
        "enable",
        "rel_ns",
        "rel_frac",
        "sync_valid",
        "phy_changed",
        "ts_ns",
        "holdover",
        "ts_step",
        "rel_step",
        "step_ns",
        "trace_valid",
        "layer_id",
    ),
    *("mark_valid", "mark_sub", "mark_value", "cfg_apply", "cfg_th_on", "cfg_th_off", "cfg_th_wet"),
    *("cfg_level_step", "cfg_k", "cfg_raw", "cfg_stale_ns"),
)


class Stream:
    """The DUT out of reset and enabled; ``beats`` counts transfers while ``clock`` passes."""

    def __init__(self, dut: object) -> None:
        self.dut = dut
        self.beats = self.samples = self.clocks = 0

    async def start(self) -> None:
        """Reset, enable, and the words of the start."""
        dut = self.dut
        Clock(dut.clk, 5, unit="ns").start()
        for name in IDLE:
            getattr(dut, name).value = 0
        dut.locked.value = dut.m_axis_tready.value = dut.backpressure_en.value = dut.rst.value = 1
        dut.buf_occupancy.value = 63
        for _ in range(8):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        dut.enable.value = 1
        for _ in range(START_CLOCKS):
            await self.clock(0)
        self.clocks = 0

    async def clock(self, valid: int) -> None:
        """One clock with or without a sample."""
        if valid != self._valid:
            self.dut.trace_valid.value = self._valid = valid
        await RisingEdge(self.dut.clk)
        self.samples += valid
        self.clocks += 1
        self.beats += int(self.dut.m_axis_tvalid.value)

    _valid = 0

    async def end(self) -> dict[tuple[int, int], int]:
        """Flush; the counters told at END, by (source, counter)."""
        self.dut.trace_valid.value = 0
        self.dut.enable.value = 0
        told: list[Record] = []
        for _ in range(END_CLOCKS):
            await RisingEdge(self.dut.clk)
            if int(self.dut.m_axis_tvalid.value):
                self.beats += 1
                told.append(unpack(int(self.dut.m_axis_tdata.value).to_bytes(RECORD_BYTES, "little")))
            elif not int(self.dut.active.value):
                return {(record.src, record.sub): record.payload for record in told if record.kind == Kind.CNT}
        raise AssertionError(f"no END within {END_CLOCKS} clocks")


async def lossless(stream: Stream) -> None:
    """Every sample is one record of the stream, and the stream holds nothing that tells a loss."""
    counters = await stream.end()
    assert counters[0, Cnt.DROPPED] == 0, f"{counters[0, Cnt.DROPPED]} of {stream.samples} samples lost"
    accepted = sum(count for (src, sub), count in counters.items() if sub == Cnt.ACCEPTED and src != SRC_FRAMER)
    assert accepted >= stream.samples
    assert stream.beats > stream.samples


@cocotb.test()
async def test_sustained(dut):
    """FORMAT.md rule 4: records in 15 of 16 clocks, for 64 frames, and none is lost."""
    stream = Stream(dut)
    await stream.start()
    while stream.samples < FRAMES * (FRAME_RECORDS - GROUP_RECORDS):
        await stream.clock(int(stream.clocks % 16 != 15))
    cocotb.log.info("%d samples in %d clocks, %d records so far", stream.samples, stream.clocks, stream.beats)
    assert stream.samples * 16 >= stream.clocks * 15
    await lossless(stream)


@cocotb.test()
async def test_burst(dut):
    """A record in every clock, for two frames: the queue holds what comes during two groups."""
    stream = Stream(dut)
    await stream.start()
    for _ in range(2 * (FRAME_RECORDS - GROUP_RECORDS)):
        await stream.clock(1)
    await lossless(stream)
