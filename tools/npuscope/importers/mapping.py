"""Which signals of a waveform are which layer: a small TOML, and a proposal for one.

::

    clock = "tb.clk"                 # signals are read just before its edges; left out: at every change
    edge = "rising"                  # or falling, both

    [[layer]]
    src = 0                          # default 0
    layer = 3                        # or {layer} in the names: one entry for all layers that match
    level = "tb.q{layer}.level"      # words in the buffer, of depth words; or
    depth = 16
    valid = "tb.q{layer}.valid"      # a link: full while valid && !ready, empty while !valid; or all four: the link at
    ready = "tb.q{layer}.ready"      # the input of that buffer
    name = "weights"                 # of the buffer; default b<number>
    producer = "softmax"             # stages that fill and drain it: with them the mapping is the graph as well
    consumer = "context"             # a list for several readers

``*`` in a name stands for anything. A registered level lags valid and ready by a clock, and a FIFO may hold a word or
two more than its depth: what is above the depth counts as full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from npuscope.description import Buffer, Description
from npuscope.errors import NpuscopeError
from npuscope.importers.toml import integer, load, refuse_unknown
from npuscope.layout import MAX_LAYERS, SRC_MARK

__all__ = ["Edge", "LayerSignals", "Mapping", "propose"]

EDGES: Final = ("rising", "falling", "both")
Edge = str
_KEYS: Final = ("src", "layer", "level", "depth", "valid", "ready", "name", "producer", "consumer")
_PLACE: Final = "{layer}"
_LEVEL: Final = re.compile(r"(?:^|[._])(?:level|count|occupancy|occ|fill|usedw)$", re.I)
_PARTNER: Final = {"valid": "ready", "VALID": "READY", "Valid": "Ready", "vld": "rdy", "VLD": "RDY"}
_VALID: Final = re.compile("(?:" + "|".join(_PARTNER) + ")$")
_INPUT: Final = re.compile(r"^(?:s|in|i|push|wr|enq|s_axis|slave)(?:_|$)|(?:^|_)(?:in|enq|push|wr)$", re.I)
_CLOCK: Final = re.compile(r"(?:^|[._])(?:a?clk|clock)(?:_i)?$", re.I)


@dataclass(frozen=True, slots=True)
class LayerSignals:
    """The signals of one layer of one source: ``level`` of ``depth`` words, or ``valid`` and ``ready``, or all."""

    src: int
    layer: int
    level: str | None = None
    depth: int = 0
    valid: str | None = None
    ready: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(name for name in (self.level, self.valid, self.ready) if name is not None)


@dataclass(frozen=True, slots=True)
class Mapping:
    """clock: signal to sample on, None = every change. layers: in order of (src, layer).

    description: the graph, None unless a stage is named.
    """

    layers: tuple[LayerSignals, ...]
    clock: str | None = None
    edge: Edge = "rising"
    description: Description | None = None

    @classmethod
    def from_toml(cls, path: str, known: Iterable[str]) -> Mapping:
        """Read a TOML file for a waveform that has the signals ``known``; raises NpuscopeError."""
        table = load(path, "mapping")
        names = list(known)
        refuse_unknown(table, ("clock", "edge", "layer"), "the mapping", path)
        clock = table.get("clock")
        if clock is not None and (not isinstance(clock, str) or clock not in names):
            raise NpuscopeError("the clock is no signal of the waveform", file=path, found=repr(clock))
        edge = table.get("edge", "rising")
        if edge not in EDGES:
            raise NpuscopeError("edge is wrong", file=path, found=repr(edge), expected=", ".join(EDGES))
        found: dict[tuple[int, int], LayerSignals] = {}
        buffers: list[Buffer] = []
        entries = table.get("layer", [])
        for entry in entries:
            for each in _layers(entry, names, path):
                buffers.append(_buffer(entry, each, path))
                if (each.src, each.layer) in found:
                    raise NpuscopeError(f"layer {each.layer} of source {each.src} is mapped twice", file=path)
                found[each.src, each.layer] = each
        if not found:
            raise NpuscopeError(
                "the mapping has no layer", file=path, hint="npuscope signals FILE --propose writes one"
            )
        named = any(key in entry for entry in entries for key in ("producer", "consumer"))
        try:
            description = Description(tuple(buffers)) if named else None
        except NpuscopeError as error:
            raise NpuscopeError(error.what, file=path, found=error.found, expected=error.expected) from None
        return cls(tuple(found[key] for key in sorted(found)), clock, edge, description)


def _buffer(entry: dict[str, Any], layer: LayerSignals, path: str) -> Buffer:
    """The buffer of a layer, with the stages that its entry names."""
    texts = {key: entry[key] for key in ("name", "producer") if key in entry}
    readers = entry.get("consumer", [])
    readers = readers if isinstance(readers, list) else [readers]
    for text in (*texts.values(), *readers):
        if not isinstance(text, str) or not text:
            raise NpuscopeError("name, producer or consumer is wrong", file=path, found=repr(text), expected="a text")
    number = layer.src * MAX_LAYERS + layer.layer
    name, producer = (
        text.replace(_PLACE, str(layer.layer)) if text is not None else None
        for text in (texts.get("name", f"b{number}"), texts.get("producer"))
    )
    assert name is not None
    return Buffer(
        number, layer.src, layer.layer, name, producer, tuple(r.replace(_PLACE, str(layer.layer)) for r in readers)
    )


def _layers(entry: Any, names: list[str], path: str) -> list[LayerSignals]:
    """The layers that one [[layer]] names."""
    refuse_unknown(entry, _KEYS, "layer", path)
    src = integer(entry, "src", 0, SRC_MARK - 1, path, 0)
    signals = {key: entry[key] for key in ("level", "valid", "ready") if key in entry}
    if set(signals) not in ({"level"}, {"valid", "ready"}, {"level", "valid", "ready"}) or not all(
        isinstance(s, str) for s in signals.values()
    ):
        raise NpuscopeError(
            "a layer takes level and depth, or valid and ready, or all",
            file=path,
            found=", ".join(signals) or "neither",
        )
    depth = integer(entry, "depth", 1, 2**32, path) if "level" in signals else 0
    matches = {key: _matching(pattern, names) for key, pattern in signals.items()}
    if all(_PLACE in pattern for pattern in signals.values()):
        if "layer" in entry:
            raise NpuscopeError("layer and {layer} say the same thing", file=path, hint="leave layer out")
        layers = sorted(set.intersection(*(set(match) for match in matches.values())) - {None}, key=lambda n: n or 0)
        if not layers:
            raise NpuscopeError("no signal matches", file=path, found=" and ".join(signals.values()))
        wrong = [layer for layer in layers if layer is not None and layer >= MAX_LAYERS]
        if wrong:
            raise NpuscopeError(f"layer {wrong[0]} is over {MAX_LAYERS - 1}", file=path, hint="split it by src")
    else:
        layers = [integer(entry, "layer", 0, MAX_LAYERS - 1, path)]
        matches = {key: {layers[0]: match.get(None, [])} for key, match in matches.items()}
    result = []
    for layer in layers:
        chosen: dict[str, str] = {}
        for key, match in matches.items():
            hits = match[layer]
            if len(hits) != 1:
                what = "no signal matches" if not hits else f"{len(hits)} signals match"
                raise NpuscopeError(what, file=path, found=f"{signals[key]} for layer {layer}", expected="one")
            chosen[key] = hits[0]
        assert layer is not None
        result.append(LayerSignals(src, layer, depth=depth, **chosen))
    return result


def _matching(pattern: str, names: list[str]) -> dict[int | None, list[str]]:
    """Layer number (None: the pattern has no place for it) -> the signals that match."""
    parts = re.split(r"(\{layer\}|\*)", pattern)
    text = "".join(
        ("(?P<layer>[0-9]+)" if _PLACE not in parts[:i] else "(?P=layer)") if part == _PLACE
        else ".*?" if part == "*" else re.escape(part)
        for i, part in enumerate(parts)
    )  # fmt: skip
    compiled = re.compile(text)
    found: dict[int | None, list[str]] = {}
    for name in names:
        if match := compiled.fullmatch(name):
            number = int(match["layer"]) if "layer" in compiled.groupindex else None
            found.setdefault(number, []).append(name)
    return found


def propose(widths: dict[str, int]) -> str:
    """A mapping for the signals ``widths`` (name -> bits), to be looked over.

    Pairs *valid/*ready; a level in the same scope makes a triple of one pair at an input, or else a layer of its own.
    """
    lines = []
    clocks = [name for name, width in widths.items() if width == 1 and _CLOCK.search(name)]
    if clocks:
        lines.append(f'clock = "{min(clocks, key=lambda name: (name.count("."), name))}"')
    levels = {name: width for name, width in widths.items() if width > 1 and _LEVEL.search(name)}
    scopes: dict[str, list[str]] = {}
    for name in levels:
        scopes.setdefault(name.rpartition(".")[0], []).append(name)
    entries: list[list[str]] = []
    for name, width in widths.items():
        match = _VALID.search(name) if width == 1 else None
        ready = name[: match.start()] + _PARTNER[match[0]] if match else ""
        if match is None or widths.get(ready) != 1:
            continue
        entry = [f'valid = "{name}"', f'ready = "{ready}"']
        near = scopes.get(name.rpartition(".")[0], [])
        stem = name[: match.start()].rstrip("_")
        mine = [level for level in near if _LEVEL.sub("", level).rstrip("._") == stem] or (
            near if len(near) == 1 and _INPUT.search(stem.rpartition(".")[2]) else []
        )
        if len(mine) == 1 and mine[0] in levels:
            entry += _level_lines(mine[0], levels.pop(mine[0]))
        entries.append(entry)
    entries += [_level_lines(name, width) for name, width in levels.items()]
    for layer, entry in enumerate(entries):
        lines += ["", "[[layer]]", f"layer = {layer % MAX_LAYERS}", f"src = {layer // MAX_LAYERS}", *entry]
    return "\n".join([*lines, ""]) if entries else ""


def _level_lines(name: str, width: int) -> list[str]:
    return [f'level = "{name}"', f"depth = {2 ** (width - 1)}  # guessed from {width} bits"]
