"""Perfetto, Parquet and VCD, each read back by somebody else's reader and compared with the capture."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
import pywellen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
from vcdvcd import VCDVCD

import npuscope
from npuscope.cli import run
from npuscope.errors import Exit
from npuscope.intervals import contains, total
from npuscope.views.protobuf import Template, number, text, weave
from tests.views.test_events import dump as events_dump

LOSSY = "traces/simulated/transformer_block_lossy.npt"
Captured = pytest.CaptureFixture[str]
Event = tuple[int, Any]


def exported(source: str, to: str, target: Path, *more: str) -> Path:
    assert run(["export", source, "--to", to, "-o", str(target), "-q", *more]) == Exit.LOSS
    return target


@pytest.fixture(scope="module")
def lossy() -> npuscope.Capture:
    return npuscope.open(LOSSY)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = exported(LOSSY, "perfetto", tmp_path_factory.mktemp("perfetto") / "run.pftrace")
    return proto.Trace.FromString(path.read_bytes())


def names(trace: Any) -> dict[int, str]:
    return {p.track_descriptor.uuid: p.track_descriptor.name for p in trace.packet if p.HasField("track_descriptor")}


def events(trace: Any) -> dict[str, list[Event]]:
    """Events of each track in the order in which the viewer takes them: by time, equal ones as they stand."""
    found: dict[str, list[Event]] = defaultdict(list)
    tracks = names(trace)
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_event"):
            found[tracks[packet.track_event.track_uuid]].append((packet.timestamp, packet.track_event))
    return {name: sorted(events, key=lambda event: event[0]) for name, events in found.items()}


def slices(events: list[Event]) -> list[tuple[str, int, int, Any]]:
    """(name, from, to, begin event); fails if one begins before another has ended."""
    found = []
    begun: Event | None = None
    for time, event in events:
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            assert begun is None, "a slice over another"
            begun = time, event
        else:
            assert event.type == proto.TrackEvent.TYPE_SLICE_END
            assert begun is not None
            found.append((begun[1].name, begun[0], time, begun[1]))
            begun = None
    assert begun is None
    return found


def test_perfetto_has_a_lane_per_buffer_with_its_episodes_and_unknown_time(trace: Any, lossy: npuscope.Capture) -> None:
    line, told, empty = lossy.timeline, events(trace), 0
    for u, buffer in enumerate(line.description.buffers):
        found = slices(told.get(f"{buffer.name} > {buffer.drain}", []))
        mine = line.episodes[line.episodes["buffer"] == u]
        full = [(a, b) for name, a, b, _ in found if name == "full"]
        assert full == list(zip(mine["start"].tolist(), mine["end"].tolist(), strict=True))
        assert [[a, b] for name, a, b, _ in found if name == "unknown"] == line.hot[u].unknown.tolist()
        empty += sum(b - a for name, a, b, _ in found if name == "empty")
        for _, start, _, event in (s for s in found if s[0] == "full"):
            notes = {note.name: note.int_value for note in event.debug_annotations}
            row = line.episodes[notes["episode"]]
            assert (row["buffer"], row["start"], row["peak"]) == (u, start, notes["peak"])
    assert 0 < empty <= sum(total(lane.true) for lane in line.dry)


def test_perfetto_arrows_are_the_propagation(trace: Any, lossy: npuscope.Capture) -> None:
    begins, ends = {}, {}
    for packet in trace.packet:
        notes = {note.name: note.int_value for note in packet.track_event.debug_annotations}
        for flow in packet.track_event.flow_ids:
            assert flow not in begins
            begins[flow] = notes["episode"]
        for flow in packet.track_event.terminating_flow_ids:
            assert flow in begins, "an arrow begins before it ends, in the file too"
            ends[flow] = notes["episode"]
    assert begins.keys() == ends.keys()
    links = lossy.propagation.links
    drawn = {(int(p), i) for i, (p, d) in enumerate(zip(links["parent"], links["delay"], strict=True)) if p >= 0 <= d}
    assert {(begins[flow], ends[flow]) for flow in begins} == drawn
    assert len(drawn) > 50


def test_perfetto_counts_occupancy_and_shows_loss(trace: Any, lossy: npuscope.Capture) -> None:
    told = events(trace)
    for buffer, level in zip(lossy.timeline.description.buffers, lossy.occupancy(), strict=True):
        found = [(at, event.counter_value) for at, event in told[f"{buffer.name} occupancy"]]
        assert found == list(zip(level.time.tolist(), level.occ.tolist(), strict=True))
    assert sum(len(level.occ) for level in lossy.occupancy()) > 1000
    windows = [slices(told[f"lost: {name}"]) for name, _ in lossy.losses_by_source]
    assert [[[a, b] for _, a, b, _ in found] for found in windows] == [w.tolist() for _, w in lossy.losses_by_source]
    assert sum(map(len, windows)) > 0


def test_perfetto_has_tokens_ras_and_jitter(tmp_path: Path) -> None:
    (tmp_path / "run.npt").write_bytes(events_dump())
    path = exported(str(tmp_path / "run.npt"), "perfetto", tmp_path / "run.pftrace")
    capture, told = npuscope.open(tmp_path / "run.npt"), events(proto.Trace.FromString(path.read_bytes()))
    tokens = [(at, e.debug_annotations[0].int_value) for at, e in told["tokens"]]
    assert sorted(tokens) == sorted(zip(capture.tokens["time"].tolist(), capture.tokens["token"].tolist(), strict=True))
    assert {e.name for _, e in told["RAS"]} == {"A", "ACK", "REDUNDANCY_EXHAUSTED", "ENABLED"}
    jitter = [e.double_counter_value * 256 for _, e in told["sync jitter"]]
    assert jitter == capture.jitter["jitter"][np.argsort(capture.jitter["time"], kind="stable")].tolist()
    assert len(told["token interrupts"]) == len(capture.interrupts) > 0


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**64 - 1), st.booleans()), min_size=1, max_size=9))
def test_rows_are_protobuf_in_the_order_asked_for(rows: list[tuple[int, int, bool]]) -> None:
    columns = {"time": np.array([r[0] for r in rows]), "flow": np.array([r[1] for r in rows], np.uint64)}
    long = np.array([r[2] for r in rows])
    pieces = []
    for kind in (True, False):
        event = Template(number(9, 1) + text(23, "é" * 70 if kind else "x")).fixed64(47, "flow")
        whole = Template().nest(1, Template().varint(8, "time", 9).nest(11, event))
        at = np.flatnonzero(long == kind)
        if len(at):
            pieces.append((at, whole.rows(len(at), {name: column[at] for name, column in columns.items()})))
    found = proto.Trace.FromString(b"".join(weave(pieces))).packet
    assert [(p.timestamp, p.track_event.flow_ids[0], len(p.track_event.name) > 1) for p in found] == rows


def test_two_other_readers_take_the_vcd_and_see_the_lanes(tmp_path: Path, lossy: npuscope.Capture) -> None:
    path = exported(LOSSY, "vcd", tmp_path / "run.vcd")
    other, line = VCDVCD(str(path)), lossy.timeline
    signals = {var.full_name: var.tv for var in pywellen.Waveform(str(path)).all_vars()}
    times = np.arange(line.start_ns, line.end_ns, 9_973)
    for u, (buffer, level) in enumerate(zip(line.description.buffers, lossy.occupancy(), strict=True)):
        for name, lanes in (("full", line.hot), ("empty", line.dry), ("bp_en", line.bp)):
            changes = signals[f"npuscope.{buffer.name}.{name}"]
            assert [(t, str(v)) for t, v in changes] == other[f"npuscope.{buffer.name}.{name}"].tv
            place = np.searchsorted([t for t, _ in changes], times - line.start_ns, side="right") - 1
            seen = np.array([str(v) for _, v in changes])[place]
            want = np.where(
                contains(lanes[u].unknown, times), "x", contains(lanes[u].true, times).astype(int).astype(str)
            )
            assert seen.tolist() == want.tolist()
        occ = (
            other[f"npuscope.{buffer.name}.occ[5:0]"]
            if f"npuscope.{buffer.name}.occ[5:0]" in other.references_to_ids
            else other[f"npuscope.{buffer.name}.occ"]
        )
        told = {t: int(v, 2) for t, v in occ.tv if "x" not in v}
        assert set(told.items()) <= {
            (int(t) - line.start_ns, int(c)) for t, c in zip(level.time, level.occ, strict=True)
        }
        assert len(told) > len(set(level.occ.tolist())) // 2


def test_packed_input_has_its_occupancy_and_a_pipe_says_that_it_has_none(
    tmp_path: Path,
) -> None:
    data = Path(LOSSY).read_bytes()
    (tmp_path / "run.npt.gz").write_bytes(gzip.compress(data))
    packed = exported(str(tmp_path / "run.npt.gz"), "vcd", tmp_path / "packed.vcd").read_text()
    assert packed == exported(LOSSY, "vcd", tmp_path / "plain.vcd").read_text()
    command = [sys.executable, "-m", "npuscope", "export", "-", "--to", "vcd"]
    piped = subprocess.run(command, input=data, capture_output=True, check=False, timeout=300)
    assert piped.returncode == Exit.LOSS
    assert b"no occupancy: a pipe can be read only once" in piped.stderr


@pytest.mark.parametrize("table", ["episodes", "stalls", "records"])
def test_parquet_holds_the_rows_of_the_csv(table: str, tmp_path: Path, capsys: Captured) -> None:
    path = exported(LOSSY, "parquet", tmp_path / "run.parquet", "--table", table)
    assert run(["export", LOSSY, "--to", "csv", "--table", table, "-q"]) == Exit.LOSS
    want = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = pyarrow.parquet.read_table(path).to_pylist()
    assert [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in found] == want
    assert len(want) > 20


def test_parquet_of_the_event_tables(tmp_path: Path) -> None:
    (tmp_path / "run.npt").write_bytes(events_dump())
    for table in ("jitter", "ras", "tokens", "interrupts"):
        path = exported(str(tmp_path / "run.npt"), "parquet", tmp_path / f"{table}.parquet", "--table", table)
        rows = pyarrow.parquet.read_table(path)
        assert len(rows) == len(
            getattr(npuscope.open(tmp_path / "run.npt"), "arrivals" if table == "tokens" else table)
        )


def test_without_pyarrow_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run(["export", LOSSY, "--to", "parquet", "-o", "-"]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "npuscope: Parquet needs pyarrow; pip install 'npuscope[export]'\n"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--to", "vcd", "--table", "stalls"], "vcd holds the whole capture; leave --table out"),
        (["--to", "perfetto", "--window", "ep:3"], "perfetto is exported whole; leave the window out"),
    ],
)
def test_what_goes_together(options: list[str], text: str, capsys: Captured) -> None:
    assert run(["export", LOSSY, *options]) == Exit.USAGE
    assert text in capsys.readouterr().err
