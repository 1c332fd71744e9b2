"""Sync, RAS and token lanes as one static SVG below the heat map: a few paths, styled by ``report.css``.

The paths live in an inner drawing of one unit a column, which a zoom moves and stretches; strokes keep their width.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log10
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.tables.jitter import FRACTION
from npuscope.views.events import EventCells, short
from npuscope.views.svg import LABEL, TOP, WIDTH, ticks

__all__ = ["event_svg", "jitter_height"]

I8 = npt.NDArray[np.int64]

JITTER: Final = 120
"""Units of height of the jitter plot."""
RAS: Final = 36
TOKENS: Final = 36
SPACE: Final = 8
TICK: Final = 6
"""Units of height of an invalid sample's mark."""
APART: Final = 9
"""Labels of limits that would be nearer to one another are left out."""
LEAST: Final = 2.4
"""Units of height of a column whose samples are all the same."""


def jitter_height(value: float, largest: float) -> float:
    """Place of a jitter (1/256 ns) on the axis from -1 to 1: a logarithm that is straight below 1 ns."""
    scale = log10(1 + largest / FRACTION)
    return (1 if value >= 0 else -1) * log10(1 + abs(value) / FRACTION) / scale if scale else 0.0


def event_svg(cells: EventCells, *, origin: int, name: str) -> str:
    """``<svg>`` of the lanes that are present. origin: ns of the first record. name: the id of the element."""
    columns = len(cells.samples)
    y, inside, outside = TOP, [], []
    for lane, height, draw in (("jitter", JITTER, _jitter), ("ras", RAS, _ras), ("tokens", TOKENS, _tokens)):
        if lane not in cells.present:
            continue
        outside.append(f'<rect class="ground" x="{LABEL}" y="{y}" width="{WIDTH - LABEL}" height="{height}"/>')
        paths, labels = draw(cells, y, height)
        inside += [*_unknown(cells.unknown[lane], y, height, name), *paths]
        outside += labels
        y += height + SPACE
    frame = f'x="{LABEL}" y="0" width="{WIDTH - LABEL}" height="{y}" viewBox="0 0 {columns} {y}"'
    return (
        f'<svg id="{name}" class="map lanes" viewBox="0 0 {WIDTH} {y}" role="img" '
        f'aria-label="sync, RAS and token events over time" data-columns="{columns}" data-height="{y}">'
        f'<defs><pattern id="{name}-lines" class="lines" width="4" height="4" patternUnits="userSpaceOnUse">'
        '<path d="M0 2H4"/></pattern></defs>'
        f'{"".join(outside)}<svg class="plot" {frame} preserveAspectRatio="none">{"".join(inside)}</svg>'
        f'<g class="axis">{"".join(ticks(int(cells.edges[0]), int(cells.edges[-1]), origin))}</g></svg>'
    )


def _path(style: str, parts: Iterable[str]) -> str:
    drawn = "".join(parts)
    return f'<path class="{style}" d="{drawn}"/>' if drawn else ""


def _bars(columns: Iterable[int], base: float, heights: Iterable[float]) -> Iterable[str]:
    """Lines up from ``base``."""
    for column, height in zip(columns, heights, strict=True):
        yield f"M{column + 0.5:g} {base:g}v{-height:.4g}"


def _blocks(columns: Iterable[int], base: float, heights: Iterable[float]) -> Iterable[str]:
    """Filled columns up from ``base``."""
    for column, height in zip(columns, heights, strict=True):
        yield f"M{column} {base:g}v{-height:.4g}h1V{base:g}z"


def _name(lane: str, y: float, note: str = "") -> list[str]:
    found = [f'<text class="name" x="{LABEL - 6}" y="{y:g}">{lane}</text>']
    return found + ([f'<text class="note" x="{LABEL - 6}" y="{y + 12:g}">{note}</text>'] if note else [])


def _unknown(mask: npt.NDArray[np.bool_], y: int, height: int, name: str) -> list[str]:
    changes = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [
        f'<rect class="gone" fill="url(#{name}-lines)" x="{low}" y="{y}" width="{high - low}" height="{height}"/>'
        for low, high in changes.reshape(-1, 2).tolist()
    ]


def _jitter(cells: EventCells, y: int, height: int) -> tuple[list[str], list[str]]:
    """From the least to the largest jitter of each column; the limits as lines; invalid samples as marks below."""
    good = np.flatnonzero(cells.samples > cells.invalid)
    extremes = np.concatenate([cells.low[good], cells.high[good]])
    largest = max([FRACTION, *np.abs(extremes).tolist(), *cells.limits.values()])
    middle, half = y + (height - TICK) / 2, (height - TICK) / 2 - 4

    def place(value: int) -> float:
        return middle - half * jitter_height(value, largest)

    paths, labels = [], _name("jitter", middle + 3.5)
    columns = len(cells.samples)
    paths.append(_path("zero", [f"M0 {middle:.4g}H{columns}"]))
    taken = [middle]
    for limit, value in sorted(cells.limits.items(), key=lambda item: -item[1]):
        high, low = place(value), place(-value)
        paths.append(_path(f"limit limit-{limit}", [f"M0 {high:.4g}H{columns}M0 {low:.4g}H{columns}"]))
        if all(abs(high - other) >= APART for other in taken):
            taken.append(high)
            labels.append(f'<text class="note" x="{LABEL - 6}" y="{high + 3.5:.4g}">{limit} {short(value)}</text>')
    for level in range(4):
        own = good[cells.level[good] == level]
        parts = []
        for column in own.tolist():
            top, bottom = place(int(cells.high[column])), place(int(cells.low[column]))
            spare = max(0.0, LEAST - (bottom - top)) / 2
            parts.append(f"M{column + 0.5:g} {top - spare:.5g}V{bottom + spare:.5g}")
        paths.append(_path(f"l{level}", parts))
    bad = np.flatnonzero(cells.invalid)
    paths.append(_path("invalid", _bars(bad.tolist(), y + height, [TICK] * len(bad))))
    return paths, labels


def _ras(cells: EventCells, y: int, height: int) -> tuple[list[str], list[str]]:
    """A line for each column with a record, the higher the worse."""
    paths = []
    for severity in range(4):
        own = np.flatnonzero(cells.severity == severity).tolist()
        paths.append(_path(f"s{severity}", _bars(own, y + height, [(severity + 1) * (height - 4) / 4] * len(own))))
    return paths, _name("RAS", y + height / 2 + 3.5)


def _tokens(cells: EventCells, y: int, height: int) -> tuple[list[str], list[str]]:
    """Tokens of each column, those after a late gap on top of them; frozen time; interrupts hanging from above."""
    most = max(1, int(cells.tokens.max()))
    room = height - 10
    own = np.flatnonzero(cells.tokens)
    late = np.flatnonzero(cells.late)
    frozen, stops = np.flatnonzero(cells.frozen), np.flatnonzero(cells.interrupts)
    paths = [
        _path("tokens", _blocks(own.tolist(), y + height, (cells.tokens[own] * room / most).tolist())),
        _path("late", _blocks(late.tolist(), y + height, (cells.late[late] * room / most).tolist())),
        _path("frozen", (f"M{column} {y + height - 2}h1" for column in frozen.tolist())),
        _path("stop", (f"M{column + 0.5:g} {y}v9" for column in stops.tolist())),
    ]
    return paths, _name("tokens", y + height / 2 + 3.5)
