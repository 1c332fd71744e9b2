# SPDX-License-Identifier: Apache-2.0
"""The pyuvm environment of nps_jitter: sync input, time, configuration and statistics drive; one monitor a side; the
scoreboard compares every output of every clock, and every word of every snapshot, with the golden model."""

from __future__ import annotations

from collections import Counter, deque

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component, uvm_env, uvm_monitor, uvm_subscriber

from npuscope.encode import JitterConfig, JitterInputs, JitterModel, JitterUnit, TimeBus
from tb.nps_jitter.harness import WORD_LATENCY, WORDS, Reference, parameters
from tb.signals import known
from tb.vip.ptp_bus import PtpBus
from tb.vip.sync_port import JitterConfigAgent, SyncAgent

__all__ = ["JitterEnv"]


class InputMonitor(uvm_monitor):
    """All inputs of a clock in one item: the rules need them together. None: reset."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)

    def sample(self, clock: int) -> None:
        dut = cocotb.top
        names = ("rel_ns", "ts_ns", "tq", "ts_step", "rel_step")
        rel, ts, tq, ts_step, rel_step = (int(getattr(dut, name).value) for name in names)
        step = dut.step_ns.value.to_signed() if ts_step or rel_step else 0
        apply = None
        if int(dut.cfg_apply.value):
            given = (int(getattr(dut, f"cfg_{name}").value) for name in ("t_nominal", "options", "watchdog"))
            apply = JitterConfig.from_options(*given)
        flags = ("locked", "holdover", "enable", "sync_valid", "phy_changed")
        locked, holdover, enable, sync, phy = (bool(int(getattr(dut, name).value)) for name in flags)
        bus = TimeBus(rel, ts, tq, bool(ts_step), bool(rel_step), step)
        restart = bool(int(dut.restart.value))
        inputs = JitterInputs(bus, int(dut.rel_frac.value), locked, holdover, enable, sync, phy, apply, restart)
        self.ap.write((clock, None if int(dut.rst.value) else inputs, bool(int(dut.stat_snap.value))))


class Predictor(uvm_subscriber):
    """Runs the model on the inputs; ``snapshots`` are the words of those taken and not compared yet."""

    def build_phase(self) -> None:
        self.reference = Reference(JitterModel(parameters()))
        self.snapshots: deque[tuple[int, ...]] = deque()

    def write(self, item: tuple[int, JitterInputs | None, bool]) -> None:
        clock, inputs, snap = item
        if inputs is None:
            self.reference.model.reset(parameters())
            self.reference.statistics = JitterUnit(clock + 33)
            return
        self.reference.clock(clock, inputs, snap)
        if snap:
            self.snapshots.append(self.reference.words)


class StatPort(uvm_component):
    """Takes a snapshot and reads its words, which leave by ``ap``."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.ap = uvm_analysis_port("ap", self)

    async def read(self) -> None:
        """One snapshot, as software would read it."""
        dut, words = self.dut, []
        dut.stat_snap.value = 1
        await RisingEdge(dut.clk)
        dut.stat_snap.value = 0
        await RisingEdge(dut.clk)
        while known(dut.stat_busy):
            await RisingEdge(dut.clk)
        for index in range(WORDS):
            dut.stat_index.value = index
            for _ in range(WORD_LATENCY + 1):
                await RisingEdge(dut.clk)
            words.append(known(dut.stat_word))
        self.ap.write(tuple(words))


class Scoreboard(uvm_subscriber):
    """Compares snapshots when they are read and, asked once a clock, all outputs."""

    def build_phase(self) -> None:
        self.predictor: Predictor | None = None
        self.wrong: list[str] = []
        self.snapshots = 0

    def write(self, words: tuple[int, ...]) -> None:
        due = self.predictor.snapshots.popleft()
        if words != due:
            self.wrong.append(f"snapshot {words} is not {due}")
        self.snapshots += 1

    def sample(self, clock: int) -> None:
        wrong = self.predictor.reference.check(clock, cocotb.top)
        if wrong:
            self.wrong.append(f"clock {clock}: {wrong}")

    def check_phase(self) -> None:
        assert not self.wrong, f"{len(self.wrong)} differences, first {self.wrong[0]}"
        assert not self.predictor.snapshots, "a snapshot was not compared"

    @property
    def said(self) -> Counter[str]:
        """Records by name."""
        return self.predictor.reference.said


class Watch(uvm_component):
    """Lets both sides look at the same clock, the inputs first, after reset has made everything known."""

    def build_phase(self) -> None:
        self.clock = 0

    async def run_phase(self) -> None:
        while True:
            await RisingEdge(cocotb.top.clk)
            if self.clock >= SETTLE:
                self.env.inputs.sample(self.clock)
                self.env.scoreboard.sample(self.clock)
            self.clock += 1


SETTLE = 8
"""Clocks of reset until no input or output is unknown."""


class JitterEnv(uvm_env):
    """Agents, monitors, predictor, scoreboard."""

    def build_phase(self) -> None:
        self.sync = SyncAgent("sync", self)
        self.config = JitterConfigAgent("config", self)
        self.time = PtpBus("time", self)
        self.statistics = StatPort("statistics", self)
        self.inputs = InputMonitor("inputs", self)
        self.predictor = Predictor("predictor", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.watch = Watch("watch", self)

    def connect_phase(self) -> None:
        self.watch.env = self
        self.scoreboard.predictor = self.predictor
        self.inputs.ap.connect(self.predictor.analysis_export)
        self.statistics.ap.connect(self.scoreboard.analysis_export)
