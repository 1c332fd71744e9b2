"""What a trace of a run must say: which buffers are seen hot, and which window's removal clears how much stall time."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.errors import NpuscopeError
from npuscope.layout import THRESHOLDS
from npuscope.pipeline.graph import Pipeline
from npuscope.pipeline.run import Run, run

__all__ = ["Cleared", "cleared", "seen_hot", "stall_clocks", "worst_window"]


def seen_hot(
    result: Run, buffer: int, th_on: int = THRESHOLDS["TH_ON"].value, th_off: int = THRESHOLDS["TH_OFF"].value
) -> list[tuple[int, int]]:
    """Clocks [first, end) of the samples with which a buffer got hot and cool; hot at the end: end = result.clocks."""
    span = result.pipeline.span
    samples = result.samples(buffer // span)
    mine = samples.layer == buffer % span
    intervals: list[tuple[int, int]] = []
    since: int | None = None
    for clock, occ in zip(samples.clock[mine].tolist(), samples.occ[mine].tolist(), strict=True):
        if since is None and occ >= th_on:
            since = clock
        elif since is not None and occ < th_off:
            intervals.append((since, clock))
            since = None
    return intervals if since is None else [*intervals, (since, result.clocks)]


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
        if not self.with_it:
            return "nothing stalls"
        share = 100 * (self.with_it - self.without_it) / self.with_it
        return f"without the window of {self.stage}, {share:.1f} % of the stall time is gone"


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
