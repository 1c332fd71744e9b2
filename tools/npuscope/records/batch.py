"""A run of decoded records as columns, and the holes between records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from npuscope.layout import FRAME_RECORDS, PAYLOAD, RECORD, RECORD_BYTES, Kind
from npuscope.ledger import Cause
from npuscope.records.glance import COMMON, COMMON_FIRST, COMMON_MASK, HEAD, Glance, member

__all__ = ["Batch", "Hole"]

U1 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int64]
TQ_LSB: Final = np.uint8(6)
SRC_MASK: Final = np.uint8(0x3F)
LAYER, OCC, BP_EN = PAYLOAD[Kind.BP, None][:3]


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in the record sequence where records may be missing.

    index: the first record after it, in its batch (len(batch): after the last). from_ns, to_ns: earliest and latest
    ts that a missing record can have. src None: any source. count: records missing, None = not known now
    (the ledger's window of the same cause may know it at the end of the stream).
    """

    index: int
    from_ns: int
    to_ns: int
    src: int | None
    count: int | None
    cause: Cause


class Batch:
    """``len(batch)`` records; columns are made when first asked for and are contiguous arrays.

    raw: the records, shape (n,), dtype ``layout.RECORD``; ts of SYNC A is that of its group instead of the magic. It is
    read again when first asked for, where all that is usually needed was seen at a glance.
    quality: u1 (n,) or one value for all: 0 good frame; 1 salvaged, safe; 2 possible, proves nothing.
    offset: i8 (n,) byte in the capture (all inputs in a row, header pages included), or that of the first record when
    all are adjacent. rises: no record is older than the one before it, as far as that is known.
    """

    def __init__(
        self,
        raw: npt.NDArray[np.void] | Callable[[], npt.NDArray[np.void]],
        *,
        quality: U1 | int = 0,
        offset: I8 | int | Callable[[], I8] = 0,
        holes: tuple[Hole, ...] = (),
        glance: Glance | None = None,
        count: int | None = None,
    ) -> None:
        """raw: the records, or what reads ``count`` of them again: then there is a glance at them and a frame more.

        offset: may be what makes them. glance: at full frames, the first of which begins with the first record.
        """
        self._raw, self.holes = raw, holes
        self._count = len(raw) if isinstance(raw, np.ndarray) else (count or 0)
        self._quality, self._offset = quality, offset
        self.rises = False
        self._only: npt.NDArray[np.bool_] | None = None  # the table that it was cut down to
        self._dates: tuple[npt.NDArray[np.intp], npt.NDArray[np.uint64]] | None = None
        self._ends = glance.ends[:2] if glance is not None and count is not None else []
        if glance is not None and self._count <= FRAME_RECORDS * len(glance.crcs):
            self.rises = glance.rises
            self.srctq = glance.srctq[: self._count]
            self.rare, self.rare_rows, self.rare_codes = glance.rare(self._count)

    @property
    def raw(self) -> npt.NDArray[np.void]:
        """The records, RECORD (n,)."""
        if callable(self._raw):
            self._raw = self._raw()
            if self._dates is not None:
                self._raw["ts"][self._dates[0]] = self._dates[1]
        return self._raw

    def stamp(self, index: int) -> int:
        """ts of one record; cheap for one in the first or the last frame."""
        if callable(self._raw):
            place, start = int(np.searchsorted(self.rare, index)), self._count - FRAME_RECORDS
            if place < len(self.rare) and self.rare[place] == index:
                return int(self.rare_rows["ts"][place])
            if index < FRAME_RECORDS or index >= start:
                frame, at = (0, index) if index < FRAME_RECORDS else (1, index - start)
                return int(self._ends[frame].view(RECORD)["ts"][at])
        return int(self.raw["ts"][index])

    def last(self) -> npt.NDArray[np.void]:
        """The last records, up to a frame of them; SYNC A as it was, if no date was given to it yet."""
        if callable(self._raw):
            return self._ends[1].view(RECORD)
        return self.raw[max(0, self._count - FRAME_RECORDS) :]

    @classmethod
    def of(
        cls,
        ts: npt.ArrayLike,
        src: npt.ArrayLike,
        kind: npt.ArrayLike,
        sub: npt.ArrayLike,
        payload: npt.ArrayLike,
        *,
        tq: npt.ArrayLike = 0,
        seq: npt.ArrayLike = 0,
        quality: U1 | int = 0,
        offset: I8 | int = 0,
        holes: tuple[Hole, ...] = (),
    ) -> Self:
        """A batch of columns (importers, tests); the CRC-8 is left 0."""
        stamps = np.asarray(ts, np.uint64)
        raw = np.zeros(len(stamps), RECORD)
        raw["ts"], raw["payload"], raw["seq"] = stamps, payload, seq
        raw["kindsub"] = np.asarray(kind, np.uint8) | np.asarray(sub, np.uint8) << np.uint8(4)
        raw["srctq"] = np.asarray(src, np.uint8) | np.asarray(tq, np.uint8) << np.uint8(6)
        return cls(raw, quality=quality, offset=offset, holes=holes)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def ts(self) -> npt.NDArray[np.uint64]:
        """Time of each record, ns, u8 (n,)."""
        return np.ascontiguousarray(self.raw["ts"])

    @cached_property
    def _head(self) -> npt.NDArray[np.uint16]:
        """kindsub | srctq << 8: one pass over the records instead of two."""
        return np.ascontiguousarray(self.raw.view(HEAD)["head"])

    @cached_property
    def kindsub(self) -> U1:
        """kind | sub << 4, u1 (n,)."""
        return self._head.astype(np.uint8)

    @cached_property
    def rare(self) -> npt.NDArray[np.intp]:
        """Indices of all records but BP LEVEL, BP_ON, BP_OFF and RAW (``COMMON``), which are most of a dump."""
        return np.flatnonzero(self.kindsub - COMMON_FIRST & COMMON_MASK != 0)

    @cached_property
    def rare_rows(self) -> npt.NDArray[np.void]:
        """``rows(rare)``."""
        return self.rows(self.rare)

    @cached_property
    def rare_codes(self) -> U1:
        """kindsub of ``rare``."""
        return np.ascontiguousarray(self.rare_rows["kindsub"])

    @cached_property
    def counts(self) -> npt.NDArray[np.intp]:
        """How many of ``rare`` have each kindsub, (256,)."""
        return np.bincount(self.rare_codes, minlength=256)

    @cached_property
    def _chosen(self) -> npt.NDArray[np.intp]:
        """Which of ``rare`` are not BP."""
        return np.flatnonzero(self.rare_codes & np.uint8(0xF) != np.uint8(Kind.BP))

    @cached_property
    def others(self) -> npt.NDArray[np.intp]:
        """Indices of the records that are not BP."""
        found: npt.NDArray[np.intp] = self.rare[self._chosen]
        return found

    @cached_property
    def other_rows(self) -> npt.NDArray[np.void]:
        """``rows(others)``."""
        return self.rare_rows.view(np.complex128)[self._chosen].view(RECORD)

    @cached_property
    def codes(self) -> U1:
        """kindsub of the records that are not BP."""
        found: U1 = self.rare_codes[self._chosen]
        return found

    @cached_property
    def kind(self) -> U1:
        """``layout.Kind``, u1 (n,)."""
        return self.kindsub & np.uint8(0xF)

    @cached_property
    def sub(self) -> U1:
        """Sub of the kind, u1 (n,)."""
        return self.kindsub >> np.uint8(4)

    @cached_property
    def srctq(self) -> U1:
        """src | tq << 6, u1 (n,)."""
        return (self._head >> np.uint16(8)).astype(np.uint8)

    @cached_property
    def src(self) -> U1:
        """Source, u1 (n,)."""
        return self.srctq & SRC_MASK

    @cached_property
    def tq(self) -> U1:
        """``layout.TimeQuality``, u1 (n,)."""
        return self.srctq >> TQ_LSB

    @cached_property
    def seq(self) -> U1:
        """Sequence number of the source, modulo 256, u1 (n,)."""
        return np.ascontiguousarray(self.raw["seq"])

    @cached_property
    def payload(self) -> npt.NDArray[np.uint32]:
        """Payload word, u4 (n,)."""
        return np.ascontiguousarray(self.raw["payload"])

    @cached_property
    def layer(self) -> U1:
        """BP payload: layer of the source, u1 (n,); meaningless for other kinds."""
        return self._bits(LAYER.lsb, LAYER.width)

    @cached_property
    def occ(self) -> U1:
        """BP payload: occupancy, 1/64, u1 (n,); meaningless for other kinds."""
        return self._bits(OCC.lsb, OCC.width)

    @cached_property
    def bp_en(self) -> U1:
        """BP payload: steady backpressure_en, 0 or 1, u1 (n,); meaningless for other kinds."""
        return self._bits(BP_EN.lsb, BP_EN.width)

    @cached_property
    def quality(self) -> U1:
        """0, 1 or 2, u1 (n,)."""
        if isinstance(self._quality, int):
            return np.full(len(self), self._quality, np.uint8)
        return self._quality

    @property
    def certain(self) -> npt.NDArray[np.bool_]:
        """Which records have quality 0 or 1."""
        if isinstance(self._quality, int):
            return np.full(len(self), self._quality < 2)
        return self._quality < 2

    @cached_property
    def offset(self) -> I8:
        """Byte of each record in the capture, i8 (n,); ``Source.locate`` tells the file."""
        if isinstance(self._offset, int):
            return self._offset + RECORD_BYTES * np.arange(len(self), dtype=np.int64)
        return self._offset() if callable(self._offset) else self._offset

    def take(self, index: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> Batch:
        """The records ``index``, without holes."""
        quality = self._quality if isinstance(self._quality, int) else self._quality[index]
        if isinstance(self._offset, int):
            if isinstance(index, slice):
                start, _, step = index.indices(len(self))
                if step == 1:
                    return Batch(self.raw[index], quality=quality, offset=self._offset + RECORD_BYTES * start)
            elif index.dtype != bool:
                return Batch(self.rows(index), quality=quality, offset=self._offset + RECORD_BYTES * index)
        return Batch(self.rows(index), quality=quality, offset=self.offset[index])

    def only(self, table: npt.NDArray[np.bool_]) -> Batch:
        """The records whose kindsub is in ``table``, bool[256], and the holes."""
        if self._only is table:
            return self
        if table[COMMON].any():
            index = np.flatnonzero(table[self.kindsub])
            rows = self.rows(index)
        else:
            chosen = np.flatnonzero(member(self.rare_codes, table))
            index, rows = self.rare[chosen], self.rare_rows.view(np.complex128)[chosen].view(RECORD)
        holes = tuple(replace(hole, index=int(np.searchsorted(index, hole.index))) for hole in self.holes)
        quality = self._quality if isinstance(self._quality, int) else self._quality[index]
        batch = Batch(rows, quality=quality, offset=self._offset_of(index), holes=holes)
        batch._only = table
        return batch

    def _offset_of(self, index: npt.NDArray[np.intp]) -> I8 | Callable[[], I8]:
        """``offset[index]``, made when it is asked for if that takes a pass."""
        start = self._offset
        return (lambda: start + RECORD_BYTES * index) if isinstance(start, int) else self.offset[index]

    def date(self, index: npt.NDArray[np.intp], ts: npt.NDArray[np.uint64]) -> None:
        """Give the SYNC A records ``index`` the times ``ts``; before anything else is asked for."""
        if callable(self._raw):
            self._dates = index, ts
        else:
            self.raw["ts"][index] = ts
        if "rare_rows" in self.__dict__:
            self.rare_rows["ts"][np.searchsorted(self.rare, index)] = ts

    def rows(self, index: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> npt.NDArray[np.void]:
        """``raw[index]``, taken as items of 16 bytes: many times faster than as structured ones."""
        return self.raw.view(np.complex128)[index].view(RECORD)

    def with_holes(self, holes: tuple[Hole, ...]) -> Batch:
        """The same records with other holes."""
        return Batch(self.raw, quality=self._quality, offset=self._offset, holes=holes)

    def placed(self, place: Callable[[I8], I8]) -> Batch:
        """The same batch, its offsets mapped by ``place``."""
        if isinstance(self._offset, int):
            ends = place(np.array([self._offset, self._offset + RECORD_BYTES * max(0, len(self) - 1)]))
            if ends[1] - ends[0] == RECORD_BYTES * max(0, len(self) - 1):
                self._offset = int(ends[0])
                return self
        self._offset = place(self.offset)
        self.__dict__["offset"] = self._offset
        return self

    @classmethod
    def join(cls, batches: list[Batch]) -> Batch:
        """One batch of several of the same file; the holes move with their records."""
        holes, start = [], 0
        for batch in batches:
            holes += [
                Hole(hole.index + start, hole.from_ns, hole.to_ns, hole.src, hole.count, hole.cause)
                for hole in batch.holes
            ]
            start += len(batch)
        return cls(
            np.concatenate([batch.raw for batch in batches]),
            quality=np.concatenate([batch.quality for batch in batches]),
            offset=np.concatenate([batch.offset for batch in batches]),
            holes=tuple(holes),
        )

    def _bits(self, lsb: int, width: int) -> U1:
        field = self.payload >> np.uint32(lsb) if lsb else self.payload
        out: U1 = np.empty(len(self), np.uint8)
        np.bitwise_and(field, np.uint32((1 << width) - 1), out=out, casting="unsafe")
        return out
