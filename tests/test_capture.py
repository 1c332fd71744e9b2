"""``npuscope.open``: lazy, one pass, the same objects as the command line shows."""

from __future__ import annotations

import os
import threading
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import npuscope
from npuscope.timeline import EPISODE
from tests.cli.dumps import ROUNDS, START, dump, graph, toml


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "run.npt"
    file.write_bytes(dump(hashed=True))
    return file


def test_tables(path: Path) -> None:
    capture = npuscope.open(path, graph=graph())
    assert capture.episodes.dtype == EPISODE
    assert len(capture.episodes) == 3 * ROUNDS
    assert set((capture.episodes["end"] - capture.episodes["start"]).tolist()) == {5_000}
    assert capture.ledger.end_seen
    assert capture.ledger.total == path.stat().st_size
    assert capture.losses == []
    assert "conv3" in capture.stalls().verdict
    assert capture.timeline is capture.timeline


def test_batches_are_all_records_and_can_be_read_again(path: Path) -> None:
    capture = npuscope.open(str(path))
    first = np.concatenate([batch.raw for batch in capture.batches()])
    again = np.concatenate([batch.raw for batch in capture.batches()])
    assert len(first) == path.stat().st_size // 16
    assert (first == again).all()
    assert int(first["ts"].min()) == START


def test_nothing_is_read_before_it_is_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object, **__: object) -> None:
        raise AssertionError("a pass was started")

    monkeypatch.setattr("npuscope.capture.decode", decode)
    capture = npuscope.open(path)
    assert capture.size == path.stat().st_size
    with pytest.raises(AssertionError, match="a pass was started"):
        _ = capture.episodes


def test_graph_from_a_file_and_from_the_header_page(tmp_path: Path, path: Path) -> None:
    file = tmp_path / "g.toml"
    file.write_text(toml())
    given = npuscope.open(path, graph=file)
    header = tmp_path / "header.npt"
    header.write_bytes(dump(header=True))
    told = npuscope.open(header)
    assert given.description == told.description == graph()
    assert given.stalls() == told.stalls()


def test_a_pipe_can_be_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(dump(),))
    writer.start()
    capture = npuscope.open(pipe)
    writer.join()
    assert len(capture.episodes) == 3 * ROUNDS
    with pytest.raises(npuscope.NpuscopeError, match="a pipe can be read only once"):
        list(capture.batches())


def test_notebook_shows_verdict_trust_and_picture(path: Path) -> None:
    capture = npuscope.open(path, graph=graph())
    frame = capture._repr_html_()
    assert frame.startswith('<iframe srcdoc="')
    page = unescape(frame.split('srcdoc="')[1].split('"')[0])
    assert capture.stalls().verdict in page
    assert "locked throughout" in page
    assert "<svg" in page
    assert "<script" not in page
    assert repr(capture) == f"<npuscope.Capture {path}>"


def test_progress_is_told_in_bytes(path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    _ = npuscope.open(path, progress=lambda done, total: seen.append((done, total))).timeline
    assert seen
    assert seen[-1][1] == path.stat().st_size
