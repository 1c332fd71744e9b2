# SPDX-License-Identifier: Apache-2.0
"""pyuvm tests of nps_bp_probe: traffic of several shapes, limits at run time, steps, locks and restarts."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from npuscope.encode import BpLimits, Sample
from npuscope.layout import MAX_LAYERS
from tb.nps_bp_probe.env import SETTLE, ProbeEnv
from tb.nps_bp_probe.harness import LATENCY, PERIOD_NS, parameters
from tb.vip.limits_port import random_limits
from tb.vip.player import Play
from tb.vip.trace_port import Traffic, together


@dataclass(frozen=True)
class Profile:
    """Shapes of the traffic, rates per clock, and what must have been said at least once."""

    shapes: tuple[str, ...]
    must: tuple[str, ...]
    limits: float = 0.0
    steps: float = 0.0
    locks: float = 0.0
    restarts: float = 0.0
    clocks: int = 2500
    events: int = 100


OPENING = BpLimits(raw=1, stale_ns=300)
"""Limits of the opening, if the profile gives limits."""


def opening(layers: int, reports_dry: int) -> Iterator[Sample]:
    """What makes each kind of record that a profile must see, whatever the seed: known, dry, wet, hot, raised, cool.

    Long enough for a tick of ``OPENING``, in which all layers but one are silent.
    """
    present = [layer for layer in range(MAX_LAYERS) if layers >> layer & 1]
    for occ in (10, 0, 10):
        yield from (Sample(layer, occ, 0) for layer in present if occ == 10 or reports_dry >> layer & 1)
    first = present[0]
    yield from (Sample(first, occ, 0) for occ in (60, 63))
    yield from (Sample(first, 63, 1) for _ in range(2 * OPENING.stale_ns // PERIOD_NS))
    yield Sample(first, 10, 1)


class ProbeTest(uvm_test):
    """Plays the profile in ConfigDB; the same seed does the same on every simulator."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.profile: Profile = ConfigDB().get(None, "", "PROFILE")
        self.parameters = parameters()
        ConfigDB().set(None, "*", "BUILD", self.parameters)
        self.env = ProbeEnv("env", self)

    def rng(self, part: str) -> random.Random:
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{ConfigDB().get(None, '', 'TEST')}/{part}")

    async def run_phase(self) -> None:
        self.raise_objection()
        dut = self.dut
        dut.rst.value, dut.restart.value = 1, 0
        for _ in range(2 * SETTLE):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        self.traffic = Traffic(self.rng("traffic"), self.parameters["LAYERS"], BpLimits(), self.profile.shapes)
        self.opening = list(opening(self.parameters["LAYERS"], self.parameters["DRY_MASK"]))
        clocks = len(self.opening) + self.profile.clocks
        samples = Play(together([chain(self.opening, self.traffic)], clocks))
        running = cocotb.start_soon(Play(self.new_limits()).start(self.env.limits.sequencer))
        commands = cocotb.start_soon(self.commands())
        await samples.start(self.env.trace.sequencer)
        await running
        await commands
        for _ in range(2 * LATENCY):
            await RisingEdge(dut.clk)
        self.drop_objection()

    def new_limits(self):
        rng = self.rng("limits")
        yield {0: OPENING} if self.profile.limits else None
        yield from (None for _ in self.opening)
        for _ in range(self.profile.clocks):
            limits = random_limits(rng) if rng.random() < self.profile.limits else None
            if limits is not None and limits.legal:
                self.traffic.limits = limits
            yield {0: limits} if limits is not None else None

    async def commands(self) -> None:
        profile, time, rng = self.profile, self.env.time, self.rng("commands")
        for _ in self.opening:
            await RisingEdge(self.dut.clk)
        for _ in range(profile.clocks):
            await RisingEdge(self.dut.clk)
            if rng.random() < profile.steps:
                rng.choice([time.step, time.jump])(rng.choice([-1, 1]) * rng.choice([1, 300, 1 << 40]))
            if rng.random() < profile.locks:
                time.lock(rng.random() < 0.5, rng.random() < 0.5)
            self.dut.restart.value = int(rng.random() < profile.restarts)

    def check_phase(self) -> None:
        said = self.env.scoreboard.said
        missing = [name for name in self.profile.must if not said[name]]
        assert not missing, f"never said: {missing}; said {dict(said)}"
        assert sum(said.values()) >= self.profile.events
        assert bool(self.profile.limits) == bool(self.env.predictor.refused)


async def play(dut: object, name: str, profile: Profile) -> None:
    """Run one profile as a pyuvm test."""
    Clock(dut.clk, 10, unit="ns").start()
    ConfigDB().set(None, "*", "TEST", name)
    ConfigDB().set(None, "*", "PROFILE", profile)
    await uvm_root().run_test(ProbeTest, keep_singletons=True)


EDGES = ("ENTER", "EXIT", "KNOWN", "DRY", "WET")


@cocotb.test()
async def test_traffic(dut):
    """All shapes of traffic under the reset limits."""
    shapes = ("walk", "boundary", "flip", "hold", "dense")
    await play(dut, "traffic", Profile(shapes, (*EDGES, "BP_ON", "LEVEL")))


@cocotb.test()
async def test_silence(dut):
    """Layers fall silent and come back."""
    await play(dut, "silence", Profile(("sparse", "calm", "silent"), ("KNOWN", "UNKNOWN"), clocks=5000, events=50))


@cocotb.test()
async def test_limits(dut):
    """New limits at any time, refused ones among them."""
    shapes = ("walk", "boundary", "flip", "silent")
    await play(dut, "limits", Profile(shapes, (*EDGES, "LEVEL", "RAW", "BP_LIMITS", "STALE"), limits=0.03))


@cocotb.test()
async def test_everything(dut):
    """Steps, locks and restarts on top."""
    must = (*EDGES, "LEVEL", "RAW", "BP_LIMITS", "STALE", "UNKNOWN", "step")
    shapes = ("walk", "boundary", "flip", "hold", "calm", "silent")
    await play(dut, "everything", Profile(shapes, must, 0.02, 0.01, 0.01, 0.003, clocks=4000))
