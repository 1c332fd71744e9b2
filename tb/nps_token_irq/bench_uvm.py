# SPDX-License-Identifier: Apache-2.0
"""pyuvm tests of the token interrupt: streams of several shapes, with nested interrupts, trimming, injection."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from npuscope.encode.token import instruction
from tb.nps_token_irq.checker import EV_LATENCY, parameters
from tb.nps_token_irq.env import SETTLE, Rates, TokenEnv
from tb.vip.instruction_port import Issue
from tb.vip.player import Play
from tb.vip.token_port import TokenTraffic


@dataclass(frozen=True)
class Profile:
    """Shapes of the tokens, share of clocks with one, how often an instruction comes, and what must have been told."""

    shapes: tuple[str, ...]
    must: tuple[str, ...]
    rates: Rates
    tokens: int = 700
    share: float = 0.8
    orders: float = 0.1
    steps: float = 0.0
    events: int = 700
    nested: int = 0


class TokenTest(uvm_test):
    """Plays the profile in ConfigDB; the same seed does the same on every simulator."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.profile: Profile = ConfigDB().get(None, "", "PROFILE")
        self.words = parameters()["WORDS"]
        ConfigDB().set(None, "*", "WORDS", self.words)
        ConfigDB().set(None, "*", "RATES", self.profile.rates)
        ConfigDB().set(None, "*", "RNG", self.rng("surroundings"))
        self.env = TokenEnv("env", self)

    def rng(self, part: str) -> random.Random:
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{ConfigDB().get(None, '', 'TEST')}/{part}")

    async def run_phase(self) -> None:
        self.raise_objection()
        dut = self.dut
        dut.rst.value = 1
        for _ in range(2 * SETTLE):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        self.env.surroundings.begin()
        self.traffic = TokenTraffic(self.rng("tokens"), self.words - 3)
        stream = self.traffic.stream(list(self.profile.shapes), self.profile.tokens, self.profile.share)
        self.over = False
        running = cocotb.start_soon(Play(self.orders()).start(self.env.instructions.sequencer))
        steps = cocotb.start_soon(self.steps())
        await Play(stream).start(self.env.tokens.sequencer)
        self.over = True
        await running
        await steps
        for _ in range(2 * EV_LATENCY):
            await RisingEdge(dut.clk)
        self.drop_objection()

    def orders(self) -> Iterator[Issue | None]:
        """Orders around the tokens that come, now and then a word that is refused or not ours."""
        rng = self.rng("orders")
        while not self.over:
            if rng.random() >= self.profile.orders:
                yield None
                continue
            word = instruction(rng.choice([1, 2, 4, 8, 15, 15, rng.randrange(16)]), rng.randrange(32))
            if rng.random() < 0.1:
                word ^= 1 << rng.randrange(32)
            yield Issue(word, self.traffic.ptr + rng.randrange(-2, 4) & 0xFFFFFFFF, rng.choice([0, 0, 1, 5]))

    async def steps(self) -> None:
        rng, time = self.rng("steps"), self.env.time
        while not self.over:
            await RisingEdge(self.dut.clk)
            if rng.random() < self.profile.steps:
                rng.choice([time.step, time.jump])(rng.choice([-1, 1]) * rng.choice([1, 300, 1 << 40]))

    def check_phase(self) -> None:
        checker = self.env.scoreboard.checker
        cocotb.log.info("told %s", dict(checker.said))
        missing = [name for name in self.profile.must if not checker.said[name]]
        assert not missing, f"never told: {missing}; told {dict(checker.said)}"
        assert checker.compared >= self.profile.events
        assert checker.model.nested >= self.profile.nested


async def play(dut: object, name: str, profile: Profile) -> None:
    """Run one profile as a pyuvm test."""
    Clock(dut.clk, 10, unit="ns").start()
    ConfigDB().set(None, "*", "TEST", name)
    ConfigDB().set(None, "*", "PROFILE", profile)
    await uvm_root().run_test(TokenTest, keep_singletons=True)


INTERRUPT = ("FIRST", "NEXT", "TOKINT", "FROZEN", "RESUMED")


@cocotb.test()
async def test_stream(dut):
    """Interrupts in a stream of all shapes, with room in the pipeline most of the time."""
    await play(dut, "stream", Profile(("plain", "busy", "dense"), INTERRUPT, Rates()))


@cocotb.test()
async def test_nested(dut):
    """A dense stream and software that takes its time: conditions held over almost every freeze."""
    profile = Profile(("dense",), INTERRUPT, Rates(resume=0.1, memory=0.5), tokens=400, share=1.0, orders=0.05)
    await play(dut, "nested", replace(profile, events=400, nested=5))


@cocotb.test()
async def test_trimming(dut):
    """Trimming after most interrupts, with little room in the pipeline."""
    profile = Profile(("plain", "busy"), (*INTERRUPT, "TRIMMED"), Rates(ready=0.4, trim=0.95), orders=0.3)
    await play(dut, "trimming", profile)


@cocotb.test()
async def test_everything(dut):
    """Registers, limits, injection, restarts and clock steps on top."""
    rates = Rates(0.8, 0.3, 0.5, 0.3, 0.05, 0.05, 0.05, 0.005)
    profile = Profile(("plain", "busy", "dense"), (*INTERRUPT, "TRIMMED", "step"), rates, steps=0.02)
    await play(dut, "everything", profile)
