"""The ledger as tables: where every byte went, who sent how much, and when something is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from npuscope.layout import MAX_LAYERS, RECORD_BYTES
from npuscope.ledger import Ledger, Window
from npuscope.units import count, duration
from npuscope.views.quantity import SOURCES
from npuscope.views.table import table

__all__ = ["Table", "byte_table", "ledger_text", "source_table", "window_table"]

Table = tuple[Sequence[str], list[list[str]]]
"""Titles (``>`` in front: right-aligned) and rows."""

WINDOWS: Final = 100
"""Windows listed at most; the JSON has all."""


def byte_table(ledger: Ledger) -> Table:
    """What the bytes of the input are; the rows add up to the total."""
    entries = [
        ("records in good frames", ledger.ok * RECORD_BYTES),
        ("salvaged records", ledger.salvaged * RECORD_BYTES),
        ("SYNC records", ledger.sync * RECORD_BYTES),
        ("PAD records", ledger.pad * RECORD_BYTES),
        ("header page", ledger.header),
        ("no record", ledger.bad),
        ("blank", ledger.blank),
        ("cut last record", ledger.tail),
        ("text understood", ledger.text),
    ]
    rows = [[name, count(size)] for name, size in entries if size]
    return ["what", ">bytes"], [*rows, ["total", count(ledger.total)]]


def source_table(ledger: Ledger) -> Table:
    """Records of each source: what the framer took in, what was decoded, what is missing, what hardware dropped."""
    rows = [
        [
            f"{src} {SOURCES.get(src, '')}".rstrip(),
            count(entry.accepted),
            count(entry.decoded),
            ("" if entry.exact else ">=") + count(entry.missing),
            count(entry.dropped),
            count(entry.possible),
        ]
        for src, entry in sorted(ledger.sources.items())
    ]
    return ["source", ">accepted", ">decoded", ">missing", ">dropped", ">doubtful"], rows


def window_table(ledger: Ledger, places: Sequence[tuple[int, int]], origin: int) -> Table:
    """When records may be missing. places: [from, to] ns on the axis of each window; origin: its zero."""
    rows = [
        [
            duration(low - origin),
            duration(high - origin),
            "all" if window.src is None else str(window.src),
            _layers(window),
            window.cause.value,
            "not known" if window.count is None else count(window.count),
        ]
        for window, (low, high) in zip(ledger.windows[:WINDOWS], places, strict=False)
    ]
    if len(ledger.windows) > WINDOWS:
        rows.append([f"{len(ledger.windows) - WINDOWS} more", "", "", "", "", ""])
    return [">from", ">to", "source", "layers", "cause", ">records"], rows


def _layers(window: Window) -> str:
    if not window.layers:
        return "all"
    return " ".join(str(layer) for layer in range(MAX_LAYERS) if window.layers >> layer & 1)


def ledger_text(ledger: Ledger, places: Sequence[tuple[int, int]], origin: int, columns: int = 80) -> str:
    """The tables one below the other, without a final newline."""
    tables = [byte_table(ledger), source_table(ledger), window_table(ledger, places, origin)]
    parts = [table(titles, rows, columns=columns) for titles, rows in tables if rows]
    return "\n\n".join([*parts, *ledger.conflicts[:WINDOWS]])
