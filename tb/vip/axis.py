# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream sink: a driver of tready with patterns of backpressure, and a monitor that captures and checks.

Rules checked in every clock: tvalid, once high, stays until taken; tdata and tlast are stable meanwhile; tvalid is low
in reset and its values are never unknown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component, uvm_monitor

__all__ = ["AxisMonitor", "AxisSink", "Beat", "always", "bursts", "never", "randomly", "stalls"]


def always() -> Iterator[bool]:
    """Ready in every clock."""
    return repeat(True)


def never() -> Iterator[bool]:
    """A sink that has died."""
    return repeat(False)


def randomly(rng: random.Random, share: float) -> Iterator[bool]:
    """Ready in a random ``share`` of the clocks."""
    while True:
        yield rng.random() < share


def stalls(rng: random.Random, ready: tuple[int, int], stalled: tuple[int, int]) -> Iterator[bool]:
    """Ready for a random number of clocks in ``ready``, then not for one in ``stalled``, and so on."""
    while True:
        yield from repeat(True, rng.randint(*ready))
        yield from repeat(False, rng.randint(*stalled))


def bursts(rng: random.Random) -> Iterator[bool]:
    """Short runs of either, as behind an arbiter."""
    return stalls(rng, (1, 8), (1, 8))


class AxisSink(uvm_component):
    """Drives m_axis_tready from ``pattern``, which a test may replace at any time."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.pattern: Iterator[bool] = always()

    async def run_phase(self) -> None:
        shown: bool | None = None
        while True:
            ready = next(self.pattern)
            if ready != shown:
                self.dut.m_axis_tready.value = int(ready)
                shown = ready
            await RisingEdge(self.dut.clk)


@dataclass(frozen=True, slots=True)
class Beat:
    """One transfer: the clock in which it was taken, 16 bytes in memory order, tlast."""

    clock: int
    data: bytes
    last: bool


class AxisMonitor(uvm_monitor):
    """Captures m_axis_* in ``beats``, and out by ``ap``; ``stalls[n]``: clocks with valid and not ready before clock n.

    It has no run_phase: whoever counts the clocks calls ``sample``, so that all monitors agree on the number.
    """

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.ap = uvm_analysis_port("ap", self)
        self.beats: list[Beat] = []
        self.stalls = [0]
        self._held: tuple[int, int] | None = None
        self._reset = 0

    def sample(self, clock: int, reset: bool) -> None:
        """One clock, called right after its edge: pins still have the values of the clock before the edge."""
        dut = self.dut
        valid = int(dut.m_axis_tvalid.value)
        self._reset = self._reset + 1 if reset else 0
        assert not (valid and self._reset > 1), f"clock {clock}: tvalid in reset"
        if self._held is not None and not reset:
            assert valid, f"clock {clock}: tvalid fell before the transfer"
        if not valid:
            self._held = None
            self.stalls.append(self.stalls[-1])
            return
        shown = (int(dut.m_axis_tdata.value), int(dut.m_axis_tlast.value))
        assert self._held in (None, shown), f"clock {clock}: tdata or tlast changed before the transfer"
        ready = int(dut.m_axis_tready.value)
        self._held = None if ready or reset else shown
        self.stalls.append(self.stalls[-1] + (not ready))
        if ready:
            beat = Beat(clock, shown[0].to_bytes(16, "little"), bool(shown[1]))
            self.beats.append(beat)
            self.ap.write(beat)
