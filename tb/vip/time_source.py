# SPDX-License-Identifier: Apache-2.0
"""The time bus: relative and absolute time that advance every clock, and what may happen to them.

Not driven by sequences, since time never waits: a test calls ``step``, ``jump`` and ``lock``, which take effect in the
next clock.
"""

from __future__ import annotations

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_component

from npuscope.layout import TimeQuality

__all__ = ["TimeSource"]

_U48 = (1 << 48) - 1
_U64 = (1 << 64) - 1


class TimeSource(uvm_component):
    """Drives rel_ns, ts_ns, ts_step, rel_step, step_ns and the pins the DUT has for the state of its discipline: locked
    and holdover, or tq (time quality). A DUT without rel_ns has none. Attributes may be set before run_phase.

    period_ns: what a clock lasts. rel, ts: the times of the first clock. frac: fraction of the first clock, 1/256 ns,
    which goes on by ``frac_step`` a clock, modulo 1 ns without carry; only if the DUT has rel_frac.
    """

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.period_ns = 5
        self.rel = 1000
        self.frac, self.frac_step = 0, 0
        self.ts = 1_700_000_000_000_000_000
        self.locked, self.holdover = True, False
        self._offset = self._relative = 0

    def step(self, ns: int) -> None:
        """The offset of absolute time changes by ``ns``."""
        self._offset += ns

    def jump(self, ns: int) -> None:
        """Relative time, and absolute time with it, jumps by ``ns``."""
        self._relative += ns

    def lock(self, locked: bool, holdover: bool) -> None:
        """State of the clock's discipline."""
        self.locked, self.holdover = locked, holdover

    def _show_lock(self) -> None:
        dut = self.dut
        if hasattr(dut, "tq"):
            holdover = TimeQuality.HOLDOVER if self.holdover else TimeQuality.FREE_RUN
            dut.tq.value = int(TimeQuality.LOCKED if self.locked else holdover)
        else:
            dut.locked.value = int(self.locked)
            dut.holdover.value = int(self.holdover)

    async def run_phase(self) -> None:
        dut = self.dut
        dut.ts_step.value = dut.rel_step.value = dut.step_ns.value = 0
        if hasattr(dut, "rel_frac"):
            dut.rel_frac.value = self.frac
        stepped = False
        while True:
            offset, relative = self._offset, self._relative
            self._offset = self._relative = 0
            self.rel = (self.rel + self.period_ns + relative) & _U48
            self.ts = (self.ts + self.period_ns + relative + offset) & (_U64 >> 1)
            if hasattr(dut, "rel_ns"):
                dut.rel_ns.value = self.rel
            dut.ts_ns.value = self.ts
            if self.frac_step:
                self.frac = (self.frac + self.frac_step) & 0xFF
                dut.rel_frac.value = self.frac
            self._show_lock()
            if stepped or offset or relative:
                stepped = bool(offset or relative)
                dut.ts_step.value = int(offset != 0)
                dut.rel_step.value = int(relative != 0)
                dut.step_ns.value = (offset + relative) & _U64
            await RisingEdge(dut.clk)
