"""CSV of logic analysers: radix, windows, texts, cut rows; buses in bits are joined."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.capture import Text
from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.formats import WAVES, open_waveform
from npuscope.importers.waveform import Facts, Joined
from npuscope.ledger import Cause
from npuscope.source import open_source
from npuscope.views.signals import signal_values

Captured = pytest.CaptureFixture[str]
ILA = """Sample in Buffer,Sample in Window,TRIGGER,u/layer[7:0],u/valid,u/ready,u/state,u/sum[11:0],u/wide[69:0]
Radix - UNSIGNED,UNSIGNED,UNSIGNED,HEX,HEX,HEX,ENUM,SIGNED,BINARY
0,0,0,0f,0,1,"IDLE",5,0
1,1,1,1x,1,1,"RUN, FAST",-2,1
2,2,0,z0,1,0,"RUN, FAST",-2,1
3,0,0,10,1,0,"IDLE",-2,x
4,1,1,10,0,0,"IDLE",7,1
"""
SCOPE = "valid,ready,level,\n1,1,3,\n" + "0, 1, 000, \n1, 1, 001, \n1, 0, 111, \nx, 1, 010, \n"


def read(path: Path, data: str | bytes) -> tuple[dict[str, list[tuple[int, str]]], Facts]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with open_source(path, accept=WAVES) as source:
        wave = open_waveform(source)
        signals = wave.signals(wave.variables)
        return {name: signal_values(signal) for name, signal in signals.items()}, wave.facts()


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: text.replace("Radix - UNSIGNED", '"Radix - UNSIGNED"').replace("TRIGGER", '"TRIGGER"').encode(),
        lambda text: text.encode()[:-1],
    ],
)
def test_ila_radix_windows_and_texts(dress: object, tmp_path: Path) -> None:
    found, facts = read(tmp_path / "ila.csv", dress(ILA))  # type: ignore[operator]
    assert found["u/layer"] == [(0, "1111"), (1, "0001xxxx"), (2, "zzzz0000"), (4, "10000")]
    assert found["u/valid"] == [(0, "0"), (1, "1"), (4, "1"), (5, "0")]  # told again behind the gap
    assert found["u/state"] == [(0, "IDLE"), (1, "RUN, FAST"), (4, "IDLE")]
    assert found["u/sum"] == [(0, "101"), (1, "111111111110"), (4, "111111111110"), (5, "111")]
    assert found["u/wide"] == [(0, "0"), (1, "1"), (4, "0" * 69 + "x"), (5, "1")]
    assert facts.gaps == [(3, 4)]
    assert (facts.first, facts.last, facts.changes, facts.whole) == (0, 6, 5, True)
    assert facts.notes == ["2 windows: how long it was between them is not known, shown as one sample"]


def test_rows_that_are_missing_are_a_gap(tmp_path: Path) -> None:
    """By the numbers of the samples; a row that was left out for its length is not missing as well."""
    head = "Sample in Buffer,Sample in Window,TRIGGER,v\nRadix - UNSIGNED,UNSIGNED,HEX,HEX\n"
    found, facts = read(tmp_path / "ila.csv", head + "0,0,0,1\n1,1,0,1\n2,2\n3,3,0,1\n9,9,0,1\n10,10,0,0\n")
    assert found["v"] == [(0, "1"), (3, "1"), (9, "1"), (10, "0")]
    assert facts.gaps == [(2, 3), (4, 9)]
    assert facts.unknown == {"row of another length": 1, "missing row": 5}
    assert facts.notes[1] == "line 7 is sample 9 of its window: 5 rows before it are missing"


def test_litescope_widths_and_x(tmp_path: Path) -> None:
    found, facts = read(tmp_path / "dump.csv", SCOPE)
    assert found["level"] == [(0, "0"), (1, "1"), (2, "111"), (3, "10")]
    assert found["valid"] == [(0, "0"), (1, "1"), (3, "x")]
    assert facts.whole


@pytest.mark.parametrize("cut", ["5,2,0,1", "5,2,0,1,1"])
def test_a_cut_last_row_is_left_out_and_told(cut: str, tmp_path: Path) -> None:
    found, facts = read(tmp_path / "ila.csv", ILA + cut)
    assert found["u/valid"][-1] == (5, "0")
    assert facts.cut == (len(ILA), f"row {cut!r} at the end is cut")
    assert not facts.whole


def test_a_row_of_another_length_is_a_gap(tmp_path: Path) -> None:
    found, facts = read(tmp_path / "ila.csv", ILA.replace("1,1,1,1x,", "1,1,1x,"))
    assert facts.gaps == [(1, 2), (3, 4)]
    assert facts.unknown == {"row of another length": 1}
    assert found["u/state"][1] == (2, "RUN, FAST")


def test_a_capture_of_samples(tmp_path: Path, capsys: Captured) -> None:
    path, mapping = tmp_path / "ila.csv", tmp_path / "map.toml"
    path.write_text(ILA)
    mapping.write_text('[[layer]]\nlayer = 1\nvalid = "u/valid"\nready = "u/ready"\n')
    capture = npuscope.open(path, text=Text(map=mapping, clock_period_ps=4000))
    assert capture.timeline.hot[0].true.tolist() == [[8, 12], [16, 20]]
    assert capture.timeline.hot[0].unknown.tolist() == [[12, 16]]
    assert [window.cause for window in capture.ledger.windows] == [Cause.NOT_RECORDED]
    for verb in (["info"], ["stalls"], ["show"], ["export", "--to", "csv"], ["report", "-o", str(tmp_path / "r.html")]):
        assert cli.run([*verb, str(path), "--map", str(mapping), "--clock-period", "4ns"]) == Exit.LOSS, verb
        assert "where" not in capsys.readouterr().err or verb


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (ILA.split("0,0,0")[0], "no sample in it"),
        (ILA.replace(",HEX,HEX,HEX", ",HEX,HEX"), "the radix row does not fit the names"),
        (SCOPE.replace("1,1,3", "1,1,99999999999999999999"), "no row of widths"),
        (SCOPE + "1,\r0", None),
    ],
)
def test_what_is_no_export_is_refused(data: str, what: str | None, tmp_path: Path) -> None:
    if what is None:  # read, but for the row that is cut
        assert read(tmp_path / "ila.csv", data)[1].changes >= 4
        return
    with pytest.raises(NpuscopeError, match=what):
        read(tmp_path / "ila.csv", data)


def test_a_text_is_no_level(tmp_path: Path) -> None:
    path, mapping = tmp_path / "ila.csv", tmp_path / "map.toml"
    path.write_text(ILA)
    mapping.write_text('[[layer]]\nlayer = 1\nlevel = "u/state"\ndepth = 3\n')
    with pytest.raises(NpuscopeError, match="no number of bits: found u/state is text"):
        _ = npuscope.open(path, text=Text(map=mapping)).timeline


BITS = """$timescale 1ns $end
$var wire 1 ! q [0] $end
$var wire 1 " q [2] $end
$var wire 1 # q [1] $end
$var wire 1 $ one [3] $end
$var wire 1 % gap [0] $end
$var wire 1 & gap [2] $end
$enddefinitions $end
#0
1!
0"
#5
x#
#7
1#
1"
#9
z!
"""


def test_a_bus_in_bits_is_joined(tmp_path: Path) -> None:
    found, _ = read(tmp_path / "bits.vcd", BITS)
    assert found["q"] == [(0, "0x1"), (5, "0x1"), (7, "111"), (9, "11z")]
    assert "q[2]" in found
    assert "one" not in found
    assert "gap" not in found


def test_a_joined_bus_over_a_word(tmp_path: Path) -> None:
    head = "".join(f"$var wire 1 i{i} w [{i}] $end\n" for i in range(70))
    body = "#0\n" + "".join(f"{int(i in (0, 64, 69))}i{i}\n" for i in range(70))
    found, _ = read(tmp_path / "bits.vcd", head + "$enddefinitions $end\n" + body)
    assert found["w"] == [(0, f"{1 | 1 << 64 | 1 << 69:b}")]


def test_the_vcd_of_an_ila_has_gaps(tmp_path: Path) -> None:
    text = (
        "$timescale 1ps $end\n$var reg 1 ! u/valid [0:0] $end\n$var reg 1 # _WINDOW $end\n$var reg 1 $ _GAP $end\n"
        "$enddefinitions $end\n#0\n0!\n0#\n0$\n#3\n1$\nx!\n#4\n0$\n1!\n#6\n0!\n"
    )
    path = tmp_path / "ila.vcd"
    path.write_text(text)
    with open_source(path, accept=WAVES) as source:
        wave: Joined = open_waveform(source)
        assert wave.unit_ps is None
        wave.signals(["u/valid[0]"])
        assert wave.facts().gaps == [(3, 4)]
