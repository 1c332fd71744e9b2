"""Records: pack and unpack are inverse, names are checked, text is readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode import Record, describe, pack, payload, unpack, unpack_payload
from npuscope.layout import BpSub, Kind, LossSub, MonSub


@given(
    st.builds(
        Record,
        ts=st.integers(0, 2**64 - 1),
        src=st.integers(0, 63),
        kind=st.integers(0, 15),
        sub=st.integers(0, 15),
        payload=st.integers(0, 2**32 - 1),
        tq=st.integers(0, 3),
        seq=st.integers(0, 255),
    )
)
def test_unpack_inverts_pack(record: Record) -> None:
    assert unpack(pack(record)) == record
    assert describe(record).count("\n") == 0


def test_bytes_of_a_record_computed_by_hand() -> None:
    record = Record(ts=0x0102030405060708, src=5, kind=Kind.BP, sub=BpSub.WET, payload=0xAABBCCDD, tq=2, seq=0x42)
    data = pack(record)
    assert data[:11] == bytes([8, 7, 6, 5, 4, 3, 2, 1, 0x81, 0x85, 0x42])
    assert data[12:] == bytes([0xDD, 0xCC, 0xBB, 0xAA])


def test_payload_fields_by_name() -> None:
    word = payload(Kind.BP, BpSub.ENTER, layer=3, occ=57, bp_en=1, peak=58, dwell=0x3FFF)
    assert word == 3 | 57 << 5 | 1 << 11 | 58 << 12 | 0x3FFF << 18
    record = Record(0, 0, Kind.BP, BpSub.ENTER, word)
    assert unpack_payload(record) == {"layer": 3, "occ": 57, "bp_en": 1, "peak": 58, "dwell": 0x3FFF}


@pytest.mark.parametrize("cause", range(8))
def test_both_halves_of_a_loss_have_their_fields_whatever_the_cause(cause: int) -> None:
    assert unpack_payload(Record(0, 0, Kind.LOSS, LossSub.FIRST | cause, 7)) == {"count": 7}
    assert unpack_payload(Record(0, 0, Kind.LOSS, LossSub.SECOND | cause, 7)) == {"layers": 7}


def test_wrong_names_and_values_are_refused() -> None:
    with pytest.raises(ValueError, match=r"BP sub 0 has no payload field colour"):
        payload(Kind.BP, BpSub.ENTER, colour=1)
    with pytest.raises(ValueError, match=r"occ=64 does not fit 6 bits"):
        payload(Kind.BP, BpSub.ENTER, occ=64)
    with pytest.raises(ValueError, match=r"a record has 16 bytes, not 15"):
        unpack(bytes(15))


def test_describe_names_kind_sub_and_fields() -> None:
    word = payload(Kind.MON, MonSub.HITRATE, hits=3, accesses=4)
    record = Record(9, 1, Kind.MON, MonSub.HITRATE, word, 2, 1)
    assert describe(record) == "MON.HITRATE src=1 seq=1 ts=9 tq=2 hits=3 accesses=4"
    assert describe(Record(9, 1, Kind.VENDOR, 3, 0x10)) == "VENDOR.3 src=1 seq=0 ts=9 tq=2 0x10"
    assert describe(Record(9, 1, Kind.LOSS, 8, 5)).startswith("LOSS.cause=0,second=1 src=1")
