# SPDX-License-Identifier: Apache-2.0
"""End-to-end tests of nps_top: constrained random traffic, sinks, clock steps, limits, starts and flushes."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from npuscope.encode.token import instruction
from npuscope.layout import SRC_JITTER, SRC_RAS, SRC_TOKEN
from tb.nps_top.config import SYNC_GAP, WORDS, chosen
from tb.nps_top.env import TopEnv
from tb.nps_top.software import GENTLE, STEADY, Software
from tb.nps_top.truth import write_truth
from tb.vip.axis import always, bursts, never, randomly, stalls
from tb.vip.instruction_port import Issue
from tb.vip.limits_port import random_limits
from tb.vip.player import Play
from tb.vip.sync_port import SHAPES, SyncTrain
from tb.vip.token_port import TokenTraffic
from tb.vip.trace_port import Traffic, together

RESET_CLOCKS = 8
END_CLOCKS = 20_000
QUIET_CLOCKS = 200
"""Clocks until a start has said all its words, in every build."""
LOCKS = ((False, False), (True, False), (False, True), (False, False), (False, True), (True, False))
"""(locked, holdover) in turn: between two steps, so that the steps tell all qualities of time."""
HEARTBEAT_CLOCKS = 100
"""Of slow time."""
LATE_CLOCKS = 700
"""So that their samples show in a counter of 256."""
STEP_CLOCKS = 120
"""A clock step and its group, in every build, take less."""

Pattern = Callable[[random.Random], Iterator[bool]]
SINKS: dict[str, Pattern] = {
    "always": lambda rng: always(),
    "random": lambda rng: randomly(rng, rng.choice([0.2, 0.5, 0.9])),
    "bursts": bursts,
    "stalls": lambda rng: stalls(rng, (20, 300), (100, 900)),
    "never": lambda rng: never(),
}
LIVING = ("always", "random", "bursts", "stalls")


@dataclass(frozen=True)
class Profile:
    """What a test does and what it must have seen.

    Rates are per clock. slow: a clock lasts 1/100 of the heartbeat, so that frames grow old, the first ones without
    contents. gentle: nothing comes during the start, marks and clock steps come apart (a step every ``STEP_CLOCKS``,
    ``LOCKS`` between them): with the shapes paced, wetted and hold no queue can overflow. late: samples with
    backpressure go on after the flush, into a sink that is not ready. dry: the traffic keeps to the layers that can be
    dry. busy: long enough for every kind of order of software, and new configurations are told. at_least, at_most:
    bounds of ``compared`` records, ``lost`` records, ``sessions``, ``refusals``, told ``steps``, ``stalled`` clocks,
    ``groups``, and of groups by cause.
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
    gentle: bool = False
    late: bool = False
    dry: bool = False
    busy: bool = False
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
        self.software: Software | None = None
        if self.build.others:
            self.env.time.frac_step = 77
            self.env.sides.rng = self.rng("sides")
            self.env.pipeline.rng = self.rng("pipeline")
        if self.build.regs:
            self.env.pipeline.resume = 0.005  # mostly software does it
        if self.profile.slow:
            self.env.time.period_ns = self.env.scoreboard.period_ns = self.build.heartbeat_ns // HEARTBEAT_CLOCKS

    def rng(self, what: str) -> random.Random:
        """A generator of its own for each part, so that no part depends on the order of events."""
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{self.name}/{what}")

    async def run_phase(self) -> None:
        self.raise_objection()
        self.dut.enable.value = 0
        self.dut.rst.value = 1
        self.traffic = traffic = [
            Traffic(
                self.rng(f"port {port}"), (self.profile.dry and dry) or layers, self.build.limits, self.profile.shapes
            )
            for port, (layers, dry) in enumerate(zip(self.build.layers, self.build.dry, strict=True))
        ]
        sequencers = self.env.sources()
        self.tokens = TokenTraffic(self.rng("tokens"), WORDS - 3)
        if self.build.regs:
            pins = ("awvalid", "wvalid", "arvalid", "bready", "rready")
            for pin in pins:
                getattr(self.dut, f"s_axil_{pin}").value = 0
        await self.clocks(RESET_CLOCKS)
        if self.build.regs:
            self.software = Software(self.dut, self.rng("software"), self.build, traffic, lambda: self.tokens.ptr)
        self.dut.rst.value = 0
        await self.clocks(3)
        await self.enable(True)
        if self.profile.gentle:
            await self.clocks(QUIET_CLOCKS)
        if self.profile.slow:  # groups by age cut its start to pieces
            await self.clocks(3 * QUIET_CLOCKS + 3 * HEARTBEAT_CLOCKS)
        marks = Play(self.marks())
        limits = Play(self.limits(traffic))
        play = Play(together([iter(t) for t in traffic], self.profile.clocks))
        side = [cocotb.start_soon(play.start(sequencers[port])) for port, play in self.others()]
        side += [
            cocotb.start_soon(marks.start(sequencers["marks"])),
            cocotb.start_soon(limits.start(sequencers["limits"])),
            cocotb.start_soon(self.commands()),
        ]
        self.playing = True
        if self.software is not None:
            side.append(cocotb.start_soon(self.work(self.software)))
        await play.start(sequencers["trace"])
        self.playing = False
        for task in side:
            await task
        await self.finish()
        self.env.scoreboard.judge()
        write_truth(Path(f"{self.name}.npt"), self.env.scoreboard)
        self.drop_objection()

    def others(self) -> Iterator[tuple[str, Play]]:
        """What the ports of the other sources play: all of its faults unless gentle."""
        profile = self.profile
        if SRC_JITTER in self.build.others:
            shapes = ("regular", "noisy") if profile.gentle else tuple(SHAPES)
            train = SyncTrain(self.rng("sync"), SYNC_GAP, shapes, 0.0 if profile.gentle else 0.003)
            yield "sync", Play(islice(train, profile.clocks))
        if SRC_TOKEN in self.build.others:
            share = 0.01 if profile.gentle else self.rng("share").choice([0.02, 0.1, 0.3])
            stream = self.tokens.stream(
                ["plain"] if profile.gentle else ["plain", "busy", "dense"], profile.clocks, share
            )
            yield "tokens", Play(islice(stream, profile.clocks // 2))
            yield "instructions", Play(self.orders())

    def orders(self) -> Iterator[Issue | None]:
        """Token interrupts around the tokens that come, now and then a word that is refused or not ours."""
        rng = self.rng("orders")
        for _ in range(self.profile.clocks // 2):
            if rng.random() >= (0.004 if self.profile.gentle else 0.03):
                yield None
                continue
            word = instruction(rng.choice([1, 2, 4, 8, 15, rng.randrange(16)]), rng.randrange(32))
            if rng.random() < 0.1:
                word ^= 1 << rng.randrange(32)
            yield Issue(word, self.tokens.ptr + rng.randrange(-2, 4) & 0xFFFFFFFF, rng.choice([0, 0, 1, 5]))

    async def clocks(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def enable(self, on: bool) -> None:
        """Start or flush: by the pin, or by software."""
        if self.software is None:
            self.dut.enable.value = int(on)
        else:
            await self.software.enable(on)

    async def work(self, software: Software) -> None:
        """Software does what does not spoil the test, until nothing is played any more."""
        profile = self.profile
        kinds = GENTLE if profile.gentle else STEADY
        while self.playing:
            await software.round((*kinds, "limits") if profile.limits else kinds)

    async def finish(self) -> None:
        """Flush into a sink that is ready, sooner or later, until END is out."""
        await self.enable(False)
        if self.profile.late:
            for traffic in self.traffic:
                traffic.shapes = ("asserted",)
            await Play(together([iter(t) for t in self.traffic], LATE_CLOCKS)).start(self.env.sources()["trace"])
        self.env.sink.pattern = always()
        await self.clocks(4)
        for _ in range(END_CLOCKS):
            await RisingEdge(self.dut.clk)
            if not int(self.dut.active.value):
                break
        else:
            raise AssertionError(f"no END within {END_CLOCKS} clocks")
        await self.clocks(40)

    async def reset(self, clocks: int) -> None:
        """Not in the midst of an access: who drives the port would wait for ever."""
        if self.software is not None:
            await self.software.lock.acquire()
        self.dut.rst.value = 1
        await self.clocks(clocks)
        self.dut.rst.value = 0
        if self.software is not None:
            self.software.forget()
            self.software.lock.release()

    # ---------------------------------------------------------------- stimulus
    def marks(self) -> Iterator[tuple[int, int] | None]:
        """Marks at the profile's rate, now and then some in a row (never if gentle)."""
        rng, run = self.rng("marks"), 0
        for clock in range(self.profile.clocks):
            if self.profile.gentle:
                run = clock % 32 == 0 and rng.random() < 32 * self.profile.marks
            else:
                run = run - 1 if run else rng.randrange(1, 5) * (rng.random() < self.profile.marks)
            yield (rng.randrange(4), rng.getrandbits(32)) if run else None

    def limits(self, traffic: list[Traffic]) -> Iterator[dict | None]:
        """New limits for random ports, each third time illegal; the traffic then aims at their boundaries."""
        rng, times = self.rng("limits"), 0
        for _ in range(self.profile.clocks):
            if self.software is not None or rng.random() >= self.profile.limits:
                yield None
                continue
            new = {port: random_limits(rng) for port in range(len(traffic)) if rng.random() < 0.7}
            times += 1
            if times % 3 == 0:
                new = {port: replace(random_limits(rng), th_on=8, th_off=8) for port in range(len(traffic))}
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
            if (not profile.gentle or clock % STEP_CLOCKS == 0) and rng.random() < profile.steps:
                # a frame that a reset cuts has no CRC, and without it a decoder does not believe a far step
                far = 1_000_000 if profile.resets else 1 << 40
                env.time.step(rng.choice([-1, 1]) * rng.choice([3, 1000, far]))
            if rng.random() < profile.jumps:
                env.time.jump(rng.choice([-1, 1]) * rng.choice([400, 100_000]))
            if profile.gentle and profile.steps and clock % STEP_CLOCKS == STEP_CLOCKS // 2:
                env.time.lock(*LOCKS[clock // STEP_CLOCKS % len(LOCKS)])
            if rng.random() < profile.locks:
                env.time.lock(rng.random() < 0.5, rng.random() < 0.5)
            if rng.random() < (profile.toggles if enabled else 0.05):
                enabled = not enabled
                await self.enable(enabled)
            if rng.random() < profile.resets:
                await self.reset(rng.randrange(1, 4))
                if self.software is not None:
                    await self.enable(enabled)
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
            "stalled": self.env.axis.stalls[-1],
            "groups": scoreboard.causes.total(),
            **scoreboard.causes,
        }
        if self.software is not None and self.profile.busy:
            done, told = self.software.done, scoreboard.configured
            missing = set(STEADY) - done.keys()
            assert not missing, f"software never came to {missing}: {done}"
            assert min(told[SRC_RAS], told[SRC_JITTER]) > 0, f"CFG words told of new configurations: {told}"
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
    wanted = {"compared": 100}
    profile = Profile(2000, ("paced", "hold"), marks=0.005, gentle=True, at_least=wanted, at_most={"lost": 0})
    await play(dut, "no_loss", profile)


@cocotb.test()
async def test_stalls(dut):
    """A sink that stalls for long: records are lost, told, and nothing else suffers."""
    shapes = ("flip", "flip", "dense", "calm")
    await play(dut, "stalls", Profile(2000, shapes, ("stalls", "random"), marks=0.02, at_least={"lost": 200}))


@cocotb.test()
async def test_dead_sink(dut):
    """A sink that is dead from the start: what is watched goes on and is counted until the flush, and told after it."""
    wanted = {"lost": 400, "stalled": 1000}
    await play(dut, "dead_sink", Profile(600, ("flip",), ("never",), 0.02, late=True, at_least=wanted))


@cocotb.test()
async def test_steps(dut):
    """Clock steps and jumps of relative time, lock lost and found."""
    wanted = {"compared": 250, "steps": 10}
    await play(
        dut, "steps", Profile(1800, MIXED, ("always", "bursts"), 0.005, 0.0, 0.01, 0.003, 0.005, at_least=wanted)
    )


@cocotb.test()
async def test_steps_told(dut):
    """Clock steps that nothing is lost to: each closes the frame once, behind the last pair; layers wet by one code."""
    wanted = {"steps": 20, "groups": 12}
    profile = Profile(2000, ("wetted",), steps=1.0, gentle=True, dry=True, at_least=wanted, at_most={"lost": 0})
    await play(dut, "steps_told", profile)


@cocotb.test()
async def test_limits(dut):
    """Run-time limits, legal and not, RAW among them."""
    wanted = {"refusals": 4, "compared": 200}
    profile = Profile(3000, MIXED, ("always", "random"), limits=0.02, busy=True, at_least=wanted)
    await play(dut, "limits", profile)


@cocotb.test()
async def test_restarts(dut):
    """Flush and start again at any time, also while the sink stalls and before END is out."""
    sinks = ("always", "random", "stalls")
    profile = Profile(2500, MIXED, sinks, 0.01, 0.003, 0.002, toggles=0.01, at_least={"sessions": 3})
    await play(dut, "restarts", profile)


@cocotb.test()
async def test_old_frames(dut):
    """Slow time: frames close by age, and the heartbeat comes without events."""
    shapes = ("silent",) * 12 + ("sparse",)
    await play(dut, "old_frames", Profile(1500, shapes, marks=0.004, slow=True, at_least={"heartbeat": 1, "age": 3}))


@cocotb.test()
async def test_resets(dut):
    """Reset at any time: the stream stops at once, and the next one begins as if nothing had been."""
    sinks = ("always", "random")
    profile = Profile(2000, MIXED, sinks, 0.01, 0.003, 0.002, toggles=0.003, resets=0.003, at_least={"sessions": 2})
    await play(dut, "resets", profile)


@cocotb.test()
async def test_everything(dut):
    """All of it at once."""
    wanted = {"compared": 400, "lost": 50, "sessions": 2}
    shapes = (*MIXED, "flip", "dense")
    await play(
        dut, "everything", Profile(3000, shapes, LIVING, 0.02, 0.005, 0.004, 0.001, 0.003, 0.002, at_least=wanted)
    )
