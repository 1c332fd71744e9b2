"""The cocotb bench of an adopted module: the plan of its contract, with the module's own port names.

Read after each rising edge, a register is old: with ``latency`` clocks from input to output the output read in a clock
belongs to the inputs of ``latency`` clocks before.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.dv.contracts import Limits, Model, boundary

SETTINGS = json.loads(os.environ["NPUSCOPE_ADOPT"])
CONTRACT, LIMITS = SETTINGS["contract"], Limits(**SETTINGS["limits"])
PORTS, LATENCY = SETTINGS["ports"], SETTINGS["latency"]
RANDOM_CLOCKS = 4000
MET: Counter[str] = Counter()


class Driver:
    """Drives one level a clock and compares the output with the model's."""

    def __init__(self, dut: Any) -> None:
        self.port = {name: getattr(dut, port) for name, port in PORTS.items()}
        self.model = Model(CONTRACT, LIMITS)
        self.wanted: deque[tuple[bool, int]] = deque()
        self.compared = 0

    async def start(self) -> Driver:
        """Reset for four clocks."""
        self.port["level"].value = 0
        if "valid" in self.port:
            self.port["valid"].value = 0
        Clock(self.port["clk"], 10, unit="ns").start()
        low = SETTINGS["reset_low"]
        if "rst" in self.port:
            self.port["rst"].value = int(not low)
        for _ in range(4):
            await RisingEdge(self.port["clk"])
        if "rst" in self.port:
            self.port["rst"].value = int(low)
        return self

    async def feed(self, levels: Iterable[int], valid: bool = True) -> None:
        """One clock each."""
        for level in levels:
            if "valid" in self.port:
                self.port["valid"].value = int(valid)
            self.port["level"].value = level
            self.wanted.append((self.model.step(level, valid or "valid" not in self.port), level))
            for name, value in boundary(CONTRACT, LIMITS).items():
                MET[name] += level == value
            await RisingEdge(self.port["clk"])
            if len(self.wanted) > LATENCY:
                want, given = self.wanted.popleft()
                found = self.port["out"].value
                assert found.is_resolvable, f"{PORTS['out']} is {found}"
                assert bool(int(found)) == want, (
                    f"{PORTS['out']} is {int(found)} for level {given}, expected {int(want)}"
                )
                self.compared += 1

    def end(self) -> None:
        """A bench that compared nothing must not pass."""
        assert self.compared, "nothing was compared"
        Path("bins.json").write_text(json.dumps(MET))


@cocotb.test()
async def test_boundaries(dut: Any) -> None:
    """Each boundary from below, from above and held."""
    driver = await Driver(dut).start()
    for level in boundary(CONTRACT, LIMITS).values():
        await driver.feed([0, level, level, 0, LIMITS.full, level, level])
    await driver.feed([0] * (LATENCY + 2))
    driver.end()


@cocotb.test()
async def test_full(dut: Any) -> None:
    """Filled up and held full: the output stays what it is."""
    driver = await Driver(dut).start()
    await driver.feed([LIMITS.full - 1] * 2 + [LIMITS.full] * 8 + [LIMITS.full - 1] * 2 + [0] * (LATENCY + 2))
    driver.end()


@cocotb.test()
async def test_sweep(dut: Any) -> None:
    """Up and down through the limits, one LSB a clock (through all levels where they are few)."""
    driver = await Driver(dut).start()
    near = {
        max(0, min(LIMITS.full, limit + step))
        for limit in (0, LIMITS.off, LIMITS.on, LIMITS.full)
        for step in range(-9, 10)
    }
    levels = list(range(LIMITS.full + 1)) if LIMITS.full < 4096 else sorted(near)
    await driver.feed(levels + levels[::-1] + [0] * (LATENCY + 2))
    driver.end()


@cocotb.test()
async def test_random(dut: Any) -> None:
    """Levels near the limits, far from them, and gaps in valid where there is one."""
    driver = await Driver(dut).start()
    for _ in range(RANDOM_CLOCKS // 4):
        near = random.choice([LIMITS.on, LIMITS.off, LIMITS.full, 0, random.randint(0, LIMITS.full)])
        levels = [max(0, min(LIMITS.full, near + random.randint(-2, 2))) for _ in range(4)]
        await driver.feed(levels, valid="valid" not in PORTS or random.random() < 0.8)
    driver.end()
