"""Whatever the input is: one clear line and the right exit code; never a traceback, a hang or invented data."""

from __future__ import annotations

import array
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope import source
from npuscope.cli import run
from npuscope.errors import Exit
from tests.cli.dumps import dump

VERBS = (
    ["info"],
    ["stalls"],
    ["show"],
    ["report", "-o", "-"],
    ["export", "--to", "csv"],
    ["export", "--to", "csv", "--table", "records"],
)
Captured = pytest.CaptureFixture[str]


def put(folder: Path, content: bytes, name: str = "run.npt") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def failure(arguments: list[str], capsys: Captured) -> tuple[int, str]:
    """Exit code and the one line on stderr; stdout must be empty."""
    code = run(arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert err.startswith("npuscope: ")
    return code, err


FOREIGN = {
    "text": (b"hello, this is a log file\n" * 20, "it looks like text"),
    "elf": (b"\x7fELF\x02\x01\x01" + bytes(200), "it looks like an ELF program"),
    "xz": (b"\xfd7zXZ\0" + bytes(range(200)), "it looks like xz data; unpack it first"),
    "toml": (b'[project]\nname = "x"\n', "it looks like text"),
    "random": (random.Random(1).randbytes(5000), "binary data of no format known here"),
    "zeros": (bytes(65536), "blank memory"),
    "ones": (b"\xff" * 65536, "blank memory"),
    "begin of a header page": (b"NPUSCOPE\1", "binary data of no format known here"),
    "seven bytes": (b"\x9e\xd1\x4e\x50\x53\x43\xa7", "binary data of no format known here"),
}


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_input_is_not_recognised(name: str, verb: list[str], tmp_path: Path, capsys: Captured) -> None:
    content, text = FOREIGN[name]
    code, line = failure([*verb, put(tmp_path, content)], capsys)
    assert code == Exit.NOT_RECOGNISED
    assert "run.npt: " in line
    assert text in line


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_empty_missing_and_folders(verb: list[str], tmp_path: Path, capsys: Captured) -> None:
    assert failure([*verb, put(tmp_path, b"")], capsys) == (2, f"npuscope: {tmp_path}/run.npt: the input is empty\n")
    assert failure([*verb, f"{tmp_path}/no.npt"], capsys) == (2, f"npuscope: {tmp_path}/no.npt: no such file\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder, b"notes\n", "notes.txt")
    code, line = failure([*verb, str(folder)], capsys)
    assert code == Exit.USAGE
    assert "folder: no dump in this folder: found 1 other files" in line


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    path, real = put(tmp_path, dump()), os.open

    def refuse(name: str, *rest: int, **more: int) -> int:
        if name == path:
            raise PermissionError(13, "Permission denied", name)
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert failure(["stalls", path], capsys) == (2, f"npuscope: {path}: no permission to read it\n")


def test_read_error_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    path = put(tmp_path, dump())

    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "readv", fail)
    assert failure(["stalls", path], capsys) == (2, f"npuscope: {path}: cannot be read: Input/output error\n")


@pytest.mark.parametrize("size", [1, 47, 100, 1000, 4111, 7359])
def test_truncated_is_exit_3_and_says_so(size: int, tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump()[:size])
    code = run(["stalls", "--json", path])
    out, err = capsys.readouterr()
    if size < 48:
        assert code == Exit.NOT_RECOGNISED
        assert out == ""
        return
    assert code == Exit.LOSS
    assert "no END: cut short or still being written; --allow-open accepts it\n" in err
    found = json.loads(out)
    whole = full_answer(tmp_path, capsys)
    assert sum(found["hot_ns"]) <= sum(whole["hot_ns"])
    assert found["to_ns"] <= whole["to_ns"]


def full_answer(folder: Path, capsys: Captured) -> dict[str, list[int]]:
    assert run(["stalls", "--json", put(folder, dump(), "full.npt")]) == 0
    answer: dict[str, list[int]] = json.loads(capsys.readouterr().out)
    return answer


def test_allow_open_accepts_a_clean_cut(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump(end=False))
    assert run(["stalls", path]) == Exit.LOSS
    assert run(["stalls", "--allow-open", path]) == Exit.OK
    assert "no END" in capsys.readouterr().out


def test_flipped_bits_never_end_well_nor_badly(tmp_path: Path, capsys: Captured) -> None:
    """Any flipped bit is noticed (not exit 0), survived (no traceback), and never adds stall time."""
    clean, chance = dump(), random.Random(int(os.environ.get("NPUSCOPE_SEED", "1")))
    whole = full_answer(tmp_path, capsys)
    for number in range(60):
        data = bytearray(clean)
        for _ in range(chance.choice((1, 1, 2, 20))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        code = run(["stalls", "--json", put(tmp_path, bytes(data))])
        out, err = capsys.readouterr()
        assert code in (Exit.LOSS, Exit.CONFLICT, Exit.USAGE, Exit.NOT_RECOGNISED), (number, code, err)
        assert "internal error" not in err
        assert "Traceback" not in err
        if out:
            hot = json.loads(out)["hot_ns"]
            assert all(a <= b for a, b in zip(hot, whole["hot_ns"], strict=False)), number


@pytest.mark.parametrize("word", [4, 8])
def test_swapped_bytes_are_said_and_decoded(word: int, tmp_path: Path, capsys: Captured) -> None:
    swapped = np.frombuffer(dump(), f"<u{word}").byteswap().tobytes()
    whole = full_answer(tmp_path, capsys)
    path = put(tmp_path, swapped)
    assert run(["stalls", "--json", path]) == 0
    assert json.loads(capsys.readouterr().out) == whole
    assert run(["info", path]) == 0
    assert f"bytes of each {8 * word}-bit word swapped" in capsys.readouterr().out


def sparse(folder: Path, content: bytes) -> str:
    path = put(folder, content)
    os.truncate(path, 8 << 30)
    return path


@pytest.mark.parametrize(("end", "code"), [(True, Exit.OK), (False, Exit.LOSS)])
def test_huge_sparse_dump_is_quick(end: bool, code: Exit, tmp_path: Path, capsys: Captured) -> None:
    path = sparse(tmp_path, dump(end=end))
    begun = time.process_time()
    assert run(["info", path]) == code
    assert time.process_time() - begun < 2
    out, err = capsys.readouterr()
    assert "8.6 GB" in out
    assert "blank" in out
    assert ("no END" in err) != end
    assert run(["stalls", "--json", path]) == code
    assert json.loads(capsys.readouterr().out)["hot_ns"] == full_answer(tmp_path, capsys)["hot_ns"]
    begun = time.process_time()
    assert run(["report", "-o", "-", path]) == code
    assert time.process_time() - begun < 10
    assert "<html" in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_huge_sparse_nothing(verb: list[str], tmp_path: Path, capsys: Captured) -> None:
    code, line = failure([*verb, sparse(tmp_path, b"")], capsys)
    assert code == Exit.NOT_RECOGNISED
    assert "blank" in line


def test_pipe_without_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(source, "PIPE_OPEN_S", 0.2)
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    code, line = failure(["stalls", path], capsys)
    assert code == Exit.USAGE
    assert "start its writer first" in line


@pytest.mark.parametrize(("size", "code"), [(7360, Exit.OK), (5000, Exit.LOSS)])
def test_pipe_whose_writer_ends_or_dies(size: int, code: Exit, tmp_path: Path, capsys: Captured) -> None:
    path, data = tmp_path / "pipe", dump()
    assert len(data) == 7360
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data[:size],))
    writer.start()
    assert run(["stalls", str(path)]) == code
    writer.join()
    assert "conv3" not in capsys.readouterr().err


def process(arguments: list[str], **settings: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "npuscope", *arguments], capture_output=True, timeout=60, check=False, **settings
    )


def test_stdin() -> None:
    done = process(["stalls", "-"], input=dump())
    assert (done.returncode, done.stderr) == (0, b"")
    assert process(["stalls", "-"], input=b"").stderr == b"npuscope: stdin: the input is empty\n"
    twice = process(["stalls", "-", "-"], input=dump())
    assert twice.returncode == Exit.USAGE
    assert twice.stderr.count(b"\n") == 1


def test_closed_stdin() -> None:
    shell = f'"{sys.executable}" -m npuscope stalls - <&-'
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == Exit.USAGE
    assert done.stderr.startswith("npuscope: ")
    assert done.stderr.count("\n") == 1


def test_reader_of_a_long_table_leaves(tmp_path: Path) -> None:
    path = put(tmp_path, b"".join([dump()] * 300))
    program = f'"{sys.executable}" -m npuscope export --to csv --table records "{path}"'
    shell = program + ' | head -n 1; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split("\n")[1] == "141"
    assert done.stderr == ""


def wait_until_read(pipe: int) -> None:
    """Until the reader has taken all that was written, so that it is surely at work."""
    deadline = time.monotonic() + 30
    waiting = array.array("i", [1])
    while waiting[0]:
        assert time.monotonic() < deadline, "nobody reads"
        time.sleep(0.02)
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)


IMPORTING = """
import signal, sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
sys.argv = ["npuscope", "info", "pipe"]
from npuscope.start import main
main()
"""


@pytest.mark.parametrize(
    "name", ["npuscope.cli", "npuscope.errors", "npuscope.cli.guard", "click", "numpy", "npuscope.source"]
)
def test_interrupt_while_modules_are_imported(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # nobody writes: it waits
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING.format(name=name)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background has it ignored
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("verb", [["stalls"], ["export", "--to", "csv", "--table", "records", "--force", "-o", "x"]])
def test_interrupt_has_no_traceback_and_leaves_no_file(verb: list[str], ending: int, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    (tmp_path / "x").write_text("precious")
    os.mkfifo(path)
    keep = os.open(path, os.O_RDWR)
    child = subprocess.Popen(
        [sys.executable, "-m", "npuscope", *verb, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(ending, signal.SIG_DFL),  # under nohup SIGHUP comes ignored
    )
    os.write(keep, dump()[:1000])
    wait_until_read(keep)
    child.send_signal(ending)
    out, err = child.communicate(timeout=20)
    os.close(keep)
    assert (child.returncode, out, err.strip()) == (130, b"", b"")
    assert sorted(os.listdir(tmp_path)) == ["pipe", "x"]
    assert (tmp_path / "x").read_text() == "precious"
