"""A preview as text and plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import Any, Final

from npuscope.analysis.preview import Estimate
from npuscope.units import count, duration, percent_range, safe, size
from npuscope.views.table import table

__all__ = ["preview_json", "preview_text"]

SCHEMA: Final = 1
_WHOLE: Final = 10**9


def preview_text(
    names: Sequence[str], found: Sequence[Estimate], number: int, span_ns: int, read: int, total: int, top: int
) -> str:
    """The fullest buffers with their 95 % intervals. number: samples; read, total: bytes."""
    head = (
        f"Preview: {count(number)} frames of {duration(span_ns)}, {size(min(read, total))} of {size(total)} read; "
        "95 % intervals, nothing else of the dump was looked at."
    )
    order = sorted(range(len(found)), key=lambda u: (-found[u].low, -found[u].high, u))
    rows = [[names[u], _share(found[u]), _width(found[u]), "rare" if found[u].rare else ""] for u in order[:top]]
    if len(order) > top:
        rows.append([f"+{len(order) - top} more", "", "", ""])
    text = table(["buffer", ">full, % of time", ">+- points", ""], rows)
    first = found[order[0]] if order else None
    verdict = ""
    if first is not None and first.low > 0 and not first.rare:
        verdict = f"Fullest is {safe(names[order[0]])}, {_share(first)} % of the time.\n\n"
    return f"{verdict}{head}\n\n{text}"


def _share(one: Estimate) -> str:
    return percent_range(int(one.low * _WHOLE), -int(-one.high * _WHOLE // 1), _WHOLE)


def _width(one: Estimate) -> str:
    return f"{50 * (one.high - one.low):.1f}"


def preview_json(
    names: Sequence[str], found: Sequence[Estimate], number: int, span_ns: int, read: int
) -> dict[str, Any]:
    """Shares as numbers 0..1, mean null when no sample knew the buffer."""
    rows = [{"buffer": name, **asdict(one)} for name, one in zip(names, found, strict=True)]
    for row in rows:
        row["mean"] = None if isnan(row["mean"]) else row["mean"]
    head = {"schema": SCHEMA, "samples": number, "span_ns": span_ns, "bytes_read": read, "confidence": 0.95}
    return {**head, "rows": rows}
