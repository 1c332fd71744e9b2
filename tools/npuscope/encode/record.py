"""One NPT1 record as named fields: pack, unpack, payload words, and a line of text for messages.

Layout and names come from ``npuscope.layout`` (generated from ``rtl/spec/trace.toml``); the meaning of the
fields is in ``traces/FORMAT.md``. Plain Python, one record at a time: the reference, not a decoder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from npuscope.crc import crc8
from npuscope.layout import (
    PAYLOAD,
    RECORD_BYTES,
    RECORD_FIELDS,
    SUB_FIELDS,
    BpSub,
    Cfg,
    ClkSub,
    Cnt,
    Field,
    JitterSub,
    Kind,
    LossSub,
    MarkSub,
    MonSub,
    State,
    SyncSub,
    TimeQuality,
    TokenSub,
)

__all__ = ["Record", "crc8", "describe", "pack", "payload", "payload_fields", "unpack", "unpack_payload"]

SUB_NAMES = {
    Kind.BP: BpSub,
    Kind.JITTER: JitterSub,
    Kind.CNT: Cnt,
    Kind.MARK: MarkSub,
    Kind.CLK: ClkSub,
    Kind.STATE: State,
    Kind.CFG: Cfg,
    Kind.TOKEN: TokenSub,
    Kind.MON: MonSub,
    Kind.SYNC: SyncSub,
}


@dataclass(frozen=True, slots=True)
class Record:
    """A record without its check byte.

    ts: ns since the PTP epoch (u64; bit 63 only in SYNC A). kind, sub: 4 bits each. src: 6 bits.
    payload: 32 bits. tq: 2 bits. seq: 8 bits, assigned at the output of the stream (FORMAT.md rule 8).
    """

    ts: int
    src: int
    kind: int
    sub: int
    payload: int
    tq: int = TimeQuality.LOCKED
    seq: int = 0

    def with_seq(self, seq: int) -> Record:
        """The same record with ``seq``."""
        return replace(self, seq=seq)


def pack(record: Record) -> bytes:
    """The 16 bytes of ``record``, its CRC-8 included; ValueError when a field does not fit."""
    word = 0
    for name in ("ts", "kind", "sub", "src", "tq", "seq", "payload"):
        word |= RECORD_FIELDS[name].put(int(getattr(record, name)))
    check = crc8(word.to_bytes(RECORD_BYTES, "little"))
    return (word | RECORD_FIELDS["crc8"].put(check)).to_bytes(RECORD_BYTES, "little")


def unpack(data: bytes) -> Record:
    """The fields of 16 bytes; the check byte is not judged here (compare ``crc8(data)`` with ``data[11]``)."""
    if len(data) != RECORD_BYTES:
        raise ValueError(f"a record has {RECORD_BYTES} bytes, not {len(data)}")
    word = int.from_bytes(data, "little")
    fields = {name: RECORD_FIELDS[name].get(word) for name in ("ts", "src", "kind", "sub", "payload", "tq", "seq")}
    return Record(**fields)


def payload_fields(kind: int, sub: int) -> tuple[Field, ...]:
    """The payload fields of (kind, sub); empty when the format names none."""
    try:
        known = Kind(kind)
    except ValueError:
        return ()
    row = (
        PAYLOAD.get((known, LossSub.SECOND if sub & LossSub.SECOND else LossSub.FIRST)) if known == Kind.LOSS else None
    )
    if row is None:
        row = PAYLOAD.get((known, sub), PAYLOAD.get((known, None)))
    return row if row is not None else ()


def payload(kind: int, sub: int, **values: int) -> int:
    """The payload word of (kind, sub) from named fields, 0 where not named.

    Raises ValueError for a name that (kind, sub) does not have and for a value that does not fit.
    """
    fields = {field.name: field for field in payload_fields(kind, sub)}
    unknown = values.keys() - fields.keys()
    if unknown:
        raise ValueError(f"{Kind(kind).name} sub {sub} has no payload field {', '.join(sorted(unknown))}")
    return sum(fields[name].put(int(value)) for name, value in values.items())


def unpack_payload(record: Record) -> dict[str, int]:
    """The named payload fields of ``record``; empty when the format names none."""
    return {field.name: field.get(record.payload) for field in payload_fields(record.kind, record.sub)}


def sub_text(kind: int, sub: int) -> str:
    """Name of a sub, or its fields, or its number."""
    known = Kind(kind)
    if known in SUB_NAMES and sub in set(SUB_NAMES[known]):
        return SUB_NAMES[known](sub).name
    if known in SUB_FIELDS:
        return ",".join(f"{field.name}={field.get(sub)}" for field in SUB_FIELDS[known])
    return str(sub)


def describe(record: Record) -> str:
    """One line: ``BP.ENTER src=0 seq=3 ts=1000 tq=2 layer=4 occ=57 ...``."""
    fields = " ".join(
        f"{name}={value:#x}" if name in ("mask", "word", "crc32", "layers", "hash") else f"{name}={value}"
        for name, value in unpack_payload(record).items()
    )
    head = f"{Kind(record.kind).name}.{sub_text(record.kind, record.sub)}"
    return f"{head} src={record.src} seq={record.seq} ts={record.ts} tq={record.tq} {fields or hex(record.payload)}"
