# SPDX-License-Identifier: Apache-2.0
"""The demo end to end: what the pipeline did is what the dump says, on both simulators, with and without loss."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import npuscope
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import SRC_FRAMER, SRC_JITTER, SRC_MARK, SRC_RAS, SRC_TOKEN, Kind, MarkSub
from npuscope.pipeline import KINDS, load, random_pipeline, run
from npuscope.pipeline.truth import Cleared, cleared, seen_hot, worst_window
from tb.demo import run as demo
from tb.demo.keep import CASES, KEPT, simulate
from tb.demo.run import CLOCKS, PIPELINE, STALL
from tb.demo.simulate import record

SHORT = 20_000
SHARE_RIGHT = 0.95
"""Of the active stall time of one short run. What is left: the rush after a window stalls others for a moment. The gate
over many pipelines is in tests/analysis."""


def first_ns(capture: npuscope.Capture) -> int:
    """Time of clock 0: the MARK START of the demo."""
    for batch in capture.batches():
        starts = batch.ts[(batch.kind == Kind.MARK) & (batch.sub == MarkSub.START)]
        if len(starts):
            return int(starts[0])
    raise AssertionError("the dump has no MARK START")


def test_dumps_of_both_simulators_are_alike(tmp_path):
    """All sources, records in most clocks, loss by a stalled sink."""
    pipeline = load(PIPELINE.with_name("corners.toml"))
    dumps = [
        record(pipeline, 3000, tmp_path / f"alike-{sim}.npt", sim, stall=(200, 1500)).dump
        for sim in ("icarus", "verilator")
    ]
    assert dumps[0].read_bytes() == dumps[1].read_bytes()
    capture = npuscope.open(dumps[0])
    assert sorted(capture.ledger.sources) == [0, 1, 2, SRC_TOKEN, SRC_RAS, SRC_JITTER, SRC_MARK, SRC_FRAMER]
    assert all(capture.ledger.sources[src].dropped for src in (0, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_culprit_is_the_stage_whose_window_clears_the_stall(kind, tmp_path):
    """Closed loop: the trace of the Verilog names the stage that the counterfactual of the model convicts."""
    pipeline = random_pipeline(2, kind, SHORT)
    dump = record(pipeline, SHORT, tmp_path / f"{kind}.npt", "icarus").dump
    capture = npuscope.open(dump)
    start, period_ns = first_ns(capture), pipeline.clock_period_ps // 1000
    hot = [
        [((a - start) // period_ns, (b - start) // period_ns) for a, b in lane.true.tolist()]
        for lane in capture.timeline.hot
    ]
    model = run(pipeline, SHORT)
    for b, buffer in enumerate(pipeline.buffers):
        assert hot[b] == seen_hot(model, b), buffer
    stalls = capture.stalls()
    assert stalls.rows[0].culprit == worst_window(pipeline, SHORT).stage
    guilty = {c.stage for c in cleared(pipeline, SHORT) if c.without_it < c.with_it}
    active = {row.culprit: row.min_ns - row.draining_ns for row in stalls.rows}
    right = sum(ns for culprit, ns in active.items() if culprit in guilty)
    assert right >= SHARE_RIGHT * sum(active.values()), active


def test_demo_names_the_slowed_stage(tmp_path):
    pipeline = load(PIPELINE)
    dump = record(pipeline, CLOCKS, tmp_path / "demo.npt").dump
    capture = npuscope.open(dump)
    stalls = capture.stalls()
    assert capture.ledger.end_seen
    assert stalls.rows[0].culprit == worst_window(pipeline, CLOCKS).stage == "softmax"
    assert not stalls.graph_assumed


def test_loss_is_counted_and_never_turns_the_verdict(tmp_path):
    """The trace sink stalls amid the slow window: records are lost, softmax keeps its lead, nobody new is named."""
    pipeline = load(PIPELINE)
    clean = npuscope.open(record(pipeline, CLOCKS, tmp_path / "demo.npt").dump)
    lossy = npuscope.open(record(pipeline, CLOCKS, tmp_path / "stalled.npt", stall=STALL).dump)
    dropped = sum(source.dropped for source in lossy.ledger.sources.values())
    assert dropped > 0
    assert sum(source.dropped for source in clean.ledger.sources.values()) == 0
    before, after = clean.stalls(), lossy.stalls()
    assert after.rows[0].culprit == before.rows[0].culprit
    certain = {row.culprit: row for row in before.rows}
    for row in after.rows:
        assert row.min_ns <= certain[row.culprit].min_ns
        assert row.max_ns >= certain[row.culprit].min_ns
    assert np.sum(after.unknown_ns) + np.sum(after.unseen_ns) > np.sum(before.unknown_ns)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kept_dumps_are_those_of_the_rtl(case):
    same = simulate(case).read_bytes() == (KEPT / f"{case.name}.npt").read_bytes()
    assert same, "the RTL writes another dump; if that is wanted: python tb/demo/keep.py"


def test_make_demo_prints_the_verdict(tmp_path):
    command = [sys.executable, demo.__file__, "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=demo.ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "demo: OK: the trace names softmax" in done.stdout
    assert "without the window of softmax, " in done.stdout
    for verb in ("info", "stalls", "show", "report"):
        assert f"$ npuscope {verb} " in done.stdout
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_wrong_verdict_fails_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "worst_window", lambda *_: Cleared(0, "act", 100, 0))
    assert demo.demo(["--out", str(tmp_path), "--clocks", "400_000"]) == Exit.CHECK_FAILED
    assert "FAIL: the trace names softmax" in capsys.readouterr().out


def test_failed_simulation_is_seen(tmp_path):
    """A trace sink that never takes anything again: no END, and record says so."""
    with pytest.raises(NpuscopeError, match="the simulation failed: found npu_demo: no END within"):
        record(load(PIPELINE), 2000, tmp_path / "x.npt", stall=(1000, 2**32 - 1))
