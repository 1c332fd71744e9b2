# SPDX-License-Identifier: Apache-2.0
"""Small helpers of the benches: clock and reset, reading a signal that must not be x, random on/off patterns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

__all__ = ["PERIOD_NS", "bursts", "known", "start"]

PERIOD_NS = 4


async def start(dut: Any, *idle: str, clocks: int = 4) -> None:
    """Start ``dut.clk``, hold ``dut.rst`` for some clocks with the inputs named ``idle`` at 0, return after an edge."""
    for name in idle:
        getattr(dut, name).value = 0
    dut.rst.value = 1
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    for _ in range(clocks):
        await RisingEdge(dut.clk)
    dut.rst.value = 0


def known(signal: Any) -> int:
    """The value of a signal as a number; an x or z fails with the signal's name (Icarus starts registers at x)."""
    value = signal.value
    assert value.is_resolvable, f"{signal._path} is {value}"
    return int(value)


def bursts(*percents: int, mean: int = 20) -> Iterator[bool]:
    """True and False without end, in stretches of about ``mean`` values, each with one of ``percents`` of True."""
    while True:
        percent = random.choice(percents)
        for _ in range(random.randint(1, 2 * mean)):
            yield random.randrange(100) < percent
