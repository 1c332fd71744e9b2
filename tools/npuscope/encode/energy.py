"""Golden models of the energy per token and of the governor: rules E1 to E5, G1 to G5 of ``rtl/monitor/README.md``."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.encode.monitors import MonRecord
from npuscope.encode.record import payload
from npuscope.layout import THRESHOLDS, Kind, MonSub

__all__ = ["ENERGY_MAX", "EnergyModel", "Governor", "Verdict"]

ENERGY_MAX = (1 << 42) - 1
"""Where the energy of a token saturates, pJ."""

_UNIT = 1 << 10
_TOLD_MAX = (1 << 32) - 1
_JUMP = 1 << 8


@dataclass(frozen=True)
class Verdict:
    """Of a token: pJ (None: saturated), what is told of it in units of 1024 pJ, over, under."""

    energy: int | None
    told: int
    over: bool
    under: bool

    @property
    def record(self) -> MonRecord:
        """Its MON record."""
        return MonSub.ENERGY, payload(Kind.MON, MonSub.ENERGY, energy=self.told)


class EnergyModel:
    """E1 to E5. limit, release: pJ. Times are whole ns."""

    def __init__(
        self, limit: int = THRESHOLDS["ENERGY_LIMIT"].value, release: int = THRESHOLDS["ENERGY_RELEASE"].value
    ) -> None:
        self.limit, self.release = limit, release
        self.power: int | None = None
        self.left = 0
        self._last: int | None = None
        self._sum: int | None = None

    def clock(
        self, now: int, power: int | None = None, token: bool = False, *, enable: bool = True, rel_step: bool = False
    ) -> Verdict | None:
        """power: a sample, mW, in force from this clock on. The verdict if this clock ends a token that was whole."""
        ns = None if self._last is None else (now - self._last) % (1 << 48)
        good = enable and ns is not None and self.power is not None and not rel_step and ns < _JUMP
        if not good:
            self._sum = None
        elif self._sum is not None:
            self._sum += (self.power or 0) * (ns or 0)
        verdict = None
        if token and enable:
            if self._sum is not None:
                verdict = self._judge(self._sum)
            self._sum = 0
        self._last = now if enable else None
        if power is not None:
            self.power = power
        return verdict

    def _judge(self, energy: int) -> Verdict:
        """E3 to E5."""
        if energy > ENERGY_MAX:
            self.left = 0
            return Verdict(None, _TOLD_MAX, True, False)
        told = energy + self.left
        full = told > ENERGY_MAX
        self.left = 0 if full else told % _UNIT
        return Verdict(energy, _TOLD_MAX if full else told // _UNIT, energy > self.limit, energy < self.release)


@dataclass
class Governor:
    """G1 to G5. Voltages in mV, frequencies in MHz; dwell in tokens."""

    v_high: int = THRESHOLDS["DVFS_V_HIGH"].value
    v_low: int = THRESHOLDS["DVFS_V_LOW"].value
    v_step: int = THRESHOLDS["DVFS_V_STEP"].value
    f_high: int = THRESHOLDS["DVFS_F_HIGH"].value
    f_low: int = THRESHOLDS["DVFS_F_LOW"].value
    f_step: int = THRESHOLDS["DVFS_F_STEP"].value
    dwell: int = THRESHOLDS["DVFS_DWELL"].value

    def __post_init__(self) -> None:
        self.voltage, self.frequency, self._waits = self.v_high, self.f_high, 0

    def token(self, over: bool, under: bool) -> MonRecord | None:
        """The verdict of a token; the record of the step that follows, if one does."""
        if self._waits:
            self._waits -= 1
            return None
        if over and self.frequency > self.f_low:
            self.frequency, state = self.frequency - self.f_step, 1
        elif over and self.voltage > self.v_low:
            self.voltage, state = self.voltage - self.v_step, 2
        elif under and not over and self.voltage < self.v_high:
            self.voltage, state = self.voltage + self.v_step, 3
        elif under and not over and self.frequency < self.f_high:
            self.frequency, state = self.frequency + self.f_step, 4
        else:
            return None
        self._waits = self.dwell - 1
        word = payload(Kind.MON, MonSub.DVFS, voltage=self.voltage, frequency=self.frequency, state=state)
        return MonSub.DVFS, word
