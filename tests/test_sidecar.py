"""Kept answers are the answers of a pass, or are not used: other bytes, other times, other options, damage, races."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import npuscope
from npuscope import capture as capture_module
from npuscope import sidecar
from npuscope.cli import run
from npuscope.encode.bulk import Bulk, damage
from npuscope.errors import NpuscopeError
from npuscope.sidecar import SUFFIX
from npuscope.timeline import Timeline
from tests.cli.dumps import dump, toml

Captured = pytest.CaptureFixture[str]
LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def small_inputs_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecar, "WORTH_BYTES", 0)
    monkeypatch.setattr(sidecar, "SHARE", 1e-6)


def put(folder: Path, data: bytes, name: str = "run.npt") -> Path:
    path = folder / name
    path.write_bytes(data)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def sidecars(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if SUFFIX in path.name)


def asked(path: Path, *, cache: bool = True, blame_only: bool = True) -> tuple[str, str, bool]:
    """The timeline and the ledger as text, and whether there was no pass."""
    with mock.patch.object(Timeline, "build", side_effect=Timeline.build) as build:
        capture = npuscope.open(path, blame_only=blame_only, cache=cache)
        timeline = capture.timeline
        return repr(timeline.to_json()), repr(capture.ledger.to_json()), not build.called


VERBS = [
    ["stalls"],
    ["stalls", "--json"],
    ["stalls", "--by", "episode", "--json"],
    ["stalls", "--window", "20us..90us"],
    ["stalls", "-v"],
    ["info", "-v"],
    ["show"],
    ["show", "--around", "ep:3"],
    ["export", "--to", "csv", "--table", "episodes"],
    ["export", "--to", "csv", "--table", "stalls"],
    ["export", "--to", "vcd"],
    ["export", "--to", "perfetto"],
    ["report"],
    ["tokens", "--json"],
    ["jitter", "--json"],
    ["jitter", "--window", "ep:0..ep:1", "--json"],
    ["export", "--to", "csv", "--table", "jitter"],
    ["export", "--to", "csv", "--table", "interrupts"],
    ["show", "--around", "token:1"],
    ["ras", "show", "--json"],
    ["ras", "check", "--json"],
]


TRACES = Path(__file__).resolve().parents[1] / "traces/synthetic"
INPUTS = {
    "graph": dump(header=True),
    "lossy": dump(header=True, lose=(100, 130)),
    "events": (TRACES / "events.npt").read_bytes(),
    "hurt": damage((TRACES / "events.npt").read_bytes(), 5),
}


@pytest.mark.parametrize("name", INPUTS)
def test_each_verb_says_the_same_with_and_without(
    name: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)  # info tells how long a pass takes
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    put(tmp_path, INPUTS[name])

    def told(verb: list[str], *more: str) -> object:
        out = ["-o", "out", "--force"] if verb[0] in ("export", "report") else []
        code = run([*verb, "run.npt", *out, *more])
        return code, *capsys.readouterr(), Path("out").read_bytes() if out else b""

    for verb in VERBS:
        plain = told(verb, "--no-cache")
        for kept in sidecars(tmp_path):
            Path(kept).unlink()
        assert told(verb) == plain, verb
        assert sidecars(tmp_path), verb
        with mock.patch("npuscope.capture.decode", side_effect=AssertionError("a pass")) as decode:
            if ("--to" in verb and verb[2] in ("perfetto", "vcd")) or verb[0] == "report":  # a pass for the occupancy
                decode.side_effect = npuscope.records.decode
            assert told(verb) == plain, verb


def test_second_pass_is_saved_and_only_for_the_same_question(tmp_path: Path) -> None:
    path = put(tmp_path, damage(Bulk(1 << 18, fronts=True).data(), 9))
    plain = asked(path, cache=False)
    assert sidecars(tmp_path) == []
    first, second = asked(path), asked(path)
    assert first == plain == (*second[:2], False)
    assert second[2]
    full = asked(path, blame_only=False)
    assert full == asked(path, blame_only=False, cache=False)
    assert asked(path, blame_only=False) == (*full[:2], True)
    assert asked(path)[2]
    os.link(path, tmp_path / "other.npt")
    assert not asked(path)[2], "its inode was changed"
    assert not asked(tmp_path / "other.npt")[2]
    (tmp_path / "graph.toml").write_text(toml())
    graph = npuscope.open(path, graph=tmp_path / "graph.toml", blame_only=True, cache=True)
    assert len(graph.timeline.hot) == 5
    assert len(npuscope.open(path, blame_only=True, cache=True).timeline.hot) == 48


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0" * 16)


def touched(path: Path) -> None:
    os.utime(path, (LONG_AGO + 5, LONG_AGO + 5))


def rewritten_in_place_with_its_old_time(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3 + 7] ^= 1
    path.write_bytes(data)
    os.utime(path, (LONG_AGO, LONG_AGO))


def replaced_by_a_copy(path: Path) -> None:
    shutil.copy2(path, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").rename(path)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


@pytest.mark.parametrize("change", [grown, touched, rewritten_in_place_with_its_old_time, replaced_by_a_copy, cut])
def test_changed_input_is_read_again(change: Callable[[Path], None], tmp_path: Path) -> None:
    path = put(tmp_path, Bulk(1 << 17).data())
    asked(path)
    assert asked(path)[2]
    change(path)
    assert asked(path) == asked(path, cache=False)


def test_nothing_is_kept_of_an_input_that_is_still_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, Bulk(1 << 17).data())
    os.utime(path)
    asked(path)
    assert sidecars(tmp_path) == []
    touched(path)
    whole = capture_module.Capture._timeline

    def growing(self: npuscope.Capture) -> Timeline:
        found = whole(self)
        grown(path)
        touched(path)
        return found

    monkeypatch.setattr(capture_module.Capture, "_timeline", growing)
    asked(path)
    assert sidecars(tmp_path) == []


def test_another_program_does_not_believe_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    (package / "records").mkdir(parents=True)
    (package / "sidecar.py").write_text("one")
    monkeypatch.setattr(sidecar, "__file__", str(package / "sidecar.py"))
    path = put(tmp_path, Bulk(1 << 16).data())
    asked(path)
    assert asked(path)[2]
    (package / "records" / "decoder.py").write_text("new")
    assert not asked(path)[2]


def test_damaged_sidecar_is_noted_and_replaced(tmp_path: Path) -> None:
    path = put(tmp_path, Bulk(1 << 16).data())
    plain = asked(path, cache=False)
    asked(path)
    kept = tmp_path / sidecars(tmp_path)[0]
    whole, rng = kept.read_bytes(), random.Random(1)
    bodies = [b"", whole[:7], whole[:30], whole[:-1], whole + b"\0", b"PK\3\4" * 99]
    for _ in range(12):
        flipped = bytearray(whole)
        flipped[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        bodies.append(bytes(flipped))
    for body in bodies:
        kept.write_bytes(body)
        timeline, ledger, saved = asked(path)
        assert (timeline, saved) == (plain[0], False)
        assert f"{kept} is damaged and was not used" in ledger
        assert kept.read_bytes() == whole
    assert asked(path) == (*plain[:2], True)


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    path = put(tmp_path, Bulk(1 << 16).data())
    asked(path)
    kept = tmp_path / sidecars(tmp_path)[0]
    kept.unlink()
    os.mkfifo(kept)
    assert asked(path)[2] is False
    assert kept.is_file()  # a sidecar took its place


@pytest.mark.parametrize("name", ["x" * 250, "run.npt"])
def test_folder_without_room_for_it_is_no_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, Bulk(1 << 16).data(), name)
    if name == "run.npt":  # the disk is full when it is written; nothing is left behind
        monkeypatch.setattr(os, "replace", mock.Mock(side_effect=OSError(28, "No space left on device")))
    assert asked(path) == asked(path, cache=False)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_errors_are_the_same_and_keep_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, bytes(random.Random(3).randbytes(50_000)))
    with pytest.raises(NpuscopeError):
        asked(path)
    assert sidecars(tmp_path) == []


def test_runs_that_meet_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = put(tmp_path, Bulk(1 << 18, fronts=True).data())
    program = (
        "import sys, npuscope; from npuscope import sidecar; sidecar.WORTH_BYTES, sidecar.SHARE = 0, 1e-6\n"
        "for _ in range(9):\n"
        " print(hash(repr(npuscope.open(sys.argv[1], blame_only=True, cache=True).timeline.to_json())))"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program, path],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        for _ in range(3)
    ]
    told = [job.communicate()[0].split() for job in runs]
    assert [len(set(lines)) for lines in told] == [1, 1, 1]
    assert len({lines[0] for lines in told}) == 1
    assert sidecars(tmp_path) == [f"run.npt.blame{SUFFIX}"]


def test_folder_of_dumps_with_sidecars_is_the_same_capture(tmp_path: Path) -> None:
    data = Bulk(1 << 17).data()
    for number, part in enumerate((data[:50_000], data[50_000:])):
        put(tmp_path, part, f"part{number}.npt")
    plain = asked(tmp_path, cache=False)
    assert asked(tmp_path) == plain
    assert asked(tmp_path) == (*plain[:2], True)
    assert len(sidecars(tmp_path)) == 1


def test_kept_episodes_may_be_written_to_like_others(tmp_path: Path) -> None:
    path = put(tmp_path, Bulk(1 << 16).data())
    asked(path)
    capture = npuscope.open(path, blame_only=True, cache=True)
    capture.episodes["peak"][:] = 1
    assert np.asarray(capture.episodes["peak"]).all()
