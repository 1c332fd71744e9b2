# SPDX-License-Identifier: Apache-2.0
"""Drives nps_ras_map and the golden model clock by clock and compares every record, request, latch and loss.

When an entry leaves the collector is the design's choice, within bounds; what it says is the model's.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import LATCHED, SATURATED, RasConfig, RasLatch, RasMapper, RasRequest, ras_record, syndrome
from npuscope.layout import THRESHOLDS, Cfg, Kind, RasClass
from tb.signals import known

HEADER = (Path(__file__).resolve().parents[2] / "rtl" / "ras" / "nps_ras.vh").read_text()
CFG_LATENCY = int(re.search(r"NPS_RAS_CFG_LATENCY (\d+)", HEADER).group(1))
PERIOD_NS = 5
DECIDE = 3  # clocks from the inputs of a moment to its entry
SET = 3  # clocks from the set of a latch to its record
ENTRIES = 8  # of the collector
CFG_TOLD = 16  # clocks from the record that tells a configuration until another is accepted, at most
PATIENCE = 12  # clocks from one record to the next, while something is queued and nothing is copied
U48, U64 = (1 << 48) - 1, (1 << 64) - 1
ORDER = (RasClass.SYNC_LOST, RasClass.R, RasClass.A, RasClass.REDUNDANCY_EXHAUSTED, RasClass.S)
JITTER = {RasClass.R, RasClass.A, RasClass.REDUNDANCY_EXHAUSTED, RasClass.S}
CONFIGURED = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "a_budget", "s_window", "a_holdoff")


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def offered(ts: int) -> int:
    """js_offer of a moment, as the benches drive it."""
    return ts >> 3 & 1


def _classes(mask: int) -> set[RasClass]:
    return {what for what in LATCHED if mask >> what & 1}


@dataclass
class Moment:
    """The inputs of one clock and what they make."""

    rel: int
    ts: int
    tq: int
    step_ns: int | None = None
    sample: bool = False  # or a loss of sync: no injection in this moment
    judged: tuple[int, bool] | bool | None = (
        None  # what a reader sees: (jitter, ok), a loss of sync (drives A), nothing
    )
    enabled: bool = False
    config: bool = False
    in_force: RasConfig = field(default_factory=RasConfig)
    jitter: int = 0
    notes: list[RasClass] = field(default_factory=list)
    decided: list[RasClass] = field(default_factory=list)
    injected: bool = False


@dataclass
class Entry:
    """What the collector gets in one clock: (class, syndrome) of the records, in order."""

    moment: Moment
    records: list[tuple[RasClass, int]]

    @property
    def empty(self) -> bool:
        return not self.records and self.moment.step_ns is None and not self.moment.config

    @property
    def classes(self) -> set[RasClass]:
        return {what for what, _ in self.records if what in LATCHED}


def parameters() -> dict[str, int]:
    """The parameters the design was built with, as the test side gave them (P_<name> in the environment)."""
    given = {name.removeprefix("P_"): int(value, 0) for name, value in os.environ.items() if name.startswith("P_")}
    return {name: t.value for name, t in THRESHOLDS.items()} | {"UNIT": 0} | given


class Books:
    """The golden model of one mapper and all comparisons. ``observe`` is one clock, given the pins of its inputs."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.p = p = parameters()
        fields = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "s_count", "a_budget", "s_window", "a_holdoff")
        self.config = RasConfig(**{name: p[name.upper()] for name in fields})
        self.mapper = RasMapper(self.config)
        self.requests = [RasRequest(p["REQ_TIMEOUT"]), RasRequest(p["REQ_TIMEOUT"])]
        self.latches = {what: RasLatch() for what in LATCHED}
        self.elapsed = self.clock = self.compared = self.since = 0
        self.moments: deque[Moment] = deque()
        self.queue: deque[Entry] = deque()
        self.waiting: set[RasClass] = set()
        self.applied: dict[int, RasConfig | None] = {}  # clock of the answer -> what comes in force
        self.updates: deque[tuple[int, set[RasClass], set[RasClass], tuple[int, int] | None]] = deque()
        self.requests_due: tuple[bool, bool] = (False, False)
        self.told: list[tuple] = []
        self.history: list[tuple[Moment, bool]] = []  # and whether it was dropped, for whoever recomputes it
        self.lost: list[Entry] = []
        self.seen: Counter[str] = Counter()
        self.losing, self.telling = False, 0  # an entry was dropped; configurations inside, or just told
        self._rel: int | None = None  # of the clock before
        self._acks = (0, 0)

    def observe(self, pins: Mapping[str, int]) -> None:
        """The clock whose edge has just come. pins: the inputs of it."""
        self.clock += 1
        rel = pins["js_rel_ns"]
        if not pins["js_rel_step"] and self._rel is not None:  # how long the clock of a step took is not known
            self.elapsed += (rel - self._rel) & U48
        self._rel, self._acks = rel, (pins["crc_reneg_ack"], pins["phy_switch_ack"])
        steps = pins["js_ts_step"] or pins["js_rel_step"]
        moment = Moment(
            self.elapsed, pins["js_ts_ns"], pins["js_tq"], _signed(pins["js_step_ns"], 64) if steps else None
        )
        moment.enabled = bool(pins["enable"])
        moment.sample = bool(pins["js_valid"] or pins["js_sync_lost"]) and moment.enabled
        moment.jitter = _signed(pins["js_jitter"], 32) if pins["js_valid"] else 0
        if pins["cfg_apply"]:
            asked = RasConfig(**{name: pins[f"cfg_{name}"] for name in CONFIGURED}, s_count=self.p["S_COUNT"])
            self.applied[self.clock + CFG_LATENCY] = asked if asked.legal else None
        if self.applied.get(self.clock):
            self.mapper.config, moment.config = self.applied[self.clock], True
        moment.in_force = self.mapper.config
        self._judge(moment, pins)
        self.moments.append(moment)
        self._inject(_classes(pins["inject"]), moment.enabled)
        self._check(_classes(pins["clear"]))

    def _judge(self, moment: Moment, pins: Mapping[str, int]) -> None:
        if pins["js_rel_step"]:
            moment.notes.append(RasClass.FLUSHED)
        if moment.enabled != self.mapper.enabled:
            moment.notes.append(RasClass.ENABLED if moment.enabled else RasClass.DISABLED)
        if pins["reneg_done"]:
            moment.notes.append(RasClass.RENEG_DONE)
        if pins["js_phy_changed"]:
            moment.notes.append(RasClass.PHY_CHANGED)
        for note in moment.notes:
            self.mapper.note(note, moment.rel)
        if pins["js_sync_lost"]:
            moment.judged = bool(pins["sync_lost_a"])
            moment.decided = self.mapper.sync_lost(moment.rel, moment.judged)
        if pins["js_valid"]:
            ok, saturated = bool(pins["js_ok"]), bool(pins["js_saturated"])
            moment.judged = (SATURATED if saturated else moment.jitter, ok)
            moment.decided += self.mapper.sample(moment.rel, moment.jitter, ok, saturated)

    def _inject(self, new: set[RasClass], enabled: bool) -> None:
        """Injected events take the first moment two stages on without sample or loss of sync."""
        if len(self.moments) > 2:
            moment = self.moments[-3]
            if self.waiting and moment.enabled and not moment.sample:
                moment.decided, moment.injected = [what for what in ORDER if what in self.waiting], True
                self.waiting = set()
            self.waiting |= new
            if not moment.enabled:
                self.waiting = set()
        if not enabled:
            self.waiting = set()

    # ---------------------------------------------------------------- checking
    def _check(self, clear: set[RasClass]) -> None:
        dut = self.dut
        entry = self._entry()
        losing: set[RasClass] = set()
        if entry is not None:
            seen = replace(entry.moment, notes=list(entry.moment.notes), decided=list(entry.moment.decided))
            self.history.append((seen, bool(known(dut.lost_valid))))
        if not any(queued.moment.config for queued in self.queue):
            self.telling = max(0, self.telling - 1)
        if known(dut.lost_valid):
            losing = self._dropped(entry)
        elif entry is not None and not entry.empty:
            assert not self.losing, f"clock {self.clock}: accepted behind a loss that is not told"
            if not self.queue:
                self.since = 0
            self.telling = CFG_TOLD if entry.moment.config else self.telling
            self.queue.append(entry)
        self.losing = bool(known(dut.lost_valid)) or (self.losing and not known(dut.lost_waits))
        assert (known(dut.crc_reneg_req), known(dut.phy_switch_req)) == self.requests_due, f"clock {self.clock}"
        self.requests_due = (self.requests[0].req, self.requests[1].req)
        self._answers()
        # latches: what the design shows now is what the model holds after the updates of the clock before
        if self.updates:
            self.updates[-1] = (*self.updates[-1][:3], (known(dut.pending), known(dut.overflow)))
        self.updates.append((self.clock, clear, losing, None))
        record = self._record()
        if len(self.updates) > SET:
            _, cleared, lost, shown = self.updates.popleft()
            for what in cleared:
                self.latches[what].clear()
            if record is not None:
                self._match(record)
            for what in lost:
                self.latches[what].lose()
            flags = tuple(
                sum(1 << what for what in LATCHED if getattr(self.latches[what], name))
                for name in ("pending", "overflow")
            )
            assert flags == shown, f"clock {self.clock}: latches {shown}, model {flags}"
        else:
            assert record is None
        self.since += 1
        assert not self.queue or self.since < PATIENCE or known(dut.snap_busy), "the collector is stuck"
        if known(dut.snap_busy):
            self.since = 0

    def _entry(self) -> Entry | None:
        """The moment that is now collected, with the answers to requests of this clock."""
        if len(self.moments) <= DECIDE:
            for request, ack in zip(self.requests, self._acks, strict=True):
                request.clock(False, bool(ack))
            return None
        moment = self.moments.popleft()
        records = [(what, 0) for what in moment.notes]
        pulses = 0
        for n, (request, what) in enumerate(zip(self.requests, (RasClass.R, RasClass.A), strict=True)):
            told = request.clock(what in moment.decided, bool(self._acks[n]))
            if told is not None:
                stuck = told == RasClass.REQ_TIMEOUT and request.stuck
                records.append((told, n | 2 * stuck))
                pulses |= (told == RasClass.REQ_TIMEOUT) << n
                self.seen[f"{told.name}{n}{'stuck' * stuck}"] += 1
        assert known(self.dut.req_timeout) == pulses
        jitter = 0 if moment.injected else syndrome(moment.jitter)
        records += [(what, jitter if what in JITTER else 0) for what in moment.decided]
        return Entry(moment, records)

    def _dropped(self, entry: Entry | None) -> set[RasClass]:
        """An entry that the design says it has no room for."""
        dut = self.dut
        assert entry is not None
        assert not entry.empty
        steps = any(e.moment.step_ns is not None for e in self.queue)
        excused = self.losing or (entry.moment.step_ns is not None and steps) or (entry.moment.config and self.telling)
        assert len(self.queue) >= ENTRIES or excused, "dropped with room"
        assert known(dut.lost_offer) == offered(entry.moment.ts)
        assert known(dut.lost_records) == len(entry.records)
        assert (known(dut.lost_ts), known(dut.lost_tq)) == (entry.moment.ts, entry.moment.tq)
        assert known(dut.lost_step) == (entry.moment.step_ns is not None)
        assert known(dut.lost_cfg) == entry.moment.config
        if entry.moment.step_ns is not None:
            assert dut.lost_step_ns.value.to_signed() == entry.moment.step_ns
        self.lost.append(entry)
        self.seen["lost"] += 1
        return entry.classes

    def _answers(self) -> None:
        answer = self.applied.pop(self.clock, ...)
        done, error = known(self.dut.cfg_done), known(self.dut.cfg_error)
        assert (done, error) == ((0, 0) if answer is ... else (int(answer is not None), int(answer is None)))
        self.seen["refused"] += answer is None
        if answer is not None and answer is not ...:
            self.config = answer
            self.seen["configured"] += 1
        elif answer is ...:
            shown = int(self.dut.cfg_words.value)
            words = {Cfg(8 + n): shown >> 32 * n & 0xFFFFFFFF for n in range(6)}
            assert words == self.config.words(), "words in force"

    def _record(self) -> tuple | None:
        dut = self.dut
        valid, step, cfg = known(dut.ev_valid), known(dut.ev_step), known(dut.ev_cfg)
        if not (valid or step or cfg):
            return None
        record = (known(dut.ev_kind), known(dut.ev_sub), known(dut.ev_payload)) if valid else None
        jump = dut.ev_step_ns.value.to_signed() if step else None
        return known(dut.ev_ts), known(dut.ev_tq), jump, bool(cfg), record

    def _match(self, shown: tuple) -> None:
        """The head of the model's queue gives its next record."""
        assert self.queue, f"clock {self.clock}: {shown} and nothing happened"
        entry = self.queue[0]
        moment = entry.moment
        record = None
        if entry.records:
            what, word = entry.records.pop(0)
            latch = self.latches.get(what)
            if latch is not None:
                latch.set(moment.ts, word)
            record = (Kind.RAS, *ras_record(what, latch, word, moment.injected and latch is not None, self.p["UNIT"]))
            self.told.append((what, word, moment.rel))
            self.seen[what.name] += 1
            self.seen["injected"] += moment.injected
        expected = moment.ts, moment.tq, moment.step_ns, moment.config, record
        if known(self.dut.ev_cfg):
            told = int(self.dut.told_words.value)
            assert {Cfg(8 + n): told >> 32 * n & 0xFFFFFFFF for n in range(6)} == moment.in_force.words()
        assert known(self.dut.ev_offer) == offered(moment.ts)
        assert shown == expected, f"clock {self.clock}:\n  mapper {shown}\n  model  {expected} {what if record else ''}"
        moment.step_ns, moment.config = None, False
        if entry.empty:
            self.queue.popleft()
        self.compared += 1
        self.since = 0


class Harness(Books):
    """Drives a mapper. ``step`` is one clock; ``take`` gives what was told since the last call."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.rel, self.ts, self.tq = 1000, 1_700_000_000_000_000_000, 2
        self.acks, self.enabled = (0, 0), False
        self._driven: dict[str, int] = {}

    def drive(self, **values: int) -> None:
        for name, value in values.items():
            if self._driven.get(name) != value:
                self._driven[name] = value
                getattr(self.dut, name).value = value

    async def start(self, acks: tuple[int, int] = (0, 0)) -> None:
        """Reset, with the other sides of the requests as given."""
        self.acks = acks
        self.drive(
            rst=1, enable=0, sync_lost_a=0, js_valid=0, js_ok=0, js_jitter=0, js_saturated=0, js_sync_lost=0,
            js_phy_changed=0, js_rel_ns=self.rel, js_ts_ns=self.ts, js_tq=self.tq, js_ts_step=0, js_rel_step=0,
            js_step_ns=0, crc_reneg_ack=acks[0], reneg_done=0, phy_switch_ack=acks[1], cfg_apply=0, clear=0, inject=0,
            snap=0, snap_class=0, word_index=0, js_offer=0, lost_told=1,
        )  # fmt: skip
        self.words(self.config)
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.drive(rst=0)

    def words(self, config: RasConfig) -> None:
        """The configuration inputs."""
        self.drive(**{f"cfg_{name}": getattr(config, name) for name in CONFIGURED})

    async def step(
        self,
        jitter: int | None = None,
        *,
        ok: bool = True,
        saturated: bool = False,
        lost: bool = False,
        lost_a: int | None = None,
        period: int = PERIOD_NS,
        ts_step: int | None = None,
        rel_step: int | None = None,
        enable: bool | None = None,
        reneg: bool = False,
        phy: bool = False,
        acks: tuple[int, int] | None = None,
        clear: set[RasClass] | None = None,
        inject: set[RasClass] | None = None,
        apply: bool = False,
        snap: RasClass | None = None,
        word: int = 0,
    ) -> None:
        """One clock. jitter: of a sample, 1/256 ns. period: ns since the clock before. ts_step, rel_step: jump, ns."""
        jump = (ts_step or 0) + (rel_step or 0)
        self.rel += period + (rel_step or 0)
        self.ts = (self.ts + period + jump) & (U64 >> 1)
        self.enabled = self.enabled if enable is None else enable
        self.acks = self.acks if acks is None else acks
        if lost_a is not None:
            self.drive(sync_lost_a=lost_a)
        self.drive(
            enable=int(self.enabled), js_valid=int(jitter is not None), js_ok=int(ok and jitter is not None),
            js_jitter=(jitter or 0) & 0xFFFFFFFF, js_saturated=int(saturated), js_sync_lost=int(lost),
            js_phy_changed=int(phy), js_rel_ns=self.rel & U48, js_ts_ns=self.ts, js_tq=self.tq,
            js_ts_step=int(ts_step is not None), js_rel_step=int(rel_step is not None), js_step_ns=jump & U64,
            js_offer=offered(self.ts),
            reneg_done=int(reneg), crc_reneg_ack=self.acks[0], phy_switch_ack=self.acks[1], cfg_apply=int(apply),
            clear=sum(1 << what for what in clear or ()), inject=sum(1 << what for what in inject or ()),
            snap=int(snap is not None), word_index=word,
        )  # fmt: skip
        if snap is not None:
            self.drive(snap_class=int(snap))
        await RisingEdge(self.dut.clk)
        self.observe(self._driven)

    async def configure(self, config: RasConfig, stimulus: Callable[[], dict[str, Any]] = dict, **options: Any) -> bool:
        """Ask for a configuration; whether it was accepted. options: of the clock of the apply; stimulus: others."""
        self.words(config)
        await self.step(**stimulus())
        await self.step(apply=True, **(options or stimulus()))
        for _ in range(CFG_LATENCY):
            await self.step(**stimulus())
        return config.legal

    async def idle(self, clocks: int = 1, **options: Any) -> None:
        """Clocks in which nothing happens."""
        for _ in range(clocks):
            await self.step(**options)

    async def take(self) -> list[RasClass]:
        """Let all be told; the classes told since the last call, in order."""
        await self.idle(DECIDE + 1)
        for _ in range(ENTRIES * 6 * PATIENCE):
            await self.step()
            if not self.queue and known(self.dut.idle):
                break
        else:
            raise AssertionError("never idle")
        await self.idle(SET + 2)
        taken, self.told = [what for what, *_ in self.told], []
        return taken

    async def snapshot(self, what: RasClass, stimulus: Callable[[], dict[str, Any]] = dict) -> dict[str, int]:
        """Copy a latch, read it, compare. stimulus: options of the clocks that pass, without clear."""
        latch = self.latches[what]
        moments = set()  # flags while it is copied: a loss may come then
        await self.step(snap=what, **stimulus())
        for _ in range(200):
            await self.step(**stimulus())
            moments.add((latch.pending, latch.overflow))
            if not known(self.dut.snap_busy):
                break
        else:
            raise AssertionError("a snapshot takes for ever")
        for _ in range(SET):  # until the model has come to the clock of the copy
            await self.step(**stimulus())
        moments.add((latch.pending, latch.overflow))
        worst = latch.worst << 16 & 0xFFFFFFFF
        model = {"count": latch.count, "worst": worst, "first": latch.first_ts, "last": latch.last_ts}
        words = []
        for index in range(6):
            await self.step(word=index, **stimulus())
            await self.step(word=index, **stimulus())
            value = self.dut.word.value
            words.append(int(value) if value.is_resolvable else 0)
        flags = words.pop(0)
        assert (bool(flags & 1), bool(flags & 2)) in moments, f"{what.name}: flags {flags:#x}, model {moments}"
        shown = {
            "count": flags >> 8,
            "worst": words[0],
            "first": words[1] | words[2] << 32,
            "last": words[3] | words[4] << 32,
        }
        if not latch.count:  # nothing was written since the reset, or what was is cleared
            shown |= {name: model[name] for name in ("worst", "first", "last")}
        assert shown == model, f"{what.name}: latch {shown}, model {model}"
        self.seen["snapshot"] += 1
        return shown


async def started(dut: Any, enable: bool = True) -> Harness:
    """A harness out of reset, and enabled."""
    harness = Harness(dut)
    Clock(dut.clk, 4, unit="ns").start()
    await harness.start()
    cocotb.log.info("parameters %s", harness.p)
    if enable:
        await harness.step(enable=True)
        assert await harness.take() == [RasClass.ENABLED]
    return harness
