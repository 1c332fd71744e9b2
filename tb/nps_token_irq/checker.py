# SPDX-License-Identifier: Apache-2.0
"""What the token interrupt must show in a clock, from the golden models and the inputs: every output, every bit."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from dataclasses import dataclass, replace
from pathlib import Path

from npuscope.encode import Entry, Snapshot, TokenInjectModel, TokenInputs, TokenIrqModel, TokenView
from npuscope.encode.token import OPCODE, OPCODE_BITS
from npuscope.layout import THRESHOLDS, Kind, TokenSub
from tb.signals import known

HEADER = Path(__file__).resolve().parents[2] / "rtl" / "token" / "nps_token.vh"
IRQ_LATENCY, EV_LATENCY, CFG_LATENCY = (
    int(re.search(rf"NPS_TOKEN_{name}_LATENCY (\d+)", HEADER.read_text()).group(1)) for name in ("IRQ", "EV", "CFG")
)


@dataclass(frozen=True)
class Injection:
    """The configuration of nps_token_inject while its enable is 1."""

    first: int
    every: int
    layer: int
    cause: int


@dataclass(frozen=True)
class Event:
    """What the event port shows in one clock: a record, a step, or a step before a record (None: no such part)."""

    ts: int
    tq: int
    tokens: int
    record: tuple[int, int, int] | None
    context: tuple[int, ...]
    step_ns: int | None


def parameters() -> dict[str, int]:
    """The parameters the design was built with, as the test side gave them (P_<name> in the environment)."""
    defaults = {"WORDS": 4, "OPCODE": OPCODE, "OPCODE_BITS": OPCODE_BITS}
    defaults |= {name: THRESHOLDS[name].value for name in ("MEM_LOW_ON", "MEM_LOW_OFF")}
    return defaults | {name[2:]: int(value, 0) for name, value in os.environ.items() if name.startswith("P_")}


class Checker:
    """The models of interrupt and injection beside one DUT.

    Per clock, after its edge: ``check(dut, inputs, injection)``; inputs without ``forced``, which the injection gives.
    ``records`` collects what was told since ``take``, ``said`` counts it; ``compared`` counts events.
    """

    def __init__(self) -> None:
        p = parameters()
        self.words = p["WORDS"]
        self.model = TokenIrqModel(p["MEM_LOW_ON"], p["MEM_LOW_OFF"], p["OPCODE"], p["OPCODE_BITS"])
        self.inject: TokenInjectModel | None = None
        self.view: TokenView | None = None
        self.clock = 0
        self.compared = 0
        self.said: Counter[str] = Counter()
        self.records: list[tuple[str, int]] = []
        self._events: deque[tuple[int, Event]] = deque()
        self._nested: deque[int] = deque([0, 0], maxlen=2)
        self._snapshots: deque[Snapshot | None] = deque([None, None], maxlen=2)
        self._ins_error = False
        self._cfg_errors: deque[bool] = deque([False] * CFG_LATENCY, maxlen=CFG_LATENCY)

    def check(self, dut: object, inputs: TokenInputs, injection: Injection | None) -> None:
        """One clock: what is shown, then what follows from it."""
        self.clock += 1
        forced = 0
        if injection is not None:
            self.inject = self.inject or TokenInjectModel(
                injection.first, injection.every, injection.layer, injection.cause
            )
            forced = self.inject.forced(True, inputs.token.layer) if inputs.token else 0
        inputs = replace(inputs, forced=forced)
        self.view = view = self.model.look(inputs)
        if not inputs.reset:
            self._shown(dut, view, inputs.token is not None)
            self._told(dut)
        entry = self.model.clock(inputs)
        if self.inject is not None:
            self.inject.clock(injection is not None, inputs.token.layer if view.enters and inputs.token else None)
            self.inject = None if injection is None or inputs.reset else self.inject
        self._nested.append(self.model.nested)
        self._snapshots.append(self.model.snapshot)
        self._ins_error = self.model.ins_error
        self._cfg_errors.append(self.model.cfg_error)
        if inputs.restart:
            self._events = deque(e for e in self._events if e[0] <= self.clock)
        if inputs.reset:
            self._events.clear()
            self._nested.extend([0, 0])
            self._cfg_errors.extend([False] * CFG_LATENCY)
        if entry is not None:
            self._events.append((self.clock + EV_LATENCY, self._event(entry)))

    def _shown(self, dut: object, view: TokenView, token: bool) -> None:
        model = self.model
        wanted = {
            "tok_ready": view.tok_ready, "pipe_valid": view.pipe_valid, "pipe_freeze": view.pipe_freeze,
            "trimming": view.trimming, "held": view.held, "armed": model.armed, "nested": self._nested[0],
            "ins_error": self._ins_error, "cfg_error": self._cfg_errors[0],
        }  # fmt: skip
        if not token and not view.pipe_freeze:
            del wanted["tok_ready"]  # of nothing
        shown = {name: known(getattr(dut, name)) for name in wanted}
        assert shown == wanted, f"clock {self.clock}:\n  DUT   {shown}\n  model {wanted}"
        snapshot = self._snapshots[0]
        if snapshot is not None:
            seen = Snapshot(known(dut.snap_cause), known(dut.snap_token), self._context(dut))
            assert seen == snapshot, f"clock {self.clock}: snapshot\n  DUT   {seen}\n  model {snapshot}"

    def _context(self, dut: object) -> tuple[int, ...]:
        whole = known(dut.snap_ctx)
        return tuple(whole >> 32 * i & 0xFFFFFFFF for i in range(self.words))

    def _told(self, dut: object) -> None:
        due = self._events.popleft()[1] if self._events and self._events[0][0] == self.clock else None
        seen = None
        valid, step = known(dut.ev_valid), known(dut.ev_step)
        if valid or step:
            record = (known(dut.ev_kind), known(dut.ev_sub), known(dut.ev_payload)) if valid else None
            context = self._context(dut) if record is not None and record[0] == Kind.TOKINT else ()
            jump = dut.ev_step_ns.value.to_signed() if step else None
            seen = Event(known(dut.ev_ts), known(dut.ev_tq), known(dut.ev_tokens), record, context, jump)
        assert seen == due, f"clock {self.clock - EV_LATENCY}:\n  DUT   {seen}\n  model {due}"
        if due is not None:
            self.compared += 1
            name = readable(due.record)
            self.said[name.split()[0]] += 1
            if due.record is not None:
                self.records.append((name, due.record[2]))

    def _event(self, entry: Entry) -> Event:
        record = None if entry.kind is None else (int(entry.kind), int(entry.sub), entry.payload)
        return Event(entry.ts, entry.tq, self.model.tokens, record, entry.context, entry.step_ns)

    def take(self) -> list[tuple[str, int]]:
        """(name, token id) of the records since the last call; the cause follows the name TOKINT."""
        taken, self.records = self.records, []
        return taken


def readable(record: tuple[int, int, int] | None) -> str:
    """ "FIRST", "FROZEN", "TOKINT 5", "step" (no record)."""
    if record is None:
        return "step"
    kind, sub, _ = record
    return f"TOKINT {sub}" if kind == Kind.TOKINT else TokenSub(sub).name
