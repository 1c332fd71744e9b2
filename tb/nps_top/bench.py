# SPDX-License-Identifier: Apache-2.0
"""End-to-end tests of nps_top: constrained random traffic, sinks, clock steps, limits, starts and flushes."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from tb.nps_top.config import chosen
from tb.nps_top.env import TopEnv
from tb.nps_top.truth import write_truth
from tb.vip.axis import always, bursts, randomly, stalls
from tb.vip.limits_port import random_limits
from tb.vip.player import Play
from tb.vip.trace_port import Traffic, together

RESET_CLOCKS = 8
END_CLOCKS = 20_000

Pattern = Callable[[random.Random], Iterator[bool]]
SINKS: dict[str, Pattern] = {
    "always": lambda rng: always(),
    "random": lambda rng: randomly(rng, rng.choice([0.2, 0.5, 0.9])),
    "bursts": bursts,
    "stalls": lambda rng: stalls(rng, (20, 300), (100, 900)),
}


@dataclass(frozen=True)
class Profile:
    """What a test does and what it must have seen.

    Rates are per clock. slow: a clock lasts 1/100 of the heartbeat, so that frames grow old. at_least, at_most: bounds
    of ``compared`` records, ``lost`` records, ``sessions``, ``refusals``, told ``steps``, and of groups by cause.
    """

    clocks: int
    shapes: tuple[str, ...]
    sinks: tuple[str, ...] = ("always",)
    marks: float = 0.0
    limits: float = 0.0
    steps: float = 0.0
    jumps: float = 0.0
    locks: float = 0.0
    toggles: float = 0.0
    resets: float = 0.0
    sink_changes: float = 0.002
    slow: bool = False
    at_least: dict[str, int] = field(default_factory=dict)
    at_most: dict[str, int] = field(default_factory=dict)


class TopTest(uvm_test):
    """Plays one profile; the same seed does the same on every simulator."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.name: str = ConfigDB().get(None, "", "TEST")
        self.profile: Profile = ConfigDB().get(None, "", "PROFILE")
        self.build = chosen()
        ConfigDB().set(None, "*", "BUILD", self.build)
        self.env = TopEnv("env", self)

    def connect_phase(self) -> None:
        if self.profile.slow:
            self.env.time.period_ns = self.env.scoreboard.period_ns = self.build.heartbeat_ns // 100

    def rng(self, what: str) -> random.Random:
        """A generator of its own for each part, so that no part depends on the order of events."""
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{self.name}/{what}")

    async def run_phase(self) -> None:
        self.raise_objection()
        self.dut.enable.value = 0
        self.dut.rst.value = 1
        await self.clocks(RESET_CLOCKS)
        self.dut.rst.value = 0
        await self.clocks(3)
        self.dut.enable.value = 1
        traffic = [
            Traffic(self.rng(f"port {port}"), layers, self.build.limits, self.profile.shapes)
            for port, layers in enumerate(self.build.layers)
        ]
        sequencers = self.env.sources()
        marks = Play(self.marks())
        limits = Play(self.limits(traffic))
        play = Play(together([iter(t) for t in traffic], self.profile.clocks))
        side = [
            cocotb.start_soon(marks.start(sequencers["marks"])),
            cocotb.start_soon(limits.start(sequencers["limits"])),
            cocotb.start_soon(self.commands()),
        ]
        await play.start(sequencers["trace"])
        for task in side:
            await task
        await self.finish()
        self.env.scoreboard.judge()
        write_truth(Path(f"{self.name}.npt"), self.env.scoreboard)
        self.drop_objection()

    async def clocks(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def finish(self) -> None:
        """Flush into a sink that is ready, until END is out."""
        self.env.sink.pattern = always()
        self.dut.enable.value = 0
        await self.clocks(4)
        for _ in range(END_CLOCKS):
            await RisingEdge(self.dut.clk)
            if not int(self.dut.active.value):
                break
        else:
            raise AssertionError(f"no END within {END_CLOCKS} clocks")
        await self.clocks(40)

    # ---------------------------------------------------------------- stimulus
    def marks(self) -> Iterator[tuple[int, int] | None]:
        """Marks at the profile's rate, now and then some in a row."""
        rng, run = self.rng("marks"), 0
        for _ in range(self.profile.clocks):
            run = run - 1 if run else rng.randrange(1, 5) * (rng.random() < self.profile.marks)
            yield (rng.randrange(4), rng.getrandbits(32)) if run else None

    def limits(self, traffic: list[Traffic]) -> Iterator[dict | None]:
        """New limits for random ports; the traffic then aims at their boundaries."""
        rng = self.rng("limits")
        for _ in range(self.profile.clocks):
            if rng.random() >= self.profile.limits:
                yield None
                continue
            new = {port: random_limits(rng) for port in range(len(traffic)) if rng.random() < 0.7}
            for port, limits in new.items():
                if limits.legal:
                    traffic[port].limits = limits
            yield new or None

    async def commands(self) -> None:
        """Clock steps, lock changes, starts and flushes, sink patterns."""
        profile, env, rng = self.profile, self.env, self.rng("commands")
        enabled = True
        env.sink.pattern = SINKS[rng.choice(profile.sinks)](self.rng("sink"))
        for clock in range(profile.clocks):
            await RisingEdge(self.dut.clk)
            if rng.random() < profile.steps:
                env.time.step(rng.choice([-1, 1]) * rng.choice([3, 1000, 1 << 40]))
            if rng.random() < profile.jumps:
                env.time.jump(rng.choice([-1, 1]) * rng.choice([400, 100_000]))
            if rng.random() < profile.locks:
                env.time.lock(rng.random() < 0.5, rng.random() < 0.5)
            if rng.random() < (profile.toggles if enabled else 0.05):
                enabled = not enabled
                self.dut.enable.value = int(enabled)
            if rng.random() < profile.resets:
                self.dut.rst.value = 1
                await self.clocks(rng.randrange(1, 4))
                self.dut.rst.value = 0
            if rng.random() < profile.sink_changes:
                env.sink.pattern = SINKS[rng.choice(profile.sinks)](self.rng(f"sink {clock}"))

    # ---------------------------------------------------------------- verdict
    def check_phase(self) -> None:
        scoreboard = self.env.scoreboard
        seen = {
            "compared": scoreboard.compared,
            "lost": scoreboard.lost,
            "sessions": len(scoreboard.walks),
            "refusals": scoreboard.refusals,
            "steps": scoreboard.steps,
            **scoreboard.causes,
        }
        for what, minimum in self.profile.at_least.items():
            assert seen.get(what, 0) >= minimum, f"{what}: {seen.get(what, 0)}, at least {minimum} wanted"
        for what, maximum in self.profile.at_most.items():
            assert seen.get(what, 0) <= maximum, f"{what}: {seen.get(what, 0)}, at most {maximum} wanted"


async def play(dut: object, name: str, profile: Profile) -> None:
    """Run one profile as a pyuvm test."""
    Clock(dut.clk, 5, unit="ns").start()
    ConfigDB().set(None, "*", "TEST", name)
    ConfigDB().set(None, "*", "PROFILE", profile)
    await uvm_root().run_test(TopTest, keep_singletons=True)


MIXED = ("walk", "boundary", "hold", "calm", "silent")


@cocotb.test()
async def test_no_loss(dut):
    """A ready sink and moderate traffic: nothing is lost."""
    profile = Profile(3000, ("sparse", "hold", "calm"), marks=0.005, at_least={"compared": 150}, at_most={"lost": 0})
    await play(dut, "no_loss", profile)


@cocotb.test()
async def test_stalls(dut):
    """A sink that stalls for long: records are lost, told, and nothing else suffers."""
    profile = Profile(3000, ("flip", "dense", "calm"), ("stalls", "random"), marks=0.02, at_least={"lost": 200})
    await play(dut, "stalls", profile)


@cocotb.test()
async def test_steps(dut):
    """Clock steps and jumps of relative time, lock lost and found."""
    profile = Profile(
        2500, MIXED, ("always", "bursts"), 0.005, 0.0, 0.01, 0.003, 0.005, at_least={"compared": 400, "steps": 20}
    )
    await play(dut, "steps", profile)


@cocotb.test()
async def test_limits(dut):
    """Run-time limits, legal and not, RAW among them."""
    profile = Profile(2500, MIXED, ("always", "random"), limits=0.02, at_least={"refusals": 5, "compared": 400})
    await play(dut, "limits", profile)


@cocotb.test()
async def test_restarts(dut):
    """Flush and start again at any time, also while the sink stalls and before END is out."""
    profile = Profile(
        3500, MIXED, ("always", "random", "stalls"), 0.01, 0.003, 0.002, toggles=0.01, at_least={"sessions": 8}
    )
    await play(dut, "restarts", profile)


@cocotb.test()
async def test_old_frames(dut):
    """Slow time: frames close by age, and the heartbeat comes without events."""
    profile = Profile(2500, ("silent",) * 12 + ("sparse",), marks=0.004, slow=True, at_least={"heartbeat": 1, "age": 3})
    await play(dut, "old_frames", profile)


@cocotb.test()
async def test_resets(dut):
    """Reset at any time: the stream stops at once, and the next one begins as if nothing had been."""
    profile = Profile(
        3000, MIXED, ("always", "random"), 0.01, 0.003, 0.002, toggles=0.003, resets=0.003, at_least={"sessions": 5}
    )
    await play(dut, "resets", profile)


@cocotb.test()
async def test_everything(dut):
    """All of it at once."""
    profile = Profile(
        4000,
        (*MIXED, "flip", "dense"),
        tuple(SINKS),
        0.02,
        0.005,
        0.004,
        0.001,
        0.003,
        0.002,
        at_least={"compared": 500, "lost": 50, "sessions": 3},
    )
    await play(dut, "everything", profile)
