"""Boundary bins of the threshold book: the golden model says what it compares with which limit, the runner collects it.

The bins of a compare are ``limit - 1``, ``limit`` and ``limit + 1`` (one LSB), ``zero`` and ``full``. Off, at no cost,
unless NPUSCOPE_BINS names a file; each bin goes into it once, as a line ``TH_ON limit``.
"""

from __future__ import annotations

import os
from typing import Final

__all__ = ["ALL", "VARIABLE", "met"]

VARIABLE: Final = "NPUSCOPE_BINS"
ALL: Final = ("limit - 1", "limit", "limit + 1", "zero", "full")
_FILE: Final = os.environ.get(VARIABLE)
_SEEN: Final[set[tuple[str, str]]] = set()


def met(threshold: str, value: int, limit: int, full: int | None = None, lsb: int = 1) -> None:
    """A value was compared with a limit. full: the largest value there is. lsb: the step in which values come."""
    if _FILE is None:
        return
    away = value - limit
    if abs(away) <= lsb:
        _note(threshold, "limit" if not away else "limit + 1" if away > 0 else "limit - 1")
    if not value:
        _note(threshold, "zero")
    if value == full:
        _note(threshold, "full")


def _note(threshold: str, name: str) -> None:
    if (threshold, name) not in _SEEN and _FILE is not None:
        _SEEN.add((threshold, name))
        with open(_FILE, "a") as sink:
            sink.write(f"{threshold} {name}\n")
