"""Records out of bytes that are no good frame: at any byte, judged by CRC-8, kind, time, and their neighbours.

What is accepted (trace-format, "Decoding"): CRC-8 right, a (kind, sub) of this version, and a ts that the valid
groups around it allow. Where candidates overlap, the longest run of adjacent records with contiguous seq wins, then
the lowest position. A byte-identical second copy of a record is refused: seq makes it impossible.

Quality 1 (safe): the records before and behind it are accepted at the same phase and its source's seq is contiguous
on both sides, as far as there is a side. Quality 2 (possible) otherwise, and for every record of a closed frame in
which nothing was refused: its CRC-32 says that one of them is wrong. Frames without an end have no CRC-32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.crc import crc8, crc8_records
from npuscope.layout import (
    HEARTBEAT_NS,
    MAGIC,
    PAYLOAD,
    RECORD,
    RECORD_BYTES,
    SUB_FIELDS,
    BpSub,
    ClkSub,
    Cnt,
    JitterSub,
    Kind,
    MarkSub,
    MonSub,
    State,
    SyncSub,
    TokenSub,
)
from npuscope.records.frames import Groups

__all__ = ["KNOWN", "POSITIONED", "Reference", "Salvaged", "salvage"]

U1 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int64]

FORWARD_NS: Final = 1 << 40
"""How far a ts may lie from the only group that is known (18 minutes: a sink may stall for long)."""
EXEMPT_NS: Final = 1 << 36
"""How much older than its group a record may be whose ts is not that of an event (FORMAT.md rule 13; 69 s)."""
STEP_NS: Final = 2 * HEARTBEAT_NS
"""Room around a pair of groups between which the clock went back."""

_NAMED: Final = {
    Kind.BP: BpSub,
    Kind.JITTER: JitterSub,
    Kind.CNT: Cnt,
    Kind.MARK: MarkSub,
    Kind.CLK: ClkSub,
    Kind.STATE: State,
    Kind.TOKEN: TokenSub,
    Kind.MON: MonSub,
    Kind.SYNC: SyncSub,
}


def _known() -> npt.NDArray[np.bool_]:
    table = np.zeros(256, bool)
    for kind in Kind:
        if kind == Kind.PAD:
            subs: list[int] = [0]
        elif kind in _NAMED:
            subs = [int(sub) for sub in _NAMED[kind]]
        else:  # the sub is a bit field or a word index
            assert kind in SUB_FIELDS or (kind, None) in PAYLOAD or kind == Kind.VENDOR or kind == Kind.CFG
            subs = list(range(16))
        table[[kind | sub << 4 for sub in subs]] = True
    table.flags.writeable = False
    return table


KNOWN: Final = _known()
"""bool[256] over the kindsub byte: what this version of the format names."""

_EXEMPT: Final = (Kind.LOSS, Kind.STATE, Kind.CNT, Kind.CFG, Kind.SYNC)
POSITIONED: Final = np.isin(np.arange(256) & 0xF, _EXEMPT)
"""bool[256] over the kindsub byte: kinds that keep their place whatever their ts (FORMAT.md rule 13)."""
_OLD_TS: Final = POSITIONED | (np.arange(256) & 0xF == Kind.CLK)
_PAD: Final = np.uint8(Kind.PAD)
_PAD_CRC: Final = np.uint8(crc8(bytes(RECORD_BYTES)))
_END: Final = np.uint8(Kind.SYNC | SyncSub.END << 4)
_SYNC_A: Final = np.uint8(Kind.SYNC | SyncSub.A << 4)


@dataclass(frozen=True, slots=True)
class Reference:
    """A valid group as an anchor in time: ts of its SYNC B and its frame number."""

    ts: int
    number: int


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Accepted records in order: at (i8, position in ``buf``), raw (RECORD), quality (u1); stop: bytes used."""

    at: I8
    raw: npt.NDArray[np.void]
    quality: U1
    stop: int


def _rows(buf: U1, at: I8) -> U1:
    rows: U1 = buf[at[:, None] + np.arange(RECORD_BYTES)]
    return rows


def _candidates(buf: U1, start: int, stop: int, low: int, high: int) -> I8:
    """Positions in [start, stop) of records with right CRC-8, known kind, and ts in [low, high] (older if exempt)."""
    found = []
    floor = max(0, low - EXEMPT_NS)
    for phase in range(8):
        first = start + phase
        count = max(0, min((stop - first + 7) // 8, (len(buf) - first) // 8))
        if not count:
            continue
        word = buf[first : first + 8 * count].view("<u8")
        near = word - np.uint64(floor) <= np.uint64(high - floor)
        near |= (word == np.uint64(MAGIC)) | (word == 0)
        at = np.flatnonzero(near) * 8 + first
        found.append(at[at + RECORD_BYTES <= len(buf)])
    at = np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)
    at = at[KNOWN[buf[at + 8]] & ((buf[at + 8] != _PAD) | (buf[at + 11] == _PAD_CRC))]
    rows = _rows(buf, at)
    record = rows.view(RECORD)[:, 0]
    ts, kindsub = record["ts"], record["kindsub"]
    good = crc8_records(rows) == rows[:, 11]
    good &= (ts == MAGIC) == (kindsub == _SYNC_A)
    timely = (ts >= np.uint64(floor)) & (ts <= np.uint64(high)) & (_OLD_TS[kindsub] | (ts >= np.uint64(low)))
    good &= timely | (kindsub == _SYNC_A) | (kindsub == _PAD)
    found_at: I8 = at[good].astype(np.int64)
    return found_at


def time_window(before: Reference | None, after: Reference | None, disorder: int) -> tuple[int, int] | None:
    """Smallest and largest ts of an event between two groups; None without any group: nothing can be believed."""
    if before is None and after is None:
        return None
    if before is None:
        assert after is not None
        return max(0, after.ts - FORWARD_NS), after.ts + disorder
    if after is None or after.number == 0:
        return max(0, before.ts - disorder), before.ts + FORWARD_NS
    if after.ts + disorder < before.ts:
        return max(0, after.ts - STEP_NS), before.ts + STEP_NS
    return max(0, before.ts - disorder), after.ts + disorder


def _resolve(at: I8, raw: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """Which of the overlapping candidates win; plain Python, as only damage makes them overlap."""
    chains: dict[int, tuple[list[int], dict[int, int]]] = {}  # by the position where the next record would begin
    runs: list[list[int]] = []
    for index, (place, source, seq) in enumerate(
        zip(at.tolist(), (raw["srctq"] & 0x3F).tolist(), raw["seq"].tolist(), strict=True)
    ):
        run, last = chains.pop(place, ([], {}))
        if not run or (source in last and last[source] + 1 & 0xFF != seq):
            run, last = [], {}
            runs.append(run)
        run.append(index)
        last[source] = seq
        chains[place + RECORD_BYTES] = (run, last)
    taken: set[int] = set()
    wins = np.zeros(len(at), bool)
    for run in sorted(runs, key=lambda run: (-len(run), run[0])):
        for index in run:
            place = int(at[index])
            if not any(place + shift in taken for shift in range(1 - RECORD_BYTES, RECORD_BYTES)):
                taken.add(place)
                wins[index] = True
    return wins


def _seq_sides(src: U1, seq: U1, expected: Callable[[int], int | None]) -> tuple[U1, U1]:
    """Per record, towards the previous and the next of its source: 0 broken, 1 nobody there, 2 contiguous."""
    order = np.lexsort((np.arange(len(src)), src))
    s, q = src[order], seq[order]
    same = s[1:] == s[:-1]
    joined = np.where(same, np.where(q[1:] == q[:-1] + np.uint8(1), 2, 0), 1).astype(np.uint8)
    before, after = np.ones(len(src), np.uint8), np.ones(len(src), np.uint8)
    before[order[1:]], after[order[:-1]] = joined, joined
    firsts = order[np.flatnonzero(np.append(True, ~same))] if len(src) else order
    for index in firsts.tolist():
        wanted = expected(int(src[index]))
        if wanted is not None:
            before[index] = 2 if int(seq[index]) == wanted else 0
    return before, after


def salvage(
    buf: U1,
    start: int,
    stop: int,
    *,
    groups: Groups,
    strays: list[tuple[int, int]],
    before: Reference | None,
    disorder: int,
    expected: Callable[[int], int | None],
    joined: bool,
    good_behind: bool,
    final: bool,
    recent: frozenset[bytes],
) -> Salvaged:
    """The records that begin in [start, stop).

    groups: the valid groups in [start, len(buf)), which also tell what lies ahead. strays: ranges of bytes of frames
    that cannot stand where they are: nothing is taken from them. before: the last group in front of
    ``start``. disorder: max_disorder_ns. expected: next seq of a source, None = not known. joined: the bytes in front
    of ``start`` are an accepted record. good_behind: a good frame begins at ``stop``. final: the stream ends with
    ``buf``. recent: records already decoded that may not come again.
    """
    edges = [start, *(at for at in groups["at"].tolist() if start < at < stop), stop]
    anchors = [Reference(int(g["ts"]), int(g["number"])) for g in groups]
    places = groups["at"].tolist()
    found = []
    for low_edge, high_edge in pairwise(edges):
        left = [a for a, p in zip(anchors, places, strict=True) if p <= low_edge]
        right = [a for a, p in zip(anchors, places, strict=True) if p >= high_edge]
        window = time_window(left[-1] if left else before, right[0] if right else None, disorder)
        if window is not None:
            last = low_edge == edges[-2]
            limit = high_edge + (0 if good_behind or not last else 2 * RECORD_BYTES)
            found.append(_candidates(buf, low_edge, min(limit, len(buf)), *window))
    at = np.concatenate(found) if found else np.empty(0, np.int64)
    if good_behind:
        at = at[at + RECORD_BYTES <= stop]
    for low, high in strays:
        at = at[(at < low) | (at >= high)]
    rows = _rows(buf, at)
    raw = rows.view(RECORD)[:, 0]
    if (np.diff(at) < RECORD_BYTES).any():
        wins = _resolve(at, raw)
        at, rows, raw = at[wins], rows[wins], raw[wins]
    fresh = _first_copies(rows, recent)
    at, raw = at[fresh], raw[fresh]
    begins = len(groups) > 0 and groups["at"][0] == start and groups["number"][0] == 0 and groups["count"][0] == 0
    quality = _quality(at, raw, start, stop, joined, bool(begins), good_behind, final, len(buf), expected)
    for low_edge, high_edge in _closed(groups[groups["at"] <= stop], at, raw):
        inside = (at >= low_edge) & (at < high_edge)
        if np.count_nonzero(inside) * RECORD_BYTES == high_edge - low_edge:
            quality[inside] = 2
    own = at < stop
    at, raw, quality = at[own], raw[own].copy(), quality[own]
    end = max(stop, int(at[-1]) + RECORD_BYTES) if len(at) else stop
    return Salvaged(at, raw, quality, end)


def _closed(groups: Groups, at: I8, raw: npt.NDArray[np.void]) -> list[tuple[int, int]]:
    """Byte ranges of frames whose end is known: by the next frame number, or by an END behind the last group."""
    pairs = [(int(one["at"]), int(two["at"])) for one, two in pairwise(groups) if two["number"] == one["number"] + 1]
    if len(groups):
        last = int(groups["at"][-1])
        ends = at[(raw["kindsub"] == _END) & (at > last)]
        pairs += [(last, int(ends[0]))] if len(ends) else []
    return pairs


def _first_copies(rows: U1, recent: frozenset[bytes]) -> npt.NDArray[np.bool_]:
    """False for records that ``recent`` or an earlier row holds byte by byte; PAD may repeat."""
    seen = set(recent)
    fresh = np.ones(len(rows), bool)
    for index, row in enumerate(rows):
        data = row.tobytes()
        if data in seen and row[8] != _PAD:
            fresh[index] = False
        seen.add(data)
    return fresh


def _quality(
    at: I8,
    raw: npt.NDArray[np.void],
    start: int,
    stop: int,
    joined: bool,
    begins: bool,
    good_behind: bool,
    final: bool,
    end: int,
    expected: Callable[[int], int | None],
) -> U1:
    if not len(at):
        return np.empty(0, np.uint8)
    adjacent = np.diff(at) == RECORD_BYTES
    left = np.append((joined or begins) and at[0] == start, adjacent)
    behind = int(at[-1]) + RECORD_BYTES
    open_end = final and end - behind < RECORD_BYTES  # nothing but a cut record can follow
    right = np.append(adjacent, (good_behind and behind == stop) or open_end)
    counted = raw["kindsub"] != _PAD
    before, after = np.full(len(at), 2, np.uint8), np.full(len(at), 2, np.uint8)
    before[counted], after[counted] = _seq_sides(
        raw["srctq"][counted] & np.uint8(0x3F), raw["seq"][counted].astype(np.uint8), expected
    )
    safe = left & right & (before > 0) & (after > 0) & (before + after > 2)
    return np.where(safe, 1, 2).astype(np.uint8)
