"""Chunks to rows: the dtypes of the tables, and what each kind of record says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import PAYLOAD, SUB_FIELDS, CtxSub, Field, JitterSub, Kind
from npuscope.tables.events import Chunk, Picker

__all__ = ["CONTEXT_WORDS", "INTERRUPT", "JITTER", "RAS", "SATURATED", "TOKEN", "InterruptRows", "RowMaker", "valid"]

CONTEXT_WORDS: Final = 16
"""CTX words of a TOKINT at most."""
SATURATED: Final = (1 << 31) - 1
"""|jitter| of a sample that was out of range, 1/256 ns."""

_HEAD: Final = [("at", "<i8"), ("time", "<i8"), ("ts", "<i8"), ("src", "u1"), ("epoch", "<i4"), ("tq", "u1")]
JITTER: Final = np.dtype([*_HEAD, ("sub", "u1"), ("broken", "u1"), ("jitter", "<i4")])
"""One sync pulse: jitter in 1/256 ns, 0 when sub (``JitterSub``) says that it is not valid.

In all tables: at = number of the record in the capture; time = ns on the axis, which goes on through clock steps;
ts = ns TAI as stamped; epoch = clock steps of this source before it; tq = ``TimeQuality``; broken = ``Break``: why
rows of this source may be missing before this one, 0 when none is.
"""
RAS: Final = np.dtype(
    [
        *_HEAD,
        ("broken", "u1"),
        ("severity", "u1"),
        ("first", "u1"),
        ("overflow", "u1"),
        ("unit", "u1"),
        ("class", "u1"),
        ("injected", "u1"),
        ("count", "u1"),
        ("syndrome", "<i2"),
    ]
)
"""One RAS record: severity (``Severity``), class (``RasClass``), syndrome in 256 ns; the rest as in the format."""
TOKEN: Final = np.dtype([*_HEAD, ("sub", "u1"), ("broken", "u1"), ("token", "<u4")])
"""One TOKEN record: sub (``TokenSub``) and token id."""
INTERRUPT: Final = np.dtype(
    [
        *_HEAD,
        ("broken", "u1"),
        ("cause", "u1"),
        ("token", "<u4"),
        ("complete", "u1"),
        ("words", "i1"),
        ("seen", "<u2"),
        ("layer", "<i2"),
        ("slot", "<i4"),
        ("injected", "i1"),
        ("first", "i1"),
        ("nested", "i1"),
        ("pointer", "<i8"),
        ("free", "<i4"),
        ("limit", "<i4"),
        ("context", "<u4", (CONTEXT_WORDS,)),
    ]
)
"""One TOKINT with its CTX words: cause as in the sub of TOKINT.

seen: bit i = word i is here, in context[i], which is 0 where it is not. words: how many there were, told by word 0.
complete: all words are here. words to limit are what the words say (CTX in the format), -1 where it is not here.
"""


def valid(sub: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which subs of JITTER are valid samples, shape as ``sub``."""
    return _VALID[sub]


_VALID: Final = np.isin(np.arange(256), [JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY])


def _fields(kind: Kind, sub: int | None = None) -> dict[str, Field]:
    return {field.name: field for field in PAYLOAD[kind, sub]}


def get(field: Field, word: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.int64]:
    """The value of ``field`` in each word, i8."""
    value = word.astype(np.int64) >> field.lsb & ((1 << field.width) - 1)
    return value - (value >> field.width - 1 << field.width) if field.signed else value


def _rows(chunk: Chunk, dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    rows = np.zeros(len(chunk), dtype)
    for name in ("at", "time", "ts", "epoch", "tq"):
        rows[name] = getattr(chunk, name)
    rows["src"], rows["broken"] = chunk.src, chunk.cause
    return rows


class RowMaker:
    """Rows of JITTER, RAS or TOKEN out of chunks."""

    def __init__(self, kind: Kind) -> None:
        self._kind, self._picker = kind, Picker(kind)

    def feed(self, chunks: Iterable[Chunk]) -> list[npt.NDArray[np.void]]:
        """One array per chunk that has any, dtype JITTER, RAS or TOKEN."""
        picked = (self._picker.feed(chunk) for chunk in chunks)
        return [_MAKE[self._kind](chunk) for chunk in picked if len(chunk)]


def _jitter(chunk: Chunk) -> npt.NDArray[np.void]:
    rows = _rows(chunk, JITTER)
    rows["sub"], rows["jitter"] = chunk.sub, chunk.payload.view(np.int32)
    return rows


def _ras(chunk: Chunk) -> npt.NDArray[np.void]:
    rows = _rows(chunk, RAS)
    for name, field in _fields(Kind.RAS).items():
        rows[name] = get(field, chunk.payload)
    for field in SUB_FIELDS[Kind.RAS]:
        rows[field.name] = get(field, chunk.sub)
    return rows


def _token(chunk: Chunk) -> npt.NDArray[np.void]:
    rows = _rows(chunk, TOKEN)
    rows["sub"], rows["token"] = chunk.sub, chunk.payload
    return rows


_MAKE: Final = {Kind.JITTER: _jitter, Kind.RAS: _ras, Kind.TOKEN: _token}


class InterruptRows:
    """Rows of INTERRUPT: each TOKINT with the CTX words that are certainly its own.

    A CTX word belongs to the TOKINT before it if src and ts are the same and its seq is as far behind as its index
    says; anything else is one of ``orphans``: a word whose TOKINT was lost. The last TOKINT is held back until what
    follows is known; ``finish`` gives it out.
    """

    def __init__(self) -> None:
        self._picker = Picker(Kind.TOKINT, Kind.CTX)
        self._open: dict[int, Chunk] = {}
        self._cause: dict[int, int] = {}  # what is missing before the next TOKINT, by source
        self.orphans = 0

    def feed(self, chunks: Iterable[Chunk]) -> list[npt.NDArray[np.void]]:
        """The rows that are final now, one array per chunk that has any."""
        made = []
        for chunk in chunks:
            own = self._picker.feed(chunk)
            if not len(own):
                continue
            held = self._open.pop(own.src, None)
            own = own if held is None else held.join(own)
            last = np.flatnonzero(own.kind == Kind.TOKINT)[-1:]
            cut = int(last[0]) if len(last) else 0
            if len(last):
                self._open[own.src] = own.part(cut, len(own))
                own = own.part(0, cut)
            if len(own):
                made.append(self._assemble(own))
        return [rows for rows in made if len(rows)]

    def finish(self) -> list[npt.NDArray[np.void]]:
        """The rows that were held back; the capture is over."""
        left, self._open = list(self._open.values()), {}
        return [self._assemble(chunk) for chunk in left]

    def _assemble(self, chunk: Chunk) -> npt.NDArray[np.void]:
        heads = np.flatnonzero(chunk.kind == Kind.TOKINT)
        words = np.flatnonzero(chunk.kind == Kind.CTX)
        owner = np.searchsorted(heads, words) - 1
        head = heads[np.maximum(owner, 0)] if len(heads) else np.zeros(len(words), np.int64)
        index = chunk.sub[words]
        fits = (owner >= 0) & (chunk.ts[words] == chunk.ts[head]) & (chunk.epoch[words] == chunk.epoch[head])
        fits &= chunk.seq[words] - chunk.seq[head] == index + np.uint8(1)
        fits[fits] = first_of(owner[fits] * CONTEXT_WORDS + index[fits])
        self.orphans += int(np.count_nonzero(~fits))
        rows = _rows(chunk.pick(heads), INTERRUPT)
        waiting = self._cause.get(chunk.src, 0)
        worst = np.maximum.reduceat(np.append(chunk.cause, np.uint8(0)), np.append(0, heads + 1))
        rows["broken"] = worst[:-1]
        rows["broken"][:1] = np.maximum(rows["broken"][:1], waiting)
        self._cause[chunk.src] = int(worst[-1]) if len(heads) else max(waiting, int(worst[-1]))
        rows["cause"], rows["token"] = chunk.sub[heads], chunk.payload[heads]
        owner, index, word = owner[fits], index[fits], chunk.payload[words[fits]]
        rows["context"][owner, index] = word
        np.bitwise_or.at(rows["seen"], owner, np.uint16(1) << index.astype(np.uint16))
        for sub in CtxSub:
            here = rows["seen"] >> np.uint16(sub) & np.uint16(1) > 0
            for field in PAYLOAD[Kind.CTX, int(sub)]:
                rows[field.name] = np.where(here, get(field, rows["context"][:, sub]), -1)
        all_words = (np.int64(1) << np.maximum(rows["words"], 0).astype(np.int64)) - 1
        rows["complete"] = (rows["words"] > 0) & (rows["seen"] == all_words)
        return rows


def first_of(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which entries are the first of their value."""
    kept = np.zeros(len(keys), np.bool_)
    kept[np.unique(keys, return_index=True)[1]] = True
    return kept
