"""A timeline made stretch by stretch is the one made in one piece."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope import cutting, stretches
from npuscope.encode.bulk import Bulk, damage
from npuscope.records import decode
from npuscope.replay import BLAME_KINDSUBS, Recorder
from npuscope.source import open_source
from npuscope.timeline import Timeline
from tests.timeline.test_episodes import GRAPH, Rec, batches, streams

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="module")
def small_stretches() -> object:
    """Many stretches also of small recordings."""
    patch = pytest.MonkeyPatch()
    patch.setattr(cutting, "FEW", 8)
    patch.setattr(cutting, "CHUNK", 4096)
    yield
    patch.undo()


def recorded(dump: Path) -> Recorder:
    recorder = Recorder(BLAME_KINDSUBS)
    with open_source(dump) as source:
        for batch in decode(source, keep=BLAME_KINDSUBS, across=False):
            recorder.feed(batch)
    return recorder


def check(recorder: Recorder, description: object = None) -> Timeline:
    one = Timeline.of(recorder, None, description, whole=True)
    many = Timeline.of(recorder, None, description)
    assert (many.start_ns, many.end_ns, many.description) == (one.start_ns, one.end_ns, one.description)
    for name in ("hot", "dry", "bp"):
        for lane, wanted in zip(getattr(many, name), getattr(one, name), strict=True):
            np.testing.assert_array_equal(lane.true, wanted.true)
            np.testing.assert_array_equal(lane.unknown, wanted.unknown)
    np.testing.assert_array_equal(many.episodes, one.episodes)
    assert (many.conflicts, many.steps) == (one.conflicts, one.steps)
    return many


def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Filled with whether each stretch that looks regular is."""
    told: list[bool] = []
    regular = stretches._Walk.regular

    def watched(self: stretches._Walk, begin: int, end: int) -> bool:
        told.append(regular(self, begin, end))
        return told[-1]

    monkeypatch.setattr(stretches._Walk, "regular", watched)
    return told


def test_a_clean_dump_is_regular_but_for_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump, told = tmp_path / "clean.npt", counted(monkeypatch)
    dump.write_bytes(Bulk(1 << 19, sources=3, layers=5, fronts=True).data())
    assert len(check(recorded(dump)).episodes) > 1000
    assert len(told) > 4
    assert all(told[1:])  # the first one may be too short


def test_a_capture_from_mid_stream_on(tmp_path: Path) -> None:
    """The limits in force are told only now and then: until then no dwell is known."""
    dump, data = tmp_path / "rest.npt", Bulk(1 << 19, sources=3, layers=5, fronts=True).data()
    for begin in (8192, 100_000):
        dump.write_bytes(data[begin:])
        assert (check(recorded(dump)).episodes["dwell"] < 0).any()


@given(st.integers(1, 3), st.integers(1, 32), st.booleans(), st.integers(0, 6), st.integers(0, 1 << 30))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_dumps(sources: int, layers: int, fronts: bool, hits: int, seed: int) -> None:
    data = Bulk(1 << 17, sources=sources, layers=layers, fronts=fronts, seed=seed).data()
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "some.npt"
        dump.write_bytes(damage(data, hits, seed))
        check(recorded(dump))


@given(streams(), st.lists(st.integers(0, 1000), max_size=3))
@settings(max_examples=150, deadline=None)
def test_any_records(records: list[Rec], cuts: list[int]) -> None:
    recorder = Recorder(BLAME_KINDSUBS)
    for batch in batches(records, cuts, BLAME_KINDSUBS):
        recorder.feed(batch)
    check(recorder, GRAPH)


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "traces").glob("*/*.npt")))
def test_kept_dumps(name: str) -> None:
    check(recorded(next((ROOT / "traces").glob(f"*/{name}.npt"))))
