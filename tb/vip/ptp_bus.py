# SPDX-License-Identifier: Apache-2.0
"""The time bus as a PTP clock gives it: fractions of a ns, drift, steps, lost lock, holdover, a clock that stops.

Not driven by sequences, since time never waits: a test calls ``step``, ``jump``, ``lock``, ``stop``, which take effect
in the next clock. Times are in 1/256 ns.
"""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_component

from npuscope.layout import TimeQuality

__all__ = ["PtpBus"]

_U56 = (1 << 56) - 1
_U64 = (1 << 64) - 1


class PtpBus(uvm_component):
    """Drives rel_ns, rel_frac, ts_ns, tq, locked, holdover, ts_step, rel_step, step_ns.

    period: what a clock lasts. wander: it changes by up to this much from clock to clock, and never below 1.
    """

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.rng = random.Random(0)
        self.period, self.wander = 5 * 256, 0
        self.time, self.ts = 1000 << 8, 1_700_000_000_000_000_000
        self.locked, self.holdover, self.stopped = True, False, False
        self._offset: int | None = None
        self._relative: int | None = None

    def step(self, ns: int) -> None:
        """The offset of absolute time changes by ``ns``."""
        self._offset = ns

    def jump(self, ns: int) -> None:
        """Relative time, and absolute time with it, jumps by ``ns``."""
        self._relative = ns

    def lock(self, locked: bool, holdover: bool) -> None:
        """State of the servo."""
        self.locked, self.holdover = locked, holdover

    def stop(self, stopped: bool) -> None:
        """Time stands still, or goes on."""
        self.stopped = stopped

    def _advance(self) -> int:
        if self.stopped:
            return 0
        return max(1, self.period + self.rng.randint(-self.wander, self.wander))

    async def run_phase(self) -> None:
        dut = self.dut
        while True:
            offset, relative = self._offset, self._relative
            self._offset = self._relative = None
            before = self.time
            self.time = before + self._advance() + ((relative or 0) << 8) & _U56
            # whole ns of relative time, as the wires show them
            self.ts = self.ts + (self.time >> 8) - (before >> 8) + (offset or 0) & (_U64 >> 1)
            quality = TimeQuality.HOLDOVER if self.holdover else TimeQuality.FREE_RUN
            dut.rel_ns.value, dut.rel_frac.value, dut.ts_ns.value = self.time >> 8, self.time & 255, self.ts
            dut.tq.value = int(TimeQuality.LOCKED if self.locked else quality)
            dut.locked.value, dut.holdover.value = int(self.locked), int(self.holdover)
            dut.ts_step.value, dut.rel_step.value = int(offset is not None), int(relative is not None)
            dut.step_ns.value = (offset or 0) + (relative or 0) & _U64
            await RisingEdge(dut.clk)
