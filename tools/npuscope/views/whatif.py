"""Answers of ``whatif`` as text and plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from npuscope.analysis import Stalls
from npuscope.layout import RasClass
from npuscope.units import count, percent_range, safe
from npuscope.views.table import table

__all__ = ["Answer", "whatif_json", "whatif_text"]

SCHEMA = 1
FAULTS = (RasClass.R, RasClass.A, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED)


@dataclass(frozen=True)
class Answer:
    """What follows from one set of limits; each part None when its limits were not asked for.

    stalls: with the other TH_ON. episodes: per buffer, least. late: gaps between tokens over the limit, least and most
    (None: not bounded). decisions: of the RAS mapper; holes: places where samples are missing, so that it is only what
    the rest says.
    """

    limits: Mapping[str, int]
    stalls: Stalls | None = None
    episodes: tuple[int, ...] = ()
    late: tuple[int, int | None] | None = None
    decisions: Mapping[RasClass, int] | None = None
    holes: int = 0


def whatif_text(found: Sequence[Answer], *, columns: int = 80) -> str:
    """One answer in full, of several a row each."""
    return _one(found[0], columns) if len(found) == 1 else _many(found, columns)


def _one(answer: Answer, columns: int) -> str:
    parts = [f"With {_limits(answer)}:"]
    if answer.stalls is not None:
        stalls, span = answer.stalls, answer.stalls.to_ns - answer.stalls.from_ns
        parts[0] += f" {safe(stalls.verdict)}"
        order = sorted(range(len(stalls.buffers)), key=lambda u: (-stalls.hot_ns[u], -stalls.unseen_ns[u], u))
        rows = [
            [stalls.buffers[u], _share(stalls.hot_ns[u], stalls.unseen_ns[u], span), count(answer.episodes[u])]
            for u in order
            if stalls.hot_ns[u] or stalls.unseen_ns[u]
        ]
        parts.append(table(["buffer", ">full, % of time", ">stalls at least"], rows, columns=columns))
    if answer.late is not None:
        parts.append(f"gaps between tokens over the limit: {_late(answer)}")
    if answer.decisions is not None:
        parts.append("RAS decisions: " + ", ".join(f"{one.name} {answer.decisions.get(one, 0)}" for one in FAULTS))
        parts += [_missing(answer)] if answer.holes else []
    return "\n\n".join(parts)


def _many(found: Sequence[Answer], columns: int) -> str:
    first, rows = found[0], []
    titles = ["limits"]
    if first.stalls is not None:
        titles += [">full, % of time", ">stalls", "first culprit", ">% of stall"]
    if first.late is not None:
        titles.append(">late gaps")
    if first.decisions is not None:
        titles += [f">{one.name[:9]}" for one in FAULTS]
    for answer in found:
        row = [_limits(answer)]
        if answer.stalls is not None:
            stalls = answer.stalls
            whole = len(stalls.buffers) * (stalls.to_ns - stalls.from_ns)
            top = stalls.rows[0] if stalls.rows and stalls.rows[0].min_ns else None
            row += [_share(sum(stalls.hot_ns), sum(stalls.unseen_ns), whole), count(sum(answer.episodes))]
            row += [top.culprit, percent_range(*stalls.share(top))] if top else ["-", "-"]
        row += [] if answer.late is None else [_late(answer)]
        row += [] if answer.decisions is None else [count(answer.decisions.get(one, 0)) for one in FAULTS]
        rows.append(row)
    text = table(titles, rows, columns=columns)
    return f"{text}\n{_missing(first)}" if first.holes else text


def _limits(answer: Answer) -> str:
    return ", ".join(f"{name}={value}" for name, value in answer.limits.items())


def _share(low: int, more: int, whole: int) -> str:
    return percent_range(low, min(low + more, whole), whole)


def _late(answer: Answer) -> str:
    assert answer.late is not None
    low, high = answer.late
    return f"at least {count(low)}" if high is None else count(low)


def _missing(answer: Answer) -> str:
    places = f"Jitter samples are missing in {count(answer.holes)} places"
    return f"{places}: decisions there, and what follows from them, are not decided."


def whatif_json(found: Sequence[Answer]) -> dict[str, Any]:
    """All answers: limits in units of the book, ns, counts; ``decided`` false where samples are missing."""
    rows = []
    for answer in found:
        row: dict[str, Any] = {"limits": dict(answer.limits)}
        if answer.stalls is not None:
            row |= {"stalls": answer.stalls.to_json(), "episodes_min": list(answer.episodes)}
        if answer.late is not None:
            row["late_gaps"] = list(answer.late)
        if answer.decisions is not None:
            decisions = {one.name: answer.decisions.get(one, 0) for one in FAULTS}
            row |= {"ras": decisions, "ras_decided": not answer.holes}
        rows.append(row)
    return {"schema": SCHEMA, "answers": rows}
