"""What every buffer did, on one time axis: hot, dry, backpressure, each true, false or unknown; and the episodes.

The axis is the TAI time of the first clock epoch in ns. Records after a clock step are placed by continuing the old
time with the signed step that the source itself reported (``Timeline.steps``); all its layers are unknown from there
to their next own record or keyframe. Interval arrays are i8[n, 2], half-open [from, to), sorted and disjoint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from npuscope.description import Description
    from npuscope.ledger import Ledger
    from npuscope.records import Batch

__all__ = ["EPISODE", "Conflict", "EpisodeFlag", "Lane", "Step", "Timeline"]

I8 = npt.NDArray[np.int64]

EPISODE: Final = np.dtype(
    [
        ("buffer", "<u2"),  # index into description.buffers
        ("flags", "u1"),  # EpisodeFlag
        ("peak", "u1"),  # highest occupancy code of its records, 1/64
        ("start", "<i8"),  # ns on the axis
        ("end", "<i8"),  # ns on the axis; where knowledge ends if RIGHT_CENSORED
        ("dwell", "<i8"),  # ns, as the EXIT record printed it (a multiple of 2^k, rounded down); -1: no EXIT
    ]
)
"""One episode; its id (``ep:N``) is its row in ``Timeline.episodes``, which is sorted by (start, buffer)."""


class EpisodeFlag(IntFlag):
    """What is not known about an episode."""

    LEFT_CENSORED = 1  # hot before ``start``, since when is not known
    RIGHT_CENSORED = 2  # no EXIT seen: cut by loss, a stale report, a step or the end of the recording
    PEAK_LOWER = 4  # peak is a lower bound
    DWELL_LOWER = 8  # dwell is a lower bound (saturated)


@dataclass(frozen=True)
class Lane:
    """A three-valued signal: certainly true in ``true``, not known in ``unknown``, else certainly false."""

    true: I8
    unknown: I8


@dataclass(frozen=True)
class Step:
    """A clock step that source ``src`` reported: its records from ``at_ns`` (axis) on carry ts = axis + all steps."""

    src: int
    at_ns: int
    step_ns: int


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

    start_ns, end_ns: first and last time of the recording on the axis. Layers without DRY_MASK bit and layers that
    the source does not have are unknown throughout. step, conflict: see their classes; a conflict means exit code 4.
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
        ledger: Ledger | None,
        description: Description | None,
        *,
        sample_period_ns: int | None = None,
    ) -> Timeline:
        """Read all batches, then the windows of the ledger; ``description`` None = the assumed chain of what was seen.

        sample_period_ns: for dumps that hold only RAW samples (legacy text): a layer not reported for longer is cool.
        """
        raise NotImplementedError

    def coverage(self, window: tuple[int, int] | None = None) -> dict[int, tuple[int, int]]:
        """Per buffer index (known ns, window ns) of the hot lane; a stream's coverage is the smallest quotient."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Schema 1: axis, per buffer the interval lists, steps, conflicts; episodes as columns."""
        raise NotImplementedError
