"""The layers x time strip of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from npuscope.units import duration, percent, safe, width
from npuscope.views.events import StripLane
from npuscope.views.lanes import Grid, covered
from npuscope.views.table import cut

__all__ = ["ASCII", "UNICODE", "Glyphs", "cells_for", "legend", "strip"]

Style = Callable[[str, str], str]
"""(state, text) -> text, with colour or as it is."""

TRACE: Final = 5
MIN_CELLS: Final = 16
MAX_NAME: Final = 18


class Glyphs:
    """Characters of the states; ``trace`` is hot for at most TRACE % of the cell, ``hot`` from there to all of it."""

    def __init__(self, cool: str, dry: str, trace: str, hot: str, unknown: str, loss: str) -> None:
        self.cool, self.dry, self.trace, self.hot, self.unknown, self.loss = cool, dry, trace, hot, unknown, loss


UNICODE: Final = Glyphs(cool="·", dry="_", trace=":", hot="░▒▓█", unknown="?", loss="!")
ASCII: Final = Glyphs(cool=".", dry="_", trace=":", hot="-+x#", unknown="?", loss="!")


def legend(glyphs: Glyphs) -> str:
    """One line that explains the characters."""
    steps = len(glyphs.hot)
    hot = " ".join(f"{glyph} {100 * (i + 1) // steps}" for i, glyph in enumerate(glyphs.hot))
    return (
        f"{glyphs.cool} free  {glyphs.dry} empty  full up to {glyphs.trace} {TRACE} {hot} %  "
        f"{glyphs.unknown} unknown  {glyphs.loss} loss"
    )


def strip(
    cells: Grid,
    losses: Sequence[tuple[int, int]],
    *,
    origin: int,
    columns: int,
    glyphs: Glyphs = UNICODE,
    style: Style = lambda _state, text: text,
    lanes: Sequence[StripLane] = (),
) -> str:
    """The strip as lines of at most ``columns`` characters, without a final newline.

    cells: a grid of ``cells_for(columns, ...)`` columns. losses: [from, to) ns, drawn in a row of their own.
    origin: ns of the first record, the zero of the axis. lanes: more rows, of as many cells.
    A cell is unknown when nothing hot is known in it and 1 % of it is unknown, or half of it is unknown; else hot;
    else dry when half of it is dry, even beside a trace of hot. A loss is marked however short it is.
    """
    names = [safe(track.name) for track in cells.tracks]
    label = min(MAX_NAME, max([4, *map(width, names), *(width(lane.name) for lane in lanes)]))
    start, end = int(cells.edges[0]), int(cells.edges[-1])
    number = len(cells.edges) - 1
    lines = [" " * (label + 1) + _axis(start - origin, end - origin, number) + "  full%"]
    for row, name in enumerate(names):
        text = "".join(style(state, glyph) for state, glyph in _row(cells, row, glyphs))
        known = end - start - int(cells.unknown[row].sum())
        share = percent(int(cells.hot[row].sum()), known) if known > 0 else glyphs.unknown
        shown = cut(name, label)
        lines.append(shown + " " * (label - width(shown) + 1) + text + f" {share:>6}")
    for lane in lanes:
        text = "".join(style(state, glyph) for state, glyph in lane.cells)
        lines.append(f"{lane.name:<{label}} {text} {lane.total:>6}")
    if losses:
        hit = covered(_merged(losses), cells.edges) > 0
        hit |= _touched(losses, cells.edges)
        marks = "".join(style("loss", glyphs.loss) if h else " " for h in hit)
        lines.append(("loss".ljust(label + 1) + marks).rstrip())
    return "\n".join(lines)


def cells_for(columns: int, names: Sequence[str]) -> int:
    """Cells of a row when lines may have ``columns`` characters."""
    label = min(MAX_NAME, max([4, *(width(safe(name)) for name in names)]))
    return max(MIN_CELLS, columns - label - 1 - 7)


def _row(cells: Grid, row: int, glyphs: Glyphs) -> list[tuple[str, str]]:
    length = np.diff(cells.edges)
    result = []
    for span, hot, dry, unknown in zip(length, cells.hot[row], cells.dry[row], cells.unknown[row], strict=True):
        if 100 * unknown >= span and (not hot or 2 * unknown >= span):
            result.append(("unknown", glyphs.unknown))
        elif 100 * hot > TRACE * span:
            step = min(len(glyphs.hot) - 1, int(len(glyphs.hot) * hot - 1) // int(span))
            result.append(("hot", glyphs.hot[step]))
        elif 2 * dry >= span:
            result.append(("dry", glyphs.dry))
        elif hot:
            result.append(("hot", glyphs.trace))
        else:
            result.append(("cool", glyphs.cool))
    return result


def _axis(start: int, end: int, number: int) -> str:
    left, right, middle = duration(start), duration(end), duration((start + end) // 2)
    line = [" "] * number
    for text, at in ((left, 0), (right, number - len(right)), (middle, (number - len(middle)) // 2)):
        if at >= 0 and all(c == " " for c in line[max(0, at - 1) : at + len(text) + 1]):
            line[at : at + len(text)] = text
    return "".join(line[:number])


def _merged(losses: Sequence[tuple[int, int]]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    merged: list[list[int]] = []
    for low, high in sorted(losses):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return np.array(merged, np.int64).reshape(-1, 2)


def _touched(
    losses: Sequence[tuple[int, int]], edges: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Columns in which a loss of no length lies: a loss is never too short to be seen."""
    hit = np.zeros(len(edges) - 1, np.bool_)
    for low, _ in losses:
        if edges[0] <= low < edges[-1]:
            hit[int(np.searchsorted(edges, low, side="right")) - 1] = True
    return hit
