# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite master: cocotbext-axi's five channels, paused at random each on its own, any write strobes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus
from cocotbext.axi.axil_channels import (
    AxiLiteARSource,
    AxiLiteARTransaction,
    AxiLiteAWSource,
    AxiLiteAWTransaction,
    AxiLiteBSink,
    AxiLiteRSink,
    AxiLiteWSource,
    AxiLiteWTransaction,
)

from tb.signals import known

__all__ = ["OKAY", "SLVERR", "AxilMaster"]

OKAY, SLVERR = 0, 2


class AxilMaster:
    """Writes and reads at a port ``s_axil_*``. Calls may overlap; those of one direction are answered in order."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        bus = AxiLiteBus.from_prefix(dut, "s_axil")
        self.aw = AxiLiteAWSource(bus.write.aw, dut.clk)
        self.w = AxiLiteWSource(bus.write.w, dut.clk)
        self.b = AxiLiteBSink(bus.write.b, dut.clk)
        self.ar = AxiLiteARSource(bus.read.ar, dut.clk)
        self.r = AxiLiteRSink(bus.read.r, dut.clk)
        self.answers = 0

    def pauses(self, pattern: Callable[[], Iterator[bool]] | None) -> None:
        """Hold valid (requests) and ready (answers) back while the pattern says True; None: never."""
        for channel in (self.aw, self.w, self.b, self.ar, self.r):
            channel.clear_pause_generator()
            if pattern is not None:
                channel.set_pause_generator(pattern())
            channel.pause = False

    async def write(self, address: int, data: int, strobe: int = 0xF) -> int:
        """The response."""
        await self.aw.send(AxiLiteAWTransaction(awaddr=address))
        await self.w.send(AxiLiteWTransaction(wdata=data, wstrb=strobe))
        answer = await self.b.recv()
        self.answers += 1
        return int(answer.bresp)

    async def read(self, address: int) -> tuple[int, int]:
        """Data and response."""
        await self.ar.send(AxiLiteARTransaction(araddr=address))
        answer = await self.r.recv()
        self.answers += 1
        return int(answer.rdata), int(answer.rresp)

    def watch(self) -> None:
        """Check from now on that valid, once up, stays with its payload until ready."""
        cocotb.start_soon(self._stable())

    async def _stable(self) -> None:
        dut, before = self.dut, {}
        channels = {"b": ("bresp",), "r": ("rdata", "rresp")}
        while True:
            await RisingEdge(dut.clk)
            reset = known(dut.rst)
            for name, payload in channels.items():
                offered = None
                if known(getattr(dut, f"s_axil_{name}valid")):
                    offered = tuple(known(getattr(dut, f"s_axil_{field}")) for field in payload)
                assert before.get(name) in (None, offered), f"{name}: {before[name]} became {offered} before ready"
                taken = known(getattr(dut, f"s_axil_{name}ready")) or reset
                before[name] = None if taken else offered
