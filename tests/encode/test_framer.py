"""The schedule-directed checker accepts what the rules allow and refuses every changed bit of what it predicts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.crc import crc32
from npuscope.encode import (
    BpLimits,
    Entry,
    Session,
    SourceConfig,
    StreamConfig,
    StreamModel,
    UnitKind,
    Walk,
    Writer,
    check_dump,
    pack,
    payload,
    unpack,
)
from npuscope.errors import NpuscopeError
from npuscope.layout import SRC_MARK, BpSub, Cfg, Cnt, Kind, State, SyncSub

SOURCES = (SourceConfig(0b1111, 0b0101), SourceConfig(0b11))


class Recording:
    """A Writer and the list of what was offered to it."""

    def __init__(self, frame_records: int = 40) -> None:
        self.config = StreamConfig(SOURCES, desc_hash=0xABCDEF0123456789, frame_records=frame_records)
        self.writer = Writer(SOURCES, start_ts=5, desc_hash=self.config.desc_hash, frame_records=frame_records)
        self.offered: dict[int, list[Entry]] = defaultdict(list)

    def offer(self, entry: Entry) -> None:
        self.offered[entry.src].append(entry)
        self.writer.offer(entry)

    def drop(self, src: int, entries: list[Entry], marked: Entry | None = None) -> None:
        self.offered[src] += entries + ([marked] if marked else [])
        self.writer.drop(src, entries, marked=marked)

    def model(self, dump: bytes | None = None) -> StreamModel:
        return StreamModel(self.config, Session(self.offered), self.writer.data() if dump is None else dump)


def bp(ts: int, src: int = 0, sub: int = BpSub.ENTER, **fields: int) -> Entry:
    values = {"layer": 1, "occ": 60, **fields}
    return Entry(ts, src, Kind.BP, sub, payload(Kind.BP, sub, **values), bp_samples=ts)


def everything() -> Recording:
    """A small dump that has each kind of unit."""
    rec = Recording()
    rec.offer(bp(10, bp_en=1))
    rec.offer(Entry(11, SRC_MARK, Kind.MARK, 0, 0xDEAD))
    rec.drop(0, [bp(12, layer=2), replace(bp(13, sub=BpSub.EXIT), step_ns=4)], marked=bp(14, layer=3))
    rec.drop(1, [Entry(15, 1, Kind.CFG, Cfg.BP_LIMITS, BpLimits(th_on=9, th_off=8).word)])
    rec.writer.step(20, -9)
    for src in (0, 1, SRC_MARK):
        rec.offered[src].append(Entry(20, src, None, tq=3, step_ns=-9))
    rec.offer(Entry(30, 0, Kind.STATE, State.UNKNOWN, 0b0110))
    for ts in range(31, 60):
        rec.offer(bp(ts, 1, BpSub.LEVEL, layer=0))
    rec.writer.flush(70, 1)
    return rec


def refusal(model: StreamModel) -> str:
    with pytest.raises(NpuscopeError) as caught:
        model.check()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_everything_is_accepted_and_accounted_for() -> None:
    rec = everything()
    walk = rec.model().check()
    assert walk.compared == rec.writer.records
    assert walk.lost == {0: 4, 1: 1, SRC_MARK: 0}
    assert walk.delivered == {0: 1 + 1 + 2 + 1, 1: 2 + 29, SRC_MARK: 1 + 2}
    assert sum(unit.count for unit in walk.units) == rec.writer.records
    assert [unit.kind for unit in walk.units][:2] == [UnitKind.GROUP, UnitKind.START]
    assert [unit.lost for unit in walk.units if unit.kind == UnitKind.LOSS] == [4, 1]


def test_every_flipped_bit_is_refused_at_its_record_or_where_it_shows() -> None:
    rec = everything()
    dump = rec.writer.data()
    for bit in range(0, len(dump) * 8, 7):
        damaged = bytearray(dump)
        damaged[bit // 8] ^= 1 << bit % 8
        refusal(rec.model(bytes(damaged)))


def test_every_field_of_every_record_is_predicted_even_if_its_crc_is_right() -> None:
    rec = everything()
    dump = rec.writer.data()
    for index in range(len(dump) // 16):
        record = unpack(dump[index * 16 : index * 16 + 16])
        for name, bits in (("ts", 64), ("tq", 2), ("src", 6), ("kind", 4), ("sub", 4), ("seq", 8), ("payload", 32)):
            for bit in {0, 1, bits - 1}:
                changed = replace(record, **{name: getattr(record, name) ^ 1 << bit})
                refusal(rec.model(dump[: index * 16] + pack(changed) + dump[index * 16 + 16 :]))


def test_the_time_of_a_group_is_taken_as_a_whole() -> None:
    rec = Recording()
    rec.offer(bp(10))
    rec.writer.group(ts=9_999, tq=0)
    rec.writer.flush(77)
    units = rec.model().check().units
    assert [(u.ts, u.tq) for u in units if u.kind == UnitKind.GROUP] == [(5, 2), (9_999, 0)]


def test_stalled_is_taken() -> None:
    rec = Recording()
    rec.writer.state.stalled = 123
    rec.writer.flush(77)
    rec.model().check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o: o[0].pop(), "has offered nothing more"),
        (lambda o: o[1].append(bp(99, 1)), "1 entries offered by source 1 are neither delivered nor lost"),
        (lambda o: o[0].insert(1, o[0].pop(0)), "the record differs"),
        (lambda o: o[0].__setitem__(1, replace(o[0][1], step_ns=3)), "LOSS ends inside an entry"),
        (lambda o: o[1].clear(), "LOSS of more than source 1 offered"),
    ],
)
def test_what_was_not_offered_or_not_told_is_refused(change: object, message: str) -> None:
    rec = everything()
    change(rec.offered)  # type: ignore[operator]
    assert message in refusal(rec.model())


def test_messages_name_record_and_both_readings() -> None:
    rec = Recording()
    rec.offer(bp(10))
    rec.writer.flush(77)
    rec.offered[0][0] = bp(10, occ=61)
    text = refusal(rec.model())
    assert text.startswith("byte 464: record 29: the record differs: found BP.ENTER src=0 seq=13 ts=10 tq=2 layer=1")
    assert "expected BP.ENTER src=0 seq=13 ts=10 tq=2 layer=1 occ=61" in text


def test_a_dump_cut_short_is_refused_only_if_an_end_is_expected() -> None:
    rec = everything()
    for records in range(rec.writer.records):
        cut = rec.writer.data()[: records * 16]
        assert "the dump ends here" in refusal(rec.model(cut))
        model = StreamModel(rec.config, Session(rec.offered, complete=False), cut)
        model.check()
        assert model.at == records


def test_totals_at_the_end_and_limits_at_the_start_come_from_the_bench() -> None:
    rec = Recording()
    rec.writer.flush(9)
    session = Session({}, {1: {Cfg.STALE: 7}}, {0: 12})
    assert "CFG.STALE src=1" in refusal(StreamModel(rec.config, session, rec.writer.data()))
    session = Session({}, {}, {0: 12})
    text = refusal(StreamModel(rec.config, session, rec.writer.data()))
    assert f"CNT.{Cnt.BP_SAMPLES.name} src=0" in text
    assert "value=12" in text


def test_sessions_follow_each_other() -> None:
    rec = Recording()
    rec.offer(bp(10))
    rec.writer.flush(20)
    rec.writer.start(30)
    rec.writer.mark(31, 5)
    rec.writer.flush(40)
    second = Session({SRC_MARK: [Entry(31, SRC_MARK, Kind.MARK, 0, 5)]})
    walks = check_dump(rec.config, [Session(rec.offered), second], rec.writer.data())
    assert [walk.delivered for walk in walks] == [{0: 1, 1: 0, 62: 0}, {0: 0, 1: 0, 62: 1}]
    with pytest.raises(NpuscopeError, match="the dump goes on after the last END"):
        check_dump(rec.config, [Session(rec.offered)], rec.writer.data())


ENTRY = st.builds(
    lambda ts, src, sub, occ, step: replace(bp(ts, src, sub, layer=ts % 2, occ=occ, bp_en=occ % 2), step_ns=step),
    st.integers(0, 1000),
    st.integers(0, 1),
    st.sampled_from(list(BpSub)),
    st.integers(0, 63),
    st.one_of(st.none(), st.none(), st.integers(-5, 5)),
)
MARK = st.builds(
    lambda ts, value: Entry(ts, SRC_MARK, Kind.MARK, value % 4, value), st.integers(0, 9), st.integers(0, 99)
)
UNKNOWN = st.builds(
    lambda ts, mask: Entry(ts, 1, Kind.STATE, State.UNKNOWN, mask), st.integers(0, 9), st.integers(1, 3)
)
STEP = st.lists(st.one_of(ENTRY, MARK, UNKNOWN), min_size=1, max_size=5)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["offer", "drop", "group"]), STEP), max_size=25), st.integers(25, 60))
def test_any_dump_of_the_writer_is_accepted(steps: list[tuple[str, list[Entry]]], frame_records: int) -> None:
    rec = Recording(frame_records)
    for name, entries in steps:
        if name == "offer":
            for entry in entries:
                rec.offer(entry)
        elif name == "drop":
            src = entries[0].src
            rec.drop(src, [entry for entry in entries if entry.src == src])
        else:
            rec.writer.group()
    rec.writer.flush(2000)
    walk: Walk = rec.model().check()
    assert walk.compared == rec.writer.records
    for src, entries in rec.offered.items():
        assert walk.delivered[src] + walk.lost[src] == sum(entry.size for entry in entries)


def test_crc_of_the_frame_is_checked_even_if_all_records_are_right() -> None:
    rec = everything()
    dump = rec.writer.data()
    rows = [unpack(dump[i : i + 16]) for i in range(0, len(dump), 16)]
    at = [16 * i for i, row in enumerate(rows) if (row.kind, row.sub) == (Kind.SYNC, SyncSub.B)][1]
    record = unpack(dump[at : at + 16])
    assert record.payload == crc32(dump[: at - 16])
    damaged = dump[:at] + pack(replace(record, payload=record.payload ^ 1)) + dump[at + 16 :]
    assert "SYNC.B" in refusal(rec.model(damaged))
