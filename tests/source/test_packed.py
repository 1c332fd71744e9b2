"""gzip and zstd: every format is read packed as it is unpacked, and a cut or damaged file is told."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.capture import Text
from npuscope.errors import Exit, NpuscopeError
from npuscope.source import open_source
from tests.cli.dumps import dump

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Captured = pytest.CaptureFixture[str]
FWRITE = "".join(f"{10 * i},{i % 3},1\n" for i in range(9000)).encode()
LINES = "".join(f"{10 * i},{i % 3},1\n" for i in range(90_000)).encode()


Pack = Callable[[bytes], bytes]


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zst(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


both = pytest.mark.parametrize(("pack", "name"), [(gz, "gzip"), (zst, "zstd")], ids=["gzip", "zstd"])


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@both
@pytest.mark.parametrize("header", [False, True])
def test_a_packed_dump_is_the_dump(pack: Pack, name: str, header: bool, tmp_path: Path, capsys: Captured) -> None:
    data = dump(header=header)
    plain, packed = put(tmp_path / "a.npt", data), put(tmp_path / "a.npt.packed", pack(data))
    one, other = npuscope.open(plain), npuscope.open(packed)
    assert other.stalls().verdict == one.stalls().verdict
    assert (other.episodes == one.episodes).all()
    assert other.ledger.total == one.ledger.total == len(data)
    assert len(list(other.batches())) == len(list(one.batches()))  # and it can be read again
    outputs = []
    for path in (plain, packed):
        assert cli.run(["export", str(path), "--to", "csv"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@both
def test_members_one_behind_the_other_are_one_input(pack: Pack, name: str, tmp_path: Path) -> None:
    half = FWRITE.rindex(b"\n", 0, 40_000) + 1
    path = put(tmp_path / "a.gz", pack(FWRITE[:half]) + pack(FWRITE[half:]))
    assert npuscope.open(path, text=Text(time_unit_ps=1000)).ledger.lines == 9000


def test_zstd_may_begin_with_a_frame_to_skip(tmp_path: Path) -> None:
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    path = put(tmp_path / "a.zst", skipped + zst(FWRITE))
    assert npuscope.open(path, text=Text(time_unit_ps=1000)).ledger.lines == 9000


@both
def test_a_cut_file_gives_what_is_there_and_is_not_whole(
    pack: Pack, name: str, tmp_path: Path, capsys: Captured
) -> None:
    path = put(tmp_path / "a.gz", pack(LINES)[:-500])
    capture = npuscope.open(path, text=Text(time_unit_ps=1000))
    assert 100 < capture.ledger.lines < 90_000
    assert not capture.ledger.end_seen
    assert any(f"the {name} data breaks off" in note for note in capture.ledger.notes)
    assert cli.run(["info", str(path), "--time-unit", "1ns"]) == Exit.LOSS
    assert f"the {name} data breaks off" in capsys.readouterr().err


@both
def test_damage_inside_is_told(pack: Pack, name: str, tmp_path: Path) -> None:
    data = bytearray(pack(FWRITE))
    data[-8 if name == "gzip" else -1] ^= 1  # the check of the whole
    capture = npuscope.open(put(tmp_path / "a.gz", bytes(data)), text=Text(time_unit_ps=1000))
    assert not capture.ledger.end_seen
    assert any(f"the {name} data is damaged" in note for note in capture.ledger.notes)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(b"", mtime=0), "the gzip data is empty"),
        (b"\x1f\x8b\x08\0" + bytes(range(200)), "the gzip data is damaged"),
        (b"\x1f\x8b\x08", "the gzip data breaks off"),
        (gzip.compress(b"hello world\n" * 9, mtime=0), "looks like text"),
        (zst(b""), "the zstd data is empty"),
        (b"\x28\xb5\x2f\xfd\x04" + bytes(range(200)), "the zstd data is damaged"),
        (b"\x28\xb5\x2f\xfd", "the zstd data breaks off"),
        (zst(b"hello world\n" * 9), "looks like text"),
    ],
    ids=["empty", "damaged", "short", "text", "zstd empty", "zstd damaged", "zstd short", "zstd text"],
)
def test_what_is_no_input_is_refused_in_one_line(data: bytes, said: str, tmp_path: Path) -> None:
    path = put(tmp_path / "a.gz", data)
    with pytest.raises(NpuscopeError, match=said) as caught:
        open_source(path)
    assert str(path) in str(caught.value)


def test_packed_dumps_in_a_folder_are_found(tmp_path: Path) -> None:
    put(tmp_path / "a.npt.gz", gzip.compress(dump()))
    put(tmp_path / "b.gz", b"\x1f\x8b\x08\0" + bytes(range(200)))
    put(tmp_path / "c.npt.zst", zst(dump()))
    put(tmp_path / "d.zst", b"\x28\xb5\x2f\xfd\x04" + bytes(range(200)))
    assert [Path(name).name for name in npuscope.open(tmp_path).names] == ["a.npt.gz", "c.npt.zst"]
