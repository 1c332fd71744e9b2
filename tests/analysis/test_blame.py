"""The sweep against the rules applied nanosecond by nanosecond, the laws, and bounds against every completion."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.analysis import Stalls, stalls
from npuscope.description import Description
from npuscope.episodes import EPISODE, Lane
from npuscope.intervals import EMPTY, Intervals, make
from npuscope.timeline import Timeline
from tests.analysis.graphs import CHAIN, LOOP, graphs, lanes
from tests.analysis.oracle import Blame, blame

UNKNOWN = 2


def intervals(row: list[int], value: int) -> Intervals:
    marks = np.asarray(row) == value
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(int)))
    return make(edges[::2], edges[1::2]) if len(edges) else EMPTY


def timeline(graph: Description, hot: list[list[int]], dry: list[list[int]]) -> Timeline:
    """Rows of 0, 1, 2 (unknown) per nanosecond and buffer as a timeline."""
    length = len(hot[0])
    unseen = tuple(Lane(EMPTY, make([0], [length])) for _ in hot)

    def signal(rows: list[list[int]]) -> tuple[Lane, ...]:
        return tuple(Lane(intervals(row, 1), intervals(row, UNKNOWN)) for row in rows)

    return Timeline(graph, 0, length, signal(hot), signal(dry), unseen, np.empty(0, EPISODE))


def columns(rows: list[list[int]]) -> list[list[bool]]:
    return [[bool(row[t]) for row in rows] for t in range(len(rows[0]))]


def laws(found: Stalls) -> None:
    for u in range(len(found.buffers)):
        cells = [cell for cell in found.matrix if cell.victim == u]
        assert sum(cell.min_ns for cell in cells) + found.unknown_ns[u] == found.hot_ns[u]
        assert all(0 <= cell.draining_ns <= cell.min_ns <= cell.max_ns for cell in cells)
        assert found.unknown_ns[u] >= found.ambiguous_ns[u]
    assert sum(row.min_ns for row in found.rows) == sum(cell.min_ns for cell in found.matrix)


def equal_to_oracle(graph: Description, found: Stalls, truth: Blame) -> None:
    """Equal up to the one split at the end: a cell is a sum of equal parts of whole ns, its remainder below 1 each."""
    told = {(cell.victim, cell.culprit): cell for cell in found.matrix}
    sums: dict[tuple[int, str], Fraction] = {}
    for book in (truth.active, truth.draining):
        for key, ns in book.items():
            sums[key] = sums.get(key, Fraction(0)) + ns
    for key, ns in sums.items():
        slack = 0 if ns.denominator == 1 and len(graph.buffers) == 4 else len(graph.buffers) ** 2
        assert abs(told[key].min_ns - ns) <= slack, (key, ns, told[key])
        assert abs(told[key].draining_ns - truth.draining.get(key, 0)) <= slack
    for u in range(len(graph.buffers)):
        assert found.hot_ns[u] == truth.hot[u]
        assert found.ambiguous_ns[u] == truth.ambiguous[u] == found.unknown_ns[u]


@st.composite
def known(draw: st.DrawFn, length: int = 24) -> tuple[Description, list[list[int]], list[list[int]]]:
    graph = draw(graphs)
    return graph, *(draw(lanes(len(graph.buffers), length)) for _ in range(2))


def no_contradiction(hot: list[list[int]], dry: list[list[int]]) -> list[list[int]]:
    """A hot buffer is not dry."""
    return [[d and not h for h, d in zip(hs, ds, strict=True)] for hs, ds in zip(hot, dry, strict=True)]


@given(known())
@settings(max_examples=200, deadline=None)
def test_without_loss_the_sweep_equals_the_rules(case: tuple[Description, list[list[int]], list[list[int]]]) -> None:
    graph, hot, dry = case
    dry = no_contradiction(hot, dry)
    found = stalls(timeline(graph, hot, dry), graph)
    laws(found)
    equal_to_oracle(graph, found, blame(graph, columns(hot), columns(dry), list(range(len(hot[0]) + 1))))
    if graph is CHAIN:
        assert all(cell.min_ns == cell.max_ns for cell in found.matrix)


@given(lanes(4, 16))
@settings(max_examples=100, deadline=None)
def test_a_cycle_with_no_way_out_is_named(hot: list[list[int]]) -> None:
    dry = [[0] * 16 for _ in hot]
    found = stalls(timeline(LOOP, hot, dry), LOOP)
    laws(found)
    stuck = [t for t in range(16) if hot[1][t] and hot[2][t] and not hot[3][t]]
    assert sum(c.to_ns - c.from_ns for c in found.cycles) == len(stuck)
    assert all(c.culprit == "cycle{ab, ba}" for c in found.cycles)


@given(known(8), st.data())
@settings(max_examples=120, deadline=None)
def test_bounds_hold_for_every_completion(
    case: tuple[Description, list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    graph, hot, dry = case
    dry = no_contradiction(hot, dry)
    length = len(hot[0])
    holes = data.draw(
        st.lists(st.tuples(st.integers(0, len(hot) - 1), st.integers(0, length - 1), st.booleans()), max_size=6)
    )
    width = data.draw(st.integers(1, 2))
    hidden_hot, hidden_dry = [list(row) for row in hot], [list(row) for row in dry]
    for u, t, is_dry in holes:
        for k in range(t, min(t + width, length)):
            (hidden_dry if is_dry else hidden_hot)[u][k] = UNKNOWN
    found = stalls(timeline(graph, hidden_hot, hidden_dry), graph)
    laws(found)
    complete(graph, hidden_hot, hidden_dry, found, limit=1 << 7)


def complete(graph: Description, hot: list[list[int]], dry: list[list[int]], found: Stalls, limit: int) -> None:
    """Try every completion of the unknown nanoseconds (at most ``limit``) against the bounds."""
    places = [
        (rows, u, t) for rows in (hot, dry) for u, row in enumerate(rows) for t, x in enumerate(row) if x == UNKNOWN
    ]
    told = {(cell.victim, cell.culprit): cell for cell in found.matrix}
    certain = [[x == 1 for x in row] for row in hot]
    for number in range(min(limit, 1 << len(places))):
        for i, (rows, u, t) in enumerate(places):
            rows[u][t] = number >> i & 1
        truth = blame(graph, columns(hot), columns(dry), list(range(len(hot[0]) + 1)))
        for u in range(len(graph.buffers)):
            names = {name for v, name in told if v == u} | {
                name for book in (truth.active, truth.draining) for v, name in book if v == u
            }
            for name in names:
                ns = truth.active.get((u, name), Fraction(0)) + truth.draining.get((u, name), Fraction(0))
                cell = told.get((u, name))
                low, high = (cell.min_ns, cell.max_ns) if cell else (0, found.anybody_ns[u])
                slack = 0 if graph is CHAIN else len(graph.buffers)
                assert low - slack <= math.ceil(ns), (u, name, ns, cell, certain)
                assert ns <= high + slack, (u, name, ns, cell, number)
        for rows, u, t in places:
            rows[u][t] = UNKNOWN
