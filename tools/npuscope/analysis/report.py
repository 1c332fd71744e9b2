"""The answer of the blame analysis as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

__all__ = ["SCHEMA", "Cell", "Cycle", "Row", "Stalls"]

SCHEMA: Final = 1
"""Version of ``Stalls.to_json``."""


@dataclass(frozen=True)
class Cell:
    """Stall time of one victim buffer that one culprit caused; ns, integer bounds that hold for every completion.

    victim: index into description.buffers. draining_ns: the part of min_ns in which the victim was only draining
    (its cause had gone, the backlog had not; rule 4); min_ns - draining_ns is active stall time.
    """

    victim: int
    culprit: str
    min_ns: int
    max_ns: int
    draining_ns: int


@dataclass(frozen=True)
class Row:
    """One culprit over all victims; rows are sorted by min_ns, then max_ns, both falling.

    kind: stage, sink, source, shallow (the depth of a buffer is the cause) or cycle (deadlock candidate).
    roots: indices of the hot buffers in front of it. victims: indices of the buffers that it stalled for sure.
    """

    culprit: str
    kind: str
    roots: tuple[int, ...]
    min_ns: int
    max_ns: int
    draining_ns: int
    victims: tuple[int, ...]


@dataclass(frozen=True)
class Cycle:
    """Buffers that wait for each other with no way out, [from_ns, to_ns); last_ns: time of the last handshake."""

    culprit: str
    from_ns: int
    to_ns: int
    last_ns: int
    deadlock: bool


@dataclass(frozen=True)
class Stalls:
    """Who stalls whom in the window [from_ns, to_ns).

    Per buffer (index into description.buffers): hot_ns certainly hot; unknown_ns the part of hot_ns without a certain
    culprit; unseen_ns not known whether hot. Law: sum of min_ns of its cells + unknown_ns = hot_ns. coverage: known ns
    of each buffer, of the (to_ns - from_ns) of the window; coverage_min the smallest. ambiguous_ns: part of
    unknown_ns in which a fresh and a held cause differ. anybody_ns: time that loss leaves open to any culprit; it is
    part of max_ns of each cell, and the max_ns of culprits without a cell. evidence: rows of Timeline.episodes,
    longest stall first.
    """

    verdict: str
    graph_assumed: bool
    from_ns: int
    to_ns: int
    buffers: tuple[str, ...]
    coverage: tuple[int, ...]
    coverage_min: int
    hot_ns: tuple[int, ...]
    unknown_ns: tuple[int, ...]
    unseen_ns: tuple[int, ...]
    draining_ns: tuple[int, ...]
    ambiguous_ns: tuple[int, ...]
    rows: tuple[Row, ...]
    matrix: tuple[Cell, ...]
    cycles: tuple[Cycle, ...]
    evidence: tuple[int, ...]
    anybody_ns: tuple[int, ...] = ()

    def share(self, row: Row) -> tuple[int, int, int]:
        """(low, high, whole) ns of a row's share: of all certain stall time of all buffers.

        high leaves out what is certainly the others' and what the row may have caused while it is not known to stall.
        """
        high = sum(
            min(cell.max_ns, cell.min_ns + self.unknown_ns[cell.victim])
            for cell in self.matrix
            if cell.culprit == row.culprit
        )
        named = {cell.victim for cell in self.matrix if cell.culprit == row.culprit}
        high += sum(min(ns, self.unknown_ns[u]) for u, ns in enumerate(self.anybody_ns) if u not in named)
        return row.min_ns, high, sum(self.hot_ns)

    def to_json(self) -> dict[str, Any]:
        """All fields, times as integer ns, and ``schema``; the same keys in every release of one schema number."""
        return {"schema": SCHEMA, **asdict(self)}
