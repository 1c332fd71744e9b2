"""Plain tables, readable at 80 columns and when pasted into a ticket."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from npuscope.units import safe, width

__all__ = ["cut", "fields", "table"]

ELLIPSIS: Final = "…"
GAP: Final = "  "


def cut(text: str, columns: int) -> str:
    """``text`` in at most ``columns`` terminal columns, with an ellipsis where something was left out."""
    if width(text) <= columns:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > columns - 1:
            break
        kept += character
    return kept + ELLIPSIS


def _pad(text: str, columns: int, right: bool) -> str:
    space = " " * (columns - width(text))
    return space + text if right else text + space


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, columns: int = 80, indent: str = "") -> str:
    """Aligned text, one line a row, without a final newline.

    A title that starts with ``>`` aligns its column to the right. When the lines are wider than ``columns``, the
    left-aligned columns are cut, the widest first, never below 8 or their title.
    """
    right = [title.startswith(">") for title in titles]
    head = [title.removeprefix(">") for title in titles]
    body = [[safe(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(head, *body, strict=True)]
    excess = len(indent) + sum(widths) + len(GAP) * (len(widths) - 1) - columns
    while excess > 0:
        room = {i: widths[i] - max(8, width(head[i])) for i in range(len(head)) if not right[i]}
        widest = max(room, key=lambda i: (room[i] > 0, widths[i]), default=None)
        if widest is None or room[widest] <= 0:
            break
        widths[widest] -= 1
        excess -= 1
    lines = [head, *body]
    return "\n".join(
        (indent + GAP.join(_pad(cut(cell, w), w, r) for cell, w, r in zip(line, widths, right, strict=True))).rstrip()
        for line in lines
    )


def fields(pairs: Iterable[tuple[str, str]], *, columns: int = 80) -> str:
    """``name  value`` lines with the names padded to one width, without a final newline.

    A value that does not fit is broken at blanks, its other lines below it.
    """
    entries = [(name, safe(value)) for name, value in pairs]
    widest = max((width(name) for name, _ in entries), default=0)
    room = max(20, columns - widest - len(GAP))
    lines = []
    for name, value in entries:
        first, *rest = textwrap.wrap(value, room, break_long_words=False, break_on_hyphens=False) or [""]
        lines.append(f"{_pad(name, widest, False)}{GAP}{first}".rstrip())
        lines += [" " * (widest + len(GAP)) + line for line in rest]
    return "\n".join(lines)
