"""What the threshold monitors told, each against its limit, in constant memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import PAYLOAD, THRESHOLDS, Kind, MonSub
from npuscope.records import Batch
from npuscope.tables.rows import get

__all__ = ["CLASSES", "MON_KINDSUBS", "STAGES", "WINDOW", "ClassSum", "MonitorMeter", "Observed", "UtilSum"]

I8 = npt.NDArray[np.int64]

STAGES: Final = ("LINK_TLP", "LINK_PHY", "LINK_ARBITRATION", "LINK_SHARD", "LINK_TOTAL")
"""Thresholds of the stages of a MON LINK record, by its number."""
CLASSES: Final = ("idle", "transfer", "stalled", "starved")
"""What a watched link does in a clock, by the class of a MON CLASS record."""
WINDOW: Final = 63
"""Channel of a MON UTIL record that tells the clocks of the window."""
UNIT: Final = 1024
"""pJ of a told energy."""
_SATURATED: Final = 0xFFFF

MON_KINDSUBS: Final = np.isin(np.arange(256) & 15, [Kind.MON, Kind.SYNC])
"""bool[256] over the kindsub byte: the records that the meter needs."""
MON_KINDSUBS.flags.writeable = False


@dataclass
class Observed:
    """One limit: how many were held against it, how many violate it, the worst of all (None: none yet).

    limit, worst: in ``unit``, a fraction for rates. lowest: the worst is the lowest. marginal: so close to the limit
    that what is told does not decide.
    """

    name: str
    unit: str
    limit: Fraction
    lowest: bool = False
    count: int = 0
    violations: int = 0
    marginal: int = 0
    worst: Fraction | None = None

    @property
    def margin(self) -> Fraction | None:
        """How far the worst is on the good side of the limit; negative beyond it."""
        if self.worst is None:
            return None
        return self.worst - self.limit if self.lowest else self.limit - self.worst

    def take(self, violations: int, count: int, worst: Fraction) -> None:
        """More of it."""
        self.count += count
        self.violations += violations
        if self.worst is None or (worst < self.worst if self.lowest else worst > self.worst):
            self.worst = worst


@dataclass
class UtilSum:
    """Utilisation over all samples and channels: windows, and sums of busy share for mean and spread."""

    windows: int = 0
    clocks: int | None = None
    samples: int = 0
    orphans: int = 0
    total: float = 0.0
    squares: float = 0.0
    by_channel: dict[int, tuple[int, float, float]] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Mean share, 0..1."""
        return self.total / self.samples if self.samples else 0.0

    @property
    def spread(self) -> float:
        """Standard deviation of the share."""
        return max(0.0, self.squares / self.samples - self.mean**2) ** 0.5 if self.samples else 0.0


ClassSum = dict[int, list[int]]
"""Clocks of each class (``CLASSES``) by watched link."""


class MonitorMeter:
    """Fed with batches in stream order. limits: threshold id -> value instead of the book's.

    observed: the limits that something was held against. steps: (mV, MHz) after the governor's first and last step.
    register: WARP_SCHED_CTRL told last, and its period.
    """

    def __init__(self, limits: Mapping[str, int] | None = None, window: tuple[int, int] | None = None) -> None:
        self._limits = {name: entry.value for name, entry in THRESHOLDS.items()} | dict(limits or {})
        self.window = window
        self._observed: dict[str, Observed] = {}
        self.empty_windows = self.full_windows = 0
        self.steps: list[tuple[int, int]] = []
        self.step_count = 0
        self.register: tuple[int, int] | None = None
        self.registers = self.requests = self.unknown = 0
        self.util, self.classes = UtilSum(), ClassSum()

    @property
    def observed(self) -> list[Observed]:
        """The limits that something was held against."""
        return list(self._observed.values())

    @property
    def any(self) -> bool:
        """Whether a monitor told anything."""
        return bool(self._observed or self.step_count or self.registers or self.requests or self.classes)

    def feed(self, batch: Batch) -> None:
        """Take the MON records of a batch."""
        here = batch.kind == Kind.MON
        if self.window is not None:
            here &= (batch.ts >= self.window[0]) & (batch.ts < self.window[1])
        if not here.any():
            return
        subs, words = np.asarray(batch.sub[here]), np.asarray(batch.payload[here])
        makers = {
            MonSub.INTERVAL: self._interval,
            MonSub.HITRATE: self._hitrate,
            MonSub.ENERGY: self._energy,
            MonSub.LINK: self._link,
            MonSub.UTIL: self._util,
            MonSub.SCHED: self._sched,
            MonSub.DVFS: self._dvfs,
            MonSub.CLASS: self._class,
        }
        for sub, make in makers.items():
            own = words[subs == sub]
            if len(own):
                make(_fields(sub, own))
        self.requests += int(np.count_nonzero(subs == MonSub.PREFETCH))
        self.unknown += int(np.count_nonzero(~np.isin(subs, [int(sub) for sub in MonSub])))

    def _limit(self, name: str, unit: str, scale: int = 1, *, lowest: bool = False) -> Observed:
        limit = Fraction(self._limits[name], scale)
        return self._observed.setdefault(name, Observed(name, unit, limit, lowest))

    def _interval(self, told: dict[str, I8]) -> None:
        row = self._limit("TOKEN_INTERVAL", "ns")
        over = told["interval"] > self._limits["TOKEN_INTERVAL"] * 256
        row.take(int(over.sum()), len(over), Fraction(int(told["interval"].max()), 256))

    def _hitrate(self, told: dict[str, I8]) -> None:
        judged = told["accesses"] > 0
        self.empty_windows += int(np.count_nonzero(~judged))
        self.full_windows += int(np.count_nonzero(told["accesses"] == _SATURATED))
        hits, accesses = told["hits"][judged], told["accesses"][judged]
        if not len(hits):
            return
        row = self._limit("HITRATE_LIMIT", "", 1000, lowest=True)
        under = hits * 1000 < self._limits["HITRATE_LIMIT"] * accesses
        worst = int(np.argmin(hits / accesses))
        row.take(int(under.sum()), len(hits), Fraction(int(hits[worst]), int(accesses[worst])))

    def _energy(self, told: dict[str, I8]) -> None:
        """What is told is off by less than a unit either way: of a rest from the token before, and to the next."""
        row = self._limit("ENERGY_LIMIT", "pJ")
        energy = told["energy"] * UNIT
        over, near = energy > self._limits["ENERGY_LIMIT"], abs(energy - self._limits["ENERGY_LIMIT"]) < UNIT
        row.marginal += int(near.sum())
        row.take(int(np.count_nonzero(over)), len(energy), Fraction(int(energy.max())))

    def _link(self, told: dict[str, I8]) -> None:
        for stage, name in enumerate(STAGES):
            own = told["stage"] == stage
            if own.any():
                row = self._limit(name, "ns")
                row.take(int(told["over"][own].sum()), int(own.sum()), Fraction(int(told["duration"][own].max())))

    def _util(self, told: dict[str, I8]) -> None:
        util = self.util
        for channel, busy, saturated in zip(
            *(told[name].tolist() for name in ("channel", "busy", "saturated")), strict=True
        ):
            if channel == WINDOW:
                util.windows, util.clocks = util.windows + 1, busy
            elif not util.clocks:
                util.orphans += 1
            else:
                share = Fraction(busy, util.clocks)
                util.samples += 1
                util.total += float(share)
                util.squares += float(share) ** 2
                count, total, most = util.by_channel.get(channel, (0, 0.0, 0.0))
                util.by_channel[channel] = count + 1, total + float(share), max(most, float(share))
                self._limit("UTIL_SATURATION", "", 1000).take(saturated, 1, share)

    def _sched(self, told: dict[str, I8]) -> None:
        self.registers += len(told["register"])
        self.register = int(told["register"][-1]), int(told["period"][-1])

    def _dvfs(self, told: dict[str, I8]) -> None:
        points = list(zip(told["voltage"].tolist(), told["frequency"].tolist(), strict=True))
        self.step_count += len(points)
        self.steps = [(self.steps or points)[0], points[-1]]

    def _class(self, told: dict[str, I8]) -> None:
        for link, kind, clocks in zip(*(told[name].tolist() for name in ("link", "class", "clocks")), strict=True):
            self.classes.setdefault(link, [0] * len(CLASSES))[kind] += clocks


def _fields(sub: MonSub, words: npt.NDArray[np.unsignedinteger]) -> dict[str, I8]:
    return {item.name: get(item, words) for item in PAYLOAD[Kind.MON, int(sub)]}
