"""What an adopted threshold module must do, as a Python model and as Verilog: one definition of each contract.

level             ``out`` while level >= on
level-hysteresis  ``out`` from level >= on until level < off
run               ``out`` in the clock of the count-th sample in a row with level > on, then counts anew
window            ``out`` in the clock of a sample with level > on whose count-th newest since the last out, itself
                  included, is at most ``window`` clocks older
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

__all__ = ["CONTRACTS", "FORMAL_WINDOW", "Limits", "Model", "boundary", "verilog"]

CONTRACTS: Final = {
    "level": ("on",),
    "level-hysteresis": ("on", "off"),
    "run": ("on", "count"),
    "window": ("on", "count", "window"),
}
"""Contract to the limits that it needs."""
FORMAL_WINDOW: Final = 64  # clocks; a longer window is simulated only


@dataclass(frozen=True)
class Limits:
    """Limits of a contract; those that it does not use are 0. full: the largest level there is."""

    on: int
    full: int
    off: int = 0
    count: int = 0
    window: int = 0


class Model:
    """One clock at a time."""

    def __init__(self, contract: str, limits: Limits) -> None:
        self.contract, self.limits = contract, limits
        self.hot = False
        self.run = 0
        self.clock = 0
        self.past: deque[int] = deque()

    def step(self, level: int, valid: bool = True) -> bool:
        """The output that belongs to this clock."""
        limits = self.limits
        self.clock += 1
        if self.contract == "level":
            self.hot = level >= limits.on if valid else self.hot
            return self.hot
        if self.contract == "level-hysteresis":
            if valid:
                self.hot = level >= limits.off if self.hot else level >= limits.on
            return self.hot
        if not valid:
            return False
        if self.contract == "run":
            self.run = self.run + 1 if level > limits.on else 0
            fires = self.run == limits.count
            self.run = 0 if fires else self.run
            return fires
        if level <= limits.on:
            return False
        self.past.append(self.clock)
        while self.past[0] < self.clock - limits.window:
            self.past.popleft()
        fires = len(self.past) >= limits.count
        if fires:
            self.past.clear()
        return fires


def boundary(contract: str, limits: Limits) -> dict[str, int]:
    """Boundary bins: name to level. A bin must be met by every run."""
    names = {"zero": 0, "full": limits.full, "on - 1": limits.on - 1, "on": limits.on, "on + 1": limits.on + 1}
    if contract == "level-hysteresis":
        names |= {"off - 1": limits.off - 1, "off": limits.off, "off + 1": limits.off + 1}
    return {name: level for name, level in names.items() if 0 <= level <= limits.full}


def verilog(contract: str, limits: Limits, width: int) -> str:
    """The model as Verilog: from ``clk``, ``rst``, ``valid``, ``level`` to the wire ``want`` of the same clock."""
    on, off = f"{width}'d{limits.on}", f"{width}'d{limits.off}"
    if contract in ("level", "level-hysteresis"):
        stays = f"level >= {off}" if contract == "level-hysteresis" else f"level >= {on}"
        return (
            f"reg hot; wire want = !valid ? hot : hot ? {stays} : level >= {on};\n"
            "always @(posedge clk) hot <= want && !rst;\n"
        )
    if contract == "run":
        return (
            f"reg [31:0] run; wire over = valid && level > {on}; wire want = over && run + 1 == {limits.count};\n"
            "always @(posedge clk) if (rst || want || (valid && !over)) run <= 0; else if (over) run <= run + 1;\n"
        )
    return (
        f"reg [{limits.window - 1}:0] past; wire over = valid && level > {on}; reg [31:0] found; integer i;\n"
        f"always @* begin found = over; for (i = 0; i < {limits.window}; i = i + 1) found = found + past[i]; end\n"
        f"wire want = over && found >= {limits.count};\n"
        f"always @(posedge clk) if (rst || want) past <= 0; else past <= {{past, over}};\n"
    )
