"""Inputs of every sort: what they are, in one line and with the right exit code, and never a hang."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import os
import threading
import time
from pathlib import Path

import pytest

import npuscope.source
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import MAGIC_BYTES
from npuscope.records import decode
from npuscope.source import HEADER_PAGE, header_page, open_source, sniff
from tests.records.dumps import dump, rows, run


def refused(path: object) -> NpuscopeError:
    with pytest.raises(NpuscopeError) as caught, open_source(path) as source:  # type: ignore[arg-type]
        list(decode(source))
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"\xfd7zXZ\x00" + bytes(99), "xz", "xz data"),
        (b"\x7fELF\x02\x01\x01" + bytes(99), "elf", "an ELF program"),
        (b"$date today $end\n$timescale 1ns $end\n", "vcd", "a VCD waveform"),
        (b"\xef\xbb\xbf$comment x $end\n", "vcd", "a VCD waveform"),
        (b"hello world\nnot a trace\n" * 9, "text", "looks like text"),
        (b"time,layer_id,backpressure_en\n10,3,1\n", "fwrite", "$fwrite text"),
        (b"  10, 3,x\n", "fwrite", "$fwrite text"),
        (b'[project]\nname = "x"\n', "text", "looks like text"),
        ("┌──────┐ ▶ │stage │\n".encode() * 400, "text", "looks like text"),
        (b"<!DOCTYPE html><p>", "html", "HTML"),
    ],
)
def test_foreign_files_are_named(data: bytes, name: str, said: str, tmp_path: Path) -> None:
    assert sniff(data) == name
    path = tmp_path / "x.bin"
    path.write_bytes(data)
    error = refused(path)
    assert error.exit_code == Exit.NOT_RECOGNISED
    assert said in str(error)
    assert str(error).startswith(str(path))


@pytest.mark.parametrize(("data", "said"), [(bytes(5000), "blank memory"), (os.urandom(4000), "no format known")])
def test_binary_without_a_group_is_not_recognised(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(data)
    error = refused(path)
    assert error.exit_code == Exit.NOT_RECOGNISED
    assert said in str(error)


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty.npt"
    empty.touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("no dump")
    for path, said in [
        (empty, "the input is empty"),
        (folder, "no dump in this folder: found 1 other files"),
        (tmp_path / "none.npt", "no such file"),
        (tmp_path / "none*.npt", "no file matches"),
        (Path("/dev/zero"), "no file, folder or named pipe"),
    ]:
        error = refused(path)
        assert error.exit_code == Exit.USAGE
        assert said in str(error)

    def denied(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)  # root may read everything, so a chmod would prove nothing
    assert "no permission to read it" in str(refused(empty))


def test_named_pipe_without_writer_is_one_line_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npuscope.source, "PIPE_OPEN_S", 0.2)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    began = time.monotonic()
    error = refused(path)
    assert time.monotonic() - began < 5
    assert error.exit_code == Exit.USAGE
    assert "nothing came through the named pipe" in str(error)


@pytest.mark.parametrize("dies", [True, False])
def test_named_pipe_whose_writer_dies_or_falls_silent(
    dies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came is decoded; the silence is told."""
    monkeypatch.setattr(npuscope.source, "PIPE_IDLE_S", 0.3)
    path, data, done = tmp_path / "pipe", dump(0), threading.Event()
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb") as pipe:
            pipe.write(data[:20_000])
            pipe.flush()
            if not dies:
                done.wait(20)

    writer = threading.Thread(target=write)
    writer.start()
    batches, ledger = run(path)
    done.set()
    writer.join()
    assert ledger.total == 20_000
    assert not ledger.end_seen
    assert sum(map(len, batches)) > 1000
    assert bool([note for note in ledger.notes if "silent" in note]) != dies


def test_stdin(tmp_path: Path) -> None:
    data = dump(2)
    read, write = os.pipe()
    feeder = threading.Thread(target=lambda: (os.write(write, data), os.close(write)))
    saved = os.dup(0)
    try:
        os.dup2(read, 0)
        feeder.start()
        batches, ledger = run("-")  # type: ignore[arg-type]
    finally:
        os.dup2(saved, 0)
        feeder.join()
        os.close(saved)
        os.close(read)
    assert ledger.total == len(data)
    assert ledger.files == ["stdin"]
    assert len(rows(batches))


def test_folder_and_glob_are_one_capture_in_natural_order(tmp_path: Path) -> None:
    data = dump(0)
    cuts = [0, 9000, 18_000, len(data)]
    for number, (start, stop) in enumerate(itertools.pairwise(cuts)):
        (tmp_path / f"part{9 + number}.npt").write_bytes(data[start:stop])
    (tmp_path / "README.txt").write_text("parts 9, 10, 11")
    whole = tmp_path / "whole"
    whole.write_bytes(data)
    expected = rows(run(whole)[0])
    whole.unlink()
    batches, ledger = run(tmp_path)
    assert rows(batches) == expected
    assert [Path(name).name for name in ledger.files] == ["part9.npt", "part10.npt", "part11.npt"]
    assert rows(run(tmp_path / "part*.npt")[0]) == expected


def test_header_page(tmp_path: Path) -> None:
    data, path = dump(2), tmp_path / "a.npt"
    big = b'{"title": "' + b"x" * 5000 + b'"}'
    path.write_bytes(header_page(big) + data)
    with open_source(path) as source:
        assert source.header == big
    assert len(header_page(b"{}")) == HEADER_PAGE
    ledger = run(path)[1]
    assert (ledger.header, ledger.total, ledger.bad) == (2 * HEADER_PAGE, 2 * HEADER_PAGE + len(data), 0)


def test_damaged_header_page_is_bad_bytes_and_said(tmp_path: Path) -> None:
    page, path = bytearray(header_page(b'{"title": "x"}')), tmp_path / "a.npt"
    page[30] ^= 1
    path.write_bytes(bytes(page) + dump(2))
    ledger = run(path)[1]
    assert ledger.header == 0
    assert ledger.bad + ledger.blank == HEADER_PAGE
    assert any("header page is damaged" in note for note in ledger.notes)


def test_header_page_of_another_major_is_refused(tmp_path: Path) -> None:
    page, path = bytearray(header_page(b"{}")), tmp_path / "a.npt"
    page[8] = 2
    path.write_bytes(bytes(page) + dump(2))
    error = refused(path)
    assert error.exit_code == Exit.NOT_RECOGNISED
    assert "found 2.0, expected 1.x" in str(error)


def test_sparse_file_of_8_gb(tmp_path: Path) -> None:
    """Holes are passed over without being read; what stands behind them is found."""
    data, path = dump(2), tmp_path / "sparse.npt"
    with path.open("wb") as file:
        file.write(data)
        file.seek(8 << 30)
        file.write(data)
    began = time.process_time()
    batches, ledger = run(path)
    assert time.process_time() - began < 3
    assert ledger.total == (8 << 30) + len(data)
    assert ledger.blank + ledger.bad == (8 << 30) - len(data)
    assert ledger.runs == 2
    assert len(rows(batches)) == 2 * len(rows(run(write(tmp_path, data))[0]))


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "small.npt"
    path.write_bytes(data)
    return path


def test_swapped_magic_is_what_tells_the_byte_order() -> None:
    assert sniff(bytes(100) + MAGIC_BYTES[::-1]) == "npt"
    assert sniff(bytes(100) + MAGIC_BYTES[3::-1] + MAGIC_BYTES[:3:-1]) == "npt"
