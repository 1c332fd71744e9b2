"""The named mutants of the book: run against their detectors on both simulators, and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npuscope.dv import regress
from npuscope.dv.book import Mutant, load_book
from npuscope.dv.evidence import MUTANTS, Evidence
from npuscope.dv.tree import Tree
from npuscope.sim.verdict import base_name
from npuscope.views.table import table

__all__ = ["rows", "run", "text"]


def _chosen(tree: Tree, benches: tuple[str, ...]) -> list[Mutant]:
    return [m for m in load_book(tree).mutants if not benches or m.bench in benches]


def run(tree: Tree, benches: tuple[str, ...], sims: tuple[str, ...], jobs: int, told: Callable[[str], None]) -> None:
    """Run the mutants of these benches, all without; results of other benches stay."""
    only = benches or tuple(sorted({m.bench for m in load_book(tree).mutants}))
    choice = regress.Choice(only=only, keyword="test_mutant", mutant_sims=sims)
    planned, target = regress.plan(tree, choice), tree.evidence / MUTANTS
    regress.run(
        tree, planned, choice, target, jobs=jobs, keep=True,
        told=lambda row: told(f"{row.verdict} {row.node} {row.seconds:.1f} s"),
    )  # fmt: skip


def rows(tree: Tree, benches: tuple[str, ...], sims: tuple[str, ...]) -> list[dict[str, Any]]:
    """A row for each mutant and simulator: state and the tests that failed on it."""
    evidence, found = Evidence(tree, tree.evidence), []
    killers: dict[tuple[str, str], set[str]] = {}
    for one in (*evidence.regress.runs, *evidence.mutants.runs):
        if one["bug"] is not None:
            names = {base_name(name.rpartition(".")[2]) for name in one["failed"]}
            killers.setdefault((one["bug"], one["sim"]), set()).update(names)
    for m in _chosen(tree, benches):
        for sim in sims:
            by = killers.get((f"{m.file}: {m.old} -> {m.new}", sim), set())
            state = evidence.mutant(m.bench, m.name, sim)
            found.append(
                {"name": m.name, "kind": m.kind, "bench": m.bench, "sim": sim, "detectors": list(m.by),
                 "failed": sorted(by), "state": str(state)}
            )  # fmt: skip
    return found


def text(rows: list[dict[str, Any]]) -> str:
    """The table and its counts."""
    body = table(
        ("mutant", "kind", "bench", "sim", "detectors", "state"),
        [(r["name"], r["kind"], r["bench"], r["sim"], ", ".join(r["detectors"]), r["state"]) for r in rows],
        columns=120,
    )
    killed = sum(r["state"] == "VERIFIED" for r in rows)
    return f"{body}\n{killed} of {len(rows)} killed by their detectors"
