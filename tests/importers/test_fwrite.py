"""Legacy $fwrite text: every line is a sample, skipped, or reported with its number."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers import FwriteReader
from npuscope.importers.fwrite import CHUNK_BYTES
from npuscope.layout import THRESHOLDS, BpSub, Kind
from npuscope.ledger import Cause, Ledger
from npuscope.records import Hole
from npuscope.source import open_source


def read(tmp_path: Path, text: bytes, **options: object) -> tuple[list[tuple[int, ...]], list[Hole], Ledger]:
    """(ns, src, layer, bp_en, byte) of each sample, the holes with their place among all samples, the ledger."""
    path = tmp_path / "dump.csv"
    path.write_bytes(text)
    samples: list[tuple[int, ...]] = []
    holes: list[Hole] = []
    numbers: list[tuple[int, int]] = []
    with open_source(path, accept=("fwrite",)) as source:
        assert source.head_kind == "fwrite"
        reader = FwriteReader(source, **options)  # type: ignore[arg-type]
        for batch in reader:
            assert set(batch.kind.tolist()) <= {Kind.BP}
            assert set(batch.sub.tolist()) <= {BpSub.RAW}
            assert set(batch.occ.tolist()) <= {THRESHOLDS["TH_ON"].value}
            holes += [Hole(hole.index + len(samples), *astuple(hole)[1:]) for hole in batch.holes]  # type: ignore[arg-type]
            numbers += zip(batch.src.tolist(), batch.seq.tolist(), strict=True)
            columns = (batch.ts, batch.src, batch.layer, batch.bp_en, batch.offset)
            samples += zip(*(column.tolist() for column in columns), strict=True)
    for src in {src for src, _ in numbers}:
        mine = [seq for source, seq in numbers if source == src]
        assert mine == [number % 256 for number in range(len(mine))]
    return samples, holes, reader.ledger


def astuple(hole: Hole) -> tuple[object, ...]:
    return hole.index, hole.from_ns, hole.to_ns, hole.src, hole.count, hole.cause


def test_header_blanks_and_line_ends(tmp_path: Path) -> None:
    text = b"time,layer_id,backpressure_en\n\n 10, 3,1\r\n  \n20,40,0\n30,3,1"
    samples, holes, ledger = read(tmp_path, text, time_unit_ps=1000)
    assert [sample[:4] for sample in samples] == [(10, 0, 3, 1), (20, 1, 8, 0), (30, 0, 3, 1)]
    assert [text[sample[4] :].lstrip()[:2] for sample in samples] == [b"10", b"20", b"30"]
    assert not holes
    assert (ledger.text, ledger.bad, ledger.lines, ledger.notes) == (len(text), 0, 3, [])
    assert ledger.end_seen


def test_x_and_z_are_unknown_and_broken_lines_are_named(tmp_path: Path) -> None:
    text = b"10,3,1\n20,3,x\n30,Z,1\n40,4,0\n50,5,160,3,0\n60,6,1\n70,"
    samples, holes, ledger = read(tmp_path, text, time_unit_ps=1000)
    assert [sample[0] for sample in samples] == [10, 40, 60]
    assert holes == [
        Hole(1, 10, 40, None, None, Cause.UNKNOWN_VALUE),
        Hole(2, 40, 60, None, None, Cause.DAMAGE),
        Hole(3, 60, 60, None, None, Cause.DAMAGE),
    ]
    assert ledger.unknown == {"line with x or z": 2}
    assert ledger.notes == ["line 5 is no sample: b'50,5,160,3,0'", "line 7 is no sample: b'70,'"]
    assert ledger.bad == len(b"50,5,160,3,0\n70,")
    assert not ledger.end_seen


def test_time_unit(tmp_path: Path) -> None:
    assert [s[0] for s in read(tmp_path, b"15,0,1\n29,0,1\n", time_unit_ps=100)[0]] == [1, 2]
    assert [s[0] for s in read(tmp_path, b"15,0,1\n", time_unit_ps=6_666_000)[0]] == [99_990]
    samples, _, ledger = read(tmp_path, b"15,0,1\n")
    assert samples[0][0] == 15
    assert ledger.time_unit == "tick"


def test_time_that_goes_back(tmp_path: Path) -> None:
    text = b"time,layer_id,backpressure_en\n10,0,1\n5,0,1\n"
    with pytest.raises(NpuscopeError, match="line 3: time goes back: found 5 ns after 10 ns"):
        read(tmp_path, text)
    _, holes, ledger = read(tmp_path, text, allow_backwards=True)
    assert holes == [Hole(1, 5, 10, None, None, Cause.RESTART)]
    assert (ledger.restarts, ledger.runs) == (1, 2)


def test_no_sample_at_all(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="no sample line in it") as caught:
        read(tmp_path, b"1,0,x\n")
    assert caught.value.exit_code == Exit.NOT_RECOGNISED


def test_long_dump_in_chunks_is_the_same_as_line_by_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    count = 60_000
    rows = np.stack([np.cumsum(rng.integers(0, 9, count)), rng.integers(0, 99, count), rng.integers(0, 2, count)], 1)
    clean = b"".join(b"%d,%d,%d\n" % tuple(row) for row in rows.tolist())
    assert len(clean) > 2 * CHUNK_BYTES
    samples, holes, ledger = read(tmp_path, clean, time_unit_ps=1000)
    assert [(ts, 32 * src + layer, bit) for ts, src, layer, bit, _ in samples] == [tuple(row) for row in rows.tolist()]
    spaced = clean.replace(b"\n", b" \n")
    by_line, _, _ = read(tmp_path, spaced, time_unit_ps=1000)
    assert [sample[:4] for sample in by_line] == [sample[:4] for sample in samples]
    assert all(clean[at - 1 : at] in (b"", b"\n") for *_, at in samples)
    assert not holes
    assert sum(count.decoded for count in ledger.sources.values()) == count


@given(text=st.binary(max_size=200).map(lambda data: b"1,2,1\n" + data))
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_balance(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "dump.csv"
    path.write_bytes(text)
    try:
        source = open_source(path, accept=("fwrite",))
    except NpuscopeError:
        return
    with source:
        reader = FwriteReader(source, allow_backwards=True)
        assert sum(map(len, reader)) == reader.ledger.lines
        assert reader.ledger.total == len(text)
