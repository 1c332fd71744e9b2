"""Legacy ``$fwrite`` text through the verbs: units and sample period are asked, never guessed in silence."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from npuscope.cli import run
from npuscope.errors import Exit
from tests.cli.dumps import dump

Captured = pytest.CaptureFixture[str]
CLEAN = "time,layer_id,backpressure_en\n100,1,1\n105,1,1\n110,1,1\n110,0,1\n115,0,0\n120,0,1\n300,2,1\n305,2,1\n"


@pytest.fixture
def clean(tmp_path: Path) -> str:
    path = tmp_path / "sim.txt"
    path.write_text(CLEAN)
    return str(path)


def test_samples_become_episodes_by_the_sample_period(clean: str, capsys: Captured) -> None:
    options = ["--time-unit", "1ns", "--sample-period", "10ns"]
    assert run(["export", "--to", "csv", clean, *options]) == 0
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["layer"], row["start_ns"], row["end_ns"]) for row in found] == [
        ("1", "0", "20"),
        ("0", "10", "30"),
        ("2", "200", "215"),
    ]
    assert run(["stalls", "--json", clean, *options]) == 0
    assert json.loads(capsys.readouterr().out)["hot_ns"] == [20, 20, 15]


def test_without_a_period_no_end_is_invented(clean: str, capsys: Captured) -> None:
    assert run(["stalls", "--json", clean, "--time-unit", "1ns"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["hot_ns"] == [0, 0, 0]
    assert found["coverage"] == [0, 0, 0]


def test_a_unit_that_is_not_given_is_said(clean: str, capsys: Captured) -> None:
    assert run(["info", clean]) == 0
    out, err = capsys.readouterr()
    assert "$fwrite text" in out
    assert "8 samples" in out
    assert "text has no END; its last line is whole" in out
    assert "times      in ticks: how long one is was not told; see --time-unit" in out
    assert "lasts      205 ticks" in out
    assert err == ""
    assert run(["info", clean, "--time-unit", "10ps"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "lasts      2 ns" in out


@pytest.mark.parametrize(
    ("extra", "code", "text"),
    [
        ("310,2,x\n", Exit.LOSS, "1 x line with x or z"),
        ("31,2,1315,2,1\n320,1,1\n", Exit.LOSS, "14 B are no record"),
        ("310,2", Exit.LOSS, "its last line is cut"),
    ],
)
def test_lines_that_are_no_sample_are_told(extra: str, code: Exit, text: str, clean: str, capsys: Captured) -> None:
    Path(clean).write_text(CLEAN + extra)
    assert run(["info", clean, "--time-unit", "1ns"]) == code
    out, err = capsys.readouterr()
    assert text in out
    assert "npuscope: " in err


def test_time_that_goes_back_is_an_error_or_a_restart(clean: str, capsys: Captured) -> None:
    Path(clean).write_text(CLEAN + "5,1,1\n")
    assert run(["stalls", clean, "--time-unit", "1ns"]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "line 10: time goes back: found 5 ns after 305 ns" in err
    assert err.count("\n") == 1
    assert run(["stalls", clean, "--time-unit", "1ns", "--allow-backwards", "-q"]) == Exit.LOSS
    assert "2 runs, 1 restart" in capsys.readouterr().out


def test_the_format_may_be_forced(clean: str, tmp_path: Path, capsys: Captured) -> None:
    binary = tmp_path / "run.npt"
    binary.write_bytes(dump())
    assert run(["info", "--format", "npt1", clean]) == Exit.NOT_RECOGNISED
    assert "it looks like $fwrite text" in capsys.readouterr().err
    assert run(["info", "--format", "text", str(binary)]) == Exit.NOT_RECOGNISED
    assert "not $fwrite text" in capsys.readouterr().err
    assert run(["info", "--format", "text", "--time-unit", "1ns", clean]) == 0
    assert run(["info", "--format", "npt1", str(binary)]) == 0
    assert run(["stalls", "--time-unit", "soon", clean]) == Exit.USAGE
    assert "not a time: found 'soon'" in capsys.readouterr().err
