# SPDX-License-Identifier: Apache-2.0
"""Drives nps_jitter and the golden model clock by clock and compares every output, every bit, every clock."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode import (
    JitterClock,
    JitterConfig,
    JitterInputs,
    JitterModel,
    JitterSample,
    JitterUnit,
    TimeBus,
)
from npuscope.layout import THRESHOLDS, Cfg, JitterSub, Kind, TimeQuality

HEADER = Path(__file__).resolve().parents[2] / "rtl" / "ptp" / "nps_ptp.vh"
LATENCY, SNAP_AGE, WORD_LATENCY = (
    int(re.search(rf"NPS_JITTER_{name} (\d+)", HEADER.read_text()).group(1))
    for name in ("LATENCY", "SNAP_AGE", "WORD_LATENCY")
)
CFG_ERROR_LATENCY = 2
PERIOD = 5 * 256
"""A clock, in 1/256 ns."""
WORDS = 11
"""Words of a snapshot."""
U64 = (1 << 64) - 1
U56 = (1 << 56) - 1


def parameters() -> JitterConfig:
    """The configuration the design was built with, as the test side gave it (P_<name> in the environment)."""
    book = {name: THRESHOLDS[name].value for name in ("T_NOMINAL", "WATCHDOG")}
    told = book | {"OPTIONS": THRESHOLDS["JITTER_OPTIONS"].value}
    told |= {name: int(os.environ[f"P_{name}"], 0) for name in told if f"P_{name}" in os.environ}
    return JitterConfig.from_options(told["T_NOMINAL"], told["OPTIONS"], told["WATCHDOG"])


@dataclass(frozen=True)
class Shown:
    """What the outputs must show in one clock. None: not looked at."""

    ev_valid: int = 0
    ev_step: int = 0
    js_valid: int = 0
    js_sync_lost: int = 0
    js_ts_step: int = 0
    js_rel_step: int = 0
    js_phy_changed: int = 0
    js_rel_ns: int | None = None
    js_ts_ns: int | None = None
    js_tq: int | None = None
    js_step_ns: int | None = None
    ev_kind: int | None = None
    ev_sub: int | None = None
    ev_payload: int | None = None
    ev_ts: int | None = None
    ev_tq: int | None = None
    ev_step_ns: int | None = None
    js_ok: int | None = None
    js_sub: int | None = None
    js_jitter: int | None = None
    js_saturated: int | None = None


OUTPUTS = tuple(f.name for f in fields(Shown))


def shown(inputs: JitterInputs, made: JitterClock) -> Shown:
    """The outputs that follow from one clock, LATENCY clocks later."""
    bus, entry, sample = inputs.bus, made.entry, made.sample
    values = {
        "js_rel_ns": bus.rel_ns, "js_ts_ns": bus.ts_ns, "js_tq": bus.tq, "js_phy_changed": int(inputs.phy_changed),
        "js_ts_step": int(bus.ts_step), "js_rel_step": int(bus.rel_step), "js_sync_lost": int(made.lost),
    }  # fmt: skip
    if bus.ts_step or bus.rel_step:
        values["js_step_ns"] = bus.step_ns & U64
    if entry is not None:
        values |= {"ev_ts": entry.ts, "ev_tq": entry.tq}
        if entry.kind is not None:
            values |= {"ev_valid": 1, "ev_kind": entry.kind, "ev_sub": entry.sub, "ev_payload": entry.payload}
        if entry.step_ns is not None:
            values |= {"ev_step": 1, "ev_step_ns": entry.step_ns & U64}
    if sample is not None and made.mapped:
        values |= {
            "js_valid": 1,
            "js_ok": int(sample.ok),
            "js_sub": sample.sub,
            "js_jitter": sample.jitter & 0xFFFFFFFF,
        }
        values["js_saturated"] = int(sample.saturated)
    return Shown(**values)


def difference(dut: object, due: Shown) -> str:
    """What the outputs show that differs from ``due``, empty if nothing does."""
    wrong = []
    for name in OUTPUTS:
        want = getattr(due, name)
        if want is not None:
            value = getattr(dut, name).value
            if not value.is_resolvable or int(value) != want:
                wrong.append(f"{name} is {value}, not {want:#x}")
    return "; ".join(wrong)


def readable(made: JitterClock) -> tuple | None:
    """("OK", jitter), ("T_NOMINAL_LO", word), ..., ("step",) or None: what the entry of a clock says."""
    entry = made.entry
    if entry is None:
        return None
    if entry.kind is None:
        return ("step",)
    if entry.kind == Kind.CFG:
        return (Cfg(entry.sub).name, entry.payload)
    return (JitterSub(entry.sub).name, made.sample.jitter if made.sample else 0)


@dataclass
class Reference:
    """Model and statistics, and when what they say is due at the outputs. words: what the last snap took."""

    model: JitterModel
    statistics: JitterUnit = field(default_factory=JitterUnit)
    words: tuple[int, ...] | None = None
    compared: int = 0
    said: Counter = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.levels: dict[str, int] = {}
        self.shown: deque[tuple[int, Shown]] = deque()
        self.errors: deque[tuple[int, bool]] = deque()
        self.samples: deque[tuple[int, JitterSample]] = deque()

    def clock(self, clock: int, inputs: JitterInputs, snap: bool = False) -> JitterClock:
        """The inputs of one clock."""
        before = self.model.config
        self.levels = {"t_nominal": before.t_nominal, "options": before.options, "sync_lost": int(self.model.sync_lost)}
        self.levels["stat_busy"] = int(clock < self.statistics.ready)
        due = self.samples and self.samples[0][0] == clock
        self.words = self.statistics.clock(clock, self.samples.popleft()[1] if due else None, snap)
        made = self.model.clock(inputs)
        if inputs.restart:  # void: all records that are not at the outputs in this very clock
            void = {"ev_valid": 0, "ev_step": 0, "ev_kind": None, "ev_sub": None, "ev_payload": None}
            void |= {"ev_ts": None, "ev_tq": None, "ev_step_ns": None}
            self.shown = deque(
                (due, Shown(**{name: getattr(old, name) for name in OUTPUTS} | (void if due > clock else {})))
                for due, old in self.shown
            )
        self.shown.append((clock + LATENCY, shown(inputs, made)))
        self.errors.append((clock + CFG_ERROR_LATENCY, made.refused))
        if made.sample is not None:
            self.samples.append((clock + LATENCY, made.sample))
            self.said["saturated"] += made.sample.saturated
            self.said["hidden"] += not made.mapped
        self.said["refused"] += made.refused
        said = readable(made)
        if said is not None:
            self.said[said[0]] += 1
        return made

    def check(self, clock: int, dut: object) -> str:
        """What differs in this clock, empty if nothing does."""
        levels = [name for name, level in self.levels.items() if int(getattr(dut, name).value) != level]
        wrong = "; ".join(f"{name} is not {self.levels[name]}" for name in levels)
        if self.shown and self.shown[0][0] == clock:
            due = self.shown.popleft()[1]
            wrong += difference(dut, due)
            self.compared += due.ev_valid
        if self.errors and self.errors[0][0] == clock:
            want = self.errors.popleft()[1]
            if int(dut.cfg_error.value) != want:
                wrong += f"; cfg_error is not {want}"
        return wrong


@dataclass
class Harness:
    """One capture and its model. ``step`` is one clock; ``take`` returns what was said since the last call."""

    dut: object
    time: int = 1000 << 8
    ts: int = 1_700_000_000_000_000_000
    period: int = PERIOD
    locked: bool = True
    holdover: bool = False
    enable: bool = True
    clock: int = 0
    last: int = 0
    records: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.config = parameters()
        self.ref = Reference(JitterModel(self.config))
        self._driven: dict[str, int] = {}
        self._reads: deque[tuple[int, int, int]] = deque()  # clock, word, value
        self.words: tuple[int, ...] = ()
        self.snapshots = 0

    def _drive(self, **values: int) -> None:
        for name, value in values.items():
            if self._driven.get(name) != value:
                self._driven[name] = value
                getattr(self.dut, name).value = value

    def _bus(self, **steps: int) -> None:
        quality = TimeQuality.LOCKED if self.locked else TimeQuality.HOLDOVER if self.holdover else TimeQuality.FREE_RUN
        self._drive(
            rel_ns=self.time >> 8, rel_frac=self.time & 255, ts_ns=self.ts, tq=int(quality), locked=int(self.locked),
            holdover=int(self.holdover), **({"ts_step": 0, "rel_step": 0} | steps),
        )  # fmt: skip

    async def start(self) -> None:
        """Clock and reset."""
        Clock(self.dut.clk, 10, unit="ns").start()
        self._drive(restart=0, enable=0, sync_valid=0, phy_changed=0, cfg_apply=0, stat_snap=0, stat_index=0)
        self._drive(cfg_t_nominal=0, cfg_options=0, cfg_watchdog=0, step_ns=0)
        await self.reset()

    async def reset(self, sync: bool = False) -> None:
        """Some clocks of reset, with sync_valid at ``sync``."""
        self._bus()
        self._drive(rst=1, sync_valid=int(sync))
        for _ in range(LATENCY + 2):
            await RisingEdge(self.dut.clk)
        self._drive(rst=0)
        self.clock += 100
        said = self.ref.said
        self.ref = Reference(self.ref.model, JitterUnit(self.clock + 33), said=said)
        self.ref.model.reset(self.config, sync)
        self._reads.clear()

    async def step(
        self,
        sync: bool = False,
        *,
        to: int | None = None,
        apply: JitterConfig | None = None,
        restart: bool = False,
        phy: bool = False,
        snap: bool = False,
        ts_step: int | None = None,
        rel_step: int | None = None,
    ) -> JitterClock:
        """One clock. to: its time, 1/256 ns (default: a period later). ts_step, rel_step: signed jump of it, in ns."""
        self.clock += 1
        jump = (ts_step or 0) + (rel_step or 0)
        before = self.time
        self.time = (before + self.period if to is None else to) + ((rel_step or 0) << 8) & U56
        self.ts = self.ts + ((self.time - before & U56) >> 8) + (ts_step or 0) & (U64 >> 1)
        self._bus(ts_step=int(ts_step is not None), rel_step=int(rel_step is not None), step_ns=jump & U64)
        self._drive(
            sync_valid=int(sync), phy_changed=int(phy), enable=int(self.enable), restart=int(restart),
            cfg_apply=int(apply is not None), stat_snap=int(snap),
        )  # fmt: skip
        if apply is not None:
            self._drive(cfg_t_nominal=apply.t_nominal, cfg_options=apply.options, cfg_watchdog=apply.watchdog)
        bus = TimeBus(
            self.time >> 8, self.ts, self._driven["tq"], ts_step is not None, rel_step is not None, jump
        )  # fmt: skip
        inputs = JitterInputs(
            bus, self.time & 255, self.locked, self.holdover, self.enable, sync, phy, apply, restart
        )  # fmt: skip
        made = self.ref.clock(self.clock, inputs, snap)
        if snap:
            assert not self.reading, "a snapshot is being read"
            self.words, ready = self.ref.words, self.ref.statistics.ready
            self._reads.extend((ready + n, n, value) for n, value in enumerate(self.words))
            self.snapshots += 1
        if sync:
            self.last = self.time
        if self._reads:
            self._drive(
                stat_index=next((n for at, n, _ in self._reads if at == self.clock), self._driven["stat_index"])
            )
        await RisingEdge(self.dut.clk)
        self._check()
        if (said := readable(made)) is not None:
            self.records.append(said)
        return made

    def _check(self) -> None:
        wrong = self.ref.check(self.clock, self.dut)
        assert not wrong, f"clock {self.clock - LATENCY}: {wrong}"
        if self._reads and self._reads[0][0] + WORD_LATENCY == self.clock:
            _, word, value = self._reads.popleft()
            assert int(self.dut.stat_word.value) == value, f"statistics word {word}: not {value:#x}"

    @property
    def reading(self) -> bool:
        """A snapshot is on its way, or not all of it compared."""
        return bool(self._reads)

    async def idle(self, clocks: int = 1, **options: bool) -> None:
        """Clocks without a pulse."""
        for _ in range(clocks):
            await self.step(**options)

    async def pulse(self, interval: int, **options: int | bool) -> JitterClock:
        """A pulse ``interval`` (1/256 ns) after the last one, and a clock without one before it."""
        at = self.last + interval
        await self.step(to=at - min(self.period, interval))
        return await self.step(True, to=at, **options)

    async def train(self, *intervals: int) -> list[tuple]:
        """Pulses at these intervals; what was said since the last call of ``take``."""
        for interval in intervals:
            await self.pulse(interval)
        return await self.take()

    async def configure(self, **changes: int | bool) -> None:
        """Put another configuration in force; the next pulse only arms."""
        await self.step(apply=replace(self.ref.model.config, **changes))
        await self.take()

    async def snap(self) -> tuple[int, ...]:
        """Take a snapshot, check all its words, return them."""
        await self.idle(SNAP_AGE)
        await self.step(snap=True)
        while self.reading:
            await self.step()
        return self.words

    async def take(self) -> list[tuple]:
        """Let what waits be told and the pipeline run empty; what was said since the last call, see ``readable``."""
        await self.idle(3 + LATENCY)
        taken, self.records = self.records, []
        return taken


async def started(dut: object) -> Harness:
    """A harness out of reset."""
    harness = Harness(dut)
    await harness.start()
    cocotb.log.info("%s", harness.config)
    return harness
