# SPDX-License-Identifier: Apache-2.0
"""Packet-level items: what a port shows in consecutive clocks, played by a driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_driver, uvm_sequence, uvm_sequence_item

__all__ = ["Clocks", "Play", "Player"]


class Clocks(uvm_sequence_item):
    """Values of consecutive clocks; None is an idle clock."""

    def __init__(self, values: Iterable[Any], name: str = "clocks") -> None:
        super().__init__(name)
        self.values = list(values)


class Play(uvm_sequence):
    """Plays an iterator of values to its end, a packet of ``size`` clocks at a time."""

    def __init__(self, values: Iterable[Any], name: str = "play", size: int = 32) -> None:
        super().__init__(name)
        self.values: Iterator[Any] = iter(values)
        self.size = size

    async def body(self) -> None:
        while packet := list(islice(self.values, self.size)):
            item = Clocks(packet)
            await self.start_item(item)
            await self.finish_item(item)


class Player(uvm_driver):
    """Drives one value a clock. A subclass says how a value and an idle clock look on the pins.

    Written pins change after the edge, so that the DUT and the monitors see them at the next one.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.dut = cocotb.top
        self._shown: dict[str, int] = {}

    def show(self, **pins: int) -> None:
        """Write the pins that change."""
        for name, value in pins.items():
            if self._shown.get(name) != value:
                self._shown[name] = value
                getattr(self.dut, name).value = value

    def drive(self, value: Any) -> None:
        """Show ``value`` in the next clock."""
        raise NotImplementedError

    def idle(self) -> None:
        """Show nothing in the next clock."""
        raise NotImplementedError

    async def run_phase(self) -> None:
        self.idle()
        while True:
            item = await self.seq_item_port.get_next_item()
            for value in item.values:
                if value is None:
                    self.idle()
                else:
                    self.drive(value)
                await RisingEdge(self.dut.clk)
            self.idle()
            self.seq_item_port.item_done()
