"""``npuscope ras show`` and ``ras check``: text, JSON, exit codes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from npuscope.cli import run
from npuscope.encode import Entry
from npuscope.errors import Exit
from npuscope.layout import SRC_RAS, RasClass, Severity
from npuscope.units import width
from tests.cli.dumps import dump as plain_dump
from tests.tables.dumps import START, pulse, ras, writer
from tests.tables.mapper import dump, story

Captured = pytest.CaptureFixture[str]


def events() -> list[Entry]:
    return [
        pulse(START + 1_000, 5),
        ras(START + 2_000, RasClass.ENABLED, count=0),
        ras(START + 3_000, RasClass.R, severity=Severity.CORRECTED, syndrome=50, count=1),
        pulse(START + 3_000, 50 << 16),
        ras(START + 3_100, RasClass.ACK, count=0, first=0),
        ras(START + 3_500, RasClass.RENEG_DONE, count=0, first=0),
        ras(START + 4_000, RasClass.A, severity=Severity.RECOVERABLE, syndrome=-200, count=31, overflow=1),
        pulse(START + 4_000, -200 << 16),
        ras(START + 4_200, RasClass.A, severity=Severity.RECOVERABLE, injected=1, count=31, overflow=1),
        ras(START + 5_000, RasClass.REDUNDANCY_EXHAUSTED, severity=Severity.FATAL, syndrome=300),
        pulse(START + 5_000, 300 << 16),
        ras(START + 9_000, RasClass.DISABLED, count=0, first=0),
    ]


def written(entries: list[Entry], lose: tuple[int, int] | None = None) -> bytes:
    made = writer()
    for index, entry in enumerate(entries):
        if lose is not None and index == lose[0]:
            made.drop(SRC_RAS, [e for e in entries[slice(*lose)] if e.src == SRC_RAS])
        if lose is None or not (lose[0] <= index < lose[1] and entry.src == SRC_RAS):
            made.offer(entry)
    made.flush()
    return made.data()


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("run.npt").write_bytes(written(events()))
    return "run.npt"


def text(arguments: list[str], capsys: Captured, code: int = 0) -> tuple[str, str]:
    assert run(arguments) == code, capsys.readouterr()
    return capsys.readouterr()


def parsed(arguments: list[str], capsys: Captured, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text([*arguments, "--json"], capsys, code)[0])
    return found


# ---------------------------------------------------------------- show
def test_show_lists_the_events_and_what_was_watched(good: str, capsys: Captured) -> None:
    out, err = text(["ras", "show", good], capsys)
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "RAS: 1 R reliability, 2 A availability, 1 redundancy exhausted, 1 of them injected."
    assert "watching   77.8 % of 9.001 us" in lines
    assert "samples    100.0 % of 4 sync pulses valid; only those are judged" in lines
    assert any(line.startswith("limits     R over 12.500 us, A over 40.000 us") for line in lines)
    assert "beside it  not monitored here: host logs, links, memory errors" in lines
    (row,) = [line.split() for line in lines if "R reliability" in line and "12.800" in line]
    assert row[:5] == ["3.000", "us", "R", "reliability", "corrected"]
    assert any(">=31" in line and "-51.200 us" in line for line in lines)
    assert any("crc renegotiation" in line for line in lines)
    assert any("injected" in line and "4.200 us" in line for line in lines)
    assert lines[-1] == "look: npuscope show run.npt --around 3000ns"
    assert max(map(width, lines[1:])) <= 80


def test_show_json(good: str, capsys: Captured) -> None:
    found = parsed(["ras", "show", good], capsys)
    assert list(found) == [
        "schema", "files", "origin_tai_ns", "window_ns", "trust", "coverage", "limits", "counts", "injected", "events",
        "events_not_listed",
    ]  # fmt: skip
    assert found["schema"] == 1
    assert found["coverage"]["disabled_ns"] == 1
    assert found["coverage"]["watched_ns"] == 7_000
    assert found["coverage"]["unknown_ns"] == 2_000
    assert found["coverage"]["not_monitored"] == ["host logs", "links", "memory errors"]
    assert found["limits"]["r_limit"] == 12_500 * 256
    assert found["events"][1] == {
        "at_ns": 3_000, "tai_ns": START + 3_000, "class": "r", "severity": "corrected", "count": 1,
        "count_is_lower_bound": False, "first": True, "injected": False, "unit": 0, "syndrome": 50,
        "jitter_ns": 12_800, "may_miss_before": False,
    }  # fmt: skip
    assert {"class": "redundancy_exhausted", "severity": "fatal", "records": 1} in found["counts"]
    assert (found["injected"], found["events_not_listed"]) == (1, 0)


def test_show_by_severity_top_and_window(good: str, capsys: Captured) -> None:
    assert [e["class"] for e in parsed(["ras", "show", good, "--severity", "recoverable"], capsys)["events"]] == [
        "a", "a", "redundancy_exhausted",
    ]  # fmt: skip
    out, _ = text(["ras", "show", good, "--top", "2"], capsys)
    assert "6 more records, see --top and --json" in out
    found = parsed(["ras", "show", good, "--window", "3us..4us"], capsys)
    assert [e["class"] for e in found["events"]] == ["r", "ack", "reneg_done"]
    assert found["coverage"]["watched_ns"] == 1_000
    assert found["window_ns"] == [3_000, 4_000]


def test_silence_is_told_apart_from_not_monitored(tmp_path: Path, capsys: Captured) -> None:
    plain = tmp_path / "plain.npt"
    plain.write_bytes(plain_dump())
    assert "no RAS mapper; that is not the same as no errors" in text(["ras", "show", str(plain)], capsys)[0]
    quiet = tmp_path / "quiet.npt"
    quiet.write_bytes(written([pulse(START + 1_000 + 100 * i, 3) for i in range(9)]))
    out, _ = text(["ras", "show", str(quiet)], capsys)
    assert out.startswith("RAS: no fault told; the mapper is known to have been watching 0.0 % of the time.")
    watching = tmp_path / "watching.npt"
    watching.write_bytes(written([ras(START, RasClass.ENABLED, count=0), pulse(START + 1_000, 3)]))
    assert "watching all the time" in text(["ras", "show", str(watching)], capsys)[0]


def test_a_loss_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "lossy.npt"
    path.write_bytes(written(events(), lose=(4, 7)))
    assert run(["ras", "show", str(path)]) == Exit.LOSS
    out, _ = capsys.readouterr()
    assert "at least 1 A availability" in out.splitlines()[0]
    assert "gap before, injected" in out
    assert "lost       3 RAS records" in out


# ---------------------------------------------------------------- check
def put(folder: Path, data: bytes) -> str:
    path = folder / "run.npt"
    path.write_bytes(data)
    return str(path)


def test_check_agrees(tmp_path: Path, capsys: Captured) -> None:
    made = story(5, change=False)
    out, err = text(["ras", "check", put(tmp_path, dump(made.entries))], capsys)
    assert err == ""
    first = out.splitlines()[0]
    assert "decisions agree, none disagrees" in first
    assert f"of {made.samples} samples judged" in first
    assert "not comparable" in out
    assert max(map(width, out.splitlines()[1:])) <= 80
    found = parsed(["ras", "check", str(tmp_path / "run.npt")], capsys)
    assert list(found) == [
        "schema", "files", "origin_tai_ns", "trust", "samples", "judged", "injected", "decisions", "disagreements",
        "listed",
    ]  # fmt: skip
    assert found["disagreements"] == 0
    assert found["decisions"]["r"]["agree"] > 0


def test_check_shows_a_disagreement_and_fails(tmp_path: Path, capsys: Captured) -> None:
    made = story(5, change=False, inject=False)
    kinds = [i for i in made.decisions if made.entries[i].payload >> 5 & 31 == RasClass.S]
    gone = kinds[len(kinds) // 2]
    path = put(tmp_path, dump([e for i, e in enumerate(made.entries) if i != gone]))
    out, err = text(["ras", "check", path], capsys, Exit.CHECK_FAILED)
    assert "2 disagree" in out.splitlines()[0]  # the next one counts two more than the one before
    assert "S serviceability: by the rules it fires, but it was not told (jitter " in out
    assert "look: npuscope show " in out
    assert err == "npuscope: 2 decisions of the RAS mapper disagree with the rules\n"
    found = parsed(["ras", "check", path, "-q"], capsys, Exit.CHECK_FAILED)
    assert found["listed"][0]["at_ns"] == made.entries[gone].ts - START
    assert found["listed"][0]["class"] == "s"


def test_check_with_loss_says_not_comparable_and_exits_for_the_loss(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump(story(5).entries, [(100, 140)]))
    out, err = text(["ras", "check", path], capsys, Exit.LOSS)
    assert "none disagrees" in out.splitlines()[0]
    assert "not comparable" in out.splitlines()[0]
    assert "records lost" in err


def test_nothing_to_compare_cannot_test(tmp_path: Path, capsys: Captured) -> None:
    out, _ = text(["ras", "check", put(tmp_path, plain_dump())], capsys, Exit.CANNOT_TEST)
    assert out.startswith("RAS check: nothing to compare, no sync pulses in the dump.")


def test_check_refuses_a_window_and_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.chdir(tmp_path)
    data = dump(story(5).entries)
    _, err = text(["ras", "check", put(tmp_path, data), "--window", "1us..2us"], capsys, Exit.USAGE)
    assert "leave the window out" in err
    os.mkfifo("pipe")
    feeder = threading.Thread(target=lambda: Path("pipe").write_bytes(data))
    feeder.start()
    _, err = text(["ras", "check", "pipe"], capsys, Exit.USAGE)
    feeder.join()
    assert "a pipe can be read only once" in err


def test_defaults_from_the_file_reach_both(good: str, capsys: Captured) -> None:
    Path("npuscope.toml").write_text("quiet = true\n[ras]\nseverity = 'fatal'\n")
    assert [e["class"] for e in parsed(["ras", "show", good], capsys)["events"]] == ["redundancy_exhausted"]
    assert run(["ras", "check", good]) == Exit.CHECK_FAILED
    assert capsys.readouterr().err == ""


def test_the_group_has_help(capsys: Captured) -> None:
    out, _ = text(["ras", "--help"], capsys)
    assert "show" in out
    assert "check" in out
    assert run(["ras", "chek", "x"]) == Exit.USAGE
    assert "No such command 'chek'" in capsys.readouterr().err
