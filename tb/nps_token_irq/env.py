# SPDX-License-Identifier: Apache-2.0
"""The pyuvm environment of the token interrupt: agents for instructions and tokens, the pipeline behind, the software
that answers; one monitor of all inputs; a scoreboard that holds the golden models and compares every output."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_analysis_port, uvm_component, uvm_env, uvm_monitor, uvm_subscriber

from npuscope.encode import Order, TimeBus, Token, TokenInputs
from tb.nps_token_irq.checker import EV_LATENCY, Checker, Injection
from tb.vip.instruction_port import InstructionAgent
from tb.vip.time_source import TimeSource
from tb.vip.token_port import TokenAgent

__all__ = ["SETTLE", "Rates", "TokenEnv"]

SETTLE = EV_LATENCY + 4
"""Clocks of reset until no input or output is unknown."""


@dataclass(frozen=True)
class Rates:
    """How likely things are, per clock. ready: of the pipeline. resume: while frozen. memory: a new level."""

    ready: float = 0.9
    resume: float = 0.3
    trim: float = 0.0
    memory: float = 0.2
    arm: float = 0.0
    limits: float = 0.0
    inject: float = 0.0
    restart: float = 0.0


class Surroundings(uvm_component):
    """What is neither tokens nor instructions: room in the pipeline, memory, and software that acts at random.

    Drives its pins every clock; ``begin`` lets it do more than hold them still.
    """

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.rates: Rates = ConfigDB().get(self, "", "RATES")
        self.rng: random.Random = ConfigDB().get(self, "", "RNG")
        self.running = False
        self._shown: dict[str, int] = {}
        self._trim = self._inject = False
        self._free = 0xFFFF

    def begin(self) -> None:
        """From the next clock on."""
        self.running = True

    def _show(self, **pins: int) -> None:
        for name, value in pins.items():
            if self._shown.get(name) != value:
                self._shown[name] = value
                getattr(self.dut, name).value = value

    def _happens(self, share: float) -> bool:
        return self.running and self.rng.random() < share

    async def run_phase(self) -> None:
        self._show(inj_first=0, inj_every=0, inj_layer=0, inj_force=0)
        while True:
            self._clock()
            await RisingEdge(self.dut.clk)

    def _clock(self) -> None:
        rates, rng = self.rates, self.rng
        if self._happens(rates.memory):
            self._free = max(0, rng.choice([0, 10, 20, 30, 0xFFFF]) + rng.choice([-1, 0, 1])) & 0xFFFF
        if self._happens(0.05):
            self._trim = rng.random() < rates.trim
        if self._happens(rates.inject):
            self._inject = not self._inject
            if self._inject:
                self._show(inj_first=rng.randrange(4), inj_every=rng.randrange(3))
                self._show(inj_layer=rng.randrange(2), inj_force=rng.randrange(1, 16))
        on = rng.choice([9, 10, 11])
        self._show(
            pipe_ready=int(not self.running or self._happens(rates.ready)),
            mem_free=self._free,
            resume=int(self._happens(rates.resume)),
            trim=int(self._trim),
            inj_enable=int(self._inject),
            arm=int(self._happens(rates.arm)),
            arm_ptr=(1 << 32) - rng.randrange(1, 60),
            arm_mask=rng.randrange(16),
            cfg_apply=int(self._happens(rates.limits)),
            cfg_mem_low_on=on,
            cfg_mem_low_off=on + rng.choice([-1, 0, 1, 10]),
            restart=int(self._happens(rates.restart)),
        )


class InputMonitor(uvm_monitor):
    """All inputs of a clock in one item: the rules need them together."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)
        self.words = ConfigDB().get(self, "", "WORDS")

    def sample(self) -> None:
        dut = cocotb.top

        def pin(name: str) -> int:
            return int(getattr(dut, name).value)

        steps = bool(pin("ts_step")), bool(pin("rel_step"))
        bus = TimeBus(0, pin("ts_ns"), pin("tq"), *steps, dut.step_ns.value.to_signed() if any(steps) else 0)
        token = self._token(pin) if pin("tok_valid") else None
        inputs = TokenInputs(
            bus,
            token,
            bool(pin("pipe_ready")),
            pin("mem_free"),
            (pin("ins_word"), pin("ins_rs1")) if pin("ins_valid") and pin("ins_ready") else None,
            Order(pin("arm_ptr"), pin("arm_mask")) if pin("arm") else None,
            0,
            bool(pin("resume")),
            bool(pin("trim")),
            (pin("cfg_mem_low_on"), pin("cfg_mem_low_off")) if pin("cfg_apply") else None,
            bool(pin("restart")),
            bool(pin("rst")),
        )
        injection = None
        if pin("inj_enable"):
            injection = Injection(pin("inj_first"), pin("inj_every"), pin("inj_layer"), pin("inj_force"))
        self.ap.write((inputs, injection))

    def _token(self, pin) -> Token:
        own = pin("tok_ctx")
        flags = (bool(pin(f"tok_{name}")) for name in ("first", "eos", "eosp", "boundary"))
        words = tuple(own >> 32 * i & 0xFFFFFFFF for i in range(self.words - 3))
        return Token(pin("tok_ptr"), pin("tok_id"), pin("tok_layer"), pin("tok_slot"), *flags, words)


class Scoreboard(uvm_subscriber):
    """Every output of every clock against the models; the first difference ends the test."""

    def build_phase(self) -> None:
        self.checker = Checker()
        self.wrong: list[str] = []

    def write(self, item: tuple[TokenInputs, Injection | None]) -> None:
        if self.wrong:
            return
        try:
            self.checker.check(cocotb.top, *item)
        except AssertionError as error:
            self.wrong.append(str(error))

    def check_phase(self) -> None:
        assert not self.wrong, self.wrong[0]


class Watch(uvm_component):
    """Lets the monitor sample each clock."""

    async def run_phase(self) -> None:
        clock = 0
        while True:
            await RisingEdge(cocotb.top.clk)
            if clock >= SETTLE:
                self.env.inputs.sample()
            clock += 1


class TokenEnv(uvm_env):
    """Agents, surroundings, monitor, scoreboard."""

    def build_phase(self) -> None:
        self.tokens = TokenAgent("tokens", self)
        self.instructions = InstructionAgent("instructions", self)
        self.time = TimeSource("time", self)
        self.surroundings = Surroundings("surroundings", self)
        self.inputs = InputMonitor("inputs", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.watch = Watch("watch", self)

    def connect_phase(self) -> None:
        self.watch.env = self
        self.inputs.ap.connect(self.scoreboard.analysis_export)
