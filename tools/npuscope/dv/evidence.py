"""What was found so far, read back: which planned test or proof holds, is stale, failed, or was never run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from npuscope.dv.plan import PROOF
from npuscope.dv.results import Node, Results, Row, read
from npuscope.dv.tree import Tree, load_json
from npuscope.sim.verdict import Verdict, base_name

__all__ = ["COVER", "MUTANTS", "PROOFS", "REGRESS", "REPLAY", "Evidence", "State", "save"]

REGRESS: Final = "regress.jsonl"
MUTANTS: Final = "mutants.jsonl"
PROOFS: Final = "prove.json"
COVER: Final = "cover.json"
REPLAY: Final = "replay.json"


class State(StrEnum):
    """How a row of the matrix stands, the worst last."""

    VERIFIED = "VERIFIED"
    WAIVED = "WAIVED"
    STALE = "STALE"  # found on other sources
    GAP = "GAP"  # nothing shows it
    FAILED = "FAILED"

    @classmethod
    def worst(cls, states: Iterable[State]) -> State:
        """Of several, the one that decides; of none, a gap."""
        order = list(cls)
        return max(states, key=order.index, default=cls.GAP)


def save(
    path: Path, tree: Tree, benches: Iterable[str], body: dict[str, Any], others: dict[str, str] | None = None
) -> None:
    """Write a JSON piece of evidence with the hashes of what it stands on; ``others``: those of benches kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hashes = (others or {}) | {name: tree.hash(name) for name in sorted(set(benches))}
    path.write_text(json.dumps({"schema": 1, "hashes": hashes, **body}, indent=1) + "\n")


@dataclass(frozen=True)
class Evidence:
    """All pieces in the evidence folder of a tree; those that are not there are empty."""

    tree: Tree
    folder: Path

    def _lines(self, name: str) -> Results:
        path = self.folder / name
        return read(path) if path.exists() else Results([], {}, 0)

    def _json(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        return load_json(path) if path.exists() else {"hashes": {}}

    @cached_property
    def regress(self) -> Results:
        return self._lines(REGRESS)

    @cached_property
    def mutants(self) -> Results:
        return self._lines(MUTANTS)

    @cached_property
    def proofs(self) -> dict[str, Any]:
        return self._json(PROOFS)

    @cached_property
    def cover(self) -> dict[str, Any]:
        return self._json(COVER)

    @cached_property
    def replayed(self) -> list[dict[str, Any]]:
        """Recorded stimulus that was replayed on the RTL, and whether the golden model agreed."""
        found: list[dict[str, Any]] = self._json(REPLAY).get("replayed", [])
        return found

    def fresh(self, hashes: dict[str, str], bench: str) -> bool:
        """Whether evidence with these hashes is about the bench as it is now."""
        return hashes.get(bench) == self._now(bench)

    def _now(self, bench: str) -> str:
        cache: dict[str, str] = self.__dict__.setdefault("_hashes", {})
        if bench not in cache:
            cache[bench] = self.tree.hash(bench)
        return cache[bench]

    @cached_property
    def _by_function(self) -> dict[tuple[str, str], list[Row]]:
        found: dict[tuple[str, str], list[Row]] = {}
        for row in self.regress.complete():
            node = Node.of(row.node)
            found.setdefault((node.bench, node.test), []).append(row)
        return found

    @cached_property
    def _by_cocotb(self) -> dict[tuple[str, str], list[bool]]:
        """Whether each run of a cocotb test passed, planted bugs left out."""
        found: dict[tuple[str, str], list[bool]] = {}
        for run in self.regress.runs:
            if run["bug"] is None and run["node"]:
                for full in run["tests"]:
                    key = (Node.of(run["node"]).bench, base_name(full.rpartition(".")[2]))
                    found.setdefault(key, []).append(full not in run["failed"])
        return found

    def state(self, bench: str, test: str) -> State:
        """Of one planned test or proof."""
        if test.startswith(PROOF):
            return self.proof(bench, test.removeprefix(PROOF))
        rows = self._by_function.get((bench, test), [])
        runs = self._by_cocotb.get((bench, test), [])
        if any(not row.ok and row.verdict != Verdict.MISSING for row in rows) or not all(runs):
            return State.FAILED
        if not (rows or runs) or any(not row.ok for row in rows):
            return State.GAP
        return State.VERIFIED if self.fresh(self.regress.hashes, bench) else State.STALE

    def proof(self, bench: str, name: str) -> State:
        """Of one proof: every mode, every cover, every planted bug."""
        rows = [row for row in self.proofs.get("rows", []) if row["proof"] == name]
        if not rows:
            return State.GAP
        if not all(row["ok"] for row in rows):
            return State.FAILED
        return State.VERIFIED if self.fresh(self.proofs["hashes"], bench) else State.STALE

    def bin(self, threshold: str, name: str) -> State:
        """Whether a run that passed met a boundary bin."""
        wanted, found = f"{threshold} {name}", State.GAP
        for run in self.regress.runs:
            if run["bug"] is None and run["verdict"] == Verdict.PASS and wanted in run.get("bins", ()):
                if self.fresh(self.regress.hashes, Node.of(run["node"]).bench):
                    return State.VERIFIED
                found = State.STALE
        return found

    def mutant(self, bench: str, name: str, sim: str) -> State:
        """Whether a named mutant was killed on a simulator."""
        wanted = {f"{name}-{sim}", f"{sim}-{name}"}
        for part in (self.mutants, self.regress):
            for row in part.rows.values():
                node = Node.of(row.node)
                if (node.bench, node.test) == (bench, "test_mutant") and _case(row.node) in wanted:
                    if not row.ok:
                        return State.FAILED
                    if self.fresh(part.hashes, bench):
                        return State.VERIFIED
        stale = any(_case(row.node) in wanted for part in (self.mutants, self.regress) for row in part.rows.values())
        return State.STALE if stale else State.GAP


def _case(node: str) -> str:
    return node.partition("[")[2].rstrip("]")
