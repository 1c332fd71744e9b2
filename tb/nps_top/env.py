# SPDX-License-Identifier: Apache-2.0
"""The pyuvm environment of nps_top: agents that drive, monitors that watch, a scoreboard that compares every bit."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_analysis_port, uvm_component, uvm_env, uvm_monitor

from npuscope.encode import BpLimits, Sample, TimeBus, Token, TokenInputs, TopClock
from npuscope.layout import SRC_TOKEN
from tb.nps_ras_map.traffic import Responder
from tb.nps_top.config import MEM_LOW, WORDS, Build
from tb.nps_top.registers import LATE, SHOWN, Bus, Orders, Write
from tb.nps_top.scoreboard import Scoreboard
from tb.vip.axis import AxisMonitor, AxisSink
from tb.vip.instruction_port import InstructionAgent
from tb.vip.limits_port import FIELDS, LimitsAgent
from tb.vip.mark_port import MarkAgent
from tb.vip.sync_port import SyncAgent
from tb.vip.time_source import TimeSource
from tb.vip.token_port import TokenAgent
from tb.vip.trace_port import TraceAgent

__all__ = ["InputMonitor", "TopEnv"]

SETTLE = 3
"""Clocks of reset before the first one that is watched, so that nothing is unknown any more."""


class InputMonitor(uvm_monitor):
    """All inputs of one clock in one ``TopClock``, since the model needs them together; cfg_error beside it.

    With registers they come ``late`` clocks later, completed by what the registers give.
    """

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.ap = uvm_analysis_port("ap", self)
        self.ports = len(ConfigDB().get(self, "", "BUILD").layers)
        build: Build = ConfigDB().get(self, "", "BUILD")
        self.tokens = SRC_TOKEN in build.others
        self.late = LATE if build.regs else 0
        self.bus, self.orders = Bus(self._pin), Orders(self.ports, build.ras.s_count)
        self._writes: dict[int, Write] = {}
        self._seen: deque[tuple[Any, ...]] = deque()
        self._completed: TopClock | None = None
        self._handles: dict[str, Any] = {}

    def sample(self, clock: int) -> None:
        """One clock, called right after its edge."""
        dut = self.dut
        step = self._pin("ts_step"), self._pin("rel_step")
        inputs = TopClock(
            rel_ns=self._pin("rel_ns"),
            ts_ns=self._pin("ts_ns"),
            locked=bool(self._pin("locked")),
            holdover=bool(self._pin("holdover")),
            ts_step=bool(step[0]),
            rel_step=bool(step[1]),
            step_ns=dut.step_ns.value.to_signed() if any(step) else 0,
            samples=self._samples(),
            mark=(self._pin("mark_sub"), self._pin("mark_value")) if self._pin("mark_valid") else None,
            apply=self._limits(),
            enable=bool(self._pin("enable")),
            sampling=bool(self._pin("sampling")),
            active=bool(self._pin("active")),
            reset=bool(self._pin("rst")),
            frac=self._pin("rel_frac"),
            sync=bool(self._pin("sync_valid")),
            phy_changed=bool(self._pin("phy_changed")),
            acks=(bool(self._pin("crc_reneg_ack")), bool(self._pin("phy_switch_ack"))),
            reneg_done=bool(self._pin("reneg_done")),
            token=self._token() if self.tokens else None,
        )
        levels = tuple(bool(self._pin(name)) for name in ("sync_lost", "crc_reneg_req", "phy_switch_req"))
        stream = tuple(bool(self._pin(name)) for name in ("tok_ready", "pipe_valid", "pipe_freeze"))
        seen = clock, inputs, self._pin("cfg_error"), levels, stream
        if not self.late:
            return self.ap.write(seen)
        write = self.bus.clock(inputs.reset)
        if write is not None:
            self._writes[clock - SHOWN] = write
        self._seen.append(seen)
        if len(self._seen) > SHOWN:
            self._complete()
        return None

    def _complete(self) -> None:
        """The registers of the clock that is SHOWN clocks old; the clock before it is then complete."""
        clock, inputs = self._seen[-1 - SHOWN][:2]
        before, write = self._completed, self._writes.pop(clock, None)
        self._completed = self.orders.clock(write, inputs)
        if before is not None:
            clock, _, *outputs = self._seen.popleft()
            self.ap.write((clock, replace(before, **self.orders.behind), *outputs))
        if inputs.reset:
            self.orders.reset()

    def _pin(self, name: str) -> int:
        handle = self._handles.get(name)
        if handle is None:
            handle = self._handles[name] = getattr(self.dut, name)
        return int(handle.value)

    def _samples(self) -> dict[int, Sample]:
        valid = self._pin("trace_valid")
        if not valid:
            return {}
        layer, occ, bp = self._pin("layer_id"), self._pin("buf_occupancy"), self._pin("backpressure_en")
        return {
            port: Sample(layer >> 5 * port & 31, occ >> 6 * port & 63, bp >> port & 1)
            for port in range(self.ports)
            if valid >> port & 1
        }

    def _token(self) -> TokenInputs:
        token = None
        if self._pin("tok_valid"):
            own = self._pin("tok_ctx")
            flags = (bool(self._pin(f"tok_{name}")) for name in ("first", "eos", "eosp", "boundary"))
            words = tuple(own >> 32 * i & 0xFFFFFFFF for i in range(WORDS - 3))
            names = (self._pin(f"tok_{name}") for name in ("ptr", "id", "layer", "slot"))
            token = Token(*names, *flags, words)
        taken = self._pin("ins_valid") and self._pin("ins_ready")
        return TokenInputs(
            TimeBus(0, 0),
            token,
            bool(self._pin("pipe_ready")),
            self._pin("mem_free"),
            (self._pin("ins_word"), self._pin("ins_rs1")) if taken else None,
            resume=bool(self._pin("token_resume")),
            trim=bool(self._pin("token_trim")),
        )

    def _limits(self) -> dict[int, BpLimits]:
        apply = self._pin("cfg_apply")
        if not apply:
            return {}
        words = {pin: self._pin(pin) for pin in FIELDS}
        out = {}
        for port in range(self.ports):
            if apply >> port & 1:
                fields = {
                    name: words[pin] >> port * width & ((1 << width) - 1) for pin, (name, width) in FIELDS.items()
                }
                out[port] = BpLimits(**fields)
        return out


class RasSides(uvm_component):
    """The other sides of both requests, and reneg_done now and then: they answer in the clock after they see req."""

    def build_phase(self) -> None:
        self.rng: random.Random | None = None

    async def run_phase(self) -> None:
        dut, rng = cocotb.top, self.rng
        pins = (dut.crc_reneg_ack, dut.phy_switch_ack)
        for pin in (*pins, dut.reneg_done):
            pin.value = 0
        if rng is None:
            return
        sides = Responder(rng), Responder(rng)
        shown = [0, 0, 0]
        while True:
            await RisingEdge(dut.clk)
            reqs = [int(req.value) if req.value.is_resolvable else 0 for req in (dut.crc_reneg_req, dut.phy_switch_req)]
            values = [*(side.next(req) for side, req in zip(sides, reqs, strict=True)), int(rng.random() < 0.01)]
            for n, pin in enumerate((*pins, dut.reneg_done)):
                if shown[n] != values[n]:
                    pin.value = shown[n] = values[n]


class TokenSides(uvm_component):
    """The pipeline behind the tokens, its memory, and who answers the interrupt."""

    def build_phase(self) -> None:
        self.rng: random.Random | None = None
        self.ready, self.resume = 0.9, 0.3

    async def run_phase(self) -> None:
        dut, rng = cocotb.top, self.rng
        shown = {"pipe_ready": 1, "mem_free": 0xFFFF, "token_resume": 0, "token_trim": 0}
        for name, value in shown.items():
            getattr(dut, name).value = value
        while rng is not None:
            await RisingEdge(dut.clk)
            low = max(0, rng.choice(MEM_LOW) + rng.choice([-1, 0, 1])) if rng.random() < 0.5 else 0xFFFF
            new = {"pipe_ready": int(rng.random() < self.ready), "token_resume": int(rng.random() < self.resume)}
            new["mem_free"] = low if rng.random() < 0.2 else shown["mem_free"]
            new["token_trim"] = rng.getrandbits(1) if rng.random() < 0.05 else shown["token_trim"]
            for name, value in new.items():
                if shown[name] != value:
                    shown[name] = value
                    getattr(dut, name).value = value


class Watch(uvm_component):
    """Counts the clocks and lets all monitors sample the same one."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.clock = 0

    async def run_phase(self) -> None:
        for _ in range(SETTLE):
            await RisingEdge(self.dut.clk)
        while True:
            await RisingEdge(self.dut.clk)
            self.env.inputs.sample(self.clock)
            self.env.axis.sample(self.clock, bool(int(self.dut.rst.value)))
            self.clock += 1


class TopEnv(uvm_env):
    """Agents by port, one sink, one scoreboard."""

    def build_phase(self) -> None:
        self.build: Build = ConfigDB().get(self, "", "BUILD")
        self.trace = TraceAgent("trace", self)
        self.marks = MarkAgent("marks", self)
        self.limits = LimitsAgent("limits", self)
        self.sync = SyncAgent("sync", self)
        self.sides = RasSides("sides", self)
        self.tokens = TokenAgent("tokens", self)
        self.instructions = InstructionAgent("instructions", self)
        self.pipeline = TokenSides("pipeline", self)
        self.time = TimeSource("time", self)
        self.sink = AxisSink("sink", self)
        self.inputs = InputMonitor("inputs", self)
        self.axis = AxisMonitor("axis", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.watch = Watch("watch", self)

    def connect_phase(self) -> None:
        self.watch.env = self
        self.scoreboard.axis, self.scoreboard.late = self.axis, self.inputs.late
        self.inputs.ap.connect(self.scoreboard.analysis_export)

    def sources(self) -> dict[str, Any]:
        """Sequencers by port name."""
        return {
            name: getattr(self, name).sequencer
            for name in ("trace", "marks", "limits", "sync", "tokens", "instructions")
        }
