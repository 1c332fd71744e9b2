"""Bulk dumps are what the reference writer would have written for the same events."""

from __future__ import annotations

import numpy as np
import pytest

from npuscope.encode import Entry, Record, Session, SourceConfig, StreamConfig, StreamModel, UnitKind, unpack
from npuscope.encode.bulk import Bulk, damage
from npuscope.layout import FRAME_RECORDS, SRC_FRAMER, BpSub, Kind


def offered(dump: bytes) -> dict[int, list[Entry]]:
    """The events in a dump, by source: all that is neither framing nor counters nor keyframes."""
    out: dict[int, list[Entry]] = {}
    for at in range(0, len(dump), 16):
        record: Record = unpack(dump[at : at + 16])
        if record.kind in (Kind.BP, Kind.MARK):
            out.setdefault(record.src, []).append(
                Entry(record.ts, record.src, record.kind, record.sub, record.payload, record.tq)
            )
    return out


@pytest.mark.parametrize(("sources", "layers", "fronts"), [(1, 1, False), (3, 5, False), (8, 32, False), (4, 12, True)])
def test_the_stream_model_accepts_every_bit(sources: int, layers: int, fronts: bool) -> None:
    bulk = Bulk(70 * 8192, sources, layers, desc_hash=0x1234_5678_9ABC_DEF0, fronts=fronts, levels=2 * fronts)
    dump = bulk.data()
    assert len(dump) == bulk.records * 16
    assert abs(len(dump) - 70 * 8192) <= 8192
    mask = (1 << layers) - 1
    config = StreamConfig((SourceConfig(mask, mask),) * sources, desc_hash=bulk.desc_hash)
    walk = StreamModel(config, Session(offered(dump)), dump).check()
    assert walk.compared == bulk.records
    groups = [unit.index for unit in walk.units if unit.kind == UnitKind.GROUP]
    assert set(np.diff(groups)) == {FRAME_RECORDS}


@pytest.mark.parametrize("levels", [0, 3])
def test_events_obey_the_probe_rules_and_the_totals_are_right(levels: int) -> None:
    bulk = Bulk(40 * 8192, 2, 6, gap_ns=300, fronts=levels > 0, levels=levels)
    hot: dict[tuple[int, int], int] = {}
    total = np.zeros((2, 6), np.int64)
    episodes = 0
    last = 0
    dump = bulk.data()
    for at in range(0, len(dump), 16):
        record = unpack(dump[at : at + 16])
        if record.kind != Kind.BP:
            continue
        assert record.ts >= last
        last = record.ts
        key = (record.src, record.payload & 31)
        dwell = record.payload >> 18
        if record.sub == BpSub.ENTER:
            assert key not in hot
            hot[key] = record.ts
            assert dwell == 0
        elif key in hot:
            assert dwell == min((record.ts - hot[key]) >> 8, 0x3FFF)
        if record.sub == BpSub.EXIT:
            total[key] += record.ts - hot.pop(key)
            episodes += 1
    assert episodes == bulk.episodes > 0
    assert (total == bulk.hot_ns).all()


def test_fronts_go_upstream_and_have_the_records_asked_for() -> None:
    bulk = Bulk(40 * 8192, 2, 6, fronts=True, levels=46)
    dump, enters = bulk.data(), []
    for at in range(0, len(dump), 16):
        record = unpack(dump[at : at + 16])
        if (record.kind, record.sub) == (Kind.BP, BpSub.ENTER):
            enters.append(6 * record.src + (record.payload & 31))
    steps = np.diff(enters)
    assert (steps == -1).mean() > 0.5
    assert 90 < bulk.records / bulk.episodes < 140


def test_same_arguments_same_bytes_and_the_header_in_front() -> None:
    assert Bulk(20000).data() == Bulk(20000).data()
    assert Bulk(20000, seed=2).data() != Bulk(20000).data()
    assert Bulk(20000, header=b"x" * 4096).data() == b"x" * 4096 + Bulk(20000).data()


def test_an_iteration_starts_anew() -> None:
    bulk = Bulk(3 << 20, 2, 3)
    first = [len(piece) for piece in bulk]
    episodes = bulk.episodes
    assert [len(piece) for piece in bulk] == first
    assert len(first) > 4
    assert bulk.episodes == episodes


def test_illegal_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="sources is 1 to 8"):
        Bulk(1, sources=9)


def test_damage_changes_about_as_many_places_as_asked() -> None:
    dump = Bulk(1 << 16).data()
    assert damage(dump, 0) == dump
    hurt = damage(dump, 5, seed=3)
    assert hurt != dump
    assert abs(len(hurt) - len(dump)) <= 5 * 64
    assert damage(dump, 5, seed=3) == hurt
    assert unpack(dump[:16]).src == SRC_FRAMER
