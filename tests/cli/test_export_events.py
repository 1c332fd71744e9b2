"""``npuscope export --table jitter/ras/tokens/interrupts``: every row, integers, empty where nothing is known."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import npuscope
from npuscope.cli import run
from npuscope.views.event_csv import TABLES
from tests.tables.dumps import START
from tests.views.test_events import dump

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "run.npt").write_bytes(dump())
    return str(tmp_path / "run.npt")


def exported(path: str, table: str, capsys: Captured, *more: str) -> list[dict[str, str]]:
    assert run(["export", path, "--to", "csv", "--table", table, "--allow-loss", "100", *more]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert all(tuple(row) == TABLES[table] and None not in row.values() for row in rows)
    return rows


def test_every_row_is_there(path: str, capsys: Captured) -> None:
    capture = npuscope.open(path)
    jitter = exported(path, "jitter", capsys)
    assert [int(row["tai_ns"]) for row in jitter] == capture.jitter["ts"].tolist()
    assert [int(row["start_ns"]) for row in jitter] == (capture.jitter["time"] - START).tolist()
    good = [row for row in jitter if row["sub"] == "ok"]
    assert [int(row["jitter_256ns"]) for row in good] == capture.jitter["jitter"][capture.jitter["sub"] == 0].tolist()
    assert {row["jitter_256ns"] for row in jitter if row["sub"] == "unlocked"} == {""}
    assert [row["break_before"] for row in jitter].count("loss") == 1
    events = exported(path, "ras", capsys)
    assert [row["class"] for row in events] == ["a", "ack", "redundancy_exhausted", "enabled"]
    assert [row["severity"] for row in events] == ["recoverable", "informational", "fatal", "informational"]
    tokens = exported(path, "tokens", capsys)
    assert [int(row["token"]) for row in tokens] == capture.arrivals["token"].tolist()
    assert tokens[0]["gap_ns"] == ""
    assert tokens[0]["no_gap"] == "start"
    assert tokens[1]["gap_ns"] == "80"
    assert [row["cause"] for row in tokens if row["how"] == "interrupt"] == ["eos"]
    (stop,) = exported(path, "interrupts", capsys)
    assert (stop["token"], stop["cause"], stop["complete"], stop["words"], stop["free"]) == (
        "200",
        "eos",
        "1",
        "3",
        "70",
    )
    assert [stop[f"word{i}"] for i in range(3)] == [str(word) for word in capture.interrupts["context"][0][:3]]
    assert stop["word3"] == ""


def test_a_window_cuts_them(path: str, capsys: Captured) -> None:
    rows = exported(path, "tokens", capsys, "--window", "1us..2us")
    assert [int(row["start_ns"]) for row in rows] == list(range(1_040, 2_000, 80))
