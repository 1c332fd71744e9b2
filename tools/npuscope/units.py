"""Numbers as people read and type them: times, percents, sizes, names.

Rules: times are relative to the first record in ns/us/ms, absolute ones TAI; percents have one decimal, never show a
false 0 or 100, and bounds are rounded outward; names from a file cannot move a terminal's cursor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from npuscope.errors import NpuscopeError

__all__ = [
    "count",
    "counted_in",
    "duration",
    "in_counts",
    "lower_percent",
    "parse_duration",
    "parse_percent",
    "parse_picoseconds",
    "percent",
    "percent_range",
    "safe",
    "size",
    "tai",
    "time_unit",
    "titled",
    "upper_percent",
    "use_time_unit",
    "width",
]

NS: Final = "ns"
_time_unit: ContextVar[str] = ContextVar("time_unit", default=NS)
COUNTS: Final = ("tick", "ticks", "cycle", "cycles")
UNIT_NS: Final = {
    **dict.fromkeys(COUNTS, 1),
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
}
_TIME: Final = re.compile(r"\s*([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(ns|us|µs|μs|ms|s|ticks?|cycles?)?\s*")
_SCALES: Final = ((10_000_000_000, 1_000_000_000, "s"), (1_000_000, 1_000_000, "ms"), (1_000, 1_000, "us"))


def use_time_unit(name: str) -> None:
    """What one count of time is from now on in what is printed: ``ns``, or ``tick`` or ``cycle`` of unknown length."""
    _time_unit.set(name)


@contextmanager
def counted_in(name: str) -> Iterator[None]:
    """``use_time_unit`` for what is inside."""
    before = _time_unit.set(name)
    try:
        yield
    finally:
        _time_unit.reset(before)


def time_unit() -> str:
    """What one count of time is: ``ns``, ``tick``, ``cycle``."""
    return _time_unit.get()


def titled(column: str) -> str:
    """The title of a column of times: ``start_ns``, or ``start_ticks`` where a tick's length is not known."""
    unit = time_unit()
    return column if unit == NS or not column.endswith("_ns") else f"{column.removesuffix('_ns')}_{unit}s"


def duration(ns: int) -> str:
    """``ns`` (integer) as ``840 ns``, ``12.345 us``, ``1.500 ms``, from 10 s on ``12.000 s``; or as ``840 ticks``."""
    count_name = time_unit()
    if count_name != NS:
        return f"{ns:,} {count_name}{'s' * (abs(ns) != 1)}"
    magnitude = abs(ns)
    for least, unit, name in _SCALES:
        if magnitude >= least:
            thousandths = (magnitude * 1000 + unit // 2) // unit
            return f"{'-' if ns < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03d} {name}"
    return f"{ns} ns"


def tai(ns: int) -> str:
    """``ns`` since the PTP epoch as date and time of day, to the nanosecond; TAI, so no leap seconds are applied."""
    seconds, rest = divmod(ns, 1_000_000_000)
    try:
        stamp = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{ns} ns TAI"
    return f"{stamp}.{rest:09d} TAI"


def parse_duration(text: str) -> int:
    """Integer ns of ``12ns``, ``1.5us``, ``0.2 ms``, ``0``, counts of ``12ticks``; raises NpuscopeError for others."""
    match = _TIME.fullmatch(text)
    if match is None or (match[2] is None and Decimal(match[1])):
        raise NpuscopeError("not a time", found=repr(text), expected="a number with its unit ns, us, ms or s")
    value = Decimal(match[1]) * UNIT_NS[match[2] or "ns"]
    if value != value.to_integral_value():
        raise NpuscopeError("finer than one nanosecond", found=repr(text), expected="a whole number of ns")
    return int(value)


def in_counts(text: str) -> bool | None:
    """Whether ``text``, a time, is in ticks or cycles; None: a 0 without unit."""
    match = _TIME.fullmatch(text)
    return None if match is None or match[2] is None else match[2] in COUNTS


def parse_picoseconds(text: str) -> int:
    """Integer ps of ``10ps``, ``1ns``, ``0.5us``: as ``parse_duration``, and with ``ps``."""
    number, unit, rest = text.strip().partition("ps")
    if not unit and in_counts(text):
        raise NpuscopeError("not a time", found=repr(text), expected="a number with its unit ps, ns, us, ms or s")
    if not unit:
        return parse_duration(text) * 1000
    if not number.strip().isdigit() or rest:
        raise NpuscopeError("not a time", found=repr(text), expected="a number with its unit ps, ns, us, ms or s")
    return int(number)


def parse_percent(text: str) -> float:
    """0..100 from ``5``, ``0.5`` or ``5%``; raises NpuscopeError for anything else."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise NpuscopeError("not a percentage", found=repr(text), expected="0 to 100")
    return value


def _tenths(tenths: int, part: int, whole: int) -> str:
    if tenths <= 0 < part:
        return "<0.1"
    if tenths >= 1000 and part < whole:
        return ">99.9"
    return f"{tenths // 10}.{tenths % 10}"


def percent(part: int, whole: int) -> str:
    """``part`` of ``whole`` (integers, 0 <= part <= whole) to the nearest 0.1 %; ``-`` when there is no whole."""
    return _tenths((2000 * part + whole) // (2 * whole), part, whole) if whole > 0 else "-"


def lower_percent(part: int, whole: int) -> str:
    """As ``percent``, rounded down: a true lower bound."""
    return _tenths(1000 * part // whole, part, whole) if whole > 0 else "-"


def upper_percent(part: int, whole: int) -> str:
    """As ``percent``, rounded up: a true upper bound."""
    return _tenths(-(-1000 * part // whole), part, whole) if whole > 0 else "-"


def percent_range(low: int, high: int, whole: int) -> str:
    """``low..high`` of ``whole`` rounded outward; one number when they are the same count."""
    if low == high:
        return percent(low, whole)
    return f"{lower_percent(low, whole)}..{upper_percent(high, whole)}"


def count(number: int) -> str:
    """``1234567`` as ``1,234,567``."""
    return f"{number:,}"


def size(byte_count: int) -> str:
    """Bytes as ``532 B``, ``12.4 kB``, ``8.0 GB`` (powers of 1000)."""
    for least, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if byte_count >= least:
            return f"{byte_count / least:.1f} {name}"
    return f"{byte_count} B"


def safe(text: str) -> str:
    """``text`` with control, bidirectional and other unprintable characters escaped, for a terminal or a table."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def width(text: str) -> int:
    """Columns that ``text`` takes in a terminal: wide characters two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
