"""Run benches with Verilator's counters on, and keep what each module's own bench hit."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from npuscope.dv import cover, regress
from npuscope.dv.evidence import COVER, Evidence, save
from npuscope.dv.results import Node, Results, read
from npuscope.dv.tree import Tree
from npuscope.errors import NpuscopeError
from npuscope.sim.runner import COVER_VARIABLE

__all__ = ["Coverage"]

_RUNS = "cover.jsonl"
_WITHOUT = "not planted and not mutant and not illegal and not caught"


class Coverage:
    """Coverage of the modules of a tree that have a bench of their name."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def run(self, benches: tuple[str, ...], jobs: int, told: Callable[[str], None]) -> None:
        """Run these benches, all without, and put the results with those of other modules."""
        choice = regress.Choice(("verilator",), only=benches, keyword=_WITHOUT)
        planned = regress.plan(self.tree, choice)
        os.environ[COVER_VARIABLE] = "1"
        try:
            regress.run(
                self.tree, planned, choice, self.tree.evidence / _RUNS, jobs=jobs, keep=True,
                told=lambda row: told(f"{row.verdict} {row.node} {row.seconds:.1f} s"),
            )  # fmt: skip
        finally:
            del os.environ[COVER_VARIABLE]
        modules = sorted({Node.of(node).bench for node in planned.planned} & self.tree.modules.keys())
        found = {name: self._measure(name) for name in modules}
        old = Evidence(self.tree, self.tree.evidence).cover
        save(self.tree.evidence / COVER, self.tree, found, {"modules": old.get("modules", {}) | found}, old["hashes"])

    def _measure(self, module: str) -> dict[str, Any]:
        points = self.points([module])
        return {"kinds": cover.kinds(points), "holes": cover.holes(points) if points else ["nothing counted"]}

    def _results(self) -> Results:
        path = self.tree.evidence / _RUNS
        if not path.exists():
            raise NpuscopeError("no coverage yet", hint="npuscope dv cover --run")
        return read(path)

    def modules(self, benches: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """Hit and total by kind of each measured module.

        Raises:
            NpuscopeError: one that was not measured.
        """
        found = Evidence(self.tree, self.tree.evidence).cover.get("modules", {})
        if unknown := sorted(set(benches) - found.keys()) or ([] if found else ["nothing measured"]):
            raise NpuscopeError("no coverage", found=", ".join(unknown), hint="npuscope dv cover --run")
        return {name: body for name, body in found.items() if not benches or name in benches}

    def by_run(self, modules: Iterable[str]) -> dict[str, Counter[cover.Point]]:
        """Points of the modules by run."""
        wanted, found = set(modules), {}
        for one in self._results().runs:
            data, bench = Path(one["folder"]) / "coverage.dat", Node.of(one["node"]).bench
            if bench in wanted and data.exists():
                found[one["node"]] = cover.of_file(cover.read([data]), f"{bench}.v")
        return found

    def points(self, modules: Iterable[str]) -> Counter[cover.Point]:
        """Points of the modules over all runs of their benches."""
        whole: Counter[cover.Point] = Counter()
        for found in self.by_run(modules).values():
            whole.update(found)  # keeps points that nobody hit
        return whole

    def changed(self, base: str) -> dict[str, set[int]]:
        """Changed lines of RTL files since a git revision, by file name.

        Raises:
            NpuscopeError: git does not know it.
        """
        command = ["git", "diff", "-U0", base, "--", "rtl"]
        done = subprocess.run(command, cwd=self.tree.root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NpuscopeError("git cannot compare with it", found=done.stderr.strip().partition("\n")[0] or base)
        found: dict[str, set[int]] = {}
        name = ""
        for line in done.stdout.split("\n"):
            if line.startswith("+++ "):
                name = Path(line[4:]).name
            elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
                first, count = int(hunk[1]), int(hunk[2] or 1)
                found.setdefault(name, set()).update(range(first, first + count))
        return found
