"""AIE traces as captures: labels from TOML and MLIR, stall lanes, the checks, and the command line."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.capture import Text
from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.aie import Tile, Unit
from npuscope.importers.aie.labels import read_labels, waits_for
from npuscope.ledger import Cause
from tests.importers.test_aie import CORE, packets, start, text

Captured = pytest.CaptureFixture[str]
LABELS = """
[[unit]]
unit = "core"
row = 2
column = 0
slots = ["LOCK_STALL", "STREAM_STALL", 75, "INSTR_VECTOR"]
words = { PORT_RUNNING_0 = 30 }
[[unit]]
unit = "shim"
row = 0
column = 0
slots = ["", "DMA_S2MM_0_STREAM_STARVATION"]
"""
# core: lock stall 10..11 (short), 20..60, stream stall 100..131, port running 30 cycles; shim starved 5..11
CORE_DATA = start(1000) + b"\x09" + b"\x09\x00\xd8\x26" + b"\x84\x28\x10\xd8\x1d" + b"\x29\x20\xd8\x1c\x31"
SHIM_DATA = start(1000) + b"\x14\x10\xe4" + b"\x64"


def dump(path: Path, **options: int) -> Path:
    words = packets((CORE, CORE_DATA), ((2, 0, 1), SHIM_DATA))
    path.write_bytes(text([*words, *[0] * 8]))
    return path


def run(arguments: list[str], capsys: Captured) -> tuple[int, str, str]:
    code = cli.run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "labels.toml").write_text(LABELS)
    return dump(tmp_path / "trace.txt")


def test_stall_slots_are_lanes(trace: Path) -> None:
    capture = npuscope.open(trace, text=Text(map=trace.parent / "labels.toml", clock_period_ps=2000))
    timeline = capture.timeline
    names = [buffer.name for buffer in timeline.description.buffers]
    assert names == ["core(2,1) LOCK_STALL", "core(2,1) STREAM_STALL", "shim(0,1) DMA_S2MM_0_STREAM_STARVATION"]
    assert timeline.hot[0].true.tolist() == [[2040, 2120]]  # 1020..1060 at 2 ns; the stall of one cycle is traffic
    assert timeline.hot[1].true.tolist() == [[2200, 2262]]
    assert timeline.dry[2].true.tolist() == [[2010, 2022]]
    assert timeline.hot[2].true.tolist() == []
    notes = capture.ledger.notes
    assert "core(2,1) PORT_RUNNING_0: 30 words moved, as expected" in notes
    assert "1 lock stalls under 2 cycles are normal traffic, left out" in notes
    assert any("the only shift that fits" in note for note in notes)
    assert capture.stalls().verdict.startswith("Stage lock of core(2,1) (in front of it: core(2,1) LOCK_STALL) causes")


def test_the_floor_is_an_option(trace: Path) -> None:
    (trace.parent / "labels.toml").write_text("floor = 0\n" + LABELS)
    capture = npuscope.open(trace, text=Text(map=trace.parent / "labels.toml"))
    assert len(capture.timeline.hot[0].true) == 2


def test_words_that_do_not_agree_are_a_conflict(trace: Path, capsys: Captured) -> None:
    labels = trace.parent / "labels.toml"
    labels.write_text(LABELS.replace("= 30 }", "= 31 }"))
    code, _, err = run(["info", str(trace), "--map", str(labels)], capsys)
    assert code == Exit.CONFLICT
    assert "30 words moved, 31 expected" in err


def test_a_full_buffer_is_not_whole(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "trace.txt"
    path.write_bytes(text(packets((CORE, CORE_DATA))))
    code, _, err = run(["info", str(path)], capsys)
    assert code == Exit.LOSS
    assert "the buffer is full: capture stopped there" in err
    assert run(["info", str(path), "--allow-open"], capsys)[0] == 0


def test_a_dropped_packet_makes_what_it_may_concern_unknown(tmp_path: Path) -> None:
    words = packets((CORE, start(100) + b"\x19" * 76), ((2, 0, 1), start(100) + b"\x19" * 10))
    words[16] ^= 1 << 16  # the second packet of the core
    path = tmp_path / "trace.txt"
    path.write_bytes(text([*words, *[0] * 8]))
    (tmp_path / "labels.toml").write_text(
        '[[unit]]\nunit = "core"\nrow = 2\ncolumn = 1\nslots = ["", "STREAM_STALL"]\n'
        '[[unit]]\nunit = "shim"\nrow = 0\ncolumn = 1\nslots = ["", "PORT_STALLED_0"]\n'
    )
    capture = npuscope.open(path, text=Text(map=tmp_path / "labels.toml"))
    hot = capture.timeline.hot[0]
    assert len(hot.true) == 20  # those of its first packet
    assert hot.unknown.tolist() == [[301, capture.timeline.end_ns]]
    assert len(capture.timeline.hot[1].true) == 10  # all told before the packet that is lost
    assert [window.cause for window in capture.ledger.windows] == [Cause.DAMAGE]
    assert capture.ledger.bad == 8 * 9


def test_without_labels_nobody_is_blamed(trace: Path, capsys: Captured) -> None:
    code, out, err = run(["stalls", str(trace)], capsys)
    assert (code, out, err.count("\n")) == (Exit.USAGE, "", 1)
    assert "which slots are stalls is not known; give --map" in err
    code, out, _ = run(["show", str(trace)], capsys)
    assert code == 0
    assert "core(2,1) slot 0" in out


def test_names_spans_and_a_proposal(trace: Path, tmp_path: Path, capsys: Captured) -> None:
    labels = str(trace.parent / "labels.toml")
    code, out, _ = run(["signals", str(trace), "--map", labels], capsys)
    assert code == 0
    assert out.splitlines()[3].split() == ["core(2,1)", "PORT_RUNNING_0", "1", "30"]
    code, out, _ = run(["signals", str(trace), "--map", labels, "--values", "--json"], capsys)
    fact = json.loads(out)
    (core, shim) = fact["tiles"]
    assert (core["unit"], core["row"], core["column"], core["start_timers"]) == ("core", 2, 1, [1000])
    assert core["slots"][0]["values"] == [[10, 11, False], [20, 60, False]]
    assert shim["slots"][0]["label"] == "DMA_S2MM_0_STREAM_STARVATION"
    assert run(["signals", str(trace), "--propose", "-o", str(tmp_path / "new.toml")], capsys)[0] == 0
    tiles = [Tile(Unit.CORE, 2, 1), Tile(Unit.SHIM, 0, 1)]
    assert set(read_labels(str(tmp_path / "new.toml"), tiles).slots) == {(Unit.CORE, 2, 1), (Unit.SHIM, 0, 1)}


@pytest.mark.parametrize(
    "write",
    [
        "aiex.npu.write32 {{address = {a} : ui32, column = {c} : i32, row = {r} : i32, value = {v} : ui32}}",
        '"aiex.npu.write32"() {{row = {r} : i32, address = {a} : ui32, value = {v} : i32, column = {c}}} : () -> ()',
        '"aiex.npu.write32"() <{{address = {a} : ui32, value = {v} : ui32, column = {c}, row = {r}}}> : () -> ()',
        "aiex.npu.write32 {{ address = 0x{a:x} , value = 0x{v:x}, column = {c} : i32,\n   row = {r} : i32 }}",
    ],
)
def test_labels_from_register_writes(write: str, tmp_path: Path) -> None:
    places = [
        (0x340E0, 2, [33, 37, 75, 26]), (0x340E4, 2, [44, 0, 24, 250]), (0x140E0, 2, [35, 0, 0, 0]),
        (0x340E0, 0, [79, 0, 0, 0]), (0x940E4, 1, [0, 0, 0, 81]),
    ]  # fmt: skip
    lines = [write.format(a=a, c=0, r=r, v=int.from_bytes(bytes(v), "little")) for a, r, v in places]
    path = tmp_path / "design.mlir"
    path.write_text(
        "module {\n aie.device(npu1) {\n// " + lines[0].replace("33", "1") + "\n" + "\n".join(lines) + "\n}}\n"
    )
    tiles = [Tile(Unit.CORE, 2, 3), Tile(Unit.CORE_MEMORY, 2, 3), Tile(Unit.SHIM, 0, 3), Tile(Unit.MEMTILE, 1, 3)]
    labels = read_labels(str(path), tiles)
    found = [[labels.name(tile, slot) for slot in range(8)] for tile in tiles]
    assert found[0] == [
        "INSTR_EVENT_0", "INSTR_VECTOR", "PORT_RUNNING_0", "LOCK_STALL",
        "INSTR_LOCK_ACQUIRE_REQ", None, "STREAM_STALL", "event 250",
    ]  # fmt: skip
    assert found[1][0] == "DMA_S2MM_0_STREAM_STARVATION"
    assert found[2][0] == "PORT_STALLED_0"
    assert found[3] == [None] * 7 + ["PORT_STALLED_0"]
    assert labels.notes == ["columns of the design + 3 = columns of the trace, the only shift that fits"]


def test_labels_from_a_trace_block(tmp_path: Path) -> None:
    path = tmp_path / "design.mlir"
    path.write_text(
        "aie.device(npu1_1col) {\n  %t = aie.tile(1, 2)\n  %m = aie.tile(1, 1)\n"
        '  aie.trace @one(%t) {\n    aie.trace.packet id=1 type="mem"\n'
        '    aie.trace.event<"DMA_MM2S_0_STALLED_LOCK"> label="x"\n    aie.trace.event<"LOCK_STALL">\n  }\n'
        '  aie.trace @two(%m) {\n    aie.trace.event<"PORT_STALLED_1">\n  }\n}\n'
    )
    labels = read_labels(str(path), [Tile(Unit.MEMTILE, 1, 1)])
    assert labels.slots[Unit.CORE_MEMORY, 2, 1][:3] == ["DMA_MM2S_0_STALLED_LOCK", "LOCK_STALL", None]
    assert labels.slots[Unit.MEMTILE, 1, 1][0] == "PORT_STALLED_1"


def test_what_a_stall_waits_for() -> None:
    names = ["LOCK_STALL", "PORT_STALLED_3", "DMA_S2MM_0_STALLED_LOCK", "DMA_MM2S_1_STREAM_BACKPRESSURE", "slot 2"]
    assert [waits_for(name) for name in names] == [
        "lock", "port 3", "lock of DMA_S2MM_0", "stream of DMA_MM2S_1", "slot 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        ("x = 1\n", "the label file is wrong: found 'x'"),
        ("", "the labels name no unit"),
        ("[[unit]]\nunit = 3\n", "unit is wrong"),
        ('[[unit]]\nunit = "core"\nrow = 40\ncolumn = 0\nslots = []\n', "row is wrong"),
        ('[[unit]]\nunit = "core"\nrow = 2\ncolumn = 0\nslots = 3\n', "slots is wrong"),
        ('[[unit]]\nunit = "core"\nrow = 2\ncolumn = 0\nslots = []\nwords = { A = 1 }\n', "words of a label"),
        ('[[unit]]\nunit = "core"\nrow = 2\ncolumn = 0\nslots = []\n' * 2, "core(2,0) is labelled twice"),
        ("[[unit\n", "the label file is no TOML"),
        ("module { aie.device(npu1) { } }\n", "no trace event in this MLIR"),
    ],
)
def test_wrong_labels_are_one_line(labels: str, what: str, trace: Path, capsys: Captured) -> None:
    (trace.parent / "labels.toml").write_text(labels)
    code, out, err = run(["stalls", str(trace), "--map", str(trace.parent / "labels.toml")], capsys)
    assert (code, out, err.count("\n")) == (Exit.USAGE, "", 1)
    assert what in err


@pytest.mark.parametrize("verb", ["info", "stalls", "show", "report", "signals"])
def test_execution_mode_is_refused_with_its_reason(verb: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "trace.txt"
    path.write_bytes(text(packets((CORE, start(0, mode=2) + b"\x20"))))
    code, out, err = run([verb, str(path)], capsys)
    assert (code, out, err.count("\n")) == (Exit.USAGE, "", 1)
    assert "execution trace is not supported" in err


def test_raw_words_are_recognised(trace: Path, tmp_path: Path, capsys: Captured) -> None:
    words = packets((CORE, CORE_DATA), ((2, 0, 1), SHIM_DATA))
    path = tmp_path / "trace.bin"
    path.write_bytes(b"".join(word.to_bytes(4, "little") for word in [*words, *[0] * 8]))
    assert run(["signals", str(path), "--values"], capsys)[1] == run(["signals", str(trace), "--values"], capsys)[1]


def test_two_traces_are_not_one_capture(trace: Path, tmp_path: Path) -> None:
    other = dump(tmp_path / "other.txt")
    with pytest.raises(NpuscopeError, match="more than one AIE trace"):
        _ = npuscope.open([trace, other]).timeline
