"""Records to rows: all of them, in order, and never two joined that something was lost between."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import npuscope
from npuscope.encode import Entry
from npuscope.errors import NpuscopeError
from npuscope.layout import SRC_JITTER, SRC_RAS, SRC_TOKEN, JitterSub, Kind, RasClass, Severity, TokenSub
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import INTERRUPT, JITTER, TABLE_KINDSUBS, Break, Tables
from tests.records.dumps import DAMAGES
from tests.tables.dumps import START, Sync, context, pulse, ras, token, tokint, writer

DATA = {Kind.JITTER: SRC_JITTER, Kind.RAS: SRC_RAS, Kind.TOKEN: SRC_TOKEN, Kind.TOKINT: SRC_TOKEN}

LOST = 1 << 20
"""Jitter of the pulses that are dropped."""


def tables(path: Path, block_bytes: int = 1 << 21) -> Tables:
    with open_source(path) as source:
        found = Tables()
        for batch in decode(source, keep=TABLE_KINDSUBS, block_bytes=block_bytes):
            found.feed(batch)
        found.finish()
    return found


def random_entry(rng: random.Random, now: int, number: int) -> Entry:
    """An entry that no other of its dump is equal to: ``number`` is in it."""
    what = rng.random()
    if what < 0.4:
        sub = rng.choice([JitterSub.OK] * 5 + list(JitterSub))
        return pulse(now, number - 1000, sub, rng.randrange(4))
    if what < 0.6:
        severity = rng.choice(list(Severity))
        return ras(now, rng.choice(list(RasClass)), severity=severity, syndrome=number - 3000, count=number % 32)
    if what < 0.8:
        return token(now, number, rng.choice(list(TokenSub)))
    own = [rng.randrange(1 << 32) for _ in range(rng.randrange(0, 14))]
    return tokint(now, number, rng.randrange(1, 16), context(rng.randrange(256), rng.randrange(1 << 16), 0, own))


@cache
def dump(
    seed: int, events: int = 700, steps: bool = True, runs: int = 2
) -> tuple[bytes, list[tuple[int, Entry | None]]]:
    """A dump, and per source in order what it offered: (run, entry), None where entries were lost or time stepped."""
    rng = random.Random(seed)
    now = START + 1_000
    made = writer()
    truth: list[tuple[int, Entry | None]] = []
    for run in range(runs):
        if run:
            made.start(now)
        for number in range(events):
            now += rng.randrange(5, 100_000)
            what, entry = rng.random(), random_entry(rng, now, run * events + number)
            if what < 0.02:
                gone = [pulse(now, LOST), pulse(now + 5, LOST)]
                marked = pulse(now + 10, run * events + number - 1000)
                made.drop(SRC_JITTER, gone, marked=marked)
                truth += [(run, e) for e in gone] + [(run, None), (run, marked)]
                now += 10
            elif what < 0.04:
                lost = [tokint(now, number, 1, context())]
                made.drop(SRC_TOKEN, lost)
                truth += [(run, lost[0])]
            elif what < 0.05 and steps:
                size = rng.choice((-3_000, 37_000_000_000))
                now += size
                made.step(now, size)
            else:
                made.offer(entry)
                truth.append((run, entry))
        if run < runs - 1 or seed % 2:
            made.flush(now + 50)
    return made.data(), truth


def flat(truth: list[tuple[int, Entry | None]], src: int) -> list[tuple[int, Entry]]:
    return [(run, entry) for run, entry in truth if entry is not None and entry.src == src]


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_dump_gives_every_record_that_was_not_dropped(seed: int, tmp_path: Path) -> None:
    data, truth = dump(seed)
    path = tmp_path / "run.npt"
    path.write_bytes(data)
    found = tables(path)
    jitter = [e for _, e in flat(truth, SRC_JITTER) if e.payload != LOST]
    assert found.jitter["ts"].tolist() == [e.ts for e in jitter]
    assert found.jitter["jitter"].tolist() == [e.payload - (e.payload >> 31 << 32) for e in jitter]
    assert found.jitter["sub"].tolist() == [e.sub for e in jitter]
    assert found.jitter["tq"].tolist() == [e.tq for e in jitter]
    events = [e for _, e in flat(truth, SRC_RAS)]
    words = [(e.sub & 3, e.sub >> 2 & 1, e.payload >> 5 & 31, e.payload >> 11 & 31) for e in events]
    assert found.ras[["severity", "first", "class", "count"]].tolist() == words
    assert found.ras["syndrome"].tolist() == [(e.payload >> 16) - (e.payload >> 31 << 16) for e in events]
    assert found.tokens["token"].tolist() == [e.payload for _, e in flat(truth, SRC_TOKEN) if e.kind == Kind.TOKEN]
    told = found.interrupts
    whole = {(e.ts, e.payload): e for _, e in flat(truth, SRC_TOKEN) if e.kind == Kind.TOKINT}
    assert len(told) <= len(whole)
    for row in told:
        entry = whole[int(row["ts"]), int(row["token"])]
        assert row["complete"]
        assert row["words"] == len(entry.context) == int(row["seen"]).bit_count()
        assert tuple(row["context"][: row["words"]].tolist()) == entry.context
        assert row["layer"] == entry.context[0] >> 5 & 255
        assert (row["free"], row["limit"]) == (70, 64)
    assert found.orphans == 0
    breaks = set(found.jitter["broken"].tolist())
    assert breaks == {Break.NONE, Break.STEP, Break.START, Break.LOSS, Break.RESTART}


def test_rows_do_not_depend_on_how_the_dump_is_read(tmp_path: Path) -> None:
    data, _ = dump(1)
    path = tmp_path / "run.npt"
    rng, damaged = random.Random(5), bytearray(data)
    for damage in DAMAGES[:4]:
        damage(rng, damaged)
    path.write_bytes(damaged)
    whole = tables(path)
    for block in (4096, 30_000, 1 << 17):
        parts = tables(path, block)
        for name in ("jitter", "ras", "tokens", "interrupts"):
            assert (getattr(parts, name) == getattr(whole, name)).all(), (block, name)
        assert parts.settings == whole.settings
        assert parts.orphans == whole.orphans


def check_damaged(path: Path, truth: list[tuple[int, Entry | None]]) -> int:
    """Rows are true, and a row that follows the one before without a break follows it in truth; returns how many do."""
    found = tables(path)
    joined = 0
    for kind, src in DATA.items():
        name = {Kind.JITTER: "jitter", Kind.RAS: "ras", Kind.TOKEN: "tokens", Kind.TOKINT: "interrupts"}[kind]
        offered = [entry for _, entry in flat(truth, src)]
        own = [entry for entry in offered if entry.kind == kind]
        place = {(entry.ts, entry.sub, entry.payload, entry.tq): i for i, entry in enumerate(own)}
        rows = getattr(found, name)
        last = None
        for row in rows:
            key = _key(kind, row)
            assert key in place, f"{name}: a row that never was: {row}"
            if not row["broken"]:
                assert last is not None
                assert place[key] == last + 1, f"{name}: something lies between {last} and {place[key]}"
                joined += 1
            last = place[key]
            if kind == Kind.TOKINT:
                truth_words = own[last].context
                assert len(truth_words) == row["words"] or row["words"] == -1
                assert bool(row["complete"]) == (int(row["seen"]) == (1 << len(truth_words)) - 1)
                for index, word in enumerate(row["context"].tolist()):
                    assert word == (truth_words[index] if row["seen"] >> index & 1 else 0)
    return joined


def _key(kind: Kind, row: np.void) -> tuple[int, int, int, int]:
    ts, tq = int(row["ts"]), int(row["tq"])
    if kind == Kind.JITTER:
        return ts, int(row["sub"]), int(row["jitter"]) % (1 << 32), tq
    if kind == Kind.TOKEN:
        return ts, int(row["sub"]), int(row["token"]), tq
    if kind == Kind.TOKINT:
        return ts, int(row["cause"]), int(row["token"]), tq
    sub = int(row["severity"]) | int(row["first"]) << 2 | int(row["overflow"]) << 3
    low = int(row["unit"]) | int(row["class"]) << 5 | int(row["injected"]) << 10 | int(row["count"]) << 11
    return ts, sub, low | int(row["syndrome"]) % (1 << 16) << 16, tq


@pytest.mark.parametrize("block", range(4))
def test_damage_never_joins_and_never_invents(block: int, tmp_path: Path) -> None:
    joined = refused = 0
    for seed in range(25 * block, 25 * (block + 1)):
        data, truth = dump(seed % 4)
        rng, damaged = random.Random(seed), bytearray(data)
        for _ in range(rng.choice((1, 2, 3))):
            rng.choice(DAMAGES)(rng, damaged)
        path = tmp_path / f"damaged{seed}.npt"
        path.write_bytes(damaged)
        try:
            joined += check_damaged(path, truth)
        except NpuscopeError:
            refused += 1
    assert joined > 5_000
    assert refused < 5


def test_a_burst_that_lost_words_is_told_not_completed(tmp_path: Path) -> None:
    """Every way to lose one or two records of TOKINT + 5 CTX."""
    made = writer()
    made.offer(token(START + 10, 1))
    first = made.records
    words = context(7, 9, own=(11, 12))
    made.offer(tokint(START + 20, 2, 0b0100, words))
    made.offer(token(START + 25, 4))
    made.offer(tokint(START + 30, 3, 0b0001, context(8, 9)))
    made.flush(START + 99)
    data = made.data()
    path = tmp_path / "run.npt"
    for gone in [(i,) for i in range(6)] + [(i, j) for i in range(6) for j in range(i)]:
        damaged = bytearray(data)
        for index in gone:
            damaged[16 * (first + index) + 13] ^= 0x81
        path.write_bytes(damaged)
        found = tables(path)
        rows = found.interrupts[found.interrupts["token"] == 2]
        assert found.interrupts[-1]["token"] == 3
        if 0 in gone:
            assert len(rows) == 0
            continue
        if 1 in gone and not len(rows):
            continue  # a record beside damage proves nothing
        (row,) = rows
        assert not row["complete"]
        assert row["cause"] == 0b0100
        for index, word in enumerate(words):
            seen = row["seen"] >> index & 1
            assert not (seen and index + 1 in gone)
            assert row["context"][index] == (word if seen else 0)
        assert (row["words"] == -1) == (1 in gone or not row["seen"] & 1)
        assert (row["layer"] == -1) == (row["words"] == -1)


def test_times_go_on_through_clock_steps_and_epochs_count_them(tmp_path: Path) -> None:
    made = writer()
    made.offer(pulse(START + 100, 1))
    made.step(START + 37_000_000_150, 37_000_000_000)
    made.offer(pulse(START + 37_000_000_200, 2, JitterSub.STEPPED))
    made.step(START + 250, -37_000_000_000)
    made.offer(pulse(START + 300, 3, JitterSub.STEPPED))
    made.flush()
    path = tmp_path / "run.npt"
    path.write_bytes(made.data())
    capture = npuscope.open(path)
    rows = capture.jitter
    assert rows.dtype == JITTER
    assert (rows["time"] - START).tolist() == [100, 200, 300]
    assert rows["epoch"].tolist() == [0, 1, 2]
    assert rows["broken"].tolist() == [Break.START, Break.STEP, Break.STEP]
    epochs = capture.clock_epochs
    assert epochs["step_ns"].tolist() == [0, 37_000_000_000, -37_000_000_000]
    assert (epochs["from_ns"] - START).tolist() == [0, 37_000_000_150, 250]
    assert (epochs["to_ns"] - START).tolist() == [150, 37_000_000_250, 300]


def test_the_capture_makes_its_tables_once_and_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = writer()
    for entry in Sync().pulses(50):
        made.offer(entry)
    made.flush()
    path = tmp_path / "run.npt"
    path.write_bytes(made.data())
    passes = 0
    real = npuscope.capture.decode

    def counted(*args: object, **kwargs: object) -> object:
        nonlocal passes
        passes += 1
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr("npuscope.capture.decode", counted)
    capture = npuscope.open(path)
    _ = capture.timeline
    assert passes == 1
    assert len(capture.jitter) == 50
    assert len(capture.ras) == len(capture.tokens) == len(capture.interrupts) == 0
    assert capture.interrupts.dtype == INTERRUPT
    assert passes == 2
    both = npuscope.open(path, with_tables=True)
    assert len(both.jitter) == 50
    assert both.timeline.end_ns > START
    assert passes == 3


def test_a_text_dump_has_empty_tables(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("10,3,1\n20,3,0\n")
    capture = npuscope.open(path)
    assert [len(t) for t in (capture.jitter, capture.ras, capture.tokens, capture.interrupts)] == [0] * 4
