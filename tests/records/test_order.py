"""The total order: sorted inside max_disorder_ns, never within a source, never across a hole or a clock step."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.layout import BpSub, ClkSub, Kind, LossSub, State
from npuscope.ledger import Cause, Ledger
from npuscope.records import Batch, Hole
from npuscope.records.order import Order

DISORDER = 100
Rec = tuple[int, int, int, int]  # ts, src, kind, sub


def ordered(records: list[Rec], cuts: list[int], holes: dict[int, Hole] | None = None) -> tuple[list[int], Ledger]:
    """Input places of the records in the order given out, fed in batches cut at ``cuts``."""
    ledger = Ledger()
    order = Order(DISORDER, ledger)
    out: list[Batch] = []
    edges = [0, *sorted(set(cuts)), len(records)]
    for start, stop in itertools.pairwise(edges):
        columns = np.array(records[start:stop], np.int64).reshape(-1, 4).T
        place = np.arange(start, stop)
        batch = Batch.of(*columns, payload=0, offset=place, holes=(holes[start],) if holes and start in holes else ())
        out += order.push(batch)
    out += order.flush()
    return [int(place) for batch in out for place in batch.offset], ledger


def bp(ts: int, src: int) -> Rec:
    return ts, src, Kind.BP, BpSub.LEVEL


streams = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.integers(0, 60)), max_size=120)


@given(steps=streams, cuts=st.lists(st.integers(1, 100), max_size=5))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_events_come_sorted_by_time_then_source(steps: list[tuple[int, int, int]], cuts: list[int]) -> None:
    """Sources lag by up to 60 ns: plain sort of everything is the oracle."""
    now, records, last = 0, [], dict.fromkeys(range(4), 0)
    for gap, src, lag in steps:
        now += gap
        last[src] = max(last[src], now - lag)  # a source's own time never goes back
        records.append(bp(1000 + last[src], src))
    cuts = [cut for cut in cuts if cut < len(records)]
    places, ledger = ordered(records, cuts)
    assert places == sorted(range(len(records)), key=lambda i: (records[i][0], records[i][1], i))
    assert ledger.late == 0


@given(steps=streams, cuts=st.lists(st.integers(1, 100), max_size=5), seed=st.integers(0, 1000))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_source_keeps_its_order_and_cuts_do_not_matter(
    steps: list[tuple[int, int, int]], cuts: list[int], seed: int
) -> None:
    """Any mixture of kinds, with old LOSS times and late records."""
    rng, now, records = random.Random(seed), 1000, []
    pinned = [(Kind.LOSS, LossSub.FIRST), (Kind.STATE, State.HOT), (Kind.CNT, 0), (Kind.CFG, 2), (Kind.SYNC, 1)]
    for gap, src, lag in steps:
        now += gap
        if rng.random() < 0.2:
            records.append((now - rng.choice((0, 500)), src, *rng.choice(pinned)))
        else:
            records.append(bp(now - rng.choice((0, lag, 900 * (lag == 7))), src))
    cuts = [cut for cut in cuts if cut < len(records)]
    places, ledger = ordered(records, cuts)
    whole, ledger_whole = ordered(records, [])
    assert places == whole
    assert ledger.late == ledger_whole.late
    assert sorted(places) == list(range(len(records)))
    for src in range(4):
        mine = [place for place in places if records[place][1] == src]
        assert mine == sorted(mine)


def test_an_ordered_stream_passes_untouched() -> None:
    records = [bp(10, 0), (10, 63, Kind.SYNC, 0), (10, 2, Kind.CNT, 0), (3, 1, Kind.LOSS, 0), bp(10, 1), bp(12, 0)]
    assert ordered(records, [2])[0] == list(range(6))


def test_a_keyframe_moves_only_to_stay_before_its_own_source() -> None:
    """The keyframe of source 1 stood before its record of 3 ns, which sorts in front of source 0's of 5 ns."""
    records = [bp(5, 0), (5, 1, Kind.STATE, State.HOT), bp(3, 1), (5, 0, Kind.STATE, State.HOT), bp(9, 0)]
    assert ordered(records, [])[0] == [1, 2, 0, 3, 4]


def test_late_records_keep_their_place_and_are_counted() -> None:
    places, ledger = ordered([bp(1000, 0), bp(1000 - DISORDER - 1, 1), bp(1001, 0)], [])
    assert places == [0, 1, 2]
    assert ledger.late == 1


def test_nothing_is_sorted_across_a_hole() -> None:
    hole = Hole(0, 0, 10, None, None, Cause.DAMAGE)
    assert ordered([bp(50, 0), bp(20, 1)], [1], {1: hole})[0] == [0, 1]
    assert ordered([bp(50, 0), bp(20, 1)], [1])[0] == [1, 0]


@pytest.mark.parametrize("size", [-1000, 1000])
@pytest.mark.parametrize("cuts", [[], [3], [4], [1, 2, 3, 4, 5]])
def test_never_across_a_clock_step(size: int, cuts: list[int]) -> None:
    """Source 1 tells its last old time after source 0 has stepped: old times first, whatever the numbers."""
    new = 5000 + size
    step = [(new, 0, Kind.CLK, ClkSub.STEP_LO), (new, 0, Kind.CLK, ClkSub.STEP_HI)]
    other = [(new, 1, Kind.CLK, ClkSub.STEP_LO), (new, 1, Kind.CLK, ClkSub.STEP_HI)]
    records = [bp(4990, 0), *step, bp(new + 5, 0), bp(4995, 1), *other, bp(new + 4, 1), bp(new + 500, 0)]
    places, ledger = ordered(records, cuts)
    assert places == [0, 4, 1, 2, 5, 6, 7, 3, 8]
    assert ledger.late == 0
