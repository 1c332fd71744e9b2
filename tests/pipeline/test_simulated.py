"""The kept dumps of the RTL: read as expected, and saying what the model of the pipeline did."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

import npuscope
from npuscope.layout import Kind, MarkSub
from npuscope.pipeline import describe, load, run
from npuscope.pipeline.truth import seen_hot, worst_window
from tb.demo.keep import CASES, KEPT, reading

NAMES = [case.name for case in CASES]
ROOT = Path(__file__).resolve().parents[2]


def test_each_dump_has_its_provenance_and_reading() -> None:
    assert {p.name for p in KEPT.iterdir()} == {
        "README.md",
        *(f"{name}{suffix}" for name in NAMES for suffix in (".npt", ".toml", ".json")),
    }


@pytest.mark.parametrize("name", NAMES)
def test_dump_reads_as_expected(name: str) -> None:
    dump = KEPT / f"{name}.npt"
    origin = tomllib.loads(dump.with_suffix(".toml").read_text())
    assert hashlib.sha256(dump.read_bytes()).hexdigest() == origin["sha256"]
    assert dump.stat().st_size <= 200_000
    assert reading(dump) == json.loads(dump.with_suffix(".json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_dump_says_what_the_model_did(name: str) -> None:
    """Lossless: every hot interval to the clock. With loss: certain states agree, the rest is unknown."""
    dump = KEPT / f"{name}.npt"
    origin = tomllib.loads(dump.with_suffix(".toml").read_text())
    pipeline, clocks = load(ROOT / origin["pipeline"]), origin["clocks"]
    capture = npuscope.open(dump)
    assert capture.description == describe(pipeline, build_id="npu_demo")
    marks = [b.ts[(b.kind == Kind.MARK) & (b.sub == MarkSub.START)] for b in capture.batches()]
    start = int(next(m[0] for m in marks if len(m)))
    period_ns = pipeline.clock_period_ps // 1000
    model = run(pipeline, clocks)
    lossy = bool(json.loads(dump.with_suffix(".json").read_text())["dropped"])
    for b, lane in enumerate(capture.timeline.hot):
        truth = [(start + first * period_ns, start + end * period_ns) for first, end in seen_hot(model, b)]
        got = [(int(first), int(end)) for first, end in lane.true.tolist()]
        if not lossy:
            assert got == truth, pipeline.buffers[b]
        for first, end in got:
            assert any(a <= first and end <= z for a, z in truth), pipeline.buffers[b]
        seen = sum(end - first for first, end in got)
        unseen = sum(int(end) - int(first) for first, end in lane.unknown.tolist())
        assert seen <= sum(z - a for a, z in truth) <= seen + unseen, pipeline.buffers[b]
    assert capture.stalls().rows[0].culprit == worst_window(pipeline, clocks).stage
