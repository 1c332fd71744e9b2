"""What the model says each window does, also for the pipeline of the demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from npuscope.errors import NpuscopeError
from npuscope.pipeline import dry_buffers, load, random_pipeline
from npuscope.pipeline.truth import cleared, stall_clocks, worst_window

DEMO = Path(__file__).resolve().parents[2] / "tb" / "vip" / "pipelines" / "transformer_block.toml"


def test_the_window_that_matters_is_found() -> None:
    pipeline = load(DEMO)
    clocks = 400_000
    worst = worst_window(pipeline, clocks)
    assert worst.stage == "softmax"
    assert worst.with_it > 50_000
    assert worst.without_it == stall_clocks(pipeline.without(0), clocks) == 0
    assert worst.text == "without the window of softmax, 100.0 % of the stall time is gone"


def test_before_the_windows_nothing_stalls() -> None:
    assert worst_window(load(DEMO), 1000).text == "nothing stalls"


def test_each_window_is_removed_alone() -> None:
    pipeline = random_pipeline(1, "two_stops")
    base = stall_clocks(pipeline, 30_000)
    for i, c in enumerate(cleared(pipeline, 30_000)):
        assert (c.window, c.stage) == (i, pipeline.windows[i].stage)
        assert c.with_it == base > c.without_it == stall_clocks(pipeline.without(i), 30_000)


def test_no_window_no_culprit() -> None:
    pipeline = random_pipeline(1, "chain")
    with pytest.raises(NpuscopeError, match="no window"):
        worst_window(pipeline.without(0), 1000)


def test_the_demo_has_twelve_stages_and_one_fork_and_join() -> None:
    pipeline = load(DEMO)
    names = [s.name for s in pipeline.stages[1:-1]]
    assert len(names) == 12
    assert [n for n in names if len(pipeline.outputs(n)) > 1] == ["norm"]
    assert [n for n in names if len(pipeline.inputs(n)) > 1] == ["residual"]
    assert len(dry_buffers(pipeline)) == 9
