"""Golden models of what counts clocks over windows: rules U1 to U6, L1 to L6 of ``rtl/monitor/README.md``."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from npuscope.encode.monitors import MonRecord
from npuscope.encode.record import payload
from npuscope.layout import THRESHOLDS, Kind, MonSub

__all__ = ["LinkProbeModel", "LinkSample", "WindowModel", "class_records", "link_class", "occupancy", "util_records"]

_WINDOW = 63
_LATE = 2


class WindowModel:
    """U1 to U3: windows of whole rounds, of several channels. period: ns."""

    def __init__(self, channels: int, period: int) -> None:
        self.channels, self.period = channels, period
        self._seen: deque[int] = deque(maxlen=_LATE + 1)
        self._running = False

    def clock(
        self, now: int, events: Sequence[bool], *, enable: bool = True, rel_step: bool = False, busy: bool = False
    ) -> bool:
        """Whether this clock is the last of a round at whose end a window ends. busy: the reader is not done."""
        starts = enable and (not self._running or rel_step)
        self._seen.append(now)
        self._running = enable
        if not enable:
            return False
        if starts:
            self._turn, self._opening, self._since, self._rounds = -1, True, now, 0
            self._old = [0] * self.channels
            self._new: list[int | None] = [None] * self.channels
            self._counts: list[int] = []
            return False
        self._turn += 1
        self._count(events)
        if self._turn < self.channels - 1:
            return False
        self._turn = -1
        ends = not self._opening and not busy and self._seen[0] - self._since >= self.period
        self._opening = False
        self._rounds += 1
        if ends:
            self.clocks, self._rounds, self._since, self._opening = self._rounds * self.channels, 0, now, True
        return ends

    def _count(self, events: Sequence[bool]) -> None:
        """U2: in an opening round a channel's window begins at its turn; before it, the old one goes on."""
        for channel, event in enumerate(events):
            new = self._new[channel]
            if self._opening and channel == self._turn:
                self._old[channel], self._new[channel] = new or 0, event
            elif new is not None:
                self._new[channel] = new + event

    def shown(self) -> list[int]:
        """The counts of the window that ended last: a round later."""
        return list(self._old)


def util_records(clocks: int, counts: Sequence[int], limit: int) -> list[MonRecord]:
    """U4, U5: what is told of a window."""
    words = [payload(Kind.MON, MonSub.UTIL, channel=_WINDOW, saturated=0, busy=clocks)]
    for channel, busy in enumerate(counts):
        saturated = int(busy * 1000 > limit * clocks)
        words.append(payload(Kind.MON, MonSub.UTIL, channel=channel, saturated=saturated, busy=busy))
    return [(MonSub.UTIL, word) for word in words]


def class_records(counts: Sequence[int]) -> list[MonRecord]:
    """L5: what is told of a window: the four classes of each link."""
    return [
        (MonSub.CLASS, payload(Kind.MON, MonSub.CLASS, **{"link": n // 4, "class": n % 4, "clocks": count}))
        for n, count in enumerate(counts)
    ]


def link_class(valid: bool, ready: bool) -> int:
    """L1: 0 idle, 1 transfer, 2 stalled, 3 starved."""
    return (1 if ready else 2) if valid else 3 if ready else 0


def occupancy(level: int, depth: int) -> int:
    """L3: the code of a level."""
    return min(63, 64 * level // depth)


@dataclass(frozen=True)
class LinkSample:
    """What the trace port shows of a link."""

    link: int
    occupancy: int
    stalled: bool


@dataclass
class LinkProbeModel:
    """L1 to L4: the trace port. depths: of each link, 0 no level."""

    depths: Sequence[int]
    overflow: int = 0
    _stalled: set[int] = field(default_factory=set)
    _starved: set[int] = field(default_factory=set)
    _turn: int = 0
    _live: bool = False
    _before: list[int] | None = None

    def clock(self, valid: int, ready: int, levels: Sequence[int], *, enable: bool = True) -> LinkSample | None:
        """What this clock shows: its level, and what was since the link was shown last, up to two clocks ago."""
        sample = None
        link = self._turn
        if self._live and enable and link < len(self.depths):
            stalled, starved, depth = link in self._stalled, link in self._starved, self.depths[link]
            code = occupancy(levels[link], depth) if depth else 63 if stalled else 0 if starved else 32
            self.overflow += stalled and starved
            sample = LinkSample(link, code, stalled)
        if self._live:
            self._stalled.discard(link)
            self._starved.discard(link)
            for number, kind in enumerate(self._before or ()):
                if kind >= 2:
                    (self._stalled if kind == 2 else self._starved).add(number)
            self._turn = 0 if link == max(2, len(self.depths)) - 1 else link + 1
        else:
            self._stalled.clear()
            self._starved.clear()
            self._turn = 0
        self._live = enable
        self._before = [link_class(bool(valid >> n & 1), bool(ready >> n & 1)) for n in range(len(self.depths))]
        return sample


UTIL_PERIOD, UTIL_LIMIT = THRESHOLDS["UTIL_PERIOD"].value, THRESHOLDS["UTIL_SATURATION"].value
LINK_PERIOD = THRESHOLDS["LINK_PERIOD"].value
