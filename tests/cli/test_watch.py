"""``npuscope watch`` on a growing file, a pipe and a socket: what is new, and a writer that never waits."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import npuscope
from npuscope.cli import run
from npuscope.cli.feed import Growing, Stream, open_feed
from npuscope.errors import Exit, NpuscopeError

GOOD = Path("traces/simulated/transformer_block.npt")
Captured = pytest.CaptureFixture[str]


def watching(arguments: list[str], given: int | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "npuscope", "watch", *arguments]
    return subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_once_says_what_stalls_says(capsys: Captured) -> None:
    verdict = npuscope.open(GOOD).stalls().verdict
    assert run(["watch", str(GOOD), "--once"]) == Exit.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("41.1 kB ended, the last 5.000 ms up to 2026-01-01T")
    assert lines[1] == verdict
    assert [line.split()[0] for line in lines[4:8]] == ["tokens", "embedded", "normed", "heads"]
    assert run(["watch", str(GOOD), "--once", "--json", "--last", "1ms"]) == Exit.OK
    found = json.loads(capsys.readouterr().out)
    assert found["to_ns"] - found["from_ns"] == 1_000_000
    assert (found["bytes"], found["end_seen"], found["dropped"]) == (GOOD.stat().st_size, True, 0)


def test_a_growing_file_is_followed_to_its_end(tmp_path: Path) -> None:
    data, path = GOOD.read_bytes(), tmp_path / "run.npt"
    path.write_bytes(data[:20_000])
    done = watching([str(path), "--every", "50ms", "--json"])
    assert done.stdout is not None
    first = json.loads(done.stdout.readline())
    assert (first["bytes"], first["end_seen"]) == (20_000, False)
    with path.open("ab") as file:
        file.write(data[20_000:])
    rest, err = done.communicate(timeout=300)
    last = json.loads(rest.splitlines()[-1])
    assert (last["bytes"], last["end_seen"], done.returncode, err) == (len(data), True, 0, "")
    assert last["stalls"]["verdict"] == npuscope.open(GOOD).stalls().verdict


@pytest.mark.parametrize("way", ["stdin", "fifo", "socket"])
def test_pipes_and_sockets(way: str, tmp_path: Path) -> None:
    data = GOOD.read_bytes()
    if way == "stdin":
        reader, writer = os.pipe()
        done = watching(["-", "--every", "100ms", "--json"], reader)
        os.close(reader)
        with os.fdopen(writer, "wb") as sink:
            sink.write(data)
    elif way == "fifo":
        os.mkfifo(tmp_path / "run.npt")
        done = watching([str(tmp_path / "run.npt"), "--every", "100ms", "--json"])
        (tmp_path / "run.npt").write_bytes(data)
    else:
        with socket.create_server(("127.0.0.1", 0)) as server:
            done = watching([f"tcp://127.0.0.1:{server.getsockname()[1]}", "--every", "100ms", "--json"])
            connection, _ = server.accept()
            with connection:
                connection.sendall(data)
    out, err = done.communicate(timeout=300)
    assert (done.returncode, err) == (0, "")
    assert json.loads(out.splitlines()[-1])["stalls"]["verdict"] == npuscope.open(GOOD).stalls().verdict


def test_the_writer_never_waits_and_memory_is_bounded() -> None:
    reader, writer = os.pipe()
    feed = Stream(reader, 100_000, "pipe")
    with os.fdopen(writer, "wb") as sink:
        for _ in range(200):
            sink.write(bytes(100_000))  # would block for ever at 64 kB if nobody read
    deadline = time.monotonic() + 300
    while not feed.ended and time.monotonic() < deadline:
        time.sleep(0.01)
    page, newest = feed.newest(50_000)
    assert (feed.total, page, len(newest)) == (20_000_000, b"", 50_000)
    assert len(feed._tail) <= 2 * 100_000
    feed.close()
    os.close(reader)


def test_the_newest_records_keep_their_phase(tmp_path: Path) -> None:
    data = GOOD.read_bytes()
    (tmp_path / "run.npt").write_bytes(data + b"abc")
    page, newest = Growing(str(tmp_path / "run.npt")).newest(1000)
    assert page == data[:4096]
    assert newest == (data + b"abc")[-len(newest) :]
    assert (len(data) + 3 - len(newest) - 4096) % 16 == 0
    assert 980 < len(newest) <= 1000


def test_mistakes_are_one_line(tmp_path: Path, capsys: Captured) -> None:
    for arguments, text in (
        ([str(tmp_path)], "a folder cannot be watched"),
        ([str(tmp_path / "none")], "cannot be read"),
        ([str(GOOD), "--every", "0s"], "the time must be more than 0"),
        ([str(GOOD), str(GOOD)], "watch takes one input"),
        (["tcp://127.0.0.1:1"], "cannot connect"),
    ):
        assert run(["watch", *arguments]) == Exit.USAGE
        err = capsys.readouterr().err
        assert text in err
        assert err.count("\n") == 1
    assert run(["watch", "README.md", "--once"]) == Exit.NOT_RECOGNISED
    assert "README.md: not an npuscope trace" in capsys.readouterr().err
    with pytest.raises(NpuscopeError, match="cannot be read"):
        open_feed(str(tmp_path / "none"), 1)
