"""The decoder against the oracle, on clean and damaged dumps; its laws on a thousand damaged ones."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.errors import NpuscopeError
from npuscope.layout import Kind
from npuscope.ledger import Cause, Ledger
from npuscope.records import Batch
from tests.records.dumps import DAMAGES, IN_PLACE, cells, check_laws, dump, per_source, rows, run
from tests.records.oracle import Oracle

VARIANTS = 6
QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


@cache
def variant(number: int, events: int = 1500) -> bytes:
    """One of a few dumps: with and without steps, two runs, no END."""
    return dump(
        number, events=events, step=number % 3 == 1, runs=1 + number % 2, end=number % 4 != 3, loss=number % 5 != 4
    )


def damaged(seed: int, base: bytes, kinds: tuple) -> bytes:  # type: ignore[type-arg]
    rng, data = random.Random(seed), bytearray(base)
    for _ in range(rng.choice((1, 1, 2))):
        if data:
            rng.choice(kinds)(rng, data)
    return bytes(data)


def in_stream_order(batches: list[Batch]) -> list[tuple[int, bytes, int]]:
    return sorted(
        (offset, row, quality)
        for batch in batches
        for offset, row, quality in zip(batch.offset.tolist(), rows([batch]), batch.quality.tolist(), strict=True)
    )


@pytest.mark.parametrize("number", range(VARIANTS))
def test_clean_dump_decodes_to_what_was_written(number: int, tmp_path: Path) -> None:
    data = variant(number)
    found = check_laws(data, data, tmp_path / "clean.npt")
    assert found is not None
    batches, ledger = found
    for src in per_source(cells(data)):
        mine = [record for record in rows(batches) if record[9] & 0x3F == src]
        assert mine == [record for record in cells(data) if record[9] & 0x3F == src]
    assert (ledger.bad, ledger.blank, ledger.tail, ledger.missing, ledger.possible) == (0, 0, 0, 0, 0)
    assert not ledger.conflicts
    assert ledger.exact
    assert {src: count.accepted for src, count in ledger.sources.items()} == per_source(cells(data))
    assert not [window for window in ledger.windows if window.cause in (Cause.DAMAGE, Cause.GAP)]


@pytest.mark.parametrize("block", range(10))
def test_laws_hold_on_damaged_dumps(block: int, tmp_path: Path) -> None:
    """1,200 damaged dumps; the seed of one that fails is in the name of its file."""
    for seed in range(120 * block, 120 * (block + 1)):
        base = variant(seed % VARIANTS)
        check_laws(base, damaged(seed, base, DAMAGES), tmp_path / f"damaged{seed}.npt")


@pytest.mark.parametrize("block", range(5))
def test_loss_is_exact_and_lies_in_a_hole(block: int, tmp_path: Path) -> None:
    """Damage in place: CNT gives the missing records of each source exactly, and a hole covers each of them."""
    proven = 0
    for seed in range(40 * block, 40 * (block + 1)):
        base = variant((0, 2)[seed % 2])  # without clock steps: a step in a hole leaves its times open
        found = check_laws(base, damaged(seed, base, IN_PLACE), tmp_path / f"damaged{seed}.npt")
        assert found is not None
        proven += loss_is_exact(base, *found)
    assert proven > 20, "hardly a dump was judged"


def loss_is_exact(base: bytes, batches: list[Batch], ledger: Ledger) -> bool:
    """Check one dump that was damaged in place; False if its beginning or its END is among the damage."""
    assert not ledger.conflicts
    true = per_source(cells(base))
    assert all(count.accepted <= true[src] for src, count in ledger.sources.items())
    certain = {at: row for at, row, quality in in_stream_order(batches) if quality < 2}
    holes = [hole for batch in batches for hole in batch.holes]
    for at in range(min(certain), max(certain), 16):
        record = base[at : at + 16]
        if certain.get(at) != record and record[8] & 0xF in (Kind.BP, Kind.MARK):
            ts = int.from_bytes(record[:8], "little")
            assert any(h.from_ns <= ts <= h.to_ns and h.src in (None, record[9] & 0x3F) for h in holes), at
    if not ledger.end_seen or not ledger.runs:
        return False
    for src, count in ledger.sources.items():
        assert not count.exact or count.accepted == true[src]
    return ledger.exact


def compare(data: bytes, path: Path) -> None:
    """Records, qualities and waste are the oracle's."""
    path.write_bytes(data)
    oracle = Oracle(data)
    try:
        batches, ledger = run(path)
    except NpuscopeError:
        assert not oracle.records
        return
    expected = [(each.at, each.data, each.quality) for each in oracle.records if each.kind != Kind.PAD]
    assert in_stream_order(batches) == expected
    assert ledger.bad + ledger.blank + ledger.tail == oracle.waste


@given(seed=st.integers(0, 1 << 32), number=st.integers(0, VARIANTS - 1))
@QUICK
def test_same_as_the_oracle_on_damaged_dumps(seed: int, number: int, tmp_path: Path) -> None:
    base = variant(number, 250)
    kinds = [kind for kind in DAMAGES if kind.__name__ != "splice"]  # copies of frames: only the decoder knows them
    compare(damaged(seed, base, tuple(kinds)), tmp_path / "damaged.npt")


@given(data=st.binary(max_size=300), where=st.integers(0, 4000), skip=st.integers(0, 64))
@QUICK
def test_same_as_the_oracle_on_random_bytes(data: bytes, where: int, skip: int, tmp_path: Path) -> None:
    base = variant(0, 100)
    if base[:where] + data:
        compare(base[:where] + data + base[where + skip :], tmp_path / "random.npt")


def reading(path: Path, block: int) -> object:
    """Everything a decode says."""
    try:
        batches, ledger = run(path, block_bytes=block)
    except NpuscopeError as refused:
        return str(refused)
    holes, count = [], 0
    for batch in batches:
        holes += [(count + hole.index, hole) for hole in batch.holes]
        count += len(batch)
    said = [(index, hole.from_ns, hole.to_ns, hole.src, hole.cause) for index, hole in holes]
    quality = np.concatenate([batch.quality for batch in batches]).tolist()
    offset = np.concatenate([batch.offset for batch in batches]).tolist()
    return rows(batches), quality, offset, said, ledger.to_json()


@pytest.mark.parametrize("seed", range(40))
def test_result_does_not_depend_on_the_block_size(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "dump.npt"
    base = variant(seed % VARIANTS)
    path.write_bytes(damaged(seed, base, DAMAGES) if seed % 4 else base)
    whole = reading(path, 1 << 20)
    assert reading(path, 8192) == whole
    assert reading(path, 8 * random.Random(seed).randrange(1, 500)) == whole


def test_long_damage_does_not_depend_on_the_block_size(tmp_path: Path) -> None:
    """More unverified bytes than one segment, with records in them at another phase."""
    rng, base = random.Random(7), variant(0)
    path = tmp_path / "long.npt"
    path.write_bytes(base[:9000] + rng.randbytes(300_001) + base[9000:15_000] + bytes(600_000) + base[15_000:])
    whole = reading(path, 1 << 20)
    assert reading(path, 70_000) == whole
    found = check_laws(base, path.read_bytes(), path)
    assert found is not None
    assert found[1].blank >= 599_000
    assert found[1].ok + found[1].salvaged + found[1].sync > 0.9 * len(cells(base))
