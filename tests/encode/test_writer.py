"""The reference writer against the rules of traces/FORMAT.md, by independent walks over its bytes."""

from __future__ import annotations

import zlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.crc import crc8
from npuscope.encode import BpLimits, Entry, Record, SourceConfig, StreamConfig, Writer, payload, unpack
from npuscope.layout import (
    MAGIC_BYTES,
    OWNED_CFG_JITTER,
    OWNED_CFG_RAS,
    SRC_FRAMER,
    SRC_JITTER,
    SRC_MARK,
    SRC_RAS,
    SRC_TOKEN,
    BpSub,
    Cfg,
    ClkSub,
    Cnt,
    CtxSub,
    Kind,
    MarkSub,
    State,
    SyncSub,
)

TWO = (SourceConfig(0b1111, dry_mask=0b0110), SourceConfig(0b1))


def records_of(data: bytes) -> list[Record]:
    assert len(data) % 16 == 0
    rows = [data[i : i + 16] for i in range(0, len(data), 16)]
    assert all(crc8(row) == row[11] for row in rows)
    return [unpack(row) for row in rows]


def shape(records: list[Record]) -> list[tuple[int, int, int]]:
    return [(record.kind, record.sub, record.src) for record in records]


def check_structure(data: bytes, frame_records: int) -> list[Record]:
    """Rules 6, 8, 9 and the frame CRC, by a walk that knows nothing of the writer."""
    records = records_of(data)
    seq: Counter[int] = Counter()
    dropped: Counter[int] = Counter()
    frame, start = -1, 0
    for index, record in enumerate(records):
        if record.kind == Kind.SYNC and record.sub == SyncSub.A:
            a, b, c = records[index : index + 3]
            assert data[index * 16 : index * 16 + 8] == MAGIC_BYTES
            if a.payload == 0:
                seq.clear()
                dropped.clear()
                assert (b.payload, c.payload & 0xFFFF) == (0, 0)
            else:
                assert a.payload == frame + 1
                assert index - start <= frame_records
                assert b.payload == zlib.crc32(data[start * 16 : index * 16])
                assert c.payload & 0xFFFF == index - start
            frame, start = a.payload, index
            group = records[index : index + 9]
            assert [r.kind for r in group] == [Kind.SYNC] * 3 + [Kind.CNT, Kind.CFG] + [Kind.STATE] * 4
            assert [r.sub for r in group[5:]] == [State.HOT, State.BP_EN, State.UNKNOWN, State.DRY]
            assert len({(r.ts, r.tq) for r in group[1:]}) == 1
        if record.kind == Kind.SYNC and record.sub == SyncSub.END:
            assert record.payload == zlib.crc32(data[start * 16 : index * 16])
        if record.kind == Kind.PAD:
            continue
        assert record.seq == seq[record.src] & 0xFF
        if record.kind == Kind.CNT and record.sub == Cnt.ACCEPTED:
            assert record.payload == seq[record.src]
        if record.kind == Kind.CNT and record.sub == Cnt.DROPPED:
            assert record.payload == dropped[record.src]
        if record.kind == Kind.LOSS and record.sub < 8:
            dropped[record.src] += record.payload
        seq[record.src] += 1
    return records


def test_start_sequence() -> None:
    writer = Writer(TWO, start_ts=77, clk_period_ps=4000, desc_hash=0x1122334455667788)
    records = check_structure(writer.data(), 512)
    start = records[9:]
    assert {(r.ts, r.tq) for r in start} == {(77, 2)}
    cfg = [(SRC_FRAMER, Cfg.VERSION), (SRC_FRAMER, Cfg.CLK_PERIOD)]
    cfg += [(SRC_FRAMER, Cfg.DESC_HASH_LO), (SRC_FRAMER, Cfg.DESC_HASH_HI)]
    cfg += [(src, word) for src in (0, 1) for word in (Cfg.BP_LIMITS, Cfg.STALE, Cfg.LAYERS, Cfg.DRY_MASK)]
    states = [(Kind.STATE, sub, src) for src in (0, 1) for sub in range(4)]
    assert shape(start) == [(Kind.CFG, word, src) for src, word in cfg] + states
    limits = 56 | 48 << 6 | 0 << 12 | 8 << 18 | 4 << 24
    assert [r.payload for r in start[:8]] == [0x10000, 4000, 0x55667788, 0x11223344, limits, 100000, 0b1111, 0b0110]
    assert [r.payload for r in start[12:]] == [0, 0, 0b1111, 0, 0, 0, 1, 0]
    assert records[2].payload >> 16 == 0x7788


def test_round_robins_visit_every_owned_word_in_order() -> None:
    writer = Writer(TWO)
    for _ in range(12):
        writer.group(5)
    groups = [i for i, r in enumerate(records_of(writer.data())) if r.kind == Kind.SYNC and r.sub == SyncSub.A]
    records = check_structure(writer.data(), 512)
    cnt = [(records[i + 3].src, records[i + 3].sub) for i in groups]
    order = [(s, c) for s in (0, 1) for c in (Cnt.ACCEPTED, Cnt.DROPPED, Cnt.BP_SAMPLES)]
    order += [(SRC_MARK, Cnt.ACCEPTED), (SRC_MARK, Cnt.DROPPED), (SRC_FRAMER, Cnt.ACCEPTED), (SRC_FRAMER, Cnt.STALLED)]
    assert cnt == (order * 2)[:13]
    cfg = [(records[i + 4].src, records[i + 4].sub) for i in groups]
    assert cfg[:5] == [(63, 0), (63, 1), (63, 4), (63, 5), (0, 2)]
    assert cfg[12] == (63, 0)
    assert [records[i + 5].src for i in groups] == [0, 1] * 6 + [0]


def test_keyframes_follow_the_records() -> None:
    writer = Writer(TWO)
    writer.bp(10, 0, BpSub.ENTER, layer=0, occ=60)
    writer.bp(11, 0, BpSub.KNOWN, layer=1, occ=0, bp_en=1)  # in DRY_MASK: dry
    writer.bp(12, 0, BpSub.KNOWN, layer=3, occ=0)  # not in DRY_MASK
    writer.group()  # the start was the turn of source 0, this is that of source 1
    writer.group()
    assert [r.payload for r in records_of(writer.data())[-4:]] == [0b0001, 0b0010, 0b0100, 0b0010]
    writer.unknown(13, 0, 0b0111)
    writer.group()
    writer.group()
    assert [r.payload for r in records_of(writer.data())[-4:]] == [0, 0, 0b0111, 0]


def test_dry_ends_at_the_wet_limit_in_force() -> None:
    limits = BpLimits(th_wet=10)
    writer = Writer([SourceConfig(1, 1, limits)])
    writer.bp(1, 0, BpSub.KNOWN, layer=0, occ=0)
    writer.bp(2, 0, BpSub.BP_ON, layer=0, occ=9, bp_en=1)
    writer.group()
    assert records_of(writer.data())[-1].payload == 1
    writer.event(3, 0, Kind.CFG, Cfg.BP_LIMITS, BpLimits(th_wet=9).word)
    writer.bp(4, 0, BpSub.WET, layer=0, occ=9, bp_en=1)
    writer.group()
    assert records_of(writer.data())[-1].payload == 0


def test_loss_burst_in_full() -> None:
    writer = Writer(TWO)
    before = writer.records
    lost = [
        Entry(100, 0, Kind.BP, BpSub.ENTER, payload(Kind.BP, 0, layer=2, occ=63, peak=63, bp_en=1)),
        Entry(101, 0, Kind.STATE, State.UNKNOWN, 0b1001, 3),
    ]
    marked = Entry(105, 0, Kind.BP, BpSub.EXIT, payload(Kind.BP, 1, layer=2, occ=1))
    writer.drop(0, lost, marked=marked)
    burst = check_structure(writer.data(), 512)[before:]
    loss, state, cfg = Kind.LOSS, Kind.STATE, Kind.CFG
    expected = [(loss, 0), (loss, 8), (state, 0), (state, 1), (state, 2), (state, 3), (cfg, 2), (cfg, 3), (Kind.BP, 1)]
    assert [(r.kind, r.sub) for r in burst] == expected
    assert [(r.ts, r.tq) for r in burst] == [(100, 2)] + [(101, 3)] * 7 + [(105, 2)]
    assert [r.payload for r in burst[:6]] == [2, 0b1101, 0b0100, 0b0100, 0b1001, 0]


def test_loss_of_cfg_hits_the_whole_source_and_tells_all_its_words() -> None:
    writer = Writer(TWO)
    limits = BpLimits(th_on=40, th_off=30)
    before = writer.records
    writer.drop(1, [Entry(100, 1, Kind.CFG, Cfg.BP_LIMITS, limits.word)])
    burst = check_structure(writer.data(), 512)[before:]
    assert [r.sub for r in burst if r.kind == Kind.CFG] == [Cfg.BP_LIMITS, Cfg.STALE, Cfg.LAYERS, Cfg.DRY_MASK]
    assert burst[1].payload == 0
    assert next(r.payload for r in burst if r.kind == Kind.CFG) == limits.word


def test_loss_of_steps_tells_their_sum_right_after_the_loss() -> None:
    writer = Writer(TWO)
    before = writer.records
    mark = Entry(70, SRC_MARK, Kind.MARK, MarkSub.USER, 1, 1, step_ns=-30)
    writer.drop(SRC_MARK, [Entry(100, SRC_MARK, None, step_ns=10), mark])
    burst = check_structure(writer.data(), 512)[before:]
    assert [(r.kind, r.sub) for r in burst] == [
        (Kind.LOSS, 0), (Kind.LOSS, 8), (Kind.CLK, ClkSub.STATE), (Kind.CLK, ClkSub.STEP_LO), (Kind.CLK, ClkSub.STEP_HI)
    ]  # fmt: skip
    step = (-20) % 2**64
    assert [r.payload for r in burst] == [5, 0, 1 | 1 << 3, step & 0xFFFFFFFF, step >> 32]
    assert {(r.ts, r.tq) for r in burst[1:]} == {(70, 1)}


def test_a_step_closes_the_frame_after_the_last_pair() -> None:
    writer = Writer(TWO)
    writer.step(500, -7, sources=[0, SRC_MARK])
    writer.bp(501, 0, BpSub.ENTER, layer=0, occ=60, tq=3)
    assert writer.data().count(MAGIC_BYTES) == 1
    writer.step(500, -7, sources=[1])
    assert writer.data().count(MAGIC_BYTES) == 2
    check_structure(writer.data(), 512)


def test_flush_tells_all_counters_then_end_and_a_start_may_follow() -> None:
    writer = Writer(TWO)
    writer.mark(5, 0xCAFE)
    writer.flush(9)
    tail = records_of(writer.data())[-11:]
    assert [r.kind for r in tail] == [Kind.CNT] * 10 + [Kind.SYNC]
    assert {r.ts for r in tail} == {9}
    writer.start(20)
    writer.start(30)
    records = check_structure(writer.data(), 512)
    assert [r.payload for r in records if r.kind == Kind.SYNC and r.sub == SyncSub.A] == [0, 0, 0]


def test_pad_counts_in_the_frame_but_takes_no_seq() -> None:
    writer = Writer(TWO, frame_records=40)
    writer.pad(60)
    records = check_structure(writer.data(), 40)
    assert sum(r.kind == Kind.PAD for r in records) == 60


def test_header_stands_in_front() -> None:
    assert Writer(TWO, header=b"abc").data() == b"abc" + Writer(TWO).data()


def test_illegal_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="1 to 62 backpressure sources, not 0"):
        StreamConfig(())
    with pytest.raises(ValueError, match="frame_records=24"):
        Writer(TWO, frame_records=24)
    with pytest.raises(ValueError, match="names layers outside"):
        SourceConfig(1, 2)
    with pytest.raises(ValueError, match="an entry of source 1 cannot be lost by source 0"):
        Writer(TWO).drop(0, [Entry(0, 1, Kind.BP)])


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("bp"), st.integers(0, 1), st.integers(0, 8)),
        st.tuples(st.just("mark"), st.integers(0, 3), st.integers(0, 2**32 - 1)),
        st.tuples(st.just("drop"), st.integers(0, 1), st.integers(1, 5)),
        st.tuples(st.just("step"), st.integers(-100, 100), st.just(0)),
        st.tuples(st.just("group"), st.just(0), st.just(0)),
        st.tuples(st.just("pad"), st.just(0), st.integers(1, 9)),
        st.tuples(st.just("flush"), st.just(0), st.just(0)),
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(OPERATIONS, st.integers(25, 70))
def test_any_sequence_keeps_the_structure(operations: list[tuple[str, int, int]], frame_records: int) -> None:
    writer = Writer(TWO, frame_records=frame_records)
    for ts, (name, a, b) in enumerate(operations):
        if name == "bp":
            writer.bp(ts, a, b, layer=0, occ=(7 * ts) % 64)
        elif name == "mark":
            writer.mark(ts, b, a)
        elif name == "drop":
            writer.drop(a, [Entry(ts, a, Kind.BP, BpSub.LEVEL, payload(Kind.BP, 2, layer=0, occ=b))] * b)
        elif name == "step":
            writer.step(ts, a)
        elif name == "group":
            writer.group()
        elif name == "pad":
            writer.pad(b)
        else:
            writer.flush(ts)
            writer.start(ts)
    check_structure(writer.data(), frame_records)


OTHERS = {
    SRC_TOKEN: {},
    SRC_RAS: {int(word): 100 + word for word in OWNED_CFG_RAS},
    SRC_JITTER: {int(word): 100 + word for word in OWNED_CFG_JITTER},
}


def test_sources_beside_backpressure_tell_their_words_and_counters() -> None:
    writer = Writer([SourceConfig(1)], others=OTHERS)
    for _ in range(14):
        writer.group(5)
    records = check_structure(writer.data(), 512)
    cfg = [(r.src, r.sub, r.payload) for r in records[9:] if r.kind == Kind.CFG][8:16]
    assert cfg == [(60, word, 100 + word) for word in range(8, 14)] + [(61, word, 100 + word) for word in (6, 7)]
    cnt = [r.src for r in records if r.kind == Kind.CNT]
    assert cnt == [0, 0, 0, 59, 59, 59, 60, 60, 61, 61, 62, 62, 63, 63, 0]


def test_a_loss_of_cfg_words_is_followed_by_all_that_the_source_owns() -> None:
    writer = Writer([SourceConfig(1)], others=OTHERS)
    before = writer.records
    lost = [Entry(10, SRC_JITTER, Kind.JITTER, 0, 5), Entry(11, SRC_JITTER, Kind.CFG, Cfg.T_NOMINAL_LO, 7)]
    writer.drop(SRC_JITTER, lost[:1])
    writer.drop(SRC_JITTER, lost)
    found = check_structure(writer.data(), 512)[before:]
    assert shape(found[:2]) == [(Kind.LOSS, 0, SRC_JITTER), (Kind.LOSS, 8, SRC_JITTER)]
    assert [(r.kind, r.sub, r.payload) for r in found[2:]] == [
        (Kind.LOSS, 0, 2),
        (Kind.LOSS, 8, 0),
        (Kind.CFG, Cfg.T_NOMINAL_LO, 7),
        (Kind.CFG, Cfg.T_NOMINAL_HI, 107),
    ]


def test_a_token_interrupt_and_its_context_are_one_piece() -> None:
    writer = Writer([SourceConfig(1)], others=OTHERS, frame_records=64)
    head = payload(Kind.CTX, CtxSub.HEAD, words=16, layer=200, slot=40_000, injected=1)
    for number in range(12):
        writer.tokint(100 + number, number, 0b0101, [head, *range(15)])
    records = check_structure(writer.data(), 64)
    for index, record in enumerate(records):
        if record.kind == Kind.TOKINT:
            burst = records[index : index + 17]
            assert shape(burst[1:]) == [(Kind.CTX, word, SRC_TOKEN) for word in range(16)]
            assert {(r.ts, r.tq) for r in burst} == {(record.ts, record.tq)}
    assert sum(r.kind == Kind.TOKINT for r in records) == 12


@pytest.mark.parametrize(
    ("others", "frame_records", "text"),
    [
        ({SRC_MARK: {}}, 512, "source 62 is none of"),
        ({SRC_RAS: {}}, 512, "owns the CFG words"),
        ({SRC_TOKEN: {}}, 32, "not in 41..65535"),
    ],
)
def test_other_sources_that_do_not_fit_are_refused(
    others: dict[int, dict[int, int]], frame_records: int, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        Writer([SourceConfig(1)], others=others, frame_records=frame_records)
    with pytest.raises(ValueError, match="context"):
        Entry(1, SRC_TOKEN, Kind.TOKEN, 0, 1, context=(1,))
