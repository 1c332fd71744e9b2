"""Waveforms on the command line: names, a proposed mapping, and the verbs on what it maps."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from npuscope import cli
from npuscope.errors import Exit
from tests.importers.test_waves import HEAD

Captured = pytest.CaptureFixture[str]
BODY = "#0\nb0 a\nb0 b\n0v\n0r\n#10\nb1111 b\n#20\nb1111 a\n#50\nb0 b\n#60\nb0 a\n#100\n1v\n"


def run(arguments: list[str], capsys: Captured) -> tuple[int, str, str]:
    code = cli.run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def wave(tmp_path: Path) -> Path:
    path = tmp_path / "run.vcd"
    path.write_text(HEAD + BODY)
    return path


def test_from_names_to_verdict(wave: Path, tmp_path: Path, capsys: Captured) -> None:
    code, out, _ = run(["signals", str(wave), "--match", "*level"], capsys)
    assert (code, out.splitlines()[1:]) == (0, ["tb.q0_level  wire     5", "tb.q1_level  wire     5"])
    assert (
        run(["signals", str(wave), "--match", "*level", "--propose", "-o", str(tmp_path / "map.toml")], capsys)[0] == 0
    )
    code, out, err = run(["stalls", str(wave), "--map", str(tmp_path / "map.toml")], capsys)
    assert (code, err) == (0, "")
    assert out.startswith("Sink (in front of it: b1) causes 100.0 % of 80 ns stall time in 2 of 2 buffers")
    code, out, _ = run(["info", str(wave), "--map", str(tmp_path / "map.toml"), "--json"], capsys)
    fact = json.loads(out)
    assert (code, fact["format"], fact["bytes"]) == (0, "VCD waveform", wave.stat().st_size)


def test_names_as_json(wave: Path, capsys: Captured) -> None:
    fact = json.loads(run(["signals", str(wave), "--json"], capsys)[1])
    assert fact["unit_ps"] == "1000"
    assert fact["signals"][0] == {"name": "tb.clk", "kind": "wire", "bits": 1}


def test_a_cut_waveform_is_exit_3_unless_open_is_allowed(wave: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "map.toml").write_text('[[layer]]\nlevel = "tb.q{layer}_level"\ndepth = 16\n')
    wave.write_text(HEAD + BODY + "b11")
    arguments = ["stalls", str(wave), "--map", str(tmp_path / "map.toml")]
    assert run(arguments, capsys)[0] == Exit.LOSS
    assert run([*arguments, "--allow-open"], capsys)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["stalls", "run.vcd"], Exit.USAGE, "a waveform needs a mapping of its signals to layers; give --map"),
        (["signals", "run.vcd", "--match", "x*"], Exit.USAGE, "no signal matches: found x*"),
        (["signals", "run.vcd", "--match", "tb.clk", "--propose"], Exit.USAGE, "no pair *valid/*ready and no *level"),
        (["signals", "text.txt"], Exit.NOT_RECOGNISED, "text"),
        (["signals", "none.vcd"], Exit.USAGE, "none.vcd"),
        (["stalls", "run.vcd", "--format", "npt1"], Exit.NOT_RECOGNISED, "a VCD waveform"),
        (["stalls", "run.vcd", "--map", "none.toml"], Exit.USAGE, "cannot read the mapping"),
    ],
)
def test_mistakes_are_one_line(
    wave: Path, arguments: list[str], code: Exit, what: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(wave.parent)
    Path("text.txt").write_text("hello\n")
    found, out, err = run(arguments, capsys)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert what in err
