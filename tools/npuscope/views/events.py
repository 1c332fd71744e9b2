"""Sync, RAS and token events reduced to columns of time: what the strip and the report draw below the buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.intervals import make
from npuscope.layout import SRC_JITTER, SRC_RAS, SRC_TOKEN, TokenSub
from npuscope.tables import Setting, Tables
from npuscope.tables.jitter import FRACTION, LIMIT_WORDS
from npuscope.tables.ras import DECISIONS
from npuscope.tables.rows import valid
from npuscope.tables.tokens import GAP_LIMIT_NS
from npuscope.units import count
from npuscope.views.lanes import covered

__all__ = ["LANES", "EventCells", "StripLane", "event_cells", "levels", "short", "strip_lanes", "strip_legend"]

I8 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LANES: Final = ("jitter", "ras", "tokens")
SOURCES: Final = {"jitter": SRC_JITTER, "ras": SRC_RAS, "tokens": SRC_TOKEN}


@dataclass(frozen=True)
class EventCells:
    """Numbers of each column [edges[i], edges[i + 1]) ns on the axis, i8 (columns,).

    present: lanes of which the capture has any record. low, high: jitter of valid samples in 1/256 ns, 0 without one.
    samples, invalid: sync pulses. level: 0 to 3 limits exceeded. ras: RAS records, faults: those that report a fault,
    severity: the worst of them, -1 without one. tokens: arrivals, late: gaps over the limit that end there,
    frozen: ns, interrupts. unknown: lane -> where its records may be missing. limits: name -> last value in 1/256 ns.
    """

    present: tuple[str, ...]
    edges: I8
    low: I8
    high: I8
    samples: I8
    invalid: I8
    level: I8
    ras: I8
    faults: I8
    severity: I8
    tokens: I8
    late: I8
    frozen: I8
    interrupts: I8
    unknown: dict[str, Mask]
    limits: dict[str, int]

    def to_json(self, origin: int) -> dict[str, Any]:
        """Stable keys; edges in ns after ``origin``, columns as lists."""
        columns = ("low", "high", "samples", "invalid", "ras", "severity", "tokens", "late", "frozen", "interrupts")
        return {
            "present": list(self.present),
            "edges": (self.edges - origin).tolist(),
            "limits_256ns": self.limits,
            **{name: getattr(self, name).tolist() for name in columns},
            "unknown": {name: np.flatnonzero(mask).tolist() for name, mask in self.unknown.items()},
        }


def levels(rows: npt.NDArray[np.void], settings: Sequence[Setting]) -> I8:
    """How many of the limits R, A, S in force each JITTER row exceeds, 0 where it is not valid."""
    magnitude = np.abs(rows["jitter"].astype(np.int64))
    found = np.zeros(len(rows), np.int64)
    for word in LIMIT_WORDS.values():
        own = [setting for setting in settings if (setting.src, setting.word) == (SRC_RAS, word)]
        if own:
            place = np.searchsorted(np.array([s.at for s in own]), rows["at"]) - 1
            limit = np.array([s.value for s in own], np.int64)[np.maximum(place, 0)]
            found += (place >= 0) & (magnitude > limit)
    return np.where(valid(rows["sub"]), found, 0)


def event_cells(tables: Tables, edges: I8) -> EventCells:
    """The columns with these ``edges``."""
    size = len(edges) - 1
    jitter, ras, arrivals, events = tables.jitter, tables.ras, tables.arrivals, tables.tokens
    interrupts = tables.interrupts

    def place(rows: npt.NDArray[np.void]) -> tuple[I8, npt.NDArray[np.void]]:
        index = np.searchsorted(edges, rows["time"], side="right") - 1
        inside = (index >= 0) & (index < size)
        return index[inside], rows[inside]

    def number(index: I8) -> I8:
        return np.bincount(index, minlength=size).astype(np.int64)

    at, rows = place(jitter)
    good = valid(rows["sub"])
    low, high = np.zeros(size, np.int64), np.zeros(size, np.int64)
    level = np.zeros(size, np.int64)
    if good.any():
        low[:], high[:] = 1 << 40, -(1 << 40)
        np.minimum.at(low, at[good], rows["jitter"][good].astype(np.int64))
        np.maximum.at(high, at[good], rows["jitter"][good].astype(np.int64))
        np.maximum.at(level, at, levels(rows, tables.settings))
        empty = low > high
        low[empty] = high[empty] = 0
    ras_at, ras_rows = place(ras)
    faults = np.isin(ras_rows["class"], DECISIONS)
    severity = np.full(size, -1, np.int64)
    np.maximum.at(severity, ras_at, ras_rows["severity"].astype(np.int64))
    token_at, token_rows = place(arrivals)
    unknown = {}
    for name, src in SOURCES.items():
        own = [gap for gap in tables.gaps if gap.src == src]
        spans = make([gap.from_ns for gap in own], [gap.to_ns + 1 for gap in own])
        unknown[name] = covered(spans, edges) > 0
    present = (("jitter", len(jitter)), ("ras", len(ras)), ("tokens", len(arrivals) + len(events)))
    last = {(s.src, s.word): s.value for s in tables.settings}
    return EventCells(
        present=tuple(name for name, there in present if there),
        edges=edges,
        low=low,
        high=high,
        samples=number(at),
        invalid=number(at[~good]),
        level=level,
        ras=number(ras_at),
        faults=number(ras_at[faults]),
        severity=severity,
        tokens=number(token_at),
        late=number(token_at[token_rows["gap"] > GAP_LIMIT_NS]),
        frozen=covered(_frozen(events), edges),
        interrupts=number(place(interrupts)[0]),
        unknown=unknown,
        limits={name: last[SRC_RAS, word] for name, word in LIMIT_WORDS.items() if (SRC_RAS, word) in last},
    )


def _frozen(events: npt.NDArray[np.void]) -> I8:
    """Times from FROZEN to the RESUMED that follows it with nothing missing between, sorted and disjoint."""
    own = events[(events["sub"] == TokenSub.FROZEN) | (events["sub"] == TokenSub.RESUMED)]
    pair = (own["sub"][:-1] == TokenSub.FROZEN) & (own["sub"][1:] == TokenSub.RESUMED)
    pair &= (own["token"][:-1] == own["token"][1:]) & (own["broken"][1:] == 0)
    return make(own["time"][:-1][pair], own["time"][1:][pair])


# ---------------------------------------------------------------- terminal
@dataclass(frozen=True)
class StripLane:
    """One line below the strip: a (state, glyph) per column, and a short number at its end."""

    name: str
    cells: list[tuple[str, str]]
    total: str


def short(value: int) -> str:
    """|1/256 ns| in six characters at most: ``840ns``, ``41.2us``, ``125us``."""
    ns = abs(value) / FRACTION
    for least, unit, name in ((1e9, 1e9, "s"), (999_500, 1e6, "ms"), (999.5, 1e3, "us")):
        if ns >= least:
            number = ns / unit
            return f"{number:.1f}{name}" if number < 99.95 else f"{number:.0f}{name}"
    return f"{ns:.0f}ns"


def strip_lanes(cells: EventCells, wanted: Sequence[str], cool: str, unknown: str) -> list[StripLane]:
    """The lanes that are wanted and present. cool, unknown: glyphs of the strip."""
    makers = {"jitter": _jitter_lane, "ras": _ras_lane, "tokens": _tokens_lane}
    return [makers[name](cells, cool, unknown) for name in LANES if name in wanted and name in cells.present]


def _jitter_lane(cells: EventCells, cool: str, unknown: str) -> StripLane:
    found = []
    for column in range(len(cells.samples)):
        if cells.level[column]:
            found.append(("hot", " RAS"[cells.level[column]]))
        elif cells.unknown["jitter"][column]:
            found.append(("unknown", unknown))
        elif cells.invalid[column]:
            found.append(("loss", "x"))
        else:
            found.append(("cool", cool if cells.samples[column] else " "))
    return StripLane("jitter", found, short(int(max(np.abs(cells.low).max(), np.abs(cells.high).max()))))


def _ras_lane(cells: EventCells, cool: str, unknown: str) -> StripLane:
    found = []
    for column, worst in enumerate(cells.severity.tolist()):
        if worst >= 0:
            found.append(("hot" if worst else "cool", "icrF"[worst]))
        elif cells.unknown["ras"][column]:
            found.append(("unknown", unknown))
        else:
            found.append(("cool", " "))
    return StripLane("ras", found, _number(int(cells.faults.sum())))


def _tokens_lane(cells: EventCells, cool: str, unknown: str) -> StripLane:
    found, span = [], np.diff(cells.edges)
    for column in range(len(cells.tokens)):
        if cells.interrupts[column]:
            found.append(("hot", "I"))
        elif 2 * cells.frozen[column] >= span[column]:
            found.append(("dry", "#"))
        elif cells.unknown["tokens"][column]:
            found.append(("unknown", unknown))
        elif cells.late[column]:
            found.append(("hot", "-"))
        else:
            found.append(("cool", cool if cells.tokens[column] else " "))
    return StripLane("tokens", found, _number(int(cells.tokens.sum())))


def _number(value: int) -> str:
    """At most six characters."""
    for least, name in ((10**9, "G"), (10**6, "M"), (10**5, "k")):
        if value >= least:
            return f"{value / min(least, 10**9 if name == 'G' else 10**6 if name == 'M' else 10**3):.1f}{name}"
    return count(value)


def strip_legend(lanes: Sequence[StripLane], cool: str) -> str:
    """One line for each lane that explains its characters."""
    texts = {
        "jitter": f"{cool} within limits  R A S over that limit  x not valid; then the worst",
        "ras": "i informational  c corrected  r recoverable  F fatal; then the faults",
        "tokens": f"{cool} flow  - gap over {GAP_LIMIT_NS} ns  # frozen  I interrupt; then the tokens",
    }
    return "\n".join(f"{lane.name:<7} {texts[lane.name]}" for lane in lanes)
