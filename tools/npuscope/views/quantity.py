"""Jitter values, limits and source names as every view writes them."""

from __future__ import annotations

from typing import Final

from npuscope.layout import PAYLOAD, SRC_FRAMER, SRC_JITTER, SRC_MARK, SRC_MONITOR, SRC_RAS, SRC_TOKEN, Cfg, Kind
from npuscope.tables.jitter import FRACTION, LIMIT_WORDS
from npuscope.units import duration

__all__ = ["SOURCES", "fine", "ras_limits", "sync_limits"]

SOURCES: Final = {
    SRC_MONITOR: "monitors",
    SRC_TOKEN: "tokens",
    SRC_RAS: "RAS",
    SRC_JITTER: "jitter",
    SRC_MARK: "marks",
    SRC_FRAMER: "framer",
}
"""Names of the sources that are no backpressure source."""
COARSE: Final = 10_000 * FRACTION
"""From here on a time is shown in us or ms."""
_COUNTS: Final = {field.name: field for field in PAYLOAD[Kind.CFG, int(Cfg.RAS_COUNTS)]}
_OPTIONS: Final = {field.name: field for field in PAYLOAD[Kind.CFG, int(Cfg.T_NOMINAL_HI)]}


def fine(value: int | None) -> str:
    """1/256 ns as ``12.004 ns`` or, from 10 us on, in us or ms with three decimals."""
    if value is None:
        return "-"
    if abs(value) >= COARSE:
        whole = (abs(value) + FRACTION // 2) // FRACTION
        return ("-" if value < 0 else "") + duration(whole)
    thousandths = (abs(value) * 1000 + FRACTION // 2) // FRACTION
    return f"{'-' if value < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03d} ns"


def ras_limits(words: dict[int, int]) -> str:
    """CFG words of the RAS source as text, empty without any."""
    parts = [f"{name} over {fine(words[word])}" for name, word in LIMIT_WORDS.items() if word in words]
    if Cfg.RAS_COUNTS in words:
        of = {name: field.get(words[Cfg.RAS_COUNTS]) for name, field in _COUNTS.items()}
        parts.append(f"R run {of['r_run']}, re-arm {of['r_rearm']}, S count {of['s_count']}, A budget {of['a_budget']}")
    if Cfg.S_WINDOW in words:
        parts.append(f"window {duration(words[Cfg.S_WINDOW])}")
    if Cfg.A_HOLDOFF in words:
        parts.append(f"hold-off {duration(1000 * words[Cfg.A_HOLDOFF])}")
    return ", ".join(parts)


def sync_limits(words: dict[int, int]) -> str:
    """CFG words of the jitter source as text, empty without both."""
    if not {Cfg.T_NOMINAL_LO, Cfg.T_NOMINAL_HI} <= words.keys():
        return ""
    nominal = (words[Cfg.T_NOMINAL_HI] & 0xFFFF) << 32 | words[Cfg.T_NOMINAL_LO]
    names = {
        "need_lock": "valid only if locked",
        "exclude": "MISSED and EARLY kept from the RAS mapper",
        "strobe": "every clock is a pulse",
        "sync_lost_a": "SYNC_LOST drives A",
    }
    options = [text for name, text in names.items() if _OPTIONS[name].get(words[Cfg.T_NOMINAL_HI])]
    return ", ".join([f"nominal {fine(nominal)}", *options])
