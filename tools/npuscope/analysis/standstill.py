"""A pipeline that ended in a deadlock: stages in a circle that wait for each other, by full or empty buffers."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.timeline import Lane, Timeline

__all__ = ["Wait", "standstill"]


@dataclass(frozen=True)
class Wait:
    """``stage`` can not go on: its output ``buffer`` is full, or its input ``buffer`` is empty."""

    stage: str
    buffer: int
    full: bool


def standstill(timeline: Timeline) -> tuple[Wait, ...]:
    """The circle of waits at the end of the recording, empty if there is none.

    From a full buffer on: its reader waits for an output that is full, else for another input that is empty, and then
    the stage that fills that one is asked the same.
    """
    graph, end = timeline.description, timeline.end_ns
    full = [_lasts(lane, end) for lane in timeline.hot]
    empty = [_lasts(lane, end) for lane in timeline.dry]
    for start in (i for i, is_full in enumerate(full) if is_full):
        for stage in graph.buffers[start].consumers:
            waits: dict[str, Wait] = {}
            here: str | None = stage
            while here is not None and here not in waits:
                after = _waits_for(here, graph.outputs.get(here, ()), graph.inputs.get(here, ()), full, empty)
                if after is None:
                    break
                waits[here] = after
                buffer = graph.buffers[after.buffer]
                here = (buffer.consumers or (None,))[0] if after.full else buffer.producer
            else:
                if here is not None:
                    order = list(waits)
                    return tuple(waits[name] for name in order[order.index(here) :])
    return ()


def _waits_for(
    stage: str, outputs: tuple[int, ...], inputs: tuple[int, ...], full: list[bool], empty: list[bool]
) -> Wait | None:
    for buffer in outputs:
        if full[buffer]:
            return Wait(stage, buffer, True)
    return next((Wait(stage, buffer, False) for buffer in inputs if empty[buffer]), None)


def _lasts(lane: Lane, end: int) -> bool:
    """Whether the lane is true up to the end."""
    return len(lane.true) > 0 and bool(lane.true[-1, 1] >= end)
