"""The benchmark's own parts: the peer's trace holds the same records, and a missing peer is said."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from npuscope import bench, bench_waves
from npuscope.encode.bulk import Bulk
from npuscope.importers.aie import read_aie
from npuscope.importers.formats import WAVES, open_waveform
from npuscope.layout import FRAME_RECORDS, RECORD
from npuscope.records import decode
from npuscope.source import open_source


def test_ctf_trace_holds_the_records_of_the_dump(tmp_path: Path) -> None:
    dump = tmp_path / "bulk.npt"
    with dump.open("wb") as out:
        out.writelines(Bulk(1 << 16))
    count = bench.write_ctf(dump, tmp_path / "ctf")
    with open_source(dump) as source:
        raw = np.concatenate([batch.raw for batch in decode(source)])
    assert count == len(raw)
    data, events, place = (tmp_path / "ctf/stream").read_bytes(), [], 0
    while place < len(data):
        packet = np.frombuffer(data, bench.CTF_PACKET, 1, place)[0]
        assert packet["magic"] == bench.CTF_MAGIC
        size = int(packet["size"]) // 8
        assert size <= bench.CTF_PACKET.itemsize + FRAME_RECORDS * RECORD.itemsize
        events.append(np.frombuffer(data[place + bench.CTF_PACKET.itemsize : place + size], RECORD))
        place += size
    written = np.concatenate(events)
    assert (np.diff(written["ts"].astype(np.int64)) >= 0).all()
    for name in ("kindsub", "srctq", "seq", "crc8", "payload"):
        assert (written[name] == raw[name]).all()


def test_missing_peer_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert bench.main([]) == 1
    assert capsys.readouterr().err == "babeltrace2 is missing: sudo apt-get install -y babeltrace2\n"


def test_the_foreign_dumps_are_read_alike_by_the_peers(tmp_path: Path) -> None:
    path = tmp_path / "small.vcd"
    bench_waves.write_vcd(path, 200_000)
    with open_source(path, accept=WAVES) as source, open_source(path, accept=WAVES) as again:
        mine = open_waveform(source).signals(bench_waves.WANTED)
        theirs = open_waveform(again, "pywellen").signals(bench_waves.WANTED)
    for name, signal in mine.items():
        new = np.append(True, signal.value[1:, 0] != signal.value[:-1, 0])  # pywellen leaves out what stays the same
        assert np.count_nonzero(new) > 5
        assert (signal.time[new] == theirs[name].time).all()
        assert (signal.value[new] == theirs[name].value).all()
    trace = read_aie(bench_waves.write_aie(1), "trace")
    assert [(len(tile.starts), len(tile.spans) > 1000, tile.unknown) for tile in trace.tiles] == [(1, True, 0)]
    assert not trace.notes


def test_table_says_what_is_missed() -> None:
    lines = [bench.Line("copy", 10.0, "GB/CPU-s"), bench.Line("columns", 1.0, "GB/CPU-s", 1.2)]
    assert "10.00%  1.2 MISSED; as a share of copy 13.3% MISSED" in bench.table(lines)
    lines.append(bench.Line("table", 1.8, "GB/CPU-s", 1.6))
    assert "18.00%  1.6 met; as a share of copy 17.8% met" in bench.table(lines)
