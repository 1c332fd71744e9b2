"""What a pipeline is: stages, buffers, windows; read from TOML and checked."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError
from npuscope.layout import MAX_LAYERS, SRC_MARK

__all__ = ["SINK", "SOURCE", "Fifo", "Pipeline", "Stage", "Window", "load"]

SOURCE: Final = "source"
SINK: Final = "sink"
MAX_CLOCKS: Final = 0xFFFF
"""Longest service, jitter, burst, gap and extra, in clocks or tokens: the fields of the Verilog are 16 bits wide."""
MAX_TIME: Final = 0xFFFFFFFF
MAX_DEPTH: Final = 1024
MAX_STAGES: Final = 254
MAX_BUFFERS: Final = 64
"""Width of the port masks of the Verilog model."""


@dataclass(frozen=True)
class Stage:
    """One station. service, jitter, gap in clocks, burst in tokens (rule P5); ``name`` is its identity."""

    name: str
    service: int = 1
    jitter: int = 0
    burst: int = 0
    gap: int = 0


@dataclass(frozen=True)
class Fifo:
    """One buffer: ``depth`` tokens from stage ``producer`` to stage ``consumer``; its index is its layer id."""

    name: str
    producer: str
    consumer: str
    depth: int


@dataclass(frozen=True)
class Window:
    """Clocks [first, end) in which ``stage`` is stopped (extra None) or needs ``extra`` more clocks for a token."""

    stage: str
    first: int
    end: int
    extra: int | None = None


@dataclass(frozen=True)
class Pipeline:
    """A checked pipeline. stages[0] is the source, stages[-1] the sink; raises NpuscopeError when it is not legal."""

    stages: tuple[Stage, ...]
    buffers: tuple[Fifo, ...]
    windows: tuple[Window, ...] = ()
    seed: int = 1
    tokens: int = 0
    sources: int = 1
    clock_period_ps: int = 5000
    title: str = "pipeline"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def span(self) -> int:
        """Buffers a trace source scans (rule P8)."""
        return -(-len(self.buffers) // self.sources)

    def index(self, stage: str) -> int:
        """Position of a stage in ``stages``."""
        return next(i for i, s in enumerate(self.stages) if s.name == stage)

    def inputs(self, stage: str) -> tuple[int, ...]:
        """Indices of the buffers that ``stage`` reads."""
        return tuple(i for i, b in enumerate(self.buffers) if b.consumer == stage)

    def outputs(self, stage: str) -> tuple[int, ...]:
        """Indices of the buffers that ``stage`` writes."""
        return tuple(i for i, b in enumerate(self.buffers) if b.producer == stage)

    def order(self) -> tuple[int, ...]:
        """Indices of the stages, each after all that feed it."""
        before: dict[str, list[str]] = {s.name: [] for s in self.stages}
        for b in self.buffers:
            before[b.consumer].append(b.producer)
        try:
            names = list(TopologicalSorter(before).static_order())
        except CycleError as error:
            raise NpuscopeError("the buffers form a cycle", found=" -> ".join(reversed(error.args[1]))) from None
        at = {s.name: i for i, s in enumerate(self.stages)}
        return tuple(at[name] for name in names)

    def schedule(self, stage: str) -> tuple[tuple[int, bool, int], ...]:
        """The windows of a stage as changes (clock, stopped, extra): in force from that clock to the next change.

        Ascending clocks, no two alike; before the first the stage runs with extra 0.
        """
        mine = [w for w in self.windows if w.stage == stage]
        changes: list[tuple[int, bool, int]] = []
        now = (False, 0)
        for clock in sorted({c for w in mine for c in (w.first, w.end)}):
            active = [w for w in mine if w.first <= clock < w.end]
            then = (any(w.extra is None for w in active), sum(w.extra or 0 for w in active))
            if then != now:
                changes.append((clock, *then))
                now = then
        return tuple(changes)

    def without(self, *windows: int | Window) -> Pipeline:
        """The counterfactual: this pipeline minus the given windows (indices or the windows themselves)."""
        gone = {self.windows.index(w) if isinstance(w, Window) else range(len(self.windows))[w] for w in windows}
        return dataclasses.replace(self, windows=tuple(w for i, w in enumerate(self.windows) if i not in gone))


def load(path: str | Path) -> Pipeline:
    """Read a pipeline from TOML; raises NpuscopeError (one line, names the key) when it is not legal.

    Top level: title, seed, clock_period_ps, tokens (0: no end), sources (of the trace); tables ``[source]`` and
    ``[sink]`` (a stage without name, optional), ``[[stage]]`` (name, service, jitter, burst, gap), ``[[buffer]]``
    (name, from, to, depth), ``[[window]]`` (stage, first, end, extra; no extra: stopped).
    """
    name = str(path)
    try:
        doc = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise NpuscopeError("cannot read the pipeline", file=name, found=error.strerror) from None
    except UnicodeDecodeError as error:
        raise NpuscopeError("the pipeline is no UTF-8 text", file=name, offset=error.start) from None
    except tomllib.TOMLDecodeError as error:
        raise NpuscopeError("not TOML", file=name, found=str(error)) from None
    top = {"title": str, "seed": int, "clock_period_ps": int, "tokens": int, "sources": int}
    tables = {"source", "sink", "stage", "buffer", "window"}
    scalars = _table("pipeline", {k: v for k, v in doc.items() if k not in tables}, top, set(), name)
    service = {"service": int, "jitter": int, "burst": int, "gap": int}
    buffer = {"name": str, "from": str, "to": str, "depth": int}
    window = {"stage": str, "first": int, "end": int, "extra": int}
    stages = [Stage(SOURCE, **_table("source", doc.get("source", {}), service, set(), name))]
    for row in _rows(doc, "stage", name):
        stages.append(Stage(**_table("stage", row, {"name": str, **service}, {"name"}, name)))
    stages.append(Stage(SINK, **_table("sink", doc.get("sink", {}), service, set(), name)))
    buffers = []
    for row in _rows(doc, "buffer", name):
        got = _table("buffer", row, buffer, set(buffer), name)
        buffers.append(Fifo(got["name"], got["from"], got["to"], got["depth"]))
    rows = [_table("window", row, window, {"stage", "first", "end"}, name) for row in _rows(doc, "window", name)]
    windows = tuple(Window(**row) for row in rows)
    try:
        return Pipeline(tuple(stages), tuple(buffers), windows, **scalars)
    except NpuscopeError as error:
        error.file = name
        error.args = (error.line(),)
        raise


def _rows(doc: dict[str, Any], key: str, file: str) -> list[Any]:
    rows = doc.get(key, [])
    if not isinstance(rows, list):
        raise NpuscopeError(f"{key} is not an array of tables", file=file, hint=f"write [[{key}]]")
    return rows


def _table(what: str, row: Any, types: Mapping[str, type], needed: set[str], file: str) -> dict[str, Any]:
    """``row`` checked: a table with only the keys of ``types``, all of ``needed``, each of its type."""
    if not isinstance(row, dict):
        raise NpuscopeError(f"{what} is not a table", file=file, found=repr(row))
    where = f"{what} {row['name']!r}" if isinstance(row.get("name"), str) else what
    for key, value in row.items():
        if key not in types:
            raise NpuscopeError(f"{where}: unknown key", file=file, found=key, expected=" ".join(types))
        if type(value) is not types[key]:
            raise NpuscopeError(f"{where}: {key}", file=file, found=repr(value), expected=types[key].__name__)
    if missing := needed - row.keys():
        raise NpuscopeError(f"{where}: missing key", file=file, expected=" ".join(sorted(missing)))
    return row


def _range(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise NpuscopeError(what, found=str(value), expected=f"{low}..{high}")


def _check(p: Pipeline) -> None:
    names = [s.name for s in p.stages]
    if len(names) < 3 or names[0] != SOURCE or names[-1] != SINK:
        raise NpuscopeError("stages", found=" ".join(names), expected=f"{SOURCE}, at least one stage, {SINK}")
    _range("stages", len(names), 3, MAX_STAGES)
    _range("buffers", len(p.buffers), 2, MAX_BUFFERS)
    _range("sources", p.sources, -(-len(p.buffers) // MAX_LAYERS), min(len(p.buffers), SRC_MARK))
    if (p.sources - 1) * p.span >= len(p.buffers):
        raise NpuscopeError("sources", found=str(p.sources), hint="the last source would have no buffer")
    _range("seed", p.seed, 0, MAX_TIME)
    _range("tokens", p.tokens, 0, MAX_TIME - 1)
    _range("clock_period_ps", p.clock_period_ps, 1, MAX_TIME)
    for what, every in (("stage", names), ("buffer", [b.name for b in p.buffers])):
        for name in every:
            if not name or every.count(name) > 1:
                raise NpuscopeError(f"{what} name {'empty' if not name else 'used twice'}", found=repr(name))
    for s in p.stages:
        _range(f"stage {s.name!r}: service", s.service, 1, MAX_CLOCKS)
        for field in ("jitter", "burst", "gap"):
            _range(f"stage {s.name!r}: {field}", getattr(s, field), 0, MAX_CLOCKS)
    for b in p.buffers:
        _range(f"buffer {b.name!r}: depth", b.depth, 1, MAX_DEPTH)
        for key, name in (("from", b.producer), ("to", b.consumer)):
            if name not in names:
                raise NpuscopeError(f"buffer {b.name!r}: {key}: no such stage", found=repr(name))
    for name in names:
        for side, count, ends in (
            ("input", len(p.inputs(name)), name == SOURCE),
            ("output", len(p.outputs(name)), name == SINK),
        ):
            if bool(count) == ends:
                raise NpuscopeError(f"stage {name!r} has {'an' if ends else 'no'} {side} buffer")
    for name, count in ((SOURCE, len(p.outputs(SOURCE))), (SINK, len(p.inputs(SINK)))):
        _range(f"buffers at the {name}", count, 1, 1)
    for w in p.windows:
        if w.stage not in names:
            raise NpuscopeError("window: no such stage", found=repr(w.stage))
        _range(f"window of {w.stage!r}: first", w.first, 0, MAX_TIME - 1)
        _range(f"window of {w.stage!r}: end", w.end, w.first + 1, MAX_TIME)
        if w.extra is not None:
            _range(f"window of {w.stage!r}: extra", w.extra, 1, MAX_CLOCKS)
    for name in names:
        for _, _, extra in p.schedule(name):
            _range(f"windows of {name!r}: sum of extra", extra, 0, MAX_CLOCKS)
    p.order()
