"""Sync, RAS and token tables as CSV: integer ns, an empty cell for what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import JitterSub, RasClass, Severity, TokenSub
from npuscope.tables import Break, Tables
from npuscope.tables.rows import CONTEXT_WORDS, valid
from npuscope.tables.tokens import TOKINT, Why
from npuscope.views.tokens import causes

__all__ = ["TABLES", "event_rows", "titles"]

_HEAD: Final = ("start_ns", "tai_ns", "src", "tq", "break_before")
_SNAPSHOT: Final = ("words", "layer", "slot", "injected", "first", "nested", "pointer", "free", "limit")
TABLES: Final[dict[str, tuple[str, ...]]] = {
    "jitter": (*_HEAD, "sub", "jitter_256ns"),
    "ras": (*_HEAD, "class", "severity", "unit", "count", "overflow", "first", "injected", "syndrome"),
    "tokens": ("start_ns", "tai_ns", "token", "how", "cause", "gap_ns", "no_gap"),
    "interrupts": (*_HEAD, "token", "cause", "complete", *_SNAPSHOT, *(f"word{i}" for i in range(CONTEXT_WORDS))),
}
"""Table to its titles. start_ns: after the first record, through clock steps."""


def titles(table: str) -> tuple[str, ...]:
    """The titles of ``table``."""
    return TABLES[table]


def event_rows(tables: Tables, table: str, origin: int, window: tuple[int, int]) -> Iterator[list[object]]:
    """The rows of ``table`` with a time in ``window`` = [from, to) ns on the axis; origin: ns of the first record."""
    source: npt.NDArray[np.void] = getattr(tables, "arrivals" if table == "tokens" else table)
    inside = source[(source["time"] >= window[0]) & (source["time"] < window[1])]
    make = {"jitter": _jitter, "ras": _ras, "tokens": _token, "interrupts": _interrupt}[table]
    for row in inside:
        start = [int(row["time"]) - origin, int(row["ts"])]
        if table != "tokens":
            broken = Break(int(row["broken"]))
            start += [int(row["src"]), int(row["tq"]), broken.name.lower() if broken else ""]  # type: ignore[list-item]
        yield [*start, *make(row)]


def _known(value: Any) -> object:
    return int(value) if value >= 0 else ""


def _name(names: Any, code: int) -> str:
    return names(code).name.lower() if code in set(names) else str(code)


def _jitter(row: np.void) -> list[object]:
    sub = int(row["sub"])
    good = bool(valid(np.array([sub], np.uint8))[0])
    return [_name(JitterSub, sub), int(row["jitter"]) if good else ""]


def _ras(row: np.void) -> list[object]:
    numbers = [int(row[name]) for name in ("unit", "count", "overflow", "first", "injected", "syndrome")]
    return [_name(RasClass, int(row["class"])), Severity(int(row["severity"])).name.lower(), *numbers]


def _token(row: np.void) -> list[object]:
    how = int(row["how"])
    cause = causes(int(row["cause"])) if how == TOKINT else ""
    why = "" if row["why"] == Why.GAP else Why(int(row["why"])).name.lower()
    return [int(row["token"]), "interrupt" if how == TOKINT else _name(TokenSub, how), cause, _known(row["gap"]), why]


def _interrupt(row: np.void) -> list[object]:
    seen = int(row["seen"])
    words = [int(word) if seen >> index & 1 else "" for index, word in enumerate(row["context"])]
    snapshot = [_known(row[name]) for name in _SNAPSHOT]
    return [int(row["token"]), causes(int(row["cause"])), int(row["complete"]), *snapshot, *words]
