"""What was traced: buffers, the stages between them, and the clock bounds that the analysis needs.

One shape for a TOML file (``--graph``, ``--desc``) and the JSON of a dump's header page::

    title = "one fork, one join"
    max_disorder_ns = 1000

    [[buffer]]
    id = 0                  # global layer, at most 1984 in a stream; default: src * 32 + layer
    src = 0                 # trace source
    layer = 0               # layer of that source
    name = "q0"             # default "b<id>"
    producer = "load"       # stage that fills it; left out: it is filled from outside ("source")
    consumer = "split"      # stage that drains it; left out: outside ("sink"); a list: shared by its readers

A buffer has one producer. A stage with several input buffers is a join, one with several output buffers a fork.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError
from npuscope.layout import MAX_LAYERS, SRC_MARK

__all__ = ["MAX_BUFFERS", "SINK", "SOURCE", "Buffer", "Description"]

MAX_BUFFERS: Final = SRC_MARK * MAX_LAYERS
"""Global layers of one stream: 62 sources of 32 layers (trace-format, kinds)."""
SOURCE: Final = "source"
"""Name of whatever fills a buffer without producer."""
SINK: Final = "sink"
"""Name of whatever drains a buffer without consumer."""

_INTS: Final = {
    "max_disorder_ns": (0, 2**62),
    "clock_period_ps": (0, 2**32 - 1),
    "clock_bound_ns": (0, 2**62),
    "max_delay_ns": (1, 2**62),
}
MAX_BYTES: Final = 4 << 20
"""Largest description file: 1984 buffers take some 300 kB."""

OWN_GRAPH: Final = "--graph FILE.toml is used instead of it"
_ENTRY: Final = re.compile(r"^[ \t]*\[\[[ \t]*buffer[ \t]*\]\]", re.M)
_TEXTS: Final = ("title", "build_id")
_BUFFER_KEYS: Final = ("id", "src", "layer", "name", "producer", "consumer")


@dataclass(frozen=True)
class Buffer:
    """One watched buffer.

    id: global layer. src, layer: where its records come from. producer: stage that fills it, None = outside.
    consumers: stages that drain it; empty = outside, more than one = shared, blamed as the set of its readers.
    """

    id: int
    src: int
    layer: int
    name: str
    producer: str | None = None
    consumers: tuple[str, ...] = ()

    @property
    def consumer(self) -> str | None:
        """The stage that drains it, ``a|b`` for readers that share it, None = outside."""
        return "|".join(self.consumers) if self.consumers else None

    @property
    def drain(self) -> str:
        """Name of who drains it: the consumer or ``sink``."""
        return self.consumer or SINK


@dataclass(frozen=True)
class Description:
    """The graph and the bounds of one capture. ``buffers`` are sorted by id; their index is used in all arrays.

    assumed: nobody gave the graph; it is ``chain()``, or what ``assumed_as`` says. max_disorder_ns: slowest
    crossing plus pipeline. clock_period_ps: 0 = not known. clock_bound_ns: eps, largest error between two clocks of the
    capture. max_delay_ns: D, longest believable propagation delay.
    """

    buffers: tuple[Buffer, ...]
    assumed: bool = False
    max_disorder_ns: int = 1000
    clock_period_ps: int = 0
    clock_bound_ns: int = 0
    max_delay_ns: int = 10_000
    title: str = ""
    build_id: str = ""
    assumed_as: str = "chain"

    def __post_init__(self) -> None:
        """Sort the buffers and refuse what is no graph; raises NpuscopeError."""
        object.__setattr__(self, "buffers", tuple(sorted(self.buffers, key=lambda buffer: buffer.id)))
        _check(self.buffers)

    @cached_property
    def stages(self) -> tuple[str, ...]:
        """Names of all stages, in order of first mention."""
        names: dict[str, None] = {}
        for buffer in self.buffers:
            names.update(dict.fromkeys(filter(None, (buffer.producer, *buffer.consumers))))
        return tuple(names)

    @cached_property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Buffer indices that a stage drains, by stage name; more than one = a join."""
        return {stage: tuple(i for i, b in enumerate(self.buffers) if stage in b.consumers) for stage in self.stages}

    @cached_property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """Buffer indices that a stage fills, by stage name; more than one = a fork."""
        return {stage: tuple(i for i, b in enumerate(self.buffers) if b.producer == stage) for stage in self.stages}

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Per buffer the indices of the output buffers of its consumers."""
        return tuple(
            tuple(sorted({v for stage in buffer.consumers for v in self.outputs[stage]})) for buffer in self.buffers
        )

    @cached_property
    def index(self) -> dict[tuple[int, int], int]:
        """Index of the buffer of (src, layer)."""
        return {(buffer.src, buffer.layer): i for i, buffer in enumerate(self.buffers)}

    @cached_property
    def hash(self) -> int:
        """u64 identity of the graph (RTL parameter DESC_HASH, CFG 4 and 5); 0 for an assumed one = none.

        First 8 bytes, little endian, of SHA-256 over the compact JSON of all buffers in order of id.
        """
        if self.assumed:
            return 0
        text = json.dumps([_buffer_dict(b) for b in self.buffers], sort_keys=True, separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") or 1

    @classmethod
    def chain(cls, seen: Iterable[tuple[int, int]], **bounds: Any) -> Description:
        """The assumed chain over the (src, layer) pairs seen, in ascending order; the last one drains into the sink.

        layer n's buffer is its output buffer (figure A1), so its producer is ``layer n`` and its consumer the next.
        """
        ids = sorted({src * MAX_LAYERS + layer for src, layer in seen})
        stages: list[str | None] = [f"layer {i}" for i in ids]
        following = [*stages[1:], None][: len(stages)]
        buffers = tuple(
            Buffer(i, i // MAX_LAYERS, i % MAX_LAYERS, f"b{i}", stage, (after,) if after else ())
            for i, stage, after in zip(ids, stages, following, strict=True)
        )
        return cls(buffers, assumed=True, **bounds)

    @classmethod
    def from_toml(cls, path: str | Path) -> Description:
        """Read a TOML file; raises NpuscopeError, with the nearest key for one it does not know."""
        try:
            with open(path, "rb") as file:
                text = file.read(MAX_BYTES + 1)
            if len(text) > MAX_BYTES:
                raise NpuscopeError("too big for a description", file=str(path), expected=f"{MAX_BYTES} bytes at most")
            table = tomllib.loads(text.decode("utf-8-sig"))
        except OSError as error:
            raise NpuscopeError(f"cannot read the description: {error.strerror}", file=str(path)) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise NpuscopeError(f"the description is no TOML: {error}", file=str(path)) from error
        found = _parse(table, str(path), text.decode("utf-8-sig"))
        if not found.buffers:
            raise NpuscopeError("the description has no buffers", file=str(path), hint="write a [[buffer]] for each")
        return found

    @classmethod
    def from_json(cls, text: str | bytes, *, file: str | None = None) -> Description:
        """Read the JSON of a header page; keys it does not know are ignored; raises NpuscopeError."""
        try:
            table = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise NpuscopeError(f"the header page is no JSON: {error}", file=file, hint=OWN_GRAPH) from error
        try:
            return _parse(table, file, None)
        except NpuscopeError as error:
            hint = error.hint or OWN_GRAPH
            raise _moved(error, f"header page: {error.what}", hint) from None

    def to_json(self) -> str:
        """The JSON that ``from_json`` reads back as an equal description."""
        table: dict[str, Any] = {key: getattr(self, key) for key in (*_TEXTS, *_INTS)}
        table["assumed"] = self.assumed
        table["buffer"] = [_buffer_dict(buffer) for buffer in self.buffers]
        return json.dumps(table)


def _buffer_dict(buffer: Buffer) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": buffer.id, "src": buffer.src, "layer": buffer.layer, "name": buffer.name}
    if buffer.producer is not None:
        entry["producer"] = buffer.producer
    if buffer.consumers:
        entry["consumer"] = buffer.consumers[0] if len(buffer.consumers) == 1 else list(buffer.consumers)
    return entry


def _parse(table: Any, file: str | None, toml: str | None) -> Description:
    """toml: text of the file, to tell lines and to refuse keys that are not known; None: JSON of a header page."""
    if not isinstance(table, dict):
        raise NpuscopeError("the description is no table", file=file, found=type(table).__name__)
    known = (*_TEXTS, *_INTS, "assumed", "buffer")
    if toml is not None:
        _refuse_unknown(table, known, "description", file)
    fields: dict[str, Any] = {key: _integer(table, key, *_INTS[key], file) for key in _INTS if key in table}
    fields |= {key: _text(table, key, file) for key in _TEXTS if key in table}
    assumed = table.get("assumed", False)
    if not isinstance(assumed, bool):
        raise NpuscopeError("assumed must be true or false", file=file, found=repr(assumed))
    entries = table.get("buffer", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise NpuscopeError("buffer must be an array of tables", file=file, hint="write [[buffer]] for each one")
    buffers: list[Buffer] = []
    try:
        for entry in entries:
            if toml is not None:
                _refuse_unknown(entry, _BUFFER_KEYS, "buffer", file)
            buffers.append(_buffer(entry, file))
        return Description(tuple(buffers), assumed=assumed, **fields)
    except NpuscopeError as error:
        wrong = next((i for i in range(len(buffers)) if _contradicts(buffers[: i + 1])), len(buffers))
        lines = [toml.count("\n", 0, match.end()) + 1 for match in _ENTRY.finditer(toml or "") if toml]
        told = len(lines) == len(entries) and wrong < len(lines)
        where = f"[[buffer]] in line {lines[wrong]}: " if told else f"buffer entry {wrong + 1}: "
        raise _moved(error, where + error.what, error.hint, error.file or file) from None


def _contradicts(buffers: list[Buffer]) -> bool:
    try:
        _check(tuple(buffers))
    except NpuscopeError:
        return True
    return False


def _moved(error: NpuscopeError, what: str, hint: str | None, file: str | None = None) -> NpuscopeError:
    """``error`` with another text of what and where."""
    return NpuscopeError(what, file=file or error.file, found=error.found, expected=error.expected, hint=hint)


def _buffer(entry: dict[str, Any], file: str | None) -> Buffer:
    src = _integer(entry, "src", 0, SRC_MARK - 1, file)
    layer = _integer(entry, "layer", 0, MAX_LAYERS - 1, file)
    number = _integer(entry, "id", 0, MAX_BUFFERS - 1, file) if "id" in entry else src * MAX_LAYERS + layer
    name = _text(entry, "name", file) if "name" in entry else f"b{number}"
    producer = _text(entry, "producer", file) if entry.get("producer") is not None else None
    readers = entry.get("consumer")
    readers = [] if readers is None else readers if isinstance(readers, list) else [readers]
    if not all(isinstance(reader, str) and reader for reader in readers):
        raise NpuscopeError(f"consumer of buffer {name} must be a stage name or a list of them", file=file)
    return Buffer(number, src, layer, name, producer, tuple(readers))


def _integer(table: dict[str, Any], key: str, low: int, high: int, file: str | None) -> int:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise NpuscopeError(f"{key} is wrong", file=file, found=repr(value), expected=f"an integer {low}..{high}")
    return value


def _text(table: dict[str, Any], key: str, file: str | None) -> str:
    value = table[key]
    if not isinstance(value, str) or (key not in _TEXTS and not value):
        raise NpuscopeError(f"{key} is wrong", file=file, found=repr(value), expected="a text")
    return value


def _refuse_unknown(table: dict[str, Any], known: tuple[str, ...], where: str, file: str | None) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
            raise NpuscopeError(f"unknown key {key!r} in {where}", file=file, hint=hint)


def _check(buffers: tuple[Buffer, ...]) -> None:
    """Refuse ids, places or names used twice, values out of range, and a shared list that names a reader twice."""
    for label, key in (("id", "id"), ("name", "name")):
        values = [getattr(buffer, key) for buffer in buffers]
        if len(set(values)) != len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise NpuscopeError(f"two buffers have the {label} {twice}")
    places: dict[tuple[int, int], Buffer] = {}
    for buffer in buffers:
        if not (0 <= buffer.src < SRC_MARK and 0 <= buffer.layer < MAX_LAYERS and 0 <= buffer.id < MAX_BUFFERS):
            raise NpuscopeError(
                f"buffer {buffer.name} is out of range",
                found=f"id {buffer.id}, src {buffer.src}, layer {buffer.layer}",
                expected=f"id < {MAX_BUFFERS}, src < {SRC_MARK}, layer < {MAX_LAYERS}",
            )
        other = places.setdefault((buffer.src, buffer.layer), buffer)
        if other is not buffer:
            raise NpuscopeError(
                f"buffers {other.name} and {buffer.name} are both layer {buffer.layer} of source {buffer.src}"
            )
        if len(set(buffer.consumers)) != len(buffer.consumers):
            raise NpuscopeError(f"buffer {buffer.name} names a consumer twice")
        if buffer.producer is not None and buffer.producer in buffer.consumers:
            raise NpuscopeError(f"stage {buffer.producer} both fills and drains buffer {buffer.name}")
