"""Episodes as people meet them: ``ep:N`` with buffer, time, length, peak and what is not known about it."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.timeline import EpisodeFlag, Timeline
from npuscope.units import duration

__all__ = ["Episode", "episode"]

CODES = 64
"""Occupancy codes: 63 is the highest, shown as 63/64 (figure A2)."""


@dataclass(frozen=True)
class Episode:
    """Row ``id`` of ``Timeline.episodes``; start and end in ns on the axis, origin ns of the first record."""

    id: int
    buffer: str
    consumer: str
    start: int
    end: int
    peak: int
    flags: EpisodeFlag
    origin: int

    @property
    def at(self) -> str:
        """When it starts after the first record; ``<=`` when it began at an unseen time before."""
        return ("<=" if self.flags & EpisodeFlag.LEFT_CENSORED else "") + duration(self.start - self.origin)

    @property
    def length(self) -> str:
        """How long it is known to have lasted; ``>=`` when one of its ends was not seen."""
        cut = self.flags & (EpisodeFlag.LEFT_CENSORED | EpisodeFlag.RIGHT_CENSORED)
        return (">=" if cut else "") + duration(self.end - self.start)

    @property
    def top(self) -> str:
        """Highest occupancy as ``60/64``; ``-`` when no record told any."""
        if not self.peak:
            return "-"
        return (">=" if self.flags & EpisodeFlag.PEAK_LOWER else "") + f"{self.peak}/{CODES}"

    @property
    def censored(self) -> str:
        """Which end was not seen, or an empty text."""
        left, right = self.flags & EpisodeFlag.LEFT_CENSORED, self.flags & EpisodeFlag.RIGHT_CENSORED
        return "both ends not seen" if left and right else "start not seen" if left else "end not seen" if right else ""


def episode(timeline: Timeline, number: int) -> Episode:
    """Episode ``number``; raises IndexError when there is none."""
    row = timeline.episodes[number]
    buffer = timeline.description.buffers[int(row["buffer"])]
    return Episode(
        number,
        buffer.name,
        buffer.drain,
        int(row["start"]),
        int(row["end"]),
        int(row["peak"]),
        EpisodeFlag(int(row["flags"])),
        timeline.start_ns,
    )
