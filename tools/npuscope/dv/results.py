"""What a regression found: planned tests, one row for each, runs behind them; kept as lines of JSON.

A file begins with a header (what was planned, of which shard, on which tree) and ends wherever its run ended: a planned
test without a row is MISSING, so a killed run still says what it knows.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError
from npuscope.sim.verdict import Verdict

__all__ = ["SCHEMA", "Bucket", "Node", "Results", "Row", "buckets", "merge", "read", "shard_of", "write"]

SCHEMA: Final = 1
FIRST_EDGE_NS: Final = 10  # the longest clock period of a bench
_PARTS = re.compile(r"(?:.*/)?(?P<bench>[^/]+)/[^/]+\.py::(?P<test>\w+)(?:\[(?P<case>.*)\])?$")
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Node:
    """One planned test: the name by which pytest knows it, and its parts."""

    id: str
    bench: str
    test: str
    sim: str | None
    seed: int | None
    pair: str

    @classmethod
    def of(cls, text: str) -> Node:
        """Parse a pytest node id.

        Raises:
            NpuscopeError: it is none of a bench.
        """
        found = _PARTS.fullmatch(text)
        if found is None:
            raise NpuscopeError("not a test of a bench", found=text, expected="tb/<bench>/test_x.py::test_y[...]")
        parts = (found["case"] or "").split("-")
        sim = next((part for part in parts if part in ("icarus", "verilator")), None)
        seed = next((int(part[4:]) for part in parts if re.fullmatch(r"seed\d+", part)), None)
        pair = text.replace(sim, "*", 1) if sim else text
        return cls(text, found["bench"], found["test"], sim, seed, pair)


@dataclass(frozen=True)
class Row:
    """How one test ended."""

    node: str
    verdict: str
    reason: str
    seconds: float = 0.0
    folder: str | None = None
    waveform: str | None = None
    view: str | None = None

    @property
    def ok(self) -> bool:
        return self.verdict == Verdict.PASS

    def line(self) -> dict[str, Any]:
        """The row as it is kept."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass
class Results:
    """A regression, or a part of one. hashes: of each bench when it ran. runs: simulations, as ``Result.row``."""

    planned: list[str]
    hashes: dict[str, str]
    seed: int
    shard: str = "1/1"
    rows: dict[str, Row] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def own(self) -> list[str]:
        """Planned tests of this shard."""
        return [node for node in self.planned if shard_of(node, self.shard)]

    def complete(self) -> list[Row]:
        """A row for each planned test of this shard, and one for each two simulators that differ."""
        absent = Row("", Verdict.MISSING, "planned, but it did not run")
        rows = [self.rows.get(node) or Row(node, absent.verdict, absent.reason) for node in self.own]
        return [*rows, *self._differences()]

    def _differences(self) -> Iterator[Row]:
        """The same test with the same seed must take the same simulated time on both simulators.

        The first test of a run may differ by a clock: only Icarus sees the edge at time 0.
        """
        lasted: dict[str, dict[str, dict[str, float]]] = {}
        first: set[str] = set()
        for run in self.runs:
            if run["bug"] is None and run["verdict"] == Verdict.PASS:
                key, names = Node.of(run["node"]).pair, [f"{run['seed']} {name}" for name in run["tests"]]
                times = lasted.setdefault(key, {}).setdefault(run["sim"], {})
                times |= dict(zip(names, run["lasted_ns"], strict=True))
                first.update(names[:1])
        for pair, by_sim in lasted.items():
            if len(by_sim) == 2:
                (one, left), (other, right) = sorted(by_sim.items())
                odd = sorted(left.keys() ^ right.keys())
                for name in sorted(left.keys() & right.keys()):
                    if abs(left[name] - right[name]) > (FIRST_EDGE_NS if name in first else 0):
                        odd.append(name)
                if odd:
                    reason = f"simulators differ: {odd[0]} ended after {left.get(odd[0])} ns on {one}"
                    yield Row(pair, Verdict.FAIL, f"{reason}, {right.get(odd[0])} ns on {other}")

    def without(self, benches: Iterable[str]) -> Results:
        """What it says of other benches."""
        gone = set(benches)
        left = Results([n for n in self.planned if Node.of(n).bench not in gone], {}, self.seed, self.shard)
        left.hashes = {name: digest for name, digest in self.hashes.items() if name not in gone}
        left.rows = {node: row for node, row in self.rows.items() if Node.of(node).bench not in gone}
        left.runs = [run for run in self.runs if Node.of(run["node"]).bench not in gone]
        return left

    def lines(self) -> list[dict[str, Any]]:
        """Rows and runs as they are kept."""
        return [*({"run": 1, **run} for run in self.runs), *(row.line() for row in self.rows.values())]

    def expect(self, nodes: list[str]) -> None:
        """Plan these tests too: one that did not run is MISSING."""
        self.planned = sorted(set(self.planned) | set(nodes))

    def header(self) -> dict[str, Any]:
        """The first line of the file."""
        return {
            "schema": SCHEMA,
            "planned": self.planned,
            "hashes": self.hashes,
            "seed": self.seed,
            "shard": self.shard,
        }


@dataclass(frozen=True)
class Bucket:
    """Failures with the same signature."""

    verdict: str
    bench: str
    reason: str
    nodes: tuple[str, ...]
    view: str | None

    def replay(self, seed: int) -> str:
        """One line to copy: the first of them again."""
        node = Node.of(self.nodes[0])
        seeds = f"NPUSCOPE_SEED={node.seed} NPUSCOPE_SEEDS=2" if node.seed is not None else f"NPUSCOPE_SEED={seed}"
        return f"{seeds} {shlex.quote(sys.executable)} -m pytest {shlex.quote(node.id.replace('*', 'icarus', 1))}"


def buckets(rows: Iterable[Row]) -> list[Bucket]:
    """Failing rows by verdict, bench and reason without its numbers; the fullest first."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if not row.ok:
            signature = (row.verdict, Node.of(row.node).bench, _VARYING.sub("#", row.reason))
            groups.setdefault(signature, []).append(row)
    found = [
        Bucket(rows[0].verdict, Node.of(rows[0].node).bench, rows[0].reason, tuple(r.node for r in rows), rows[0].view)
        for rows in groups.values()
    ]
    return sorted(found, key=lambda b: -len(b.nodes))


def shard_of(node: str, shard: str) -> bool:
    """Whether a test belongs to shard ``i/n``: tests of one file go together, files by the CRC of their name."""
    index, count = (int(part) for part in shard.split("/"))
    return zlib.crc32(node.partition("::")[0].encode()) % count == index - 1


def read(path: Path) -> Results:
    """Read a results file; a last line that was cut short is left out.

    Raises:
        NpuscopeError: it cannot be read, or is no such file.
    """
    try:
        lines = path.read_text().split("\n")
        head = json.loads(lines[0])
        found = Results(head["planned"], head["hashes"], head["seed"], head["shard"])
    except OSError as error:
        raise NpuscopeError("cannot be read", file=str(path), found=str(error.strerror)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise NpuscopeError("not the results of 'dv run'", file=str(path), expected=f"schema {SCHEMA}") from error
    for line in lines[1:-1]:
        row = json.loads(line)
        if row.pop("run", None):
            found.runs.append(row)
        elif "start" not in row:
            found.rows[row["node"]] = Row(**row)
    return found


def write(results: Results, path: Path) -> None:
    """Write a results file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in (results.header(), *results.lines())))


def merge(parts: list[Results]) -> Results:
    """Shards as one regression.

    Raises:
        NpuscopeError: they were not planned alike, or one is there twice.
    """
    first = parts[0]
    for part in parts[1:]:
        if (part.planned, part.hashes, part.seed) != (first.planned, first.hashes, first.seed):
            raise NpuscopeError("shards of different regressions", found=f"{part.shard} differs from {first.shard}")
    names = [part.shard for part in parts]
    if len(set(names)) < len(names):
        raise NpuscopeError("a shard is there twice", found=", ".join(sorted(names)))
    whole = Results(first.planned, first.hashes, first.seed)
    for part in parts:
        whole.rows |= part.rows
        whole.runs += part.runs
    return whole
