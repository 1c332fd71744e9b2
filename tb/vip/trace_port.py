# SPDX-License-Identifier: Apache-2.0
"""Agent of the trace port (trace_valid, layer_id, buf_occupancy, backpressure_en), of one port or several packed ones.

A value is a dict: port -> ``Sample``. ``Traffic`` makes endless, seeded traffic for one port out of shapes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from pyuvm import uvm_agent, uvm_sequencer

from npuscope.encode import BpLimits, Sample
from npuscope.layout import MAX_LAYERS
from tb.vip.player import Player

__all__ = ["SHAPES", "TraceAgent", "TracePlayer", "Traffic", "together"]

_LAYER, _OCC = 5, 6  # bits of a port in the packed vectors


class TracePlayer(Player):
    """Drives the packed vectors; idle fields keep their last values, as hardware would."""

    def build_phase(self) -> None:
        super().build_phase()
        self._layer = self._occ = self._bp = 0

    def drive(self, value: dict[int, Sample]) -> None:
        valid = 0
        for port, sample in value.items():
            valid |= 1 << port
            self._layer = _put(self._layer, port, _LAYER, sample.layer)
            self._occ = _put(self._occ, port, _OCC, sample.occ)
            self._bp = _put(self._bp, port, 1, sample.bp_en)
        self.show(trace_valid=valid, layer_id=self._layer, buf_occupancy=self._occ, backpressure_en=self._bp)

    def idle(self) -> None:
        self.show(trace_valid=0, layer_id=self._layer, buf_occupancy=self._occ, backpressure_en=self._bp)


class TraceAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = TracePlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


def _put(word: int, port: int, width: int, value: int) -> int:
    mask = ((1 << width) - 1) << port * width
    return word & ~mask | value << port * width


class Traffic:
    """Endless samples of one port: shapes of random length follow each other.

    layers: mask of the layers present; now and then an absent one is sampled too. limits: those whose boundaries the
    traffic should cross; may be changed while running. shapes: names to choose from, see ``SHAPES``.
    """

    def __init__(self, rng: random.Random, layers: int, limits: BpLimits, shapes: Sequence[str]) -> None:
        self.rng, self.limits, self.shapes = rng, limits, shapes
        self.present = [layer for layer in range(MAX_LAYERS) if layers >> layer & 1]
        self.occ = dict.fromkeys(range(MAX_LAYERS), 0)
        self.calls = 0

    def __iter__(self) -> Iterator[Sample | None]:
        while True:
            shape = SHAPES[self.rng.choice(self.shapes)]
            for _ in range(self.rng.randrange(20, 300)):
                yield shape(self)

    def layer(self) -> int:
        """A layer, one in 64 times any number."""
        return self.rng.randrange(MAX_LAYERS) if self.rng.random() < 1 / 64 else self.rng.choice(self.present)

    def walk(self) -> Sample:
        """A level that drifts by up to 8, with the flag mostly following it."""
        layer, rng = self.layer(), self.rng
        occ = min(63, max(0, self.occ[layer] + rng.randint(-8, 9)))
        self.occ[layer] = occ
        return Sample(layer, occ, int(occ >= 60 or rng.random() < 0.1))

    def boundary(self) -> Sample:
        """A level at one of the limits or one code beside it."""
        limits, rng = self.limits, self.rng
        edge = rng.choice([0, limits.th_wet, limits.th_off, limits.th_on, 63])
        occ = min(63, max(0, edge + rng.randint(-1, 1)))
        layer = self.layer()
        self.occ[layer] = occ
        return Sample(layer, occ, rng.randrange(2))

    def flip(self) -> Sample:
        """Full when it was not, empty when it was: an event for almost every sample."""
        layer = self.layer()
        self.occ[layer] = 0 if self.occ[layer] else 63
        return Sample(layer, self.occ[layer], int(self.occ[layer] == 63))

    def paced(self) -> Sample | None:
        """A level at a limit in every 12th clock: no queue of 8 overflows while a group goes out."""
        self.calls += 1
        return None if self.calls % 12 else self.boundary()

    def wetted(self) -> Sample | None:
        """In every 16th clock, two layers in turn: first both empty, then both at TH_WET exactly."""
        self.calls += 1
        if self.calls % 16:
            return None
        turn = self.calls // 16
        layer = self.present[turn % min(2, len(self.present))]
        return Sample(layer, self.limits.th_wet if turn & 2 else 0, 0)

    def asserted(self) -> Sample:
        """An empty buffer with the flag up: a sample that counts and changes nothing."""
        return Sample(self.present[0], 0, 1)

    def hold(self) -> Sample:
        """One layer with a steady level and a steady flag."""
        layer = self.present[0]
        return Sample(layer, self.occ[layer], int(self.occ[layer] >= 32))


def _sometimes(share: float, shape: Callable[[Traffic], Sample]) -> Callable[[Traffic], Sample | None]:
    return lambda traffic: shape(traffic) if traffic.rng.random() < share else None


SHAPES: dict[str, Callable[[Traffic], Sample | None]] = {
    "walk": _sometimes(0.6, Traffic.walk),
    "sparse": _sometimes(0.1, Traffic.boundary),
    "dense": _sometimes(1.0, Traffic.walk),
    "boundary": _sometimes(0.7, Traffic.boundary),
    "flip": _sometimes(1.0, Traffic.flip),
    "hold": _sometimes(0.9, Traffic.hold),
    "paced": Traffic.paced,
    "wetted": Traffic.wetted,
    "asserted": Traffic.asserted,
    "calm": _sometimes(0.02, Traffic.walk),
    "silent": lambda traffic: None,
}
"""What a port may do for a while: one sample, or none, per clock."""


def together(ports: Sequence[Iterator[Sample | None]], clocks: int) -> Iterator[dict[int, Sample] | None]:
    """The traffic of several ports, clock by clock."""
    for _ in range(clocks):
        value = {port: sample for port, source in enumerate(ports) if (sample := next(source)) is not None}
        yield value or None
