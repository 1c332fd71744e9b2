"""A look at a big dump in well under 2 s: its head, its tail and evenly spaced samples between them.

What it says is about the bytes it read; only a full pass gives a ledger. Frames are judged as everywhere (group,
count, number, CRC-32); counters and limits are those that the last good frame read tells.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import PAYLOAD, RECORD, RECORD_BYTES, SRC_FRAMER, Cfg, Cnt, Kind
from npuscope.records.frames import FRAME_BYTES, good_run, groups_anywhere

__all__ = ["SAMPLES", "Survey", "survey"]

U1 = npt.NDArray[np.uint8]

SAMPLES: Final = 64
SAMPLE_BYTES: Final = 8 * FRAME_BYTES
EDGE_BYTES: Final = 1 << 20
"""Bytes read at each end: the start sequence of 62 sources and the last counters fit."""


@dataclass
class Survey:
    """size: bytes in all. read, blank: bytes read, and those of them in samples of nothing but 00 or FF.

    judged, good: bytes between the first and the last group of each sample, and those of them in good frames.
    bad_places: samples in which not all judged bytes are good, or that hold no group at all and are not blank.
    first_ts, last_ts: ns of the first and last good frame. config: CFG words last told, src -> word -> value.
    accepted, dropped: told by CNT, src -> count modulo 2^32. clock: time quality -> records. end: END is the last
    record. full_pass_s: estimate of the time of a full pass, from the speed of this one.
    """

    size: int
    read: int = 0
    blank: int = 0
    judged: int = 0
    good: int = 0
    places: int = 0
    bad_places: int = 0
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
    sizes = [os.path.getsize(name) for name in names]
    found = Survey(sum(sizes))
    begun = time.perf_counter()
    for name, offset, length in _places(names, sizes):
        buf = _read(name, offset, length, swap)
        _judge(found, buf, last=name == names[-1] and offset + len(buf) >= sizes[-1] // 16 * 16)
    seconds = time.perf_counter() - begun
    found.full_pass_s = seconds * found.size / max(found.read, 1)
    if found.first_ts is None:
        what = "blank" if found.blank == found.read else "no good frame"
        raise NpuscopeError(
            "no trace in it",
            file=names[0],
            found=f"{what} in all {found.places} places looked at",
            hint="--deep looks everywhere",
            exit_code=Exit.NOT_RECOGNISED,
        )
    return found


def _places(names: Sequence[str], sizes: Sequence[int]) -> list[tuple[str, int, int]]:
    """(file, offset, bytes) in order: the head of the first file, samples of all, the tail of the last one."""
    total = sum(sizes)
    wanted = [0, *(total * (i + 1) // (SAMPLES + 1) for i in range(SAMPLES))]
    found: list[tuple[str, int, int]] = []
    start = 0
    for index, (name, size) in enumerate(zip(names, sizes, strict=True)):
        inside = [(w - start) // RECORD_BYTES * RECORD_BYTES for w in wanted if start <= w < start + size]
        length = {0: EDGE_BYTES} if index == 0 else {}
        found += [(name, offset, length.get(offset, SAMPLE_BYTES)) for offset in inside]
        if index == len(names) - 1:
            found.append((name, max(0, size - EDGE_BYTES) // RECORD_BYTES * RECORD_BYTES, EDGE_BYTES + RECORD_BYTES))
        start += size
    return found


def _read(name: str, offset: int, length: int, swap: int) -> U1:
    with open(name, "rb") as file:
        file.seek(offset)
        data = np.frombuffer(file.read(length), np.uint8)
    if not swap:
        return data
    size = swap // 8
    whole = len(data) // size * size
    return data[:whole].view(f">u{size}").astype(f"<u{size}").view(np.uint8)


def _judge(found: Survey, buf: U1, *, last: bool) -> None:
    found.read += len(buf)
    found.places += 1
    if not buf.any() or buf.min(initial=0) == 0xFF:
        found.blank += len(buf)
        return
    groups = groups_anywhere(buf, 0, len(buf))
    if not len(groups):
        found.bad_places += 1
        return
    at = int(groups["at"][0])
    good = 0
    while at < len(buf):
        run = good_run(buf, at, final=last)
        good += run.stop - run.start
        _learn(found, buf[run.start : run.stop], run.ended and last)
        behind = groups["at"][groups["at"] >= max(run.stop, at + 1)]
        if not len(behind):
            break
        at = int(behind[0])
    end = int(groups["at"][-1])
    judged = max(good, end - int(groups["at"][0]))
    found.judged += judged
    found.good += good
    found.bad_places += good < judged


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
