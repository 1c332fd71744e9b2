"""A comparison as text and plain data: what got worse first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from npuscope.analysis.compare import Difference, Per, Span, Verdict
from npuscope.units import duration, lower_percent, percent, safe, upper_percent
from npuscope.views.table import table

__all__ = ["compare_json", "compare_text"]

SCHEMA: Final = 1
LABELS: Final = {"full_ns": "full", "longest_ns": "longest stall", "caused_ns": "stall it causes"}
ORDER: Final = (Verdict.WORSE, Verdict.UNDECIDED, Verdict.BETTER, Verdict.SAME)


def compare_text(
    found: Sequence[Difference], per: Per, percent_same: float, *, top: int = 20, columns: int = 80
) -> str:
    """The counts in one sentence, then a row per difference that is not the same, the largest changes first."""
    number = Counter(d.verdict for d in found)
    told = ", ".join(f"{number[v]} {v}" for v in Verdict)
    parts = [f"{told}; up to {percent_same:g} % counts as the same."]
    shown = [d for d in found if d.verdict is not Verdict.SAME]
    shown.sort(key=lambda d: (ORDER.index(d.verdict), -_change(d)))
    if shown:
        worst = shown[0]
        if worst.verdict is Verdict.WORSE:
            text = f"Worst: {LABELS[worst.metric]} of {safe(worst.what)}, {_text(worst, worst.new, per)}"
            parts.insert(0, f"{text}, was {_text(worst, worst.base, per)}.")
        rows = [
            [str(d.verdict), d.what, LABELS[d.metric], _text(d, d.base, per), _text(d, d.new, per)] for d in shown[:top]
        ]
        if len(shown) > top:
            rows.append([f"+{len(shown) - top} more", "", "", "", ""])
        parts.append("\n" + table(["", "layer or stage", "what", ">base", ">new"], rows, columns=columns))
    return "\n".join(parts)


def compare_json(found: Sequence[Difference], per: Per) -> dict[str, Any]:
    """Rows with base and new as [least, most] numbers per ns, token or run, most null without a bound."""
    rows = [
        {"what": d.what, "metric": d.metric, "base": _plain(d.base), "new": _plain(d.new), "verdict": str(d.verdict)}
        for d in found
    ]
    return {
        "schema": SCHEMA,
        "per": per,
        "verdicts": {str(v): sum(d.verdict is v for d in found) for v in Verdict},
        "rows": rows,
    }


def _plain(span: Span) -> list[float | None]:
    return [float(span[0]), None if span[1] is None else float(span[1])]


def _change(d: Difference) -> Fraction:
    return abs(d.new[0] - d.base[0])


def _text(d: Difference, span: Span, per: Per) -> str:
    low, high = span
    if d.metric == "longest_ns" or per == "run":
        return _join(duration(int(low)), None if high is None else duration(int(high)))
    if per == "token":
        return _join(*(f"{float(x):.4g}" if x is not None else None for x in (low, high))) + " ns/token"
    if low == high:
        return percent(low.numerator, low.denominator) + " %"
    most = None if high is None else upper_percent(min(high, Fraction(1)).numerator, min(high, Fraction(1)).denominator)
    return _join(lower_percent(low.numerator, low.denominator), most) + " %"


def _join(low: str | None, high: str | None) -> str:
    return f">={low}" if high is None else str(low) if low == high else f"{low}..{high}"
