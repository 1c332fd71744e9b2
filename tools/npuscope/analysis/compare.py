"""Two summaries against each other: worse, better, same, or undecided because loss leaves it open.

A verdict holds for every completion of what was lost in either capture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Literal

from npuscope.analysis.summary import METRICS, Range, Summary
from npuscope.errors import NpuscopeError

__all__ = ["Difference", "Per", "Verdict", "compare", "verdict"]

Per = Literal["time", "token", "run"]
Span = tuple[Fraction, Fraction | None]

FLOOR: Final = Fraction(1, 1000)
"""Shares of time that differ by less are the same: 0.1 % of the time, however small the base is."""
LENGTH: Final = "longest_ns"
"""A length, not a sum: compared as it is, and the same if it differs by less than ..."""
LENGTH_FLOOR: Final = Fraction(1000)


class Verdict(StrEnum):
    """How new is against base; less is better in all that is compared."""

    WORSE = "worse"
    BETTER = "better"
    SAME = "same"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Difference:
    """One metric of one layer or culprit. base, new: least and most, ``per`` time, token or run; None: no bound."""

    what: str
    metric: str
    base: Span
    new: Span
    verdict: Verdict


def verdict(base: Span, new: Span, tolerance: Fraction, floor: Fraction) -> Verdict:
    """Worse or better by more than ``tolerance`` of the base and more than ``floor``; below that the same."""

    def margin(value: Fraction) -> Fraction:
        return max(tolerance * value, floor)

    if base[1] is not None and new[0] > base[1] + margin(base[1]):
        return Verdict.WORSE
    if new[1] is not None and new[1] < base[0] - margin(base[0]):
        return Verdict.BETTER
    if base[1] is None or new[1] is None:
        return Verdict.UNDECIDED
    if new[1] <= base[0] + margin(base[0]) and new[0] >= base[1] - margin(base[1]):
        return Verdict.SAME
    return Verdict.UNDECIDED


def compare(
    base: Summary, new: Summary, *, per: Per = "time", match: Literal["name", "id"] = "name", percent: float = 1.0
) -> list[Difference]:
    """All metrics of the layers and culprits that both have, in order of the layers of ``new``, then the culprits.

    percent: what is the same. Raises NpuscopeError if nothing matches, or if there are no tokens to count by.
    """
    if base.time_unit != new.time_unit:
        raise NpuscopeError(
            "the two do not count time alike", found=f"{base.time_unit} in the base, {new.time_unit} in the new one",
            hint="give --time-unit or --clock-period, or read the base anew with it",
        )  # fmt: skip
    longest = LENGTH_FLOOR if new.time_unit == "ns" else Fraction(0)
    tolerance = Fraction(percent).limit_denominator(10**6) / 100
    floor = FLOOR if per == "time" else Fraction(0)
    found = [
        Difference(name, metric, a, b, verdict(a, b, tolerance, longest if metric == LENGTH else floor))
        for name, metric, a, b in _pairs(base, new, per, match)
    ]
    if not found:
        raise NpuscopeError("no layer of one is a layer of the other", hint="see --match; is it the same graph?")
    return found


def _pairs(base: Summary, new: Summary, per: Per, match: str) -> Iterator[tuple[str, str, Span, Span]]:
    old = {layer["id"] if match == "id" else name: layer for name, layer in base.layers.items()}
    for name, layer in new.layers.items():
        before = old.get(layer["id"] if match == "id" else name)
        if before is None:
            continue
        for metric in METRICS:
            unit: Per = "run" if metric == LENGTH else per
            a, b = (_span(m, s, unit) for m, s in ((before[metric], base), (layer[metric], new)))
            yield name, metric, a, b
    for name in {**new.culprits, **base.culprits}:
        a, b = (_span(s.culprits.get(name, (0, s.others_ns)), s, per) for s in (base, new))
        yield name, "caused_ns", a, b


def _span(value: Range, of: Summary, per: Per) -> Span:
    low, high = Fraction(value[0]), None if value[1] is None else Fraction(value[1])
    if per == "run":
        return low, high
    if per == "time":
        span = max(of.span_ns, 1)
        return low / span, None if high is None else high / span
    if of.tokens is None or not of.tokens[0]:
        raise NpuscopeError("no tokens to count by", file=of.title or None, hint="leave --per token out")
    least, most = of.tokens
    return Fraction(0) if most is None else low / most, None if high is None else high / least
