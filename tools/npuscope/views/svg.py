"""The heat map as one static SVG: a handful of paths, styled by ``report.css``, readable without JavaScript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import hypot
from typing import Final

import numpy as np

from npuscope.units import duration, safe
from npuscope.views.lanes import Grid
from npuscope.views.table import cut

__all__ = ["ARROWS", "HOT_STEPS", "LABEL", "TOP", "WIDTH", "Arrow", "heat_map", "row_height", "ticks"]

HOT_STEPS: Final = 6
"""Shades of hot; the share of a cell in sixths, rounded up, so that the shortest hot moment has a colour."""
WIDTH: Final = 1000
LABEL: Final = 110
"""Units of the drawing left of the time axis."""
TOP: Final = 18
PICTURE: Final = 560
"""Units of height the rows may take before they get thinner."""


ARROWS: Final = 150
"""More arrows than that hide the picture: none is drawn."""
HEAD: Final = 4.0
"""Units of the head of an arrow."""

Arrow = tuple[int, int, int, int]
"""Time in ns and row where it begins, and where it ends."""


def row_height(rows: int, tallest: int) -> int:
    """Units of one row, 3 to ``tallest``."""
    return max(3, min(tallest, PICTURE // max(1, rows)))


def heat_map(
    cells: Grid,
    losses: Sequence[tuple[int, int]],
    *,
    origin: int,
    name: str,
    tallest: int = 18,
    mark: tuple[int, int] | None = None,
    arrows: Sequence[Arrow] = (),
) -> str:
    """``<svg>`` of ``cells`` with hatched unknown and the ``losses`` ([from, to) ns) in a lane below.

    origin: ns of the first record. name: the id of the element. tallest: units of a row at most. mark: [from, to) ns,
    drawn as a frame. arrows: which row follows which; those that end inside are drawn, if they are ``ARROWS`` at most.
    """
    rows, columns = cells.hot.shape
    height = row_height(rows, tallest)
    scale = (WIDTH - LABEL) / columns
    lane = TOP + rows * height + 4
    total = lane + (12 if losses else 0) + 4
    parts = [
        f'<svg id="{name}" class="map" viewBox="0 0 {WIDTH} {total}" role="img" '
        f'aria-label="layers by time heat map" data-top="{TOP}" data-row="{height}" data-label="{LABEL}">',
        _hatch(name),
        f'<rect class="cool" x="{LABEL}" y="{TOP}" width="{WIDTH - LABEL}" height="{rows * height}"/>',
        '<g class="cells">',
    ]
    thick = height - 1
    for step in range(1, HOT_STEPS + 1):
        parts.append(_path(f"h{step}", thick, _runs(_steps(cells) == step, scale, height, 0.5)))
    parts.append(_path("dry", max(1, height // 4), _runs(_mostly_dry(cells), scale, height, 0.88)))
    unknown = _path("", thick, _runs(cells.unknown > 0, scale, height, 0.5))
    parts.append(unknown.replace('class=""', f'class="unknown" stroke="url(#{name}-hatch)"'))
    parts.append("</g>")
    parts += _labels(cells, height)
    parts.append(f'<g class="axis">{"".join(ticks(int(cells.edges[0]), int(cells.edges[-1]), origin))}</g>')
    if losses:
        parts.append(f'<text class="name" x="{LABEL - 6}" y="{lane + 9}">loss</text>')
        parts.append(f'<g class="losses">{"".join(_losses(cells, losses, lane))}</g>')
    parts.append(f'<g class="arrows">{_arrows(cells, arrows, height)}</g>')
    if mark is not None:
        low, high = (_x(cells, t) for t in mark)
        parts.append(
            f'<rect class="mark" x="{low:.1f}" y="{TOP - 1}" width="{max(1.0, high - low):.1f}" '
            f'height="{rows * height + 2}"/>'
        )
    parts.append("</svg>")
    return "".join(parts)


def _steps(cells: Grid) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    span = np.diff(cells.edges)[None, :]
    return -(-HOT_STEPS * cells.hot // span)


def _mostly_dry(cells: Grid) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return 2 * cells.dry >= np.diff(cells.edges)[None, :]


def _hatch(name: str) -> str:
    return (
        f'<defs><pattern id="{name}-hatch" class="hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="5" height="5"/><path d="M0 0V5"/></pattern></defs>'
    )


def _runs(
    cells: np.ndarray[tuple[int, int], np.dtype[np.bool_]], scale: float, height: int, place: float
) -> Iterable[str]:
    """One ``M x y h w`` per horizontal run of true cells, at ``place`` (0..1) of the row's height."""
    for row, line in enumerate(cells):
        changes = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(np.int8)))
        y = TOP + (row + place) * height
        for low, high in changes.reshape(-1, 2):
            yield f"M{_number(LABEL + low * scale)} {_number(y)}h{_number((high - low) * scale)}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _path(style: str, thick: int, runs: Iterable[str]) -> str:
    return f'<path class="{style}" stroke-width="{thick}" d="{"".join(runs)}"/>'


def _labels(cells: Grid, height: int) -> list[str]:
    """Names of the rows, of every n-th where rows are too thin."""
    each = 1 if height >= 9 else -(-12 // height)  # 12: a line of text
    return [
        f'<text class="name" x="{LABEL - 6}" y="{_number(TOP + (row + 0.5) * height + 3.5)}">'
        f"{escape(cut(safe(track.name), 18))}<title>{escape(safe(track.name))}</title></text>"
        for row, track in enumerate(cells.tracks)
        if row % each == 0
    ]


def _x(cells: Grid, time: int) -> float:
    return _place(time, int(cells.edges[0]), int(cells.edges[-1]))


def _place(time: int, start: int, end: int) -> float:
    return LABEL + (min(max(time, start), end) - start) / (end - start) * (WIDTH - LABEL)


def ticks(first: int, last: int, origin: int) -> Iterable[str]:
    """Ticks over [first, last) ns at 1, 2 or 5 times a power of ten ns after ``origin``, some 5 to 10 of them."""
    start, end = first - origin, last - origin
    step = 1
    while (end - start) // step > 8:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    for tick in range(-(-start // step) * step, end + 1, step):
        x = _number(_place(tick + origin, first, last))
        anchor = ' text-anchor="end"' if end - tick < step / 3 else ""
        yield f'<path d="M{x} {TOP - 4}v4"/><text x="{x}" y="{TOP - 7}"{anchor}>{_tick(tick)}</text>'


def _tick(ns: int) -> str:
    number, _, unit = duration(ns).partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def _arrows(cells: Grid, arrows: Sequence[Arrow], height: int) -> str:
    """One path of all arrows whose end lies inside, none when there are too many."""
    start, end = int(cells.edges[0]), int(cells.edges[-1])
    inside = [arrow for arrow in arrows if start <= arrow[2] < end]
    if not inside or len(inside) > ARROWS:
        return ""
    lines = []
    for begun, above, ended, below in inside:
        x, y = _x(cells, begun), TOP + (above + 0.5) * height
        to_x, to_y = _x(cells, ended), TOP + (below + 0.5) * height
        length = max(1e-9, hypot(to_x - x, to_y - y))
        along, across = HEAD * (to_x - x) / length, HEAD * (to_y - y) / length
        left = f"{_number(to_x - along - across / 2)} {_number(to_y - across + along / 2)}"
        right = f"{_number(to_x - along + across / 2)} {_number(to_y - across - along / 2)}"
        tip = f"{_number(to_x)} {_number(to_y)}"
        lines.append(f"M{_number(x)} {_number(y)}L{tip}M{left}L{tip}L{right}")
    return f'<path d="{"".join(lines)}"/>'


def _losses(cells: Grid, losses: Sequence[tuple[int, int]], y: int) -> Iterable[str]:
    """Loss windows, at least 2 units wide, those that touch drawn as one."""
    end = -1.0
    start, stop = int(cells.edges[0]), int(cells.edges[-1])
    for low, high in sorted(losses):
        if high < start or low > stop:
            continue
        left, right = _x(cells, low), _x(cells, high)
        left, right = max(left, end), max(right, left + 2)
        if right > left:
            yield f'<rect x="{_number(left)}" y="{y}" width="{_number(right - left)}" height="10"/>'
            end = right
