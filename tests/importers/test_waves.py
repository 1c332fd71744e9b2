"""Waveforms as captures: levels and handshakes become the lanes that the signals say, no more."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.analysis import stalls
from npuscope.description import Description
from npuscope.encode.mirror import BpLimits
from npuscope.errors import NpuscopeError
from npuscope.importers.levels import UNKNOWN, layer_rows
from npuscope.importers.mapping import Mapping, propose
from npuscope.importers.vcd import VcdReader
from npuscope.importers.waves import WaveReader
from npuscope.layout import BpSub, Kind
from npuscope.ledger import Cause
from npuscope.timeline import Timeline
from tests.importers.test_vcd import Memory

HEAD = """$timescale 1ns $end
$scope module tb $end
$var wire 1 ! clk $end
$var wire 5 a q0_level [4:0] $end
$var wire 5 b q1_level [4:0] $end
$var wire 1 v l_valid $end
$var wire 1 r l_ready $end
$upscope $end
$enddefinitions $end
"""


def reader(tmp_path: Path, body: str, mapping: str, **options: int) -> WaveReader:
    vcd = VcdReader(Memory((HEAD + body).encode()))
    path = tmp_path / "map.toml"
    path.write_text(mapping)
    return WaveReader(vcd, Mapping.from_toml(str(path), vcd.variables), **options)


def lanes(wave: WaveReader, description: Description | None = None) -> Timeline:
    return Timeline.build(list(wave), wave.ledger, description)


LEVELS = '[[layer]]\nlevel = "tb.q{layer}_level"\ndepth = 16\n'


def test_levels_with_hysteresis_and_dry(tmp_path: Path) -> None:
    body = "#0\nb0 a\nb0 b\n#10\nb1110 a\n#20\nb1101 a\n#30\nb1011 a\n#40\nb1 a\n#50\nb0 a\n#60\nb10001 b\n#70\n"
    wave = reader(tmp_path, body, LEVELS)
    timeline = lanes(wave)
    assert timeline.hot[0].true.tolist() == [[10, 30]]  # 14/16 = 56 on, 11/16 = 44 off
    assert timeline.dry[0].true.tolist() == [[0, 10], [50, 70]]
    assert timeline.hot[1].true.tolist() == [[60, 70]]
    (episode,) = timeline.episodes[timeline.episodes["buffer"] == 0]
    assert (episode["start"], episode["end"], episode["peak"]) == (10, 30, 56)
    assert wave.ledger.end_seen
    assert not wave.ledger.notes


def test_handshakes_are_read_just_before_the_clock(tmp_path: Path) -> None:
    mapping = 'clock = "tb.clk"\n[[layer]]\nlayer = 2\nvalid = "tb.l_valid"\nready = "tb.l_ready"\n'
    body = "#0\n0!\n1v\n0r\n#5\n1!\n0v\n1r\n#10\n0!\n#15\n1!\n1v\n#20\n0!\n#25\n1!\n0v\n0r\n#30\n0!\n#35\n1!\n"
    timeline = lanes(reader(tmp_path, body, mapping))
    (buffer,) = timeline.description.buffers
    assert buffer.layer == 2
    assert timeline.hot[0].true.tolist() == [[5, 15]]  # valid, not ready, at the edge at 5
    assert timeline.dry[0].true.tolist() == [[15, 25]]  # ready, not valid, at the edge at 15
    assert timeline.end_ns == 35


def test_x_is_unknown_until_the_layer_is_told_again(tmp_path: Path) -> None:
    body = "#0\nb0 a\nb1111 b\n#10\nbx a\n#15\nbx b\n#20\nb0 a\n#30\nb1111 b\n#40\nb0 b\n"
    timeline = lanes(reader(tmp_path, body, LEVELS))
    assert timeline.hot[0].unknown.tolist() == [[10, 20]]
    assert timeline.hot[1].unknown.tolist() == [[15, 30]]
    assert timeline.hot[1].true.tolist() == [[0, 15], [30, 40]]


def test_dumpoff_is_a_window_not_recorded(tmp_path: Path) -> None:
    body = "#0\nb0 a\nb0 b\n#10\n$dumpoff\n$end\n#20\n$dumpon\nb0 a\nb0 b\n$end\n#30\nb1 a\n"
    wave = reader(tmp_path, body, LEVELS)
    timeline = lanes(wave)
    assert [(w.from_ns, w.to_ns, w.cause) for w in wave.ledger.windows] == [(10, 20, Cause.NOT_RECORDED)]
    assert timeline.hot[0].unknown.tolist() == [[10, 20]]
    assert timeline.dry[1].true.tolist() == [[0, 10], [20, 30]]


def test_a_cut_file_is_not_whole_and_balances(tmp_path: Path) -> None:
    wave = reader(tmp_path, "#0\nb0 a\nb0 b\n#10\nb11", LEVELS)
    lanes(wave)
    assert not wave.ledger.end_seen
    assert (wave.ledger.tail, wave.ledger.accounted()) == (3, wave.ledger.total)


@pytest.mark.parametrize(
    ("unit", "option", "expected"), [("10ps", None, 0), ("1us", None, 10_000), ("", None, 10), ("1ns", 2000, 20)]
)
def test_time_units(tmp_path: Path, unit: str, option: int | None, expected: int) -> None:
    head = HEAD.replace("$timescale 1ns $end", f"$timescale {unit} $end" if unit else "")
    vcd = VcdReader(Memory((head + "#0\nb0 a\nb0 b\n#10\nb1111 a\n#20\nb0 a\n").encode()))
    path = tmp_path / "map.toml"
    path.write_text(LEVELS)
    wave = WaveReader(vcd, Mapping.from_toml(str(path), vcd.variables), time_unit_ps=option)
    rows = list(wave)
    enter = [
        int(t) for b in rows for t, k, s in zip(b.ts, b.kind, b.sub, strict=True) if (k, s) == (Kind.BP, BpSub.ENTER)
    ]
    assert enter == [expected]
    assert wave.ledger.time_unit == ("ns" if unit else "tick")


def test_the_graph_names_the_culprit(tmp_path: Path) -> None:
    graph = tmp_path / "graph.toml"
    graph.write_text(
        '[[buffer]]\nsrc = 0\nlayer = 0\nproducer = "load"\nconsumer = "mul"\n'
        '[[buffer]]\nsrc = 0\nlayer = 1\nproducer = "mul"\nconsumer = "store"\n'
    )
    body = "#0\nb0 a\nb0 b\n#10\nb1111 b\n#20\nb1111 a\n#50\nb0 b\n#60\nb0 a\n#100\nb1 a\n"
    description = Description.from_toml(graph)
    found = stalls(lanes(reader(tmp_path, body, LEVELS), description), description)
    assert found.rows[0].name == "store" if hasattr(found.rows[0], "name") else "store" in found.verdict


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = 1\n", "the mapping is wrong: found 'x'"),
        ("[[layer\n", "the mapping is no TOML"),
        ('clock = "tb.nope"\n' + LEVELS, "the clock is no signal"),
        ('edge = "up"\n' + LEVELS, "edge is wrong"),
        ("", "the mapping has no layer"),
        ('[[layer]]\nlayer = 0\nlevel = "tb.q0_level"\n', "depth is wrong"),
        ('[[layer]]\nlayer = 0\nvalid = "tb.l_valid"\n', "takes level and depth, or valid and ready"),
        ('[[layer]]\nlayer = 40\nlevel = "tb.q0_level"\ndepth = 4\n', "layer is wrong"),
        ('[[layer]]\nlevel = "tb.z{layer}"\ndepth = 4\n', "no signal matches"),
        ('[[layer]]\nlayer = 0\nlevel = "tb.q*_level"\ndepth = 4\n', "2 signals match"),
        (LEVELS + '[[layer]]\nlayer = 1\nlevel = "tb.q0_level"\ndepth = 4\n', "mapped twice"),
        ('[[layer]]\nlayer = 0\nlevel = "tb.q{layer}_level"\ndepth = 4\n', "say the same thing"),
        ('[[layer]]\nlayer = 0\nlevl = "tb.q0_level"\n', "layer is wrong"),
    ],
)
def test_a_wrong_mapping_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(NpuscopeError, match=what):
        reader(tmp_path, "#0\n", text)


def test_no_mapping_file(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="cannot read the mapping"):
        Mapping.from_toml(str(tmp_path / "none.toml"), [])


def test_a_clock_without_edge_is_told(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="the clock has no edge"):
        list(reader(tmp_path, "#0\n0!\nb0 a\nb0 b\n", 'clock = "tb.clk"\n' + LEVELS))


def test_a_proposal_is_a_mapping(tmp_path: Path) -> None:
    vcd = VcdReader(Memory((HEAD + "#0\n").encode()))
    text = propose({name: variable.width for name, variable in vcd.variables.items()})
    path = tmp_path / "map.toml"
    path.write_text(text)
    mapping = Mapping.from_toml(str(path), vcd.variables)
    assert mapping.clock == "tb.clk"
    assert [layer.names for layer in mapping.layers] == [
        ("tb.l_valid", "tb.l_ready"),
        ("tb.q0_level",),
        ("tb.q1_level",),
    ]
    assert propose({"tb.x": 1}) == ""


@settings(deadline=None)
@given(levels=st.lists(st.sampled_from([UNKNOWN, 0, 1, 3, 4, 20, 47, 48, 55, 56, 63]), min_size=1, max_size=30))
def test_rows_follow_the_rules_one_by_one(levels: list[int]) -> None:
    limits = BpLimits()
    hot: bool | None = None
    dry: bool | None = None
    expected = []
    start = peak = 0
    for time, level in enumerate(levels):
        if level == UNKNOWN:
            if hot is not None:
                expected.append((time, "unknown"))
            hot = dry = None
            continue
        was, told = hot, len(expected)
        if level >= limits.th_on:
            hot = True
        elif hot is None or level < limits.th_off:
            hot = False
        if hot and not was:
            expected.append((time, "ENTER", level))
            start, peak = time, 0
        peak = max(peak, level)
        if was and not hot:
            expected.append((time, "EXIT", peak, (time - start) >> limits.k))
        if was is None and not hot:
            expected.append((time, "KNOWN"))
        before = dry
        if level == 0:
            dry = True
        elif dry is None or level >= limits.th_wet:
            dry = False
        if len(expected) == told and dry != before:
            expected.append((time, "DRY" if dry else "WET"))
    rows = layer_rows(np.arange(len(levels)), np.array(levels), 5, limits)
    found = []
    for time, kind, sub, payload in zip(
        *(c.tolist() for c in (rows.time, rows.kind, rows.sub, rows.payload)), strict=True
    ):
        if kind == Kind.STATE:
            assert payload == 1 << 5
            found.append((time, "unknown"))
            continue
        assert payload & 31 == 5
        extra = {BpSub.ENTER: (payload >> 12 & 63,), BpSub.EXIT: (payload >> 12 & 63, payload >> 18)}.get(
            BpSub(sub), ()
        )
        found.append((time, BpSub(sub).name, *extra))
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_a_time_that_goes_back_is_another_simulation_behind_the_first(tmp_path: Path) -> None:
    body = "#0\n0!\n1v\n0r\n#5\n1!\n#10\n0!\n" + "#0\n0!\n#5\n1!\n#7\n0v\n1r\n#10\n0!\n#15\n1!\n#20\n"
    vcd = VcdReader(Memory((HEAD + body).encode()), allow_backwards=True)
    path = tmp_path / "map.toml"
    path.write_text('clock = "tb.clk"\n[[layer]]\nlayer = 2\nvalid = "tb.l_valid"\nready = "tb.l_ready"\n')
    wave = WaveReader(vcd, Mapping.from_toml(str(path), vcd.variables))
    timeline = lanes(wave)
    assert timeline.hot[0].true.tolist() == [[5, 11]]
    assert timeline.hot[0].unknown.tolist() == [[0, 5], [11, 27]]  # not told again before its edge at 15
    assert timeline.dry[0].true.tolist() == [[27, 32]]
    assert [(w.from_ns, w.to_ns, w.cause) for w in wave.ledger.windows] == [(11, 12, Cause.RESTART)]
    assert (wave.ledger.runs, wave.ledger.restarts) == (2, 1)
    assert wave.ledger.notes == [
        "time goes back to 0: another simulation, put at 12 ns; what lies between is not known"
    ]


def test_what_is_not_recorded_is_unknown_from_its_first_count_on(tmp_path: Path) -> None:
    mapping = 'clock = "tb.clk"\n[[layer]]\nlayer = 2\nvalid = "tb.l_valid"\nready = "tb.l_ready"\n'
    body = "#0\n0!\n1v\n0r\n#5\n1!\n#7\n$dumpoff\nx!\nxv\nxr\n$end\n#50\n$dumpon\n0!\n1v\n0r\n$end\n#55\n1!\n#60\n"
    timeline = lanes(reader(tmp_path, body, mapping))
    assert timeline.hot[0].true.tolist() == [[5, 7], [55, 60]]
    assert timeline.hot[0].unknown.tolist() == [[0, 5], [7, 55]]
