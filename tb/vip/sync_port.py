# SPDX-License-Identifier: Apache-2.0
"""Agents of a sync input (sync_valid, phy_changed) and of the configuration of its capture (cfg_*).

A value of the sync input is a pair (sync_valid, phy_changed), of the configuration a ``JitterConfig``.
``SyncTrain`` makes endless, seeded pulses out of shapes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from pyuvm import uvm_agent, uvm_sequencer

from npuscope.encode import JitterConfig
from tb.vip.player import Player

__all__ = ["SHAPES", "JitterConfigAgent", "SyncAgent", "SyncTrain", "random_config"]


class SyncPlayer(Player):
    """Drives sync_valid and phy_changed."""

    def drive(self, value: tuple[bool, bool]) -> None:
        self.show(sync_valid=int(value[0]), phy_changed=int(value[1]))

    def idle(self) -> None:
        self.show(sync_valid=0, phy_changed=0)


class SyncAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = SyncPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


class JitterConfigPlayer(Player):
    """Drives cfg_apply and its values, which keep when nothing is applied."""

    def build_phase(self) -> None:
        super().build_phase()
        self._words = {"cfg_t_nominal": 0, "cfg_options": 0, "cfg_watchdog": 0}

    def drive(self, value: JitterConfig) -> None:
        self._words = {
            "cfg_t_nominal": value.t_nominal, "cfg_options": value.options, "cfg_watchdog": value.watchdog
        }  # fmt: skip
        self.show(cfg_apply=1, **self._words)

    def idle(self) -> None:
        self.show(cfg_apply=0, **self._words)


class JitterConfigAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = JitterConfigPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


class SyncTrain:
    """Endless clocks of a sync input with a pulse every ``gap`` clocks, and what may go wrong with it.

    shapes: names of ``SHAPES`` to choose from; phy: share of clocks with phy_changed.
    """

    def __init__(self, rng: random.Random, gap: int, shapes: Sequence[str], phy: float = 0.0) -> None:
        self.rng, self.gap, self.shapes, self.phy = rng, gap, shapes, phy

    def __iter__(self) -> Iterator[tuple[bool, bool]]:
        while True:
            for sync in SHAPES[self.rng.choice(self.shapes)](self.rng, self.gap):
                yield sync, self.rng.random() < self.phy


def _at(gaps: Sequence[int]) -> Iterator[bool]:
    """A pulse after each of these numbers of clocks."""
    for gap in gaps:
        for _ in range(gap - 1):
            yield False
        yield True


def _regular(rng: random.Random, gap: int) -> Iterator[bool]:
    yield from _at([gap] * rng.randint(2, 12))


def _noisy(rng: random.Random, gap: int) -> Iterator[bool]:
    yield from _at([max(1, gap + rng.randint(-gap // 3, gap // 3)) for _ in range(rng.randint(2, 12))])


def _late(rng: random.Random, gap: int) -> Iterator[bool]:
    """One pulse late: a long interval, then a short one."""
    late = rng.randint(1, max(1, gap - 1))
    yield from _at([gap, gap + late, max(1, gap - late), gap])


def _missing(rng: random.Random, gap: int) -> Iterator[bool]:
    yield from _at([gap, gap * rng.randint(2, 3), gap])


def _doubled(rng: random.Random, gap: int) -> Iterator[bool]:
    early = rng.randint(1, max(1, gap // 2))
    yield from _at([gap, early, max(1, gap - early), gap])


def _adjacent(rng: random.Random, gap: int) -> Iterator[bool]:
    """High for some clocks: one held level, or as many pulses."""
    yield from _at([gap] + [1] * rng.randint(1, 6))


def _silent(rng: random.Random, gap: int) -> Iterator[bool]:
    for _ in range(gap * rng.randint(4, 12)):
        yield False


SHAPES: dict[str, Callable[[random.Random, int], Iterator[bool]]] = {
    "regular": _regular, "noisy": _noisy, "late": _late, "missing": _missing, "doubled": _doubled,
    "adjacent": _adjacent, "silent": _silent,
}  # fmt: skip
"""What a train of pulses may be made of."""


def random_config(rng: random.Random, nominal: int, watchdog: int) -> JitterConfig:
    """Near the nominal interval (1/256 ns) and watchdog (clocks) of the train; one in ten is refused."""
    t_nominal = rng.choice([nominal] * 6 + [nominal * 2, nominal // 2 + 1, (1 << 48) - 1, 0])
    return JitterConfig(
        t_nominal=t_nominal,
        need_lock=rng.random() < 0.7,
        exclude=rng.random() < 0.5,
        strobe=rng.random() < 0.3,
        sync_lost_a=rng.random() < 0.5,
        watchdog=rng.choice([watchdog, watchdog, watchdog + rng.randint(-3, 3), 0]),
    )
