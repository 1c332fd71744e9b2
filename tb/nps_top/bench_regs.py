# SPDX-License-Identifier: Apache-2.0
"""nps_top with REGS: a run driven by registers alone, and what the stream says of it by the decoder."""

import os
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge

import npuscope
from npuscope.layout import BpSub, Cfg, Kind, MarkSub
from tb.nps_regs.map import the_map
from tb.signals import known, start
from tb.vip.axil import OKAY, AxilMaster

AT = {register.name: register.address for register in the_map().registers}
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
    *("buf_occupancy", "backpressure_en", "mark_valid", "mark_sub", "mark_value", "cfg_apply", "cfg_th_on"),
    *("cfg_th_off", "cfg_th_wet", "cfg_level_step", "cfg_k", "cfg_raw", "cfg_stale_ns"),
    *(f"s_axil_{name}" for name in ("awvalid", "wvalid", "arvalid", "bready", "rready")),
)
NS = 5  # a clock


class Run:
    """Clock by clock: time, the sink's bytes; registers by name."""

    def __init__(self, dut):
        self.dut, self.bytes, self.ready, self.clock = dut, bytearray(), True, 0
        self.master = AxilMaster(dut)
        cocotb.start_soon(self.run())

    async def run(self):
        dut = self.dut
        while True:
            self.clock += 1
            dut.rel_ns.value = dut.ts_ns.value = self.clock * NS
            dut.m_axis_tready.value = int(self.ready)
            await RisingEdge(dut.clk)
            if self.ready and known(dut.m_axis_tvalid):
                self.bytes += known(dut.m_axis_tdata).to_bytes(16, "little")

    async def write(self, **words):
        for name, value in words.items():
            assert await self.master.write(AT[name], value) == OKAY

    async def read(self, name, word=0):
        value, response = await self.master.read(AT[name] + 4 * word)
        assert response == OKAY
        return value

    async def sample(self, occupancy, clocks=20):
        """One sample of layer 0 of each of two trace ports."""
        dut = self.dut
        dut.trace_valid.value, dut.buf_occupancy.value = 3, occupancy << 6 | occupancy
        await RisingEdge(dut.clk)
        dut.trace_valid.value = 0
        for _ in range(clocks):
            await RisingEdge(dut.clk)

    def decoded(self, name):
        """The capture of all bytes so far; kept beside the results."""
        path = Path(os.environ.get("NPS_TOP_DUMP", ".")) / f"{name}.npt"
        path.write_bytes(bytes(self.bytes))
        return npuscope.open(path)

    async def ended(self):
        while known(self.dut.active):
            await RisingEdge(self.dut.clk)
        for _ in range(20):
            await RisingEdge(self.dut.clk)


async def setup(dut):
    await start(dut, *IDLE)
    dut.locked.value = 1
    await RisingEdge(dut.clk)
    run = Run(dut)
    await RisingEdge(dut.clk)
    return run


def records(capture, kind, src=None):
    """(sub, payload) of the records of a kind, in order."""
    found = []
    for batch in capture.batches():
        for k, sub, source, payload in zip(batch.kind, batch.sub, batch.src, batch.payload, strict=True):
            if k == kind and src in (None, source):
                found.append((int(sub), int(payload)))
    return found


@cocotb.test()
async def test_a_run_by_registers(dut):
    """Start, new limits, a refusal, MARKs and the end by registers: the stream tells each."""
    run = await setup(dut)
    dut.enable.value = 0
    assert await run.read("STATUS") == 0b100
    await run.write(CONTROL=1)
    for _ in range(400):
        await RisingEdge(dut.clk)
    assert await run.read("STATUS") == 0b111
    await run.sample(40)
    await run.write(MARK_SUB=MarkSub.TRIGGER, MARK=0xABCD)
    await run.write(BP_PORT=1, BP_LIMITS=30 | 20 << 6 | 8 << 18 | 4 << 24, BP_STALE=0, APPLY=1)
    await run.sample(40)
    await run.write(BP_LIMITS=30 | 30 << 6 | 8 << 18 | 4 << 24, INT_MASK=2, APPLY=1)
    assert await run.read("CFG_ERR") == 1
    assert known(dut.irq)
    dut.mark_valid.value, dut.mark_value.value = 1, 77
    await RisingEdge(dut.clk)
    dut.mark_valid.value = 0
    await run.sample(10)
    now = await run.read("TIMESTAMP")
    assert 0 < run.clock * NS - now < 20 * NS
    assert await run.read("LOSS_COUNT") == 0
    await run.write(CONTROL=0)
    await run.ended()
    assert await run.read("STATUS") == 0b100
    capture = run.decoded("registers")
    assert records(capture, Kind.MARK) == [(MarkSub.TRIGGER, 0xABCD), (MarkSub.USER, 77)]
    enters = [[sub for sub, _ in records(capture, Kind.BP, src)] for src in (0, 1)]
    assert BpSub.ENTER not in enters[0], "the other port keeps its limits"
    assert [sub for sub in enters[1] if sub in (BpSub.ENTER, BpSub.EXIT)] == [BpSub.ENTER, BpSub.EXIT]
    told = [payload for sub, payload in records(capture, Kind.CFG, 1) if sub == Cfg.BP_LIMITS]
    assert set(told[1:]) == {30 | 20 << 6 | 8 << 18 | 4 << 24}, "the refused limits were told"
    assert capture.ledger.end_seen


@cocotb.test()
async def test_losses_are_counted(dut):
    """A sink that stalls: LOSS_COUNT is what the stream says was dropped, LOSS_SOURCES who dropped."""
    run = await setup(dut)
    await run.write(CONTROL=1, INT_MASK=1)
    for _ in range(400):
        await RisingEdge(dut.clk)
    run.ready = False
    for turn in range(400):
        await run.sample(60 if turn % 2 else 10, clocks=1)
    for _ in range(40):  # what is on its way
        await RisingEdge(dut.clk)
    assert known(dut.irq)
    lost = await run.read("LOSS_COUNT")
    assert lost > 100
    assert await run.read("LOSS_SOURCES") == 3
    run.ready = True
    await run.write(CONTROL=0)
    await run.ended()
    assert await run.read("LOSS_COUNT") == lost
    capture = run.decoded("losses")
    told = sum(payload for sub, payload in records(capture, Kind.LOSS) if sub < 8)
    assert told == lost
