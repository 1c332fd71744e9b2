"""Which signals of a waveform are which layer: a small TOML, and a proposal for one.

::

    clock = "tb.clk"                 # signals are read just before its edges; left out: at every change
    edge = "rising"                  # or falling, both

    [[layer]]
    src = 0                          # default 0
    layer = 3                        # or {layer} in the names: one entry for all layers that match
    level = "tb.q{layer}.level"      # words in the buffer, of depth words; or
    depth = 16
    valid = "tb.q{layer}.valid"      # a link: full while valid && !ready, empty while ready && !valid
    ready = "tb.q{layer}.ready"

``*`` in a name stands for anything. A registered level lags valid and ready by a clock, and a FIFO may hold a word or
two more than its depth: what is above the depth counts as full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from npuscope.errors import NpuscopeError
from npuscope.importers.toml import integer, load, refuse_unknown
from npuscope.layout import MAX_LAYERS, SRC_MARK

__all__ = ["Edge", "LayerSignals", "Mapping", "propose"]

EDGES: Final = ("rising", "falling", "both")
Edge = str
_KEYS: Final = ("src", "layer", "level", "depth", "valid", "ready")
_PLACE: Final = "{layer}"
_LEVEL: Final = re.compile(r"(?:^|[._])(?:level|count|occupancy|occ|fill|usedw)$", re.I)
_VALID: Final = re.compile(r"valid$", re.I)
_CLOCK: Final = re.compile(r"(?:^|[._])(?:a?clk|clock)(?:_i)?$", re.I)


@dataclass(frozen=True, slots=True)
class LayerSignals:
    """The signals of one layer of one source: ``level`` of ``depth`` words, or ``valid`` and ``ready``."""

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
    """clock: signal to sample on, None = every change. layers: in order of (src, layer)."""

    layers: tuple[LayerSignals, ...]
    clock: str | None = None
    edge: Edge = "rising"

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
        for entry in table.get("layer", []):
            for each in _layers(entry, names, path):
                if (each.src, each.layer) in found:
                    raise NpuscopeError(f"layer {each.layer} of source {each.src} is mapped twice", file=path)
                found[each.src, each.layer] = each
        if not found:
            raise NpuscopeError(
                "the mapping has no layer", file=path, hint="npuscope signals FILE --propose writes one"
            )
        return cls(tuple(found[key] for key in sorted(found)), clock, edge)


def _layers(entry: Any, names: list[str], path: str) -> list[LayerSignals]:
    """The layers that one [[layer]] names."""
    refuse_unknown(entry, _KEYS, "layer", path)
    src = integer(entry, "src", 0, SRC_MARK - 1, path, 0)
    signals = {key: entry[key] for key in ("level", "valid", "ready") if key in entry}
    if set(signals) not in ({"level"}, {"valid", "ready"}) or not all(isinstance(s, str) for s in signals.values()):
        raise NpuscopeError(
            "a layer takes level and depth, or valid and ready", file=path, found=", ".join(signals) or "neither"
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
    """A mapping for the signals ``widths`` (name -> bits), to be looked over: pairs *valid/*ready, then levels."""
    lines = []
    clocks = [name for name, width in widths.items() if width == 1 and _CLOCK.search(name)]
    if clocks:
        lines.append(f'clock = "{min(clocks, key=lambda name: (name.count("."), name))}"')
    layer = 0
    for name, width in widths.items():
        ready = name[: -len("valid")] + ("READY" if name.endswith("VALID") else "ready")
        if width == 1 and _VALID.search(name) and ready in widths:
            lines += ["", "[[layer]]", f"layer = {layer % MAX_LAYERS}", f"src = {layer // MAX_LAYERS}"]
            lines += [f'valid = "{name}"', f'ready = "{ready}"']
            layer += 1
    for name, width in widths.items():
        if width > 1 and _LEVEL.search(name):
            lines += ["", "[[layer]]", f"layer = {layer % MAX_LAYERS}", f"src = {layer // MAX_LAYERS}"]
            lines += [f'level = "{name}"', f"depth = {2 ** (width - 1)}  # guessed from {width} bits"]
            layer += 1
    return "\n".join([*lines, ""]) if layer else ""
