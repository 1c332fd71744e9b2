"""A survey of a big dump: right about what it looked at, and quick on any size."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from npuscope.encode.bulk import Bulk
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import SRC_FRAMER, Cfg
from npuscope.survey import EDGE_BYTES, SAMPLE_BYTES, SAMPLES, survey

SIZE = 12_000_000


@pytest.fixture(scope="module")
def bulk() -> bytes:
    return b"".join(Bulk(SIZE, sources=2, layers=8))


def look(path: Path, data: bytes, swap: int = 0) -> object:
    path.write_bytes(data)
    return survey([str(path)], swap)


def test_a_whole_dump(bulk: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.npt"
    path.write_bytes(bulk)
    seen = survey([str(path)], 0)
    assert seen.size == len(bulk)
    assert seen.end
    assert seen.bad_places == seen.blank_tail == 0
    assert seen.good == seen.judged > 0
    assert seen.version == (1, 0)
    assert seen.config[0][Cfg.LAYERS] == 0xFF
    assert seen.config[SRC_FRAMER][Cfg.CLK_PERIOD] == 5000
    assert sum(seen.accepted.values()) == pytest.approx(len(bulk) / 16, abs=20)
    assert sum(seen.dropped.values()) == 0
    assert set(seen.clock) == {2}
    assert seen.read <= SAMPLES * SAMPLE_BYTES + 2 * EDGE_BYTES + 16


def test_parts_are_one_capture(bulk: bytes, tmp_path: Path) -> None:
    whole = tmp_path / "whole.npt"
    whole.write_bytes(bulk)
    names = []
    for i in range(0, len(bulk), 5_000_000):
        part = tmp_path / f"part{i}.npt"
        part.write_bytes(bulk[i : i + 5_000_000])
        names.append(str(part))
    one, many = survey([str(whole)], 0), survey(names, 0)
    assert (one.first_ts, one.last_ts, one.accepted, one.end) == (many.first_ts, many.last_ts, many.accepted, many.end)


def test_bytes_behind_end_are_seen(bulk: bytes, tmp_path: Path) -> None:
    for more, bad in ((b"done\n", 1), (b"\0" * 5000, 0), (bulk[:5000], 0), (bulk[-16:], 1)):
        seen = look(tmp_path / "run.npt", bulk + more)
        assert seen.bad_places == bad  # type: ignore[attr-defined]
        assert seen.end == (more != bulk[:5000])  # type: ignore[attr-defined]


@pytest.mark.parametrize("bits", [32, 64])
def test_swapped_bytes(bulk: bytes, bits: int, tmp_path: Path) -> None:
    plain = look(tmp_path / "a.npt", bulk)
    swapped = look(tmp_path / "b.npt", np.frombuffer(bulk, f"<u{bits // 8}").byteswap().tobytes(), bits)
    assert (swapped.first_ts, swapped.last_ts, swapped.good) == (plain.first_ts, plain.last_ts, plain.good)  # type: ignore[attr-defined]


def test_damage_everywhere_is_seen(bulk: bytes, tmp_path: Path) -> None:
    data = bytearray(bulk)
    data[5000 :: 8192 * 3] = bytes(b ^ 0x10 for b in data[5000 :: 8192 * 3])
    seen = look(tmp_path / "run.npt", bytes(data))
    assert seen.bad_places > SAMPLES // 2  # type: ignore[attr-defined]
    assert seen.good < seen.judged  # type: ignore[attr-defined]


def test_a_blank_tail_is_found_to_a_sample(bulk: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.npt"
    for cut, end in ((len(bulk), True), (3_000_000, False)):
        path.write_bytes(bulk[:cut])
        os.truncate(path, 1 << 32)
        seen = survey([str(path)], 0)
        assert 0 <= (1 << 32) - seen.blank_tail - cut < SAMPLE_BYTES
        assert seen.end is end
        assert seen.bad_places == 0


def test_a_hole_in_the_middle_is_damage(bulk: bytes, tmp_path: Path) -> None:
    data = bulk[:4_000_000] + bytes(4_000_000) + bulk[8_000_000:]
    seen = look(tmp_path / "run.npt", data)
    assert seen.bad_places >= SAMPLES // 4  # type: ignore[attr-defined]
    assert seen.blank_tail == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("data", [bytes(100_000), b"\xff" * 100_000, bytes(range(256)) * 1000])
def test_what_is_no_trace_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="no trace in it") as caught:
        look(tmp_path / "run.npt", data)
    assert caught.value.exit_code == Exit.NOT_RECOGNISED
