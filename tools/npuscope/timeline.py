"""What every buffer did, on one time axis: hot, dry, backpressure, each true, false or unknown; and the episodes.

The axis is the TAI time of the first clock epoch in ns. Records after a clock step are placed by continuing the old
time with the signed step that the source itself reported (``Timeline.steps``); all its layers are unknown from there
to their next own record or keyframe. Interval arrays are i8[n, 2], half-open [from, to), sorted and disjoint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.episodes import EPISODE, EpisodeFlag, Lane, LayerResult, source_lanes
from npuscope.errors import NpuscopeError
from npuscope.intervals import EMPTY, clip, make, total
from npuscope.layout import MAX_LAYERS, PAYLOAD, BpSub, Kind
from npuscope.rawmode import only_samples, sampled_lanes
from npuscope.replay import ALL_KINDSUBS, BLAME_KINDSUBS, Recorder, SourceStream, joined
from npuscope.stretches import Found, by_stretches

if TYPE_CHECKING:
    from npuscope.ledger import Ledger
    from npuscope.records.batch import Batch

__all__ = [
    "ALL_KINDSUBS",
    "BLAME_KINDSUBS",
    "EPISODE",
    "Conflict",
    "EpisodeFlag",
    "Lane",
    "Recorder",
    "Step",
    "Timeline",
]

SCHEMA = 1
"""Version of ``Timeline.to_json``."""


@dataclass(frozen=True)
class Step:
    """A clock step of source ``src``: its records from ``at_ns`` (axis) on carry ts = axis + all its steps so far.

    told: by the source's CLK pair; else its time went back, or half a pair was lost, and the size is only apparent.
    """

    src: int
    at_ns: int
    step_ns: int
    told: bool = True


@dataclass(frozen=True)
class Conflict:
    """Records of one buffer that contradict each other; the buffer is unknown in [from_ns, to_ns)."""

    buffer: int
    from_ns: int
    to_ns: int
    what: str


@dataclass(frozen=True)
class Timeline:
    """Lanes and episodes of one capture; ``hot[i]``, ``dry[i]``, ``bp[i]`` belong to ``description.buffers[i]``.

    start_ns, end_ns: first and last time of the recording on the axis. Layers without DRY_MASK bit are never known to
    be dry or not; layers that the source does not have are unknown throughout. Conflicts mean exit code 4.
    """

    description: Description
    start_ns: int
    end_ns: int
    hot: tuple[Lane, ...]
    dry: tuple[Lane, ...]
    bp: tuple[Lane, ...]
    episodes: npt.NDArray[np.void]
    steps: tuple[Step, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @classmethod
    def build(
        cls,
        batches: Iterable[Batch],
        ledger: Ledger | None = None,
        description: Description | None = None,
        *,
        blame_only: bool = False,
        sample_period_ns: int | None = None,
    ) -> Timeline:
        """Read all batches. ``description`` None: the assumed chain of the layers seen.

        ledger: gets a conflict for each contradiction found here. blame_only: bp lanes stay unknown and peaks come
        from ENTER and EXIT alone; hot and dry are the same, and batches may hold the records of BLAME_KINDSUBS only.
        sample_period_ns: for dumps of RAW samples only (legacy text): a layer not told for longer is cool.
        """
        recorder = Recorder(BLAME_KINDSUBS if blame_only else ALL_KINDSUBS)
        for batch in batches:
            recorder.feed(batch)
        return cls.of(recorder, ledger, description, sample_period_ns=sample_period_ns)

    @classmethod
    def of(
        cls,
        recorder: Recorder,
        ledger: Ledger | None = None,
        description: Description | None = None,
        *,
        sample_period_ns: int | None = None,
        whole: bool = False,
    ) -> Timeline:
        """The timeline of what ``recorder`` was fed; it may be fed on and asked again. Parameters as in ``build``.

        whole: look at it in one piece, which takes longer and tells the same.
        """
        if sample_period_ns is not None and sample_period_ns <= 0:
            raise NpuscopeError("the sample period must be positive", found=f"{sample_period_ns} ns")
        disorder = (description or Description(())).max_disorder_ns
        found = by_stretches(recorder, disorder) if recorder.table is BLAME_KINDSUBS and not whole else None
        if found is not None:
            return cls._joined(found, (), ledger, description)
        return cls._whole(recorder, disorder, ledger, description, sample_period_ns)

    @classmethod
    def _whole(
        cls,
        recorder: Recorder,
        disorder: int,
        ledger: Ledger | None,
        description: Description | None,
        sample_period_ns: int | None,
    ) -> Timeline:
        streams, start, end = recorder.streams(disorder)
        samples = {src for src, stream in streams.items() if only_samples(stream)}
        if samples and sample_period_ns is not None:
            end += sample_period_ns
        seen = _seen(streams)
        description = Description.chain(seen) if description is None else description
        steps = [Step(src, *step) for src, stream in streams.items() for step in stream.steps]
        found: dict[tuple[int, int], LayerResult] = {}
        while streams:
            src, stream = streams.popitem()
            layers = sorted({buffer.layer for buffer in description.buffers if buffer.src == src})
            if src in samples:
                told = [sampled_lanes(stream, layer, start, end, sample_period_ns) for layer in layers]
            else:
                told = source_lanes(stream, layers, start, end, with_bp=recorder.table is not BLAME_KINDSUBS)
            found |= {(src, layer): result for layer, result in zip(layers, told, strict=True)}
        return cls._joined(Found(found, seen, start, end), steps, ledger, description)

    @classmethod
    def _joined(
        cls, found: Found, steps: Iterable[Step], ledger: Ledger | None, description: Description | None
    ) -> Timeline:
        """All layers on one axis."""
        description = Description.chain(found.seen) if description is None else description
        nothing = Lane(EMPTY, make([found.start], [found.end]))
        missing = LayerResult(nothing, nothing, nothing, np.empty(0, EPISODE), [])
        results = [found.layers.get((buffer.src, buffer.layer), missing) for buffer in description.buffers]
        for index, result in enumerate(results):
            result.episodes["buffer"] = index
        episodes = joined([result.episodes for result in results], EPISODE)
        conflicts = [Conflict(i, *conflict) for i, result in enumerate(results) for conflict in result.conflicts]
        order = np.argsort(np.ascontiguousarray(episodes["start"]), kind="stable")
        timeline = cls(
            description,
            found.start,
            found.end,
            tuple(result.hot for result in results),
            tuple(result.dry for result in results),
            tuple(result.bp for result in results),
            episodes.view(f"V{EPISODE.itemsize}")[order].view(EPISODE),  # faster than field by field
            tuple(sorted(steps, key=lambda step: (step.at_ns, step.src))),
            tuple(sorted(conflicts, key=lambda conflict: (conflict.to_ns, conflict.buffer))),
        )
        if ledger is not None:
            timeline.report(ledger)
        return timeline

    def report(self, ledger: Ledger) -> None:
        """Write the contradictions into the ledger as conflicts, and say where a clock step moved the axis."""
        for conflict in self.conflicts:
            name = self.description.buffers[conflict.buffer].name
            ledger.conflict(f"buffer {name} at {conflict.to_ns} ns: {conflict.what}")
        for step in self.steps:
            if step.told:
                ledger.note(f"clock of source {step.src} stepped by {step.step_ns:+d} ns: later times continue the old")
            else:
                ledger.conflict(f"source {step.src} at {step.at_ns} ns: time jumped {step.step_ns:+d} ns, no step told")

    def coverage(self, window: tuple[int, int] | None = None) -> tuple[int, ...]:
        """Known ns of each buffer's hot lane in the window (all of it); a stream's coverage is the smallest."""
        low, high = window if window is not None else (self.start_ns, self.end_ns)
        inside = max(0, min(high, self.end_ns) - max(low, self.start_ns))
        return tuple(inside - total(clip(lane.unknown, low, high)) for lane in self.hot)

    def to_json(self) -> dict[str, Any]:
        """Axis, per buffer lists of [from, to] in ns, episodes as columns, steps, conflicts; ``schema`` = SCHEMA."""
        lanes = {"hot": self.hot, "dry": self.dry, "bp": self.bp}
        buffers = [
            {"name": buffer.name, "id": buffer.id}
            | {
                name: {"true": lane[i].true.tolist(), "unknown": lane[i].unknown.tolist()}
                for name, lane in lanes.items()
            }
            for i, buffer in enumerate(self.description.buffers)
        ]
        return {
            "schema": SCHEMA,
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "buffers": buffers,
            "episodes": {name: self.episodes[name].tolist() for name in EPISODE.names or ()},
            "steps": [vars(step) for step in self.steps],
            "conflicts": [vars(conflict) for conflict in self.conflicts],
        }


def _seen(streams: dict[int, SourceStream]) -> list[tuple[int, int]]:
    """(src, layer) of every layer that a source has (CFG LAYERS) or told something about."""
    field = PAYLOAD[Kind.BP, None][0]
    seen = set()
    for src, stream in streams.items():
        told = (stream.bp_payload[stream.bp_sub <= max(BpSub)] >> np.uint32(field.lsb)) & np.uint32(MAX_LAYERS - 1)
        layers = np.flatnonzero(np.bincount(told)).tolist()
        if stream.layers is not None:
            layers += [layer for layer in range(MAX_LAYERS) if stream.layers >> layer & 1]
        seen |= {(src, layer) for layer in layers}
    return sorted(seen)
