"""Time stamps of log lines, each as the interval that its last digit leaves."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

__all__ = ["own_time", "stamp"]

_STAMPS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)) (?:\S+ )?"), "utc"),
    (re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?) (?:\S+ )?"), "local"),
    (re.compile(r"((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d) (?:\S+ )?"), "yearless"),
    (re.compile(r"(?:<\d+>)?\[ *(\d+\.\d+)\] "), "boot"),
)
_TOOL_TIME: Final = re.compile(r"(?:ptp4l|phc2sys|ts2phc)(?:\[\d+\]: ?)?\[(\d+\.\d+)\]")


def stamp(line: str) -> tuple[str, tuple[int, int] | None, str]:
    """Domain, [earliest, latest] ns and the rest of a line; the interval is as wide as its last digit."""
    for pattern, domain in _STAMPS:
        match = pattern.match(line)
        if match:
            time = _seconds(match[1]) if domain == "boot" else _clock(match[1], domain)
            if time is not None:
                rest = line[match.end() :]
                return ("local", None, rest) if domain == "yearless" else (domain, time, rest)
    return "none", None, line


def _seconds(text: str) -> tuple[int, int]:
    whole, _, part = text.partition(".")
    start = int(whole) * 10**9 + int(part.ljust(9, "0")[:9])
    return start, start + 10 ** max(0, 9 - len(part)) - 1


def _clock(text: str, domain: str) -> tuple[int, int] | None:
    """ns since 1970 of a stamp; local ones as if they were UTC. None for a stamp that cannot be."""
    if domain == "yearless":
        return 0, 0
    digits = re.search(r"[.,](\d+)", text)
    plain = re.sub(r"[.,]\d+", "", text).replace("Z", "+00:00")
    try:
        stamp = datetime.fromisoformat(plain)
    except ValueError:
        return None
    stamp = stamp.replace(tzinfo=UTC) if stamp.tzinfo is None else stamp
    part = digits[1] if digits else ""
    start = int(stamp.timestamp()) * 10**9 + int(part.ljust(9, "0")[:9] or 0)
    return start, start + 10 ** max(0, 9 - len(part)) - 1


def own_time(
    name: str, match: re.Match[str], body: str, when: tuple[str, tuple[int, int] | None]
) -> tuple[str, tuple[int, int] | None]:
    """The time that a line of some formats tells by itself."""
    if name == "sel":
        month, day, year = match["date"].split("/")
        return "local", _clock(f"{year}-{month}-{day} {match['clock']}", "local")
    if name == "ptp" and when[1] is None and (told := _TOOL_TIME.search(body)):
        return "boot", _seconds(told[1])
    return when
