"""Other readers behind our interface: the same reading, their faults contained."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from npuscope import cli
from npuscope.cli import options
from npuscope.errors import Exit, NpuscopeError
from npuscope.importers import backends, formats
from npuscope.importers.formats import WAVES, open_waveform
from npuscope.source import open_source
from npuscope.views.signals import signal_values
from tests.importers.test_vcd import BODY, HEAD

Captured = pytest.CaptureFixture[str]
FIXTURES = Path(__file__).parent / "fixtures"


def read(path: Path, backend: str | None = None) -> dict[str, list[tuple[int, str]]]:
    with open_source(path, accept=WAVES) as source:
        wave = open_waveform(source, backend)
        return {name: signal_values(signal) for name, signal in wave.signals(wave.variables).items()}


def test_the_names_on_the_command_line_are_those_here() -> None:
    assert options.BACKENDS == formats.BACKENDS
    assert set(WAVES) < set(options.FORMATS)


@pytest.mark.parametrize("packed", [False, True])
def test_fst(packed: bool, tmp_path: Path) -> None:
    data = (FIXTURES / "tiny.fst").read_bytes()
    path = tmp_path / "t.fst"
    path.write_bytes(gzip.compress(data) if packed else data)
    found = read(path)
    assert found["t.q"][:3] == [(0, "0"), (5, "1"), (15, "10")]
    assert found["t.z"] == [(0, "xxxx"), (33, "10z1")]
    assert found["t.r"] == [(0, "1.5"), (33, "2.25")]
    assert found["t.clk"][-1] == (60, "0")


def test_ghw(capsys: Captured) -> None:
    found = read(FIXTURES / "tiny.ghw")
    assert found["t.valid"][:3] == [(0, "x"), (5_000_000, "0"), (15_000_000, "1")]
    assert found["t.level"][1] == (5_000_000, "1")
    assert cli.run(["signals", str(FIXTURES / "tiny.ghw"), "--propose"]) == 0
    out = capsys.readouterr().out
    assert 'valid = "t.valid"' in out
    assert 'clock = "t.clk"' in out


def test_the_verbs_on_fst(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "map.toml").write_text('clock = "t.clk"\n[[layer]]\nlayer = 0\nlevel = "t.q"\ndepth = 4\n')
    path = str(FIXTURES / "tiny.fst")
    assert cli.run(["stalls", path, "--map", str(tmp_path / "map.toml")]) == 0
    assert "in 1 of 1 buffers" in capsys.readouterr().out


@pytest.mark.parametrize("backend", ["own", "vcdvcd", "pywellen"])
def test_every_reader_of_vcd_agrees_on_a_plain_one(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "t.vcd"
    path.write_text(HEAD + BODY)
    assert read(path, backend) == read(path)


@pytest.mark.parametrize(
    ("data", "backend", "what"),
    [
        ((FIXTURES / "tiny.fst").read_bytes()[:500], None, "pywellen cannot read it"),
        ((FIXTURES / "tiny.ghw").read_bytes()[:100], None, "pywellen cannot read it"),
        ((FIXTURES / "tiny.fst").read_bytes(), "own", "own does not read fst"),
        ((HEAD + "#0\n" + "b1\n" * 3).encode(), "vcdvcd", "vcdvcd cannot read it"),
    ],
)
def test_a_fault_is_one_line_and_nothing_on_stdout(
    data: bytes, backend: str | None, what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.wave"
    path.write_bytes(data)
    arguments = ["signals", str(path), "--values", *(["--backend", backend] if backend else [])]
    assert cli.run(arguments) == Exit.USAGE
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert what in err


def test_what_a_reader_prints_and_panics_with_is_contained(capfd: pytest.CaptureFixture[str]) -> None:
    class Panic(BaseException):
        pass

    def noisy() -> None:
        os.write(1, b"on stdout")
        print("more", flush=True)
        os.write(2, b"on stderr")
        raise Panic("it\nbroke")

    with (
        pytest.raises(NpuscopeError, match="x: noisy cannot read it: found it broke"),
        backends._contained("x", "noisy"),
    ):
        noisy()
    print("after", flush=True)
    assert capfd.readouterr() == ("after\n", "")


def test_a_reader_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywellen", None)
    with pytest.raises(NpuscopeError, match=r"pywellen is not installed; pip install .*npuscope\[wave\]"):
        read(FIXTURES / "tiny.fst")
