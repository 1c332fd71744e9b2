# SPDX-License-Identifier: Apache-2.0
"""The pyuvm environment of nps_ras_map: agents for samples, software and configuration, time, the other sides of the
requests; one monitor of all inputs, and a scoreboard that holds the golden books."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_agent, uvm_analysis_port, uvm_component, uvm_env, uvm_monitor, uvm_sequencer, uvm_subscriber

from npuscope.encode.ras import RasConfig
from tb.nps_ras_map.harness import CONFIGURED, Books, offered
from tb.nps_ras_map.traffic import Responder
from tb.vip.player import Player

__all__ = ["RasEnv"]

PINS = (
    "rst", "enable", "sync_lost_a", "js_valid", "js_ok", "js_jitter", "js_saturated", "js_sync_lost", "js_phy_changed",
    "js_rel_ns", "js_ts_ns", "js_tq", "js_ts_step", "js_rel_step", "js_step_ns", "crc_reneg_ack", "phy_switch_ack",
    "reneg_done", "cfg_apply", "clear", "inject", *(f"cfg_{name}" for name in CONFIGURED),
)  # fmt: skip


class SamplePlayer(Player):
    """Drives js_*; a value is a dict of jitter (1/256 ns), ok, saturated, or lost, or phy."""

    def drive(self, value: dict[str, Any]) -> None:
        jitter = value.get("jitter")
        self.show(
            js_valid=int(jitter is not None), js_ok=int(jitter is not None and value.get("ok", True)),
            js_jitter=(jitter or 0) & 0xFFFFFFFF, js_saturated=int(value.get("saturated", False)),
            js_sync_lost=int(value.get("lost", False)), js_phy_changed=int(value.get("phy", False)),
        )  # fmt: skip

    def idle(self) -> None:
        self.drive({})


class SoftwarePlayer(Player):
    """Drives enable (kept), reneg_done, clear, inject; a value is a dict of them."""

    def drive(self, value: dict[str, int]) -> None:
        self.show(reneg_done=value.get("reneg", 0), clear=value.get("clear", 0), inject=value.get("inject", 0))
        if "enable" in value:
            self.show(enable=value["enable"])

    def idle(self) -> None:
        self.drive({})


class ConfigPlayer(Player):
    """Drives cfg_*; a value is a configuration to show, or True: apply what is shown."""

    def drive(self, value: RasConfig | bool) -> None:
        if value is True:
            self.show(cfg_apply=1)
        else:
            self.show(cfg_apply=0, **{f"cfg_{name}": getattr(value, name) for name in CONFIGURED})

    def idle(self) -> None:
        self.show(cfg_apply=0)


class Agent(uvm_agent):
    """Sequencer and driver; a subclass names its driver."""

    player: type[Player] = Player

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = self.player("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


class SampleAgent(Agent):
    player = SamplePlayer


class SoftwareAgent(Agent):
    player = SoftwarePlayer


class ConfigAgent(Agent):
    player = ConfigPlayer


class JsTime(uvm_component):
    """The time that comes with the samples; ``offset`` and ``jump`` take effect in the next clock."""

    def build_phase(self) -> None:
        self.period_ns, self.rel, self.ts, self.tq = 5, 1000, 1_700_000_000_000_000_000, 2
        self.offset: int | None = None
        self.jump: int | None = None

    async def run_phase(self) -> None:
        dut = cocotb.top
        while True:
            offset, jump, self.offset, self.jump = self.offset, self.jump, None, None
            step = (offset or 0) + (jump or 0)
            self.rel = (self.rel + self.period_ns + (jump or 0)) & ((1 << 48) - 1)
            self.ts = (self.ts + self.period_ns + step) & ((1 << 63) - 1)
            dut.js_rel_ns.value, dut.js_ts_ns.value, dut.js_tq.value = self.rel, self.ts, self.tq
            dut.js_ts_step.value, dut.js_rel_step.value = int(offset is not None), int(jump is not None)
            dut.js_offer.value, dut.lost_told.value = offered(self.ts), 1
            dut.js_step_ns.value = step & ((1 << 64) - 1)
            await RisingEdge(dut.clk)


class Sides(uvm_component):
    """The other sides of both requests; they answer in the clock after they see req."""

    def build_phase(self) -> None:
        self.rng = random.Random(0)

    async def run_phase(self) -> None:
        dut = cocotb.top
        sides = Responder(self.rng), Responder(self.rng)
        while True:
            reqs = [int(req.value) if req.value.is_resolvable else 0 for req in (dut.crc_reneg_req, dut.phy_switch_req)]
            dut.crc_reneg_ack.value, dut.phy_switch_ack.value = (
                side.next(req) for side, req in zip(sides, reqs, strict=True)
            )
            await RisingEdge(dut.clk)


class InputMonitor(uvm_monitor):
    """All inputs of each clock out of reset."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)

    async def run_phase(self) -> None:
        dut = cocotb.top
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value.is_resolvable and not int(dut.rst.value):
                self.ap.write({name: int(getattr(dut, name).value) for name in PINS})


class Scoreboard(uvm_subscriber):
    """The books: the first difference is kept, and ends the comparison."""

    def build_phase(self) -> None:
        self.books = Books(cocotb.top)
        self.wrong = ""

    def write(self, pins: dict[str, int]) -> None:
        if not self.wrong:
            try:
                self.books.observe(pins)
            except AssertionError as error:
                self.wrong = str(error) or repr(error)

    def check_phase(self) -> None:
        assert not self.wrong, self.wrong
        assert not self.books.queue, "records that were never told"


class RasEnv(uvm_env):
    """Agents, monitor, scoreboard."""

    def build_phase(self) -> None:
        self.samples = SampleAgent("samples", self)
        self.software = SoftwareAgent("software", self)
        self.config = ConfigAgent("config", self)
        self.time = JsTime("time", self)
        self.sides = Sides("sides", self)
        self.inputs = InputMonitor("inputs", self)
        self.scoreboard = Scoreboard("scoreboard", self)

    def connect_phase(self) -> None:
        self.inputs.ap.connect(self.scoreboard.analysis_export)
