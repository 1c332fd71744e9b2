"""Counterfactual truth: which window's removal clears how much stall time."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.errors import NpuscopeError
from npuscope.pipeline.graph import Pipeline
from npuscope.pipeline.run import run

__all__ = ["Cleared", "cleared", "stall_clocks", "worst_window"]


@dataclass(frozen=True)
class Cleared:
    """Stall time (clocks in which a buffer is hot, summed over the buffers) with a window and without it."""

    window: int
    stage: str
    with_it: int
    without_it: int

    @property
    def text(self) -> str:
        """One sentence for people."""
        gone = self.with_it - self.without_it
        share = f"{100 * gone / self.with_it:.1f} %" if self.with_it else "none"
        return f"without the window of {self.stage}, {share} of the stall time is gone"


def stall_clocks(pipeline: Pipeline, clocks: int) -> int:
    """Clocks in which a buffer is hot, summed over the buffers."""
    result = run(pipeline, clocks)
    return sum(int(result.hot(b).sum()) for b in range(len(pipeline.buffers)))


def cleared(pipeline: Pipeline, clocks: int) -> tuple[Cleared, ...]:
    """What each window does, alone removed; one run of ``clocks`` clocks per window and one with all of them."""
    base = stall_clocks(pipeline, clocks)
    return tuple(
        Cleared(i, w.stage, base, stall_clocks(pipeline.without(i), clocks)) for i, w in enumerate(pipeline.windows)
    )


def worst_window(pipeline: Pipeline, clocks: int) -> Cleared:
    """The window whose removal clears most; raises NpuscopeError when the pipeline has no window."""
    if not pipeline.windows:
        raise NpuscopeError(f"pipeline {pipeline.title!r} has no window, so no culprit")
    return max(cleared(pipeline, clocks), key=lambda c: c.with_it - c.without_it)
