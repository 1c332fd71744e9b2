"""Loss windows on the axis: across steps forward, back, and a window that a step falls into."""

from __future__ import annotations

import numpy as np

from npuscope.description import Description
from npuscope.ledger import Cause, Window
from npuscope.placing import place
from npuscope.timeline import EPISODE, Step, Timeline


def timeline(*steps: Step) -> Timeline:
    return Timeline(Description.chain([]), 1_000, 9_000, (), (), (), np.empty(0, EPISODE), steps)


def window(low: int, high: int, src: int | None = 0) -> Window:
    return Window(src, 0, low, high, Cause.FIFO_FULL, 1)


def test_without_steps_nothing_moves() -> None:
    assert place([window(2_000, 3_000), window(5, 9_999, None)], timeline()) == [(2_000, 3_000), (5, 9_999)]


def test_each_source_has_its_own_epochs() -> None:
    line = timeline(Step(0, 4_000, 10**9), Step(1, 6_000, -500))
    found = place([window(2_000, 3_000), window(10**9 + 5_000, 10**9 + 5_500), window(5_600, 6_000, 1)], line)
    assert found == [(2_000, 3_000), (5_000, 5_500), (5_600, 6_000)]


def test_the_clock_may_step_inside_a_window() -> None:
    assert place([window(3_900, 10**9 + 4_100)], timeline(Step(0, 4_000, 10**9))) == [(3_900, 4_100)]
    assert place([window(3_900, 1_100)], timeline(Step(0, 4_000, -3_000))) == [(3_900, 4_100)]


def test_stream_order_decides_between_epochs_of_the_same_time() -> None:
    """The clock goes back by 3 us: 2,000 ns is told in both epochs; the later window is in the later one."""
    line = timeline(Step(0, 4_000, -3_000))
    assert place([window(2_000, 2_100), window(1_500, 1_600), window(2_000, 2_100)], line) == [
        (2_000, 2_100),
        (1_500, 1_600),
        (2_000, 2_100),
    ]
    assert place([window(3_500, 1_200), window(2_000, 2_100)], line) == [(3_500, 4_200), (5_000, 5_100)]
