"""Results appear whole or not at all, and replace nothing by accident."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from npuscope.cli.output import check_output, open_output
from npuscope.errors import NpuscopeError
from tests.cli import dumps


def test_file_appears_whole_with_the_umask(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    old = os.umask(0o027)
    try:
        with open_output(str(target), False) as sink:
            sink.write("läyer\n")
            assert not target.exists()
    finally:
        os.umask(old)
    assert target.read_bytes() == "läyer\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_nothing_is_left_when_writing_fails(tmp_path: Path) -> None:
    def fail() -> None:
        with open_output(str(tmp_path / "out.txt"), False) as sink:
            sink.write("half")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        fail()
    assert os.listdir(tmp_path) == []


def test_existing_file_is_kept_without_force(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(NpuscopeError, match="output exists; use --force to replace it"):
        check_output(str(target), False)
    with pytest.raises(NpuscopeError, match="output exists"), open_output(str(target), False) as sink:
        sink.write("new")
    assert target.read_text() == "old"
    with open_output(str(target), True) as sink:
        sink.write("new")
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_an_input_is_never_replaced_even_with_force(tmp_path: Path) -> None:
    dump = tmp_path / "run.npt"
    dump.write_bytes(b"precious")
    os.link(dump, tmp_path / "alias.npt")
    with pytest.raises(NpuscopeError, match="output is one of the inputs"):
        check_output(str(tmp_path / "alias.npt"), True, [str(dump)])


@pytest.mark.parametrize(("name", "text"), [(".", "output is a folder"), ("no/such.txt", "folder of the output")])
def test_places_that_cannot_be(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(NpuscopeError, match=text):
        check_output(str(tmp_path / name), True)


def test_an_output_that_cannot_be_written_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    path = "/proc/out.txt"  # root may write anywhere but there
    check_output(path, False)
    with pytest.raises(NpuscopeError, match=r"^/proc/out.txt: cannot be written: "), open_output(path, False) as sink:
        sink.write("x")
    with (
        pytest.raises(NpuscopeError, match=r"^/dev/full: cannot be written: No space"),
        open_output("/dev/full", False) as sink,
    ):
        sink.write("x")
    long = str(tmp_path / ("n" * 250))
    with open_output(long, False) as sink:
        sink.write("x")
    assert os.listdir(tmp_path) == ["n" * 250]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_told(unbuffered: str, tmp_path: Path) -> None:
    """RLIMIT_FSIZE stands for it: a first part is taken, then nothing more."""
    dump = tmp_path / "run.npt"
    dump.write_bytes(dumps.dump())
    for output in ("- > cut", "cut"):
        shell = f'trap "" XFSZ; ulimit -f 8; exec "{sys.executable}" -m npuscope report "{dump}" -o {output}'
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(
            ["bash", "-c", shell], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        name = "stdout" if output.startswith("-") else "cut"
        assert (done.returncode, done.stderr) == (2, f"npuscope: {name}: cannot be written: File too large\n")
        (tmp_path / "cut").unlink(missing_ok=True)
        assert os.listdir(tmp_path) == ["run.npt"]


def test_a_folder_without_permission_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(NpuscopeError, match=r"out.txt: no permission to write there"):
        check_output(str(tmp_path / "out.txt"), False)


def test_devices_are_written_in_place() -> None:
    check_output("/dev/null", False)
    with open_output("/dev/null", False) as sink:
        sink.write("gone")
    assert not stat.S_ISREG(os.stat("/dev/null").st_mode)
