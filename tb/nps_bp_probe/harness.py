# SPDX-License-Identifier: Apache-2.0
"""Drives nps_bp_probe and the golden model clock by clock and compares every output, every bit, every clock."""

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode import BpLimits, BpProbeModel, Sample, SourceConfig, TimeBus
from npuscope.layout import THRESHOLDS, BpSub, Cfg, Kind

HEADER = Path(__file__).resolve().parents[2] / "rtl" / "probe" / "nps_probe.vh"
LATENCY, LIMITS_LATENCY = (
    int(re.search(rf"NPS_BP_{name} (\d+)", HEADER.read_text()).group(1)) for name in ("LATENCY", "LIMITS_LATENCY")
)
CFG_ERROR_LATENCY = 2
PERIOD_NS = 5
U48 = (1 << 48) - 1
U64 = (1 << 64) - 1


@dataclass(frozen=True)
class Event:
    """What the probe shows in one clock: a record, a step, or a step before a record (None: no such part)."""

    clock: int
    ts: int
    tq: int
    bp_samples: int
    record: tuple[int, int, int] | None
    step_ns: int | None


def parameters() -> dict[str, int]:
    """The parameters the design was built with, as the test side gave them (P_<name> in the environment)."""
    defaults = {name: t.value for name, t in THRESHOLDS.items()}
    return {"LAYERS": 0xFFFFFFFF, "DRY_MASK": 0, "RAW": 0, **defaults} | {
        name.removeprefix("P_"): int(value, 0) for name, value in os.environ.items() if name.startswith("P_")
    }


@dataclass
class Harness:
    """One probe and its model. ``step`` is one clock; ``records`` collects what the probe said since ``take``."""

    dut: object
    rel: int = 1000
    ts: int = 1_700_000_000_000_000_000
    tq: int = 2
    clock: int = 0
    compared: int = 0
    records: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.p = p = parameters()
        limits = BpLimits(
            p["TH_ON"], p["TH_OFF"], p["TH_WET"], p["LEVEL_STEP"], p["DWELL_SHIFT"], p["RAW"], p["STALE_NS"]
        )
        self.model = BpProbeModel(SourceConfig(p["LAYERS"], p["DRY_MASK"], limits), 0, p["STEADY"])
        self.limits = limits
        self.expected: deque[Event] = deque()
        self.errors: deque[tuple[int, bool]] = deque()
        self.in_force: dict[int, tuple[int, int]] = {}
        self._driven: dict[str, int] = {}

    def _drive(self, **values: int) -> None:
        for name, value in values.items():
            if self._driven.get(name) != value:
                self._driven[name] = value
                getattr(self.dut, name).value = value

    async def start(self) -> None:
        """Clock and reset; the model starts with the last clock of reset."""
        Clock(self.dut.clk, 10, unit="ns").start()
        self._drive(rst=1, restart=0, trace_valid=0, layer_id=0, buf_occupancy=0, backpressure_en=0)
        self._drive(ts_step=0, rel_step=0, step_ns=0, rel_ns=self.rel, ts_ns=self.ts, tq=self.tq, cfg_apply=0)
        self._limits(self.limits)
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self._drive(rst=0)
        self.model.clock(TimeBus(self.rel, self.ts, self.tq), restart=True)

    def _limits(self, limits: BpLimits) -> None:
        self._drive(
            cfg_th_on=limits.th_on, cfg_th_off=limits.th_off, cfg_th_wet=limits.th_wet,
            cfg_level_step=limits.level_step, cfg_k=limits.k, cfg_raw=limits.raw, cfg_stale_ns=limits.stale_ns,
        )  # fmt: skip

    async def step(
        self,
        sample: tuple[int, int, int] | None = None,
        *,
        apply: BpLimits | None = None,
        restart: bool = False,
        period: int = PERIOD_NS,
        ts_step: int | None = None,
        rel_step: int | None = None,
    ) -> None:
        """One clock. sample: (layer, occ, bp). ts_step, rel_step: signed jump of this clock, in ns."""
        self.clock += 1
        jump = (ts_step or 0) + (rel_step or 0)
        self.rel = (self.rel + period + (rel_step or 0)) & U48
        self.ts = (self.ts + period + jump) & (U64 >> 1)
        self._drive(
            rel_ns=self.rel, ts_ns=self.ts, tq=self.tq, ts_step=int(ts_step is not None),
            rel_step=int(rel_step is not None), step_ns=jump & U64, restart=int(restart),
            trace_valid=int(sample is not None), cfg_apply=int(apply is not None),
        )  # fmt: skip
        if sample is not None:
            self._drive(layer_id=sample[0], buf_occupancy=sample[1], backpressure_en=sample[2])
        if apply is not None:
            self._limits(apply)
        bus = TimeBus(self.rel, self.ts, self.tq, ts_step is not None, rel_step is not None, jump)
        entry = self.model.clock(bus, Sample(*sample) if sample else None, apply, restart)
        if restart:
            self.in_force = {self.clock + LIMITS_LATENCY: (self.model.limits.word, self.model.stale_ns)}
            # void: everything that is not at the outputs in this very clock
            self.expected = deque(e for e in self.expected if e.clock + LATENCY <= self.clock)
        if entry is not None:
            record = None if entry.kind is None else (int(entry.kind), int(entry.sub), entry.payload)
            self.expected.append(Event(self.clock, entry.ts, entry.tq, entry.bp_samples, record, entry.step_ns))
        self.errors.append((self.clock + CFG_ERROR_LATENCY, self.model.cfg_error))
        await RisingEdge(self.dut.clk)
        self._check()

    def _check(self) -> None:
        dut = self.dut
        seen = self._sampled()
        due = self.clock - LATENCY
        expected = self.expected.popleft() if self.expected and self.expected[0].clock == due else None
        assert seen == expected, f"clock {due}:\n  probe {seen}\n  model {expected}"
        if expected is not None:
            self.compared += 1
            self.records.append(expected.record)
        if self.clock in self.in_force:
            assert (int(dut.limits.value), int(dut.stale.value)) == self.in_force[self.clock], "limits after restart"
        if self.errors[0][0] == self.clock:
            assert int(dut.cfg_error.value) == self.errors.popleft()[1], f"cfg_error in clock {self.clock}"

    def _sampled(self) -> Event | None:
        dut = self.dut
        valid, step = int(dut.ev_valid.value), int(dut.ev_step.value)
        if not valid and not step:
            return None
        record = (int(dut.ev_kind.value), int(dut.ev_sub.value), int(dut.ev_payload.value)) if valid else None
        jump = dut.ev_step_ns.value.to_signed() if step else None
        return Event(
            self.clock - LATENCY, int(dut.ev_ts.value), int(dut.ev_tq.value), int(dut.ev_bp_samples.value), record, jump
        )

    async def idle(self, clocks: int = 1, **options: int) -> None:
        """Clocks without a sample."""
        for _ in range(clocks):
            await self.step(**options)

    async def take(self) -> list[tuple]:
        """Let what waits be told and the pipeline run empty; the records since the last call, see ``readable``."""
        await self.idle(3 + LATENCY)
        taken, self.records = [readable(*r) for r in self.records if r is not None], []
        return taken


def readable(kind: int, sub: int, payload: int) -> tuple:
    """("ENTER", layer, occ, bp_en, peak, dwell), ("UNKNOWN", mask) or ("BP_LIMITS" | "STALE", word)."""
    if kind == Kind.BP:
        return (BpSub(sub).name, payload & 31, payload >> 5 & 63, payload >> 11 & 1, payload >> 12 & 63, payload >> 18)
    if kind == Kind.STATE:
        return ("UNKNOWN", payload)
    return (Cfg(sub).name, payload)


async def started(dut: object) -> Harness:
    """A harness out of reset."""
    harness = Harness(dut)
    await harness.start()
    cocotb.log.info("parameters %s", harness.p)
    return harness
