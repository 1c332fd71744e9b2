"""What a decode says beside the records: runs, holes, counts, versions, byte order, places."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from npuscope.encode import Entry, SourceConfig, Writer
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import BpSub, Kind, TimeQuality
from npuscope.ledger import MAX_LISTED, Cause, Ledger, Window, Windows
from npuscope.source import header_page, open_source
from tests.records.dumps import dump, rows, run

SOURCES = [SourceConfig(layers=0b111), SourceConfig(layers=0b1)]


def writer(**options: int) -> Writer:
    made = Writer(SOURCES, start_ts=1000, **options)
    for number in range(600):
        made.bp(2000 + 10 * number, number % 2, BpSub.LEVEL, layer=0, occ=number % 64)
    return made


def put(tmp_path: Path, data: bytes, name: str = "a.npt") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def holes(path: Path) -> list[tuple[Cause, int, int]]:
    return [(hole.cause, hole.from_ns, hole.to_ns) for batch in run(path)[0] for hole in batch.holes]


def test_loss_is_told_with_its_layers_and_count(tmp_path: Path) -> None:
    made = writer()
    lost = [Entry(9000 + i, 0, Kind.BP, BpSub.LEVEL, payload=i % 2) for i in range(300)]
    made.drop(0, lost, marked=Entry(9400, 0, Kind.BP, BpSub.LEVEL, 0))
    made.flush(9500)
    ledger = run(put(tmp_path, made.data()))[1]
    assert list(ledger.windows) == [Window(0, 0b11, 9000, 9299, Cause.FIFO_FULL, 300)]
    assert (ledger.dropped, ledger.missing, ledger.sources[0].dropped) == (300, 0, 300)
    assert not ledger.conflicts


def test_missing_frames_are_exact_from_cnt(tmp_path: Path) -> None:
    """Two whole frames cut out: more than 256 records, which seq alone cannot count."""
    made = Writer(SOURCES, start_ts=1000)
    for number in range(4000):
        made.bp(2000 + 10 * number, 0, BpSub.LEVEL, layer=0, occ=1)
    made.flush(50_000)
    data = made.data()
    removed = data[8192:24576]
    path = put(tmp_path, data[:8192] + data[24576:])
    batches, ledger = run(path)
    gone = sum(removed[i + 9] & 0x3F == 0 for i in range(0, len(removed), 16))
    assert gone > 512
    assert ledger.sources[0].missing == gone
    assert ledger.exact
    found = [window for window in ledger.windows if window.cause == Cause.GAP]
    assert [window.count for window in found] == [len(removed) // 16]
    assert [hole.cause for batch in batches for hole in batch.holes] == [Cause.GAP]
    assert (ledger.bad, ledger.blank) == (0, 0)


def test_start_after_end_and_restart_without_end(tmp_path: Path) -> None:
    stopped = writer()
    stopped.flush(9000)
    stopped.start(20_000)
    stopped.flush(21_000)
    path = put(tmp_path, stopped.data())
    assert holes(path) == [(Cause.STOPPED, 8000, 21_000)]
    assert (run(path)[1].runs, run(path)[1].restarts) == (2, 0)
    lost = writer()
    lost.start(20_000)
    lost.flush(21_000)
    path = put(tmp_path, lost.data())
    assert [cause for cause, _, _ in holes(path)] == [Cause.RESTART]
    ledger = run(path)[1]
    assert (ledger.runs, ledger.restarts, ledger.missing, ledger.exact) == (2, 1, 0, True)


def test_open_frame_is_provisional(tmp_path: Path) -> None:
    data = writer().data()
    batches, ledger = run(put(tmp_path, data[:-5]))
    assert (ledger.end_seen, ledger.tail) == (False, 11)
    assert ledger.open_records == (len(data) - 5) // 16 - 512
    quality = np.concatenate([batch.quality for batch in batches])
    assert quality.tolist() == [0] * 512 + [1] * ledger.open_records


def test_a_copy_of_frames_is_refused(tmp_path: Path) -> None:
    data = dump(2, loss=False)
    path = put(tmp_path, data)
    clean = rows(run(path)[0])
    starts = [i for i in range(0, len(data), 16) if data[i : i + 4] == b"\x9e\xd1NP"]
    path.write_bytes(data[: starts[3]] + data[starts[1] : starts[3]] + data[starts[3] :])
    batches, ledger = run(path)
    assert sorted(rows(batches)) == sorted(clean)
    assert ledger.conflict_count == 1
    assert ledger.bad == starts[3] - starts[1]


def test_counters_that_contradict_are_a_conflict(tmp_path: Path) -> None:
    made = Writer(SOURCES, start_ts=1000)
    for number in range(3000):
        made.bp(2000 + 10 * number, 0, BpSub.LEVEL, layer=0, occ=1)
        if number == 1500:
            made.state.accepted[0] += 256  # 256 records that were never there; seq does not see it
    made.flush(50_000)
    ledger = run(put(tmp_path, made.data()))[1]
    assert ledger.conflict_count
    assert "256 records vanished" in ledger.conflicts[0]


def test_another_major_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npuscope.encode.stream.FORMAT_MAJOR", 2)
    path = put(tmp_path, writer().data())
    with pytest.raises(NpuscopeError, match=r"another version of the format: found 2\.0, expected 1\.x") as caught:
        run(path)
    assert caught.value.exit_code == Exit.NOT_RECOGNISED


def test_hash_of_another_description_is_refused_unless_forced(tmp_path: Path) -> None:
    made = writer(desc_hash=0x1234_5678_9ABC_DEF0)
    made.flush(9000)
    path = put(tmp_path, made.data())
    assert run(path)[1].hash == 0x1234_5678_9ABC_DEF0
    assert run(path, desc_hash=0x1234_5678_9ABC_DEF0)[1].notes == []
    for other in (0x1234_5678_9ABC_DEF1, 0xF234_5678_9ABC_DEF0):
        with pytest.raises(NpuscopeError, match="not the one this trace was made with") as caught:
            run(path, desc_hash=other)
        assert caught.value.exit_code == Exit.USAGE
        assert f"found hash {other:016x}, expected hash 123456789abcdef0; give" in str(caught.value)
        assert "was forced" in run(path, desc_hash=other, force_desc=True)[1].notes[0]


@pytest.mark.parametrize("bits", [32, 64])
def test_byte_swapped_dump_is_turned_back(bits: int, tmp_path: Path) -> None:
    data = header_page(b'{"title": "swapped"}') + dump(2)
    swapped = np.frombuffer(data, f">u{bits // 8}").astype(f"<u{bits // 8}").tobytes()
    batches, ledger = run(put(tmp_path, swapped))
    straight, _ = run(put(tmp_path, data, "b.npt"))
    assert rows(batches) == rows(straight)
    assert ledger.swap == bits
    assert any("byte-swapped" in note for note in ledger.notes)


def test_places_are_bytes_of_the_files(tmp_path: Path) -> None:
    """Header pages and a cut in the middle of a record: offsets point at the records all the same."""
    data = dump(0)
    first, second = header_page(b"{}") + data[:5003], header_page(b"{}") + data[5003:]
    one, two = put(tmp_path, first, "part1.npt"), put(tmp_path, second, "part2.npt")
    from npuscope.records import decode

    with open_source([one, two]) as source:
        batches = list(decode(source))
        assert rows(batches) == rows(run(put(tmp_path, data))[0])
        both = first + second
        for batch in batches:
            for offset, ts in zip(batch.offset.tolist()[::50], batch.ts.tolist()[::50], strict=True):
                name, place = source.locate(offset)
                whole = (first if name == str(one) else second)[place : place + 16]
                if len(whole) == 16 and batch.kind[0] and whole[:4] != b"\x9e\xd1NP":
                    assert both[offset : offset + 8] == whole[:8] == ts.to_bytes(8, "little")


def test_kept_kinds_and_the_whole_ledger(tmp_path: Path) -> None:
    path = put(tmp_path, dump(2))
    keep = np.zeros(256, bool)
    keep[Kind.BP | BpSub.ENTER << 4] = True
    every, ledger = run(path)
    some, ledger_some = run(path, keep=keep)
    assert rows(some) == [row for row in rows(every) if row[8] == Kind.BP | BpSub.ENTER << 4]
    assert ledger_some.to_json() == ledger.to_json()
    assert json.loads(json.dumps(ledger.to_json()))["sources"]["0"]["exact"] is True
    assert sum(ledger.clock.values()) == ledger.ok + ledger.sync
    assert set(ledger.clock) == {TimeQuality.LOCKED}


def test_unknown_kinds_are_counted(tmp_path: Path) -> None:
    made = writer()
    made.event(9000, 0, Kind.MON, 12, 5)
    made.event(9000, 0, Kind.BP, 11, 5)
    made.flush(9100)
    ledger = run(put(tmp_path, made.data()))[1]
    assert ledger.unknown == {"MON.12": 1, "BP.11": 1}


def test_a_ledger_that_does_not_balance_is_an_error() -> None:
    with pytest.raises(NpuscopeError, match="does not balance") as caught:
        Ledger(total=17, ok=1).check()
    assert caught.value.exit_code == Exit.CONFLICT


def test_windows_stay_bounded() -> None:
    windows = Windows()
    for number in range(3 * MAX_LISTED):
        windows.note(Window(0, 1 << number % 4, number, number + 1, Cause.FIFO_FULL, 2))
    assert len(windows) == MAX_LISTED
    assert sum(window.merged for window in windows) == 3 * MAX_LISTED
    assert sum(window.count or 0 for window in windows) == 6 * MAX_LISTED
    assert windows[-1].to_ns == 3 * MAX_LISTED
