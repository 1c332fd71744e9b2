"""The event-driven run equals the stepped oracle, and keeps the laws of a pipeline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from npuscope.pipeline import KINDS, Activity, Fifo, Pipeline, Stage, Window, random_pipeline, run
from npuscope.pipeline.run import mix
from tests.pipeline.oracle import Clocked
from tests.pipeline.strategies import CLOCKS, pipelines


def compare(pipeline: Pipeline, clocks: int) -> None:
    oracle = Clocked(pipeline)
    for _ in range(clocks):
        oracle.step()
    result = run(pipeline, clocks)
    levels = np.array(oracle.levels)
    for b in range(len(pipeline.buffers)):
        assert result.used(b).tolist() == levels[:, b].tolist()
    activity = np.array(oracle.activity)
    for s, stage in enumerate(pipeline.stages):
        assert result.activity(stage.name).tolist() == activity[:, s].tolist(), stage
    assert result.finished.tolist() == oracle.finished
    for src in range(pipeline.sources):
        got = result.samples(src)
        rows = zip(got.clock.tolist(), got.layer.tolist(), got.occ.tolist(), got.bp.tolist(), strict=True)
        assert list(rows) == oracle.samples[src]


@settings(max_examples=60, deadline=None)
@given(pipelines())
def test_run_equals_the_stepped_oracle(pipeline: Pipeline) -> None:
    compare(pipeline, CLOCKS)


@pytest.mark.parametrize("kind", KINDS)
def test_run_equals_the_stepped_oracle_on_generated_pipelines(kind: str) -> None:
    for seed in range(2):
        compare(random_pipeline(seed, kind, clocks=1500), 1500)


@settings(max_examples=40, deadline=None)
@given(pipelines())
def test_tokens_are_conserved_and_levels_bounded(pipeline: Pipeline) -> None:
    result = run(pipeline, CLOCKS)
    held = [len(t) - len(p) for t, p in zip(result.taken, result.put, strict=True)]
    assert set(held) <= {0, 1}
    for b, fifo in enumerate(pipeline.buffers):
        used = result.used(b)
        assert used.min() >= 0
        assert used.max() <= fifo.depth
        pushed, popped = (
            len(result.put[pipeline.index(fifo.producer)]),
            len(result.taken[pipeline.index(fifo.consumer)]),
        )
        written_last, read_last = (
            CLOCKS - 1 in result.put[pipeline.index(fifo.producer)],
            CLOCKS - 1 in result.taken[pipeline.index(fifo.consumer)],
        )
        assert used[-1] + written_last - read_last == pushed - popped
    for taken, done, put in zip(result.taken, result.done, result.put, strict=True):
        assert (np.diff(taken) > 0).all()
        assert (done[: len(put)] <= put).all()
        assert (put[: len(taken) - 1] <= taken[1 : len(put) + 1]).all()


@settings(max_examples=25, deadline=None)
@given(pipelines())
def test_a_shorter_run_is_the_beginning_of_a_longer_one(pipeline: Pipeline) -> None:
    long, short = run(pipeline, CLOCKS), run(pipeline, CLOCKS // 3)
    for b in range(len(pipeline.buffers)):
        assert short.used(b).tolist() == long.used(b)[: CLOCKS // 3].tolist()


@settings(max_examples=25, deadline=None)
@given(pipelines())
def test_changes_and_hot_follow_the_codes(pipeline: Pipeline) -> None:
    result = run(pipeline, CLOCKS)
    for b in range(len(pipeline.buffers)):
        codes = result.codes(b)
        at, new = result.changes(b)
        assert np.repeat(new, np.diff(at, append=CLOCKS)).tolist() == codes.tolist()
        assert (np.diff(new.astype(int)) != 0).all()
        hot, expected = False, []
        for code in codes.tolist():
            hot = code >= 56 or (hot and code >= 48)
            expected.append(hot)
        assert result.hot(b).tolist() == expected


def chain(*windows: Window, depth: int = 4, service: int = 2) -> Pipeline:
    stages = (Stage("source", 4), Stage("a", service), Stage("b", service), Stage("sink"))
    buffers = (Fifo("in", "source", "a", depth), Fifo("ab", "a", "b", depth), Fifo("out", "b", "sink", depth))
    return Pipeline(stages, buffers, windows)


def test_latency_of_the_first_token() -> None:
    result = run(chain(), 50)
    assert [int(t[0]) for t in result.taken] == [0, 5, 8, 11]
    assert [int(p[0]) for p in result.put] == [4, 7, 10, 12]


def test_a_stop_fills_what_is_upstream_and_starves_what_is_downstream() -> None:
    result = run(chain(Window("b", 100, 200)), 300)
    assert result.used(1)[190] == 4
    assert result.used(0)[190] == 4
    assert result.activity("a")[190] == Activity.BLOCKED
    assert result.activity("b")[190] == Activity.STOPPED
    assert result.activity("sink")[190] == Activity.STARVED
    assert not run(chain(), 300).hot(1).any()


def test_the_counterfactual_makes_the_same_draws() -> None:
    base = random_pipeline(3, "two_stops")
    assert len(base.windows) == 2
    without = base.without(0)
    assert without.windows == base.windows[1:]
    assert base.without(base.windows[1]).windows == base.windows[:1]
    assert base.without(0, 1).windows == ()
    first = min(w.first for w in base.windows)
    assert run(base, first).used(2).tolist() == run(base.without(0, 1), first).used(2).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_generated_stalls_are_the_work_of_the_windows(kind: str) -> None:
    for seed in range(6):
        pipeline = random_pipeline(seed, kind)
        bare = pipeline.without(*range(len(pipeline.windows)))
        hot = sum(int(run(pipeline, 30_000).hot(b).sum()) for b in range(len(pipeline.buffers)))
        rest = sum(int(run(bare, 30_000).hot(b).sum()) for b in range(len(pipeline.buffers)))
        assert hot > 20 * rest


def test_mix_is_the_murmur3_finaliser() -> None:
    assert [mix(0), mix(1), mix(0xFFFFFFFF)] == [0, 0x514E28B7, 0x81F16F39]
