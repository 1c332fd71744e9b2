"""A look at a big dump in well under 2 s: its head, its tail and evenly spaced samples between them.

What it says is about the bytes it read; only a full pass gives a ledger. Frames are judged as everywhere (group,
count, number, CRC-32); counters and limits are those that the last good frame read tells.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import PAYLOAD, RECORD, RECORD_BYTES, SRC_FRAMER, Cfg, Cnt, Kind
from npuscope.records.frames import FRAME_BYTES, good_run, groups_anywhere

__all__ = ["SAMPLES", "Files", "Survey", "survey"]

U1 = npt.NDArray[np.uint8]

SAMPLES: Final = 64
SAMPLE_BYTES: Final = 8 * FRAME_BYTES
EDGE_BYTES: Final = 1 << 20
"""Bytes read at each end: the start sequence of 62 sources and the last counters fit."""


@dataclass
class Survey:
    """size: bytes in all. read: bytes looked at, in ``places`` of them.

    judged, good: bytes between the first and the last group of each place, and those of them in good frames.
    bad_places: places in which not all judged bytes are good, that hold no group, that are blank before the end, or
    the last one when something stands behind END.
    blank_tail: bytes from the last one that is neither 00 nor FF to the end, in steps of SAMPLE_BYTES.
    first_ts, last_ts: ns of the first and last good frame. config: CFG words last told, src -> word -> value.
    accepted, dropped: told by CNT, src -> count modulo 2^32. clock: time quality -> records. end: END is the last
    record. full_pass_s: estimate of the time of a full pass, from the speed of this one.
    """

    size: int
    read: int = 0
    judged: int = 0
    good: int = 0
    places: int = 0
    bad_places: int = 0
    blank_tail: int = 0
    first_ts: int | None = None
    last_ts: int | None = None
    config: dict[int, dict[int, int]] = field(default_factory=dict)
    accepted: dict[int, int] = field(default_factory=dict)
    dropped: dict[int, int] = field(default_factory=dict)
    clock: dict[int, int] = field(default_factory=dict)
    end: bool = False
    full_pass_s: float = 0.0

    @property
    def version(self) -> tuple[int, int] | None:
        """(major, minor) told by CFG."""
        word = self.config.get(SRC_FRAMER, {}).get(Cfg.VERSION)
        if word is None:
            return None
        of = {f.name: f.get(word) for f in PAYLOAD[Kind.CFG, int(Cfg.VERSION)]}
        return of["major"], of["minor"]


def survey(names: Sequence[str], swap: int) -> Survey:
    """Look at the regular files ``names``, one capture in this order; swap: 0, 32 or 64 as in ``Source.swap``.

    Raises NpuscopeError with exit code 5 when no group is in anything that was read.
    """
    files = Files(names, swap)
    found = Survey(files.size)
    begun = time.perf_counter()
    data_end = _data_end(files)
    found.blank_tail = files.size - data_end
    for offset, length in _places(data_end):
        buf = files.read(offset, length)
        _judge(found, buf, last=offset + length >= data_end)
    seconds = time.perf_counter() - begun
    found.full_pass_s = seconds * data_end / max(found.read, 1)
    if found.first_ts is None:
        what = "blank memory" if not data_end else f"no good frame in {found.places} places looked at"
        raise NpuscopeError(
            "no trace in it", file=names[0], found=what, hint="--deep looks everywhere", exit_code=Exit.NOT_RECOGNISED
        )
    return found


class Files:
    """Regular files as one run of bytes, with their byte order mended."""

    def __init__(self, names: Sequence[str], swap: int) -> None:
        self._names, self._swap = names, swap
        self._starts = [0, *accumulate(os.path.getsize(name) for name in names)]
        self.size = self._starts[-1]

    def read(self, offset: int, length: int) -> U1:
        """Bytes [offset, offset + length), fewer at the end of the file that ``offset`` lies in."""
        index = bisect_right(self._starts, offset, hi=len(self._names)) - 1
        with open(self._names[index], "rb") as file:
            file.seek(offset - self._starts[index])
            data = np.frombuffer(file.read(length), np.uint8)
        if not self._swap:
            return data
        size = self._swap // 8
        return data[: len(data) // size * size].view(f">u{size}").astype(f"<u{size}").view(np.uint8)


def _blank(buf: U1) -> bool:
    return not buf.any() or bool((buf == 0xFF).all())


def _data_end(files: Files) -> int:
    """Where a blank tail begins, in steps of SAMPLE_BYTES; the size when there is none. Found by bisection."""
    steps = -(-files.size // SAMPLE_BYTES)
    if not steps or not _blank(files.read((steps - 1) * SAMPLE_BYTES, SAMPLE_BYTES)):
        return files.size
    wanted = {steps * i // SAMPLES for i in range(SAMPLES)}
    low = max((i for i in wanted if not _blank(files.read(i * SAMPLE_BYTES, SAMPLE_BYTES))), default=-1)
    high = min((i for i in wanted if i > low), default=steps - 1)  # blank, as all samples behind it
    while high - low > 1:
        middle = (low + high) // 2
        if _blank(files.read(middle * SAMPLE_BYTES, SAMPLE_BYTES)):
            high = middle
        else:
            low = middle
    return min(high * SAMPLE_BYTES, files.size)


def _places(size: int) -> list[tuple[int, int]]:
    """(offset, bytes): the head, evenly spaced samples, the tail."""
    samples = [size * (i + 1) // (SAMPLES + 1) // RECORD_BYTES * RECORD_BYTES for i in range(SAMPLES)]
    tail = max(0, size - EDGE_BYTES) // RECORD_BYTES * RECORD_BYTES
    inside = [(offset, SAMPLE_BYTES) for offset in samples if EDGE_BYTES <= offset < tail]
    return [(0, EDGE_BYTES), *inside, (tail, EDGE_BYTES + RECORD_BYTES)]


def _judge(found: Survey, buf: U1, *, last: bool) -> None:
    found.read += len(buf)
    found.places += 1
    groups = groups_anywhere(buf, 0, len(buf))
    if not len(groups):
        found.bad_places += 1
        return
    at = stop = int(groups["at"][0])
    good = 0
    while at < len(buf):
        run = good_run(buf, at, final=last)
        good += run.stop - run.start
        stop = run.stop
        _learn(found, buf[run.start : run.stop], run.ended and last)
        behind = groups["at"][groups["at"] >= max(run.stop, at + 1)]
        if not len(behind):
            break
        at = int(behind[0])
    end = int(groups["at"][-1])
    judged = max(good, end - int(groups["at"][0]))
    found.judged += judged
    found.good += good
    found.end &= end < stop  # else a run that has no good frame begins behind it
    appended = last and found.end and not _blank(buf[stop:])
    found.bad_places += good < judged or appended


def _learn(found: Survey, part: U1, ended: bool) -> None:
    """Take times, limits and counters from good frames."""
    records = part.view(RECORD)
    if not len(records):
        return
    found.end = ended
    kind, sub = records["kindsub"] & 0xF, records["kindsub"] >> 4
    src, tq = records["srctq"] & 0x3F, records["srctq"] >> 6
    stamped = records["ts"][kind != Kind.PAD]
    stamped = stamped[stamped < 1 << 63]
    found.first_ts = int(stamped[0]) if found.first_ts is None else found.first_ts
    found.last_ts = int(stamped[-1])
    for quality, number in zip(*np.unique(tq, return_counts=True), strict=True):
        found.clock[int(quality)] = found.clock.get(int(quality), 0) + int(number)
    told = {(Kind.CNT, Cnt.ACCEPTED): found.accepted, (Kind.CNT, Cnt.DROPPED): found.dropped}
    for i in np.flatnonzero((kind == Kind.CFG) | (kind == Kind.CNT)).tolist():
        source, word, value = int(src[i]), int(sub[i]), int(records["payload"][i])
        if kind[i] == Kind.CFG:
            found.config.setdefault(source, {})[word] = value
        elif (Kind.CNT, word) in told:
            told[Kind.CNT, Cnt(word)][source] = value
