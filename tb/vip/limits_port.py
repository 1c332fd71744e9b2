# SPDX-License-Identifier: Apache-2.0
"""Agent of the run-time limits (cfg_apply, cfg_th_on, ...), of one port or several packed ones.

A value is a dict: port -> ``BpLimits``, legal or not.
"""

from __future__ import annotations

import random

from pyuvm import uvm_agent, uvm_sequencer

from npuscope.encode import BpLimits
from tb.vip.player import Player

__all__ = ["FIELDS", "LimitsAgent", "LimitsPlayer", "random_limits"]

FIELDS = {
    "cfg_th_on": ("th_on", 6),
    "cfg_th_off": ("th_off", 6),
    "cfg_th_wet": ("th_wet", 6),
    "cfg_level_step": ("level_step", 6),
    "cfg_k": ("k", 5),
    "cfg_raw": ("raw", 1),
    "cfg_stale_ns": ("stale_ns", 32),
}
"""Pin -> field of ``BpLimits`` and bits per port."""


class LimitsPlayer(Player):
    """Drives cfg_apply and its values; values keep when nothing is applied."""

    def build_phase(self) -> None:
        super().build_phase()
        self._words = dict.fromkeys(FIELDS, 0)

    def drive(self, value: dict[int, BpLimits]) -> None:
        for port, limits in value.items():
            for pin, (name, width) in FIELDS.items():
                mask = ((1 << width) - 1) << port * width
                self._words[pin] = self._words[pin] & ~mask | getattr(limits, name) << port * width
        self.show(cfg_apply=sum(1 << port for port in value), **self._words)

    def idle(self) -> None:
        self.show(cfg_apply=0, **self._words)


class LimitsAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = LimitsPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


def random_limits(rng: random.Random, raw: float = 0.2) -> BpLimits:
    """Limits that are legal four times in five; stale periods from 0 (off) to 4 us."""
    th_on = rng.randrange(2, 64)
    th_off = rng.randrange(1, th_on) if rng.random() < 0.9 else rng.randrange(64)
    return BpLimits(
        th_on=th_on,
        th_off=th_off,
        th_wet=rng.randrange(1, 64) if rng.random() < 0.9 else 0,
        level_step=rng.choice([0, 0, 1, 5, 63]),
        k=rng.randrange(12),
        raw=int(rng.random() < raw),
        stale_ns=rng.choice([0, 300, 1000, 4000]),
    )
