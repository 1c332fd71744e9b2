# SPDX-License-Identifier: Apache-2.0
"""The pyuvm environment of nps_bp_probe: trace port, limits and time drive; one monitor a side; a scoreboard compares
every event with the golden model, bit by bit and clock by clock."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_analysis_port, uvm_component, uvm_env, uvm_monitor, uvm_subscriber

from npuscope.encode import BpLimits, BpProbeModel, Sample, SourceConfig, TimeBus
from tb.nps_bp_probe.harness import LATENCY, Event, readable
from tb.vip.limits_port import FIELDS, LimitsAgent
from tb.vip.time_source import TimeSource
from tb.vip.trace_port import TraceAgent

__all__ = ["Inputs", "ProbeEnv"]


@dataclass(frozen=True)
class Inputs:
    """What the probe sees in one clock."""

    bus: TimeBus
    sample: Sample | None
    apply: BpLimits | None
    restart: bool
    reset: bool


class InputMonitor(uvm_monitor):
    """All inputs of a clock in one item: the rules need them together."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)

    def sample(self, clock: int) -> None:
        dut = cocotb.top
        pins = {name: int(getattr(dut, name).value) for name in _INPUTS}
        step = pins["ts_step"], pins["rel_step"]
        jump = dut.step_ns.value.to_signed() if any(step) else 0
        bus = TimeBus(pins["rel_ns"], pins["ts_ns"], pins["tq"], bool(step[0]), bool(step[1]), jump)
        sample = apply = None
        if pins["trace_valid"]:
            sample = Sample(*(int(getattr(dut, pin).value) for pin in ("layer_id", "buf_occupancy", "backpressure_en")))
        if pins["cfg_apply"]:
            apply = BpLimits(**{name: int(getattr(dut, pin).value) for pin, (name, _) in FIELDS.items()})
        self.ap.write((clock, Inputs(bus, sample, apply, bool(pins["restart"]), bool(pins["rst"]))))


_INPUTS = ("rst", "restart", "rel_ns", "ts_ns", "tq", "ts_step", "rel_step", "trace_valid", "cfg_apply")


class EventMonitor(uvm_monitor):
    """The event port, one item a clock (None: nothing said)."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)

    def sample(self, clock: int) -> None:
        dut, event = cocotb.top, None
        if int(dut.ev_valid.value) or int(dut.ev_step.value):
            record = tuple(int(getattr(dut, f"ev_{name}").value) for name in ("kind", "sub", "payload"))
            event = Event(
                clock - LATENCY,
                int(dut.ev_ts.value),
                int(dut.ev_tq.value),
                int(dut.ev_bp_samples.value),
                record if int(dut.ev_valid.value) else None,
                dut.ev_step_ns.value.to_signed() if int(dut.ev_step.value) else None,
            )
        self.ap.write((clock, event))


class Predictor(uvm_subscriber):
    """Runs the model on the inputs; ``expected`` are the events to come, ``refused`` counts refused limits."""

    def build_phase(self) -> None:
        build = ConfigDB().get(self, "", "BUILD")
        config = SourceConfig(build["LAYERS"], build["DRY_MASK"], BpLimits(stale_ns=build["STALE_NS"]))
        self.model = BpProbeModel(config, 0, build["STEADY"])
        self.expected: deque[Event] = deque()
        self.refused = 0

    def write(self, item: tuple[int, Inputs]) -> None:
        clock, inputs = item
        restart = inputs.restart or inputs.reset
        entry = self.model.clock(inputs.bus, inputs.sample, None if inputs.reset else inputs.apply, restart)
        self.refused += self.model.cfg_error
        if restart:
            self.expected = deque(event for event in self.expected if event.clock + LATENCY <= clock)
        if entry is not None:
            record = None if entry.kind is None else (int(entry.kind), int(entry.sub), entry.payload)
            self.expected.append(Event(clock, entry.ts, entry.tq, entry.bp_samples, record, entry.step_ns))


class Scoreboard(uvm_subscriber):
    """Compares what was said with what was expected; ``said`` counts the records by name."""

    def build_phase(self) -> None:
        self.predictor: Predictor | None = None
        self.wrong: list[str] = []
        self.said: Counter[str] = Counter()

    def write(self, item: tuple[int, Event | None]) -> None:
        clock, event = item
        queue = self.predictor.expected
        due = queue.popleft() if queue and queue[0].clock + LATENCY == clock else None
        if event != due:
            self.wrong.append(f"clock {clock - LATENCY}: probe {event}, model {due}")
        elif event is not None:
            self.said["step" if event.record is None else readable(*event.record)[0]] += 1

    def check_phase(self) -> None:
        assert not self.wrong, f"{len(self.wrong)} clocks differ, first {self.wrong[0]}"


class Watch(uvm_component):
    """Lets both monitors sample the same clock, the inputs first."""

    def build_phase(self) -> None:
        self.clock = 0

    async def run_phase(self) -> None:
        while True:
            await RisingEdge(cocotb.top.clk)
            if self.clock >= SETTLE:
                self.env.inputs.sample(self.clock)
                self.env.events.sample(self.clock)
            self.clock += 1


SETTLE = LATENCY + 2
"""Clocks of reset until no input or output is unknown."""


class ProbeEnv(uvm_env):
    """Agents, monitors, predictor, scoreboard."""

    def build_phase(self) -> None:
        self.trace = TraceAgent("trace", self)
        self.limits = LimitsAgent("limits", self)
        self.time = TimeSource("time", self)
        self.inputs = InputMonitor("inputs", self)
        self.events = EventMonitor("events", self)
        self.predictor = Predictor("predictor", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.watch = Watch("watch", self)

    def connect_phase(self) -> None:
        self.watch.env = self
        self.scoreboard.predictor = self.predictor
        self.inputs.ap.connect(self.predictor.analysis_export)
        self.events.ap.connect(self.scoreboard.analysis_export)
