"""Where the unknown windows of the ledger lie on the axis of the timeline, across clock steps."""

from __future__ import annotations

from collections.abc import Iterable

from npuscope.ledger import Window
from npuscope.timeline import Timeline

__all__ = ["place"]


def place(windows: Iterable[Window], timeline: Timeline) -> list[tuple[int, int]]:
    """[from, to] ns on the axis of each window, in the order of the stream.

    A window tells its times in the clock epoch of the records beside it. Epochs of a source follow one another, so
    each time is placed in the first epoch, from that of the window before on, in whose stretch of the axis it falls.
    """
    epochs = {src: _epochs(timeline, src) for src in {step.src for step in timeline.steps}}
    common = epochs[min(epochs)] if epochs else [(timeline.start_ns, timeline.end_ns, 0)]
    reached: dict[int | None, int] = {}
    found = []
    for window in windows:
        stretches = epochs.get(window.src, common) if window.src is not None else common
        low, number = _on_axis(window.from_ns, stretches, reached.get(window.src, 0), timeline.start_ns)
        high, reached[window.src] = _on_axis(window.to_ns, stretches, number, low)
        found.append((min(low, high), max(low, high)))
    return found


def _epochs(timeline: Timeline, src: int) -> list[tuple[int, int, int]]:
    """(from, to) on the axis and the sum of the steps, for each clock epoch of ``src``."""
    steps = [step for step in timeline.steps if step.src == src]
    borders = [timeline.start_ns, *(step.at_ns for step in steps), timeline.end_ns]
    shift, found = 0, []
    for index, step_ns in enumerate([0, *(step.step_ns for step in steps)]):
        shift += step_ns
        found.append((borders[index], borders[index + 1], shift))
    return found


def _on_axis(ts: int, stretches: list[tuple[int, int, int]], first: int, least: int) -> tuple[int, int]:
    """``ts`` on the axis, not before ``least``, and its epoch; the nearest one from ``first`` on when it is in none."""
    best = (1 << 63, ts, first)
    for number in range(first, len(stretches)):
        low, high, shift = stretches[number]
        place = ts - shift
        outside = max(low - place, place - high, least - place, 0)
        if outside < best[0]:
            best = (outside, place, number)
        if not outside:
            break
    return best[1], best[2]
