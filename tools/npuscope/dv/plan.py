"""Test plans, ``tb/<module>/plan.toml``: points with intent, stage, tests and the thresholds that they look at.

A table ``[[point]]``::

    id = "B1"
    intent = "Hot at TH_ON, cool below TH_OFF."
    stage = "V1"                                # V1 works, V2 complete, V3 signed off
    tests = ["test_rules", "prove:bp_probe"]    # cocotb tests, pytest functions, proofs of the same folder
    thresholds = ["TH_ON", "TH_OFF"]            # entries of the book, optional
    bins = ["TH_ON - 1, TH_ON"]                 # what the tests must meet, for people, optional

A planned test that does not exist and a test in no plan are errors.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from npuscope.dv.tree import Tree, load_toml
from npuscope.errors import NpuscopeError

__all__ = ["PROOF", "STAGES", "Plan", "Point", "differences", "load_plan", "plans", "tests_in"]

STAGES: Final = ("V1", "V2", "V3")
PROOF: Final = "prove:"
_REQUIRED = {"id", "intent", "stage", "tests"}
_ALLOWED = _REQUIRED | {"thresholds", "bins"}


@dataclass(frozen=True)
class Point:
    """One thing to show, and what shows it."""

    id: str
    intent: str
    stage: str
    tests: tuple[str, ...]
    thresholds: tuple[str, ...]
    bins: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of one bench folder."""

    module: str
    path: Path
    points: tuple[Point, ...]

    def at(self, stage: str) -> tuple[Point, ...]:
        """Points that must hold at ``stage``: its own and those of the stages before."""
        return tuple(p for p in self.points if STAGES.index(p.stage) <= STAGES.index(stage))


def load_plan(path: Path) -> Plan:
    """Read and check one plan.

    Raises:
        NpuscopeError: a key missing or unknown, an id twice, a stage that there is not, a point without a test.
    """
    table, file = load_toml(path), str(path)
    if not table.get("point") or table.keys() != {"module", "point"}:
        raise NpuscopeError("a plan is 'module' and [[point]] tables", file=file, found=", ".join(table) or "nothing")
    points: list[Point] = []
    for entry in table["point"]:
        name = f"point {entry.get('id', '?')}"
        if missing := sorted(key for key in _REQUIRED if not entry.get(key)):
            raise NpuscopeError(f"{name} lacks {', '.join(missing)}", file=file)
        if unknown := sorted(entry.keys() - _ALLOWED):
            raise NpuscopeError(f"{name} has unknown keys", file=file, found=", ".join(unknown))
        if entry["stage"] not in STAGES:
            raise NpuscopeError(f"{name}: no such stage", file=file, found=entry["stage"], expected=", ".join(STAGES))
        if any(entry["id"] == point.id for point in points):
            raise NpuscopeError(f"{name} is there twice", file=file)
        lists = (tuple(entry.get(key, ())) for key in ("tests", "thresholds", "bins"))
        points.append(Point(entry["id"], entry["intent"], entry["stage"], *lists))
    return Plan(table["module"], path, tuple(points))


def plans(tree: Tree) -> dict[str, Plan]:
    """The plan of each bench folder."""
    return {name: load_plan(folder / "plan.toml") for name, folder in tree.benches.items()}


def tests_in(folder: Path) -> set[str]:
    """Names of the cocotb tests, pytest functions and proofs of a bench folder."""
    found: set[str] = set()
    for path in folder.glob("*.py"):
        found |= _names(path.read_text(), path.name.startswith("test_"))
    proofs = folder / "proofs.toml"
    if proofs.exists():
        found |= {PROOF + proof["name"] for proof in load_toml(proofs)["proof"]}
    return found


@cache
def _names(text: str, pytest_file: bool) -> frozenset[str]:
    """Tests at the top of a Python file."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.AsyncFunctionDef | ast.ClassDef):
            if any("test" in ast.unparse(decorator) for decorator in node.decorator_list):
                found.add(node.name)
        elif isinstance(node, ast.FunctionDef) and pytest_file and node.name.startswith("test"):
            found.add(node.name)
    return frozenset(found)


def differences(plan: Plan) -> list[str]:
    """Planned tests that do not exist, and tests in no plan; each a line."""
    planned = {test for point in plan.points for test in point.tests}
    existing = tests_in(plan.path.parent)
    lines = [f"{plan.module}: planned, but there is no such test: {name}" for name in sorted(planned - existing)]
    return lines + [f"{plan.module}: a test in no plan: {name}" for name in sorted(existing - planned)]
