"""Dumps of RAW samples only: what a sample period makes of them, and what is censored."""

from __future__ import annotations

import numpy as np
import pytest

from npuscope.description import Description
from npuscope.errors import NpuscopeError
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.ledger import Cause
from npuscope.records.batch import Batch, Hole
from npuscope.timeline import EpisodeFlag, Timeline

LEFT, RIGHT = EpisodeFlag.LEFT_CENSORED, EpisodeFlag.RIGHT_CENSORED


def samples(rows: list[tuple[int, int, int]], holes: tuple[int, ...] = ()) -> Batch:
    """(time, layer, bp_en) rows; holes before the given rows."""
    fields = PAYLOAD[Kind.BP, None][:3]
    payload = [sum(f.put(v) for f, v in zip(fields, (layer, 56, en), strict=True)) for _, layer, en in rows]
    marks = tuple(Hole(i, 0, 0, None, None, Cause.DAMAGE) for i in holes)
    times = [t for t, _, _ in rows]
    return Batch.of(times, 0, Kind.BP, BpSub.RAW, payload, seq=np.arange(len(rows)) & 255, holes=marks)


def episodes(timeline: Timeline) -> list[tuple[int, int, int, int]]:
    mask = int(LEFT | RIGHT)
    return [(int(e["buffer"]), int(e["start"]), int(e["end"]), int(e["flags"]) & mask) for e in timeline.episodes]


ROWS = [(100, 0, 1), (110, 0, 1), (120, 0, 0), (150, 1, 1), (200, 0, 1), (210, 0, 1)]


def test_a_sample_holds_for_its_period() -> None:
    timeline = Timeline.build([samples(ROWS)], sample_period_ns=10)
    assert episodes(timeline) == [(0, 100, 130, LEFT), (1, 150, 160, 0), (0, 200, 220, 0)]
    assert timeline.hot[0].true.tolist() == [[100, 130], [200, 220]]
    assert timeline.hot[0].unknown.tolist() == []
    assert timeline.bp[0].true.tolist() == [[100, 120], [200, 220]]
    assert (timeline.start_ns, timeline.end_ns) == (100, 220)
    assert timeline.dry[0].unknown.tolist() == [[100, 220]]


def test_without_a_period_nothing_but_the_samples_is_known() -> None:
    timeline = Timeline.build([samples(ROWS)])
    assert episodes(timeline) == sorted(((lay, t, t, LEFT | RIGHT) for t, lay, _ in ROWS), key=lambda row: row[1])
    assert timeline.hot[0].unknown.tolist() == [[100, 210]]
    assert timeline.coverage() == (0, 0)


def test_nothing_is_known_or_joined_across_a_hole() -> None:
    timeline = Timeline.build([samples(ROWS, holes=(2, 5))], sample_period_ns=10)
    assert episodes(timeline) == [
        (0, 100, 120, LEFT | RIGHT),
        (0, 120, 130, LEFT),
        (1, 150, 160, LEFT),
        (0, 200, 210, RIGHT),
        (0, 210, 220, LEFT),
    ]
    assert timeline.hot[0].unknown.tolist() == []
    assert timeline.hot[1].unknown.tolist() == [[110, 150], [200, 220]]


def test_a_period_must_be_positive() -> None:
    with pytest.raises(NpuscopeError, match="sample period"):
        Timeline.build([samples(ROWS)], None, Description.chain([(0, 0)]), sample_period_ns=0)
