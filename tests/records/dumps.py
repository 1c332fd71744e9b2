"""Dumps to decode, ways to damage them, and what must hold of every decode whatever the damage."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np

from npuscope.encode import Entry, SourceConfig, Writer, payload
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import MAGIC, RECORD_BYTES, BpSub, ClkSub, Kind, SyncSub
from npuscope.ledger import Ledger
from npuscope.records import Batch, decode
from npuscope.source import open_source

SYNC_A = Kind.SYNC | SyncSub.A << 4
SOURCES = (SourceConfig(layers=0xFF, dry_mask=0b11), SourceConfig(layers=0xF), SourceConfig(layers=0x7))


def entry(rng: random.Random, ts: int, src: int) -> Entry:
    """A random BP record."""
    occ = rng.randrange(64)
    word = payload(
        Kind.BP, 0, layer=rng.randrange(3), occ=occ, bp_en=rng.randrange(2), peak=occ, dwell=rng.randrange(99)
    )
    return Entry(ts, src, Kind.BP, rng.choice(list(BpSub)), word)


def dump(
    seed: int, *, events: int = 1500, loss: bool = True, step: bool = False, end: bool = True, runs: int = 1
) -> bytes:
    """A valid dump: BP, MARK, STATE, groups, LOSS bursts, clock steps, PAD; ``runs`` starts, each flushed or not."""
    rng = random.Random(seed)
    now = rng.randrange(1 << 60)
    writer = Writer(SOURCES, start_ts=now)
    for run in range(runs):
        if run:
            now += rng.randrange(10, 10_000)
            writer.start(now)
        for _ in range(events // runs):
            now += rng.choice((0, 5, 5, 10, 200))
            src = rng.randrange(len(SOURCES))
            what = rng.random()
            if what < 0.01:
                writer.mark(now, rng.randrange(1 << 32))
            elif what < 0.02:
                writer.unknown(now, src, rng.randrange(8))
            elif what < 0.025 and loss:
                lost = [entry(rng, now + 5 * i, src) for i in range(rng.randrange(1, 40))]
                now = lost[-1].ts + 5
                writer.drop(src, lost, marked=entry(rng, now, src))
            elif what < 0.027 and step:
                size = rng.choice((-50_000, -300, 300, 10**15))
                now = max(0, now + size)
                writer.step(now, size)
            elif what < 0.03:
                writer.pad(rng.randrange(1, 4))
            elif what < 0.035:
                writer.group()
            else:
                writer.offer(entry(rng, now, src))
        if end and (run == runs - 1 or rng.random() < 0.5):
            writer.flush(now + 100)
    return writer.data()


# ---------------------------------------------------------------- damage
def flip(rng: random.Random, data: bytearray) -> None:
    """1 to 20 flipped bits, at most three in a record: what CRC-8 promises to find."""
    cells_ = range(len(data) // RECORD_BYTES)
    for cell in rng.sample(cells_, min(len(cells_), rng.randrange(1, 8))):
        for bit in rng.sample(range(8 * RECORD_BYTES), rng.randrange(1, 4)):
            data[cell * RECORD_BYTES + bit // 8] ^= 1 << bit % 8


def cut(rng: random.Random, data: bytearray) -> None:
    """The end or the beginning is missing."""
    place = rng.randrange(len(data))
    if rng.random() < 0.5:
        del data[place:]
    else:
        del data[:place]


def delete(rng: random.Random, data: bytearray) -> None:
    """Bytes are missing in the middle."""
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(data))
        size = rng.choice((1, 3, 16, 48, 8192, rng.randrange(1, 20_000)))
        del data[place : place + size]


def insert(rng: random.Random, data: bytearray) -> None:
    """Random bytes are in the way."""
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(data) + 1)
        data[place:place] = rng.randbytes(rng.choice((1, 7, 16, 160, rng.randrange(1, 10_000))))


def splice(rng: random.Random, data: bytearray) -> None:
    """A piece of the dump stands at another place too, or instead of what was there."""
    size = rng.choice((16, 160, 8192, rng.randrange(1, 20_000)))
    start, place = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[start : start + size]
    data[place : place + rng.choice((0, len(piece)))] = piece


def zero(rng: random.Random, data: bytearray) -> None:
    """Pages that were never written: all 00 or all FF."""
    size = rng.choice((16, 512, 4096))
    start = rng.randrange(len(data)) // size * size
    data[start : start + size] = bytes([rng.choice((0, 255))]) * len(data[start : start + size])


def scribble(rng: random.Random, data: bytearray) -> None:
    """Random bytes instead of the dump's."""
    start, size = rng.randrange(len(data)), rng.choice((20, 100, 5000))
    data[start : start + size] = rng.randbytes(len(data[start : start + size]))


def text(rng: random.Random, data: bytearray) -> None:
    """A log file was written into the middle."""
    place = rng.randrange(len(data))
    data[place : place + rng.choice((0, 500))] = b"[ 12.345] npu0: DMA done, 42 words\n" * rng.randrange(1, 100)


DAMAGES = (flip, cut, delete, insert, splice, zero, scribble, text)
IN_PLACE = (flip, zero, scribble)


# ---------------------------------------------------------------- decoding and its laws
def run(path: Path, **options: object) -> tuple[list[Batch], Ledger]:
    """Decode the file ``path``."""
    with open_source(path) as source:
        decoder = decode(source, **options)  # type: ignore[arg-type]
        return list(decoder), decoder.ledger


def rows(batches: list[Batch], quality: int = 2) -> list[bytes]:
    """The 16 bytes of each record up to ``quality``, SYNC A with its magic."""
    out = []
    for batch in batches:
        raw = batch.raw.copy()
        raw["ts"][raw["kindsub"] == SYNC_A] = MAGIC
        chosen = raw[batch.quality <= quality]
        out += [bytes(row) for row in chosen.view(np.uint8).reshape(-1, RECORD_BYTES)]
    return out


def cells(data: bytes) -> list[bytes]:
    """The records of an undamaged dump, without PAD."""
    each = [data[i : i + RECORD_BYTES] for i in range(0, len(data), RECORD_BYTES)]
    return [record for record in each if record[8] & 0xF != Kind.PAD]


def per_source(records: list[bytes]) -> Counter[int]:
    """Records of each source."""
    return Counter(record[9] & 0x3F for record in records)


def check_laws(original: bytes, damaged: bytes, path: Path) -> tuple[list[Batch], Ledger] | None:
    """Decode ``damaged``; the laws that hold whatever happened to ``original``. None: refused in one line."""
    path.write_bytes(damaged)
    try:
        batches, ledger = run(path)
    except NpuscopeError as refused:
        if refused.exit_code not in (Exit.USAGE, Exit.NOT_RECOGNISED) or "\n" in str(refused):
            raise
        return None
    ledger.check()
    assert ledger.total == len(damaged)
    true = set(cells(original))
    wrong = [record.hex() for record in rows(batches, 1) if record not in true]
    assert not wrong, f"safe records that never were: {wrong[:3]}"
    counts = ledger.ok + ledger.salvaged + ledger.sync
    assert counts == sum(map(len, batches))
    assert ledger.possible == sum(int(np.count_nonzero(batch.quality == 2)) for batch in batches)
    assert all(
        0 <= hole.index <= len(batch) and hole.from_ns <= hole.to_ns for batch in batches for hole in batch.holes
    )
    return batches, ledger


__all__ = ["DAMAGES", "IN_PLACE", "ClkSub", "cells", "check_laws", "dump", "per_source", "rows", "run"]
