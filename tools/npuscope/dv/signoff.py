"""The verdict over all evidence: GO only if nothing is open; what is open is named, and so is what nobody looked at.

A module reaches a stage when every point of its plan up to there is verified or waived; V3 asks for its coverage
besides.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from npuscope.dv import book as book_module
from npuscope.dv import proofs
from npuscope.dv.book import Book, load_book
from npuscope.dv.evidence import Evidence, State
from npuscope.dv.matrix import matrix, rows_json
from npuscope.dv.plan import STAGES, Plan
from npuscope.dv.tree import Tree
from npuscope.dv.waivers import Waiver, faults, load_waivers
from npuscope.sim import SIMULATORS
from npuscope.sim.proofs import load as load_proofs

__all__ = ["NOT_COVERED", "Item", "SignOff"]

SCHEMA: Final = 1
NOT_COVERED: Final = (
    "clock-domain-crossing tools (crossings are in two modules, proved and simulated there)",
    "static timing analysis beyond the place and route of one FPGA",
    "design for test: scan, built-in self test, fault coverage",
    "power: estimation, gating, level shifters",
    "two-state Verilator: x is seen on Icarus only",
)
COVERAGE: Final = ("line", "branch", "expr", "toggle")
_WAIVABLE: Final = (State.GAP, State.STALE)


@dataclass(frozen=True)
class Item:
    """One thing that sign-off looked at. stage: the first for which it counts."""

    module: str
    name: str
    state: State
    stage: str = "V3"

    @property
    def open(self) -> bool:
        return self.state not in (State.VERIFIED, State.WAIVED)


@dataclass
class SignOff:
    """Everything computed from a tree and its evidence, for one stage."""

    tree: Tree
    stage: str
    today: datetime.date
    folder: Path | None = None  # of the evidence, that of the tree without
    evidence: Evidence = field(init=False)
    book: Book = field(init=False)
    waivers: list[Waiver] = field(init=False)

    def __post_init__(self) -> None:
        self.evidence = Evidence(self.tree, self.folder or self.tree.evidence)
        self.book = load_book(self.tree)
        self.waivers = load_waivers(self.tree)

    @cached_property
    def items(self) -> list[Item]:
        """All that counts at the stage, waivers applied."""
        found = []
        for item in self._items():
            if STAGES.index(item.stage) <= STAGES.index(self.stage):
                holds = [w for w in self.waivers if w.covers(item.name) and w.fault(self.today) is None]
                waived = holds and item.state in _WAIVABLE
                found.append(Item(item.module, item.name, State.WAIVED, item.stage) if waived else item)
        return found

    def _items(self) -> Iterator[Item]:
        for line in book_module.check(self.book):
            yield Item("book", f"book check: {line}", State.FAILED, "V1")
        for row in self.evidence.regress.complete():
            if not row.ok and row.node not in self.evidence.regress.rows and "*" in row.node:
                yield Item("regress", f"regress {row.node}: {row.reason}", State.FAILED, "V1")
        for name, plan in self.book.plans.items():
            yield from self._points(name, plan)
            yield from self._coverage(name)
        for link in matrix(self.book, self.evidence):
            if link.what != "test" or link.state is State.GAP:
                yield Item("book", f"threshold {link.threshold.id}: {link.what} {link.name}", link.state)

    def _points(self, bench: str, plan: Plan) -> Iterator[Item]:
        for point in plan.points:
            for test in point.tests:
                yield Item(bench, f"plan {bench} {point.id}: {test}", self.evidence.state(bench, test), point.stage)

    def _coverage(self, bench: str) -> Iterator[Item]:
        if bench not in self.tree.modules:
            return
        cover = self.evidence.cover
        found = cover.get("modules", {}).get(bench)
        if found is None:
            yield Item(bench, f"coverage {bench}: not measured", State.GAP)
            return
        if not self.evidence.fresh(cover["hashes"], bench):
            yield Item(bench, f"coverage {bench}: measured on other sources", State.STALE)
        for hole in found["holes"]:
            yield Item(bench, f"coverage {bench}: {hole}", State.GAP)
        if not found["holes"]:
            yield Item(bench, f"coverage {bench}: complete", State.VERIFIED)

    @cached_property
    def waiver_faults(self) -> list[str]:
        """Waivers that do not hold: each is a blocker."""
        names = [item.name for item in self._items() if item.open]
        return [f"waiver {line}" for line in faults(self.waivers, names, self.today)]

    @property
    def blockers(self) -> list[str]:
        """Why it is NO-GO, each a line; empty for GO."""
        return [*self.waiver_faults, *(f"{item.name}: {item.state}" for item in self.items if item.open)]

    @property
    def verdict(self) -> str:
        return "NO-GO" if self.blockers else "GO"

    def reached(self, module: str) -> str:
        """The stage of a module, ``-`` if not even the first."""
        reached, mine = "-", [item for item in self.items if item.module == module]
        for stage in STAGES[: STAGES.index(self.stage) + 1]:
            asked = [item for item in mine if STAGES.index(item.stage) <= STAGES.index(stage)]
            if any(item.open for item in asked):
                break
            reached = stage if asked else "-"
        return reached

    def modules(self) -> dict[str, dict[str, Any]]:
        """Of each bench: stage reached, open items by stage, hash."""
        found: dict[str, dict[str, Any]] = {}
        for name in self.book.plans:
            mine = [item for item in self.items if item.module == name]
            still = {stage: sum(item.open for item in mine if item.stage == stage) for stage in STAGES}
            body = {"reached": self.reached(name), "items": len(mine), "open": still}
            found[name] = body | {"hash": self.tree.hash(name)}
        return found

    def to_json(self) -> dict[str, Any]:
        """The report, without anything that differs from one computation to the next."""
        regress = self.evidence.regress
        rows = regress.complete()
        verdicts: dict[str, int] = {}
        for row in rows:
            verdicts[row.verdict] = verdicts.get(row.verdict, 0) + 1
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "stage": self.stage,
            "blockers": self.blockers,
            "modules": self.modules(),
            "thresholds": rows_json(self.book, matrix(self.book, self.evidence)),
            "regression": {"planned": len(regress.own), "verdicts": verdicts, "seed": regress.seed},
            "coverage": {name: body["kinds"] for name, body in self.evidence.cover.get("modules", {}).items()},
            "proofs": proofs.rows(load_proofs(self.tree.root), self.evidence),
            "mutants": [self._mutant(name) for name in self.book.mutants],
            "waivers": [{**vars(w), "expires": str(w.expires), "fault": w.fault(self.today)} for w in self.waivers],
            "replayed": self.evidence.replayed,
            "not_covered": list(NOT_COVERED),
        }

    def _mutant(self, mutant: book_module.Mutant) -> dict[str, Any]:
        states = {sim: self.evidence.mutant(mutant.bench, mutant.name, sim) for sim in SIMULATORS}
        return {"name": mutant.name, "kind": mutant.kind, "bench": mutant.bench, "by": list(mutant.by), **states}
