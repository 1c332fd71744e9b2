"""Frames in bytes: groups (SYNC A, B, C), verified runs of frames, and where verified bytes begin again.

A group is valid if A has the magic and A, B and C are SYNC records of the framer with right CRC-8. A frame, from a
valid group to the next one, is good if that next group's frame number is one more, its count is the records between
them, and its CRC-32 is that of the bytes between them; or if an END closes it with the right CRC-32. Nothing else is
believed: no other check is made in a good frame. All functions are pure; positions are bytes in ``buf``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.crc import crc8_records, crc32
from npuscope.layout import (
    FRAME_RECORDS,
    GROUP_RECORDS,
    MAGIC,
    MAGIC_BYTES,
    RECORD,
    RECORD_BYTES,
    SRC_FRAMER,
    Kind,
    SyncSub,
)
from npuscope.records.glance import Glance

__all__ = ["FRAME_BYTES", "GROUP_BYTES", "Run", "full_run", "good_run", "groups_anywhere", "groups_at", "next_good"]

U1 = npt.NDArray[np.uint8]

FRAME_BYTES: Final = FRAME_RECORDS * RECORD_BYTES
"""Longest frame."""
SYNCS: Final = 3
"""SYNC A, B, C in front of each group."""
GROUP_BYTES: Final = SYNCS * RECORD_BYTES
"""What must be there to judge a group."""
HASH_SHIFT: Final = 16
_SYNC_KINDSUBS: Final = np.array([Kind.SYNC | sub << 4 for sub in (SyncSub.A, SyncSub.B, SyncSub.C)], np.uint8)
_END: Final = np.uint8(Kind.SYNC | SyncSub.END << 4)

GROUP: Final = np.dtype(
    [("at", "<i8"), ("number", "<i8"), ("ts", "<u8"), ("crc", "<u4"), ("count", "<i8"), ("hash", "<i8")]
)
"""A valid group: position, frame number, ts of SYNC B, CRC-32 and record count of the frame before it, hash."""

Groups = npt.NDArray[np.void]


def groups_at(buf: U1, at: npt.NDArray[np.int64]) -> Groups:
    """The valid groups among the positions ``at`` of magics, sorted as given; shape (n,), dtype GROUP."""
    at = at[at + GROUP_BYTES <= len(buf)]
    return _groups_in(buf[at[:, None] + np.arange(GROUP_BYTES)], at)


def _groups_in(rows: U1, at: npt.NDArray[np.int64]) -> Groups:
    """The valid groups among the candidates ``rows``, u1 (n, GROUP_BYTES), from the positions ``at``."""
    rows = rows.reshape(-1, RECORD_BYTES)
    record = rows.view(RECORD).reshape(-1, SYNCS)
    right = (record["kindsub"] == _SYNC_KINDSUBS) & ((record["srctq"] & 0x3F) == SRC_FRAMER)
    right &= (crc8_records(rows) == rows[:, 11]).reshape(-1, SYNCS)
    valid = right.all(axis=1) & (record["ts"][:, 0] == MAGIC) & (record["ts"][:, 1] < 1 << 63)
    at, record = at[valid], rows.reshape(-1, GROUP_BYTES)[valid].view(RECORD)
    groups = np.empty(len(record), GROUP)
    groups["at"], groups["number"], groups["ts"] = at, record["payload"][:, 0], record["ts"][:, 1]
    groups["crc"] = record["payload"][:, 1]
    groups["count"], groups["hash"] = record["payload"][:, 2] & 0xFFFF, record["payload"][:, 2] >> HASH_SHIFT
    return groups


def groups_anywhere(buf: U1, start: int, stop: int) -> Groups:
    """The valid groups that begin in [start, stop), at any byte."""
    data = buf[start : stop + len(MAGIC_BYTES) - 1].tobytes()
    places = []
    place = data.find(MAGIC_BYTES)
    while place >= 0:
        places.append(start + place)
        place = data.find(MAGIC_BYTES, place + 1)
    return groups_at(buf, np.array(places, np.int64))


def links(groups: Groups) -> npt.NDArray[np.bool_]:
    """Per neighbouring pair whether position, count and number agree, so that the CRC-32 is worth computing."""
    gap = np.diff(groups["at"])
    count, number = groups["count"][1:], groups["number"]
    fits: npt.NDArray[np.bool_] = gap == count * RECORD_BYTES
    fits &= (number[1:] == (number[:-1] + 1 & 0xFFFFFFFF)) & (count >= GROUP_RECORDS) & (count <= FRAME_RECORDS)
    return fits


def _end_in(buf: U1, start: int, stop: int) -> int | None:
    """Position behind an END that closes the frame at ``start`` with the right CRC-32, before ``stop``."""
    stop = min(stop, start + FRAME_BYTES)
    rows = buf[start : start + (stop - start) // RECORD_BYTES * RECORD_BYTES].reshape(-1, RECORD_BYTES)
    record = rows.view(RECORD)[:, 0]
    for index in np.flatnonzero((record["kindsub"] == _END) & ((record["srctq"] & 0x3F) == SRC_FRAMER)).tolist():
        row = rows[index : index + 1]
        if index >= GROUP_RECORDS and crc8_records(row)[0] == row[0, 11]:
            size = index * RECORD_BYTES
            if crc32(buf[start : start + size]) == int(record["payload"][index]):
                return start + size + RECORD_BYTES
    return None


@dataclass(frozen=True, slots=True)
class Run:
    """Good frames from ``start`` on. stop: first byte behind them. groups: those of its frames. crcs: u4 per frame.

    ended: an END closes the last frame. settled: False if more bytes could make it longer.
    """

    start: int
    stop: int
    groups: Groups
    crcs: npt.NDArray[np.uint32]
    ended: bool
    settled: bool


def _groups_of(buf: U1, start: int, *, full: bool, glance: Glance | None = None) -> Groups:
    """The valid groups from the one at ``start`` on, at its phase; full: only looked for behind the last full frame."""
    at = np.arange(start, len(buf) - GROUP_BYTES + 1, FRAME_BYTES) if full else np.array([start])
    seen = glance.groups[: len(glance.crcs)] if glance else np.empty((0, GROUP_BYTES), np.uint8)
    rows = np.ndarray((len(at), GROUP_BYTES), np.uint8, buf, start, (FRAME_BYTES, 1))[len(seen) :]
    ahead = _groups_in(np.concatenate([seen, rows]), at)
    ahead = ahead[: _leading(ahead["at"] == at[: len(ahead)])]
    count = _leading(links(ahead))
    rest = buf[int(ahead["at"][count]) :]
    words = rest[: len(rest) // RECORD_BYTES * RECORD_BYTES].view("<u8")[::2]
    places = np.flatnonzero(words == MAGIC) * RECORD_BYTES + ahead["at"][count]
    behind = groups_at(buf, places) if len(places) > 1 else ahead[count : count + 1]
    return np.concatenate([ahead[:count], behind])


def _leading(flags: npt.NDArray[np.bool_]) -> int:
    """How many of ``flags`` are true before the first that is not."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def good_run(buf: U1, start: int, *, final: bool, full: bool = True, glance: Glance | None = None) -> Run:
    """The good frames from the valid group at ``start``, whose phase the run keeps. final: no bytes follow ``buf``.

    full: expect full frames, which is faster; a group inside one of the frames found is then not seen. glance: at
    ``buf`` from ``start`` on, which is faster still.
    """
    groups = _groups_of(buf, start, full=full, glance=glance)
    crcs = glance.crcs if glance else []
    at, told = groups["at"].tolist(), groups["crc"].tolist()
    likely = _leading(links(groups))
    view = memoryview(buf)  # type: ignore[arg-type]
    known = min(likely, len(crcs), _leading(np.diff(groups["at"]) == FRAME_BYTES))
    good = _leading(groups["crc"][1 : known + 1] == np.asarray(crcs[:known], np.uint32))
    while known <= good < likely and crc32(view[at[good] : at[good + 1]]) == told[good + 1]:
        good += 1
    tail = at[good]
    limit = at[good + 1] if good + 1 < len(at) else len(buf)
    stop = _end_in(buf, tail, limit)
    ended = stop is not None
    settled = ended or final or limit < len(buf) or limit - tail >= FRAME_BYTES + GROUP_BYTES
    frames = good + ended
    checks = groups["crc"][1 : frames + 1]
    if ended:
        assert stop is not None
        checks = np.append(groups["crc"][1 : good + 1], buf[stop - 4 : stop].copy().view("<u4"))
    return Run(start, tail if stop is None else stop, groups[:frames], checks, ended, settled)


def full_run(glance: Glance) -> Run | None:
    """All frames but the last of ``glance``, if they are good."""
    count = len(glance.crcs) - 1
    groups = _groups_in(glance.groups[: count + 1], np.arange(count + 1) * FRAME_BYTES)
    checks = groups["crc"][1:]
    if count < 1 or len(checks) != count or not links(groups).all() or checks.tolist() != glance.crcs[:-1]:
        return None
    return Run(0, count * FRAME_BYTES, groups[:-1], checks, ended=False, settled=True)


def next_good(buf: U1, groups: Groups) -> int | None:
    """Position of the first of the valid ``groups`` whose frame is good; None if there is none in ``buf``."""
    at, crcs = groups["at"].tolist(), groups["crc"].tolist()
    fits = links(groups).tolist()
    for index, start in enumerate(at):
        if index < len(fits) and fits[index]:
            if crc32(buf[start : at[index + 1]]) == crcs[index + 1]:
                return int(start)
        else:
            limit = at[index + 1] if index + 1 < len(at) else len(buf)
            if _end_in(buf, start, limit) is not None:
                return int(start)
    return None
