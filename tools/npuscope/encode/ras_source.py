"""Golden model of the RAS source: what one clock makes the mapper decide, latch and tell.

Written from ``rtl/ras/README.md`` (M0 to M12). Latches follow what is told (M7), so ``Latches`` completes the records
when it is known which of them were told and which were lost. A *moment* is one clock of the samples; the acks that
belong to it are those seen when it is collected, some clocks later, so whoever has the pins calls ``clock`` that much
later.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from npuscope.encode.probe import TimeBus
from npuscope.encode.ras import (
    LATCHED,
    REQUESTED_BY,
    SATURATED,
    RasConfig,
    RasLatch,
    RasMapper,
    RasRequest,
    ras_record,
    syndrome,
)
from npuscope.encode.record import payload_fields
from npuscope.encode.stream import Entry
from npuscope.layout import SRC_RAS, SUB_FIELDS, THRESHOLDS, Cfg, Kind, RasClass

__all__ = ["Latches", "RasMoment", "RasSourceModel"]

_REL = 1 << 48
_INJECTED_ORDER = (RasClass.SYNC_LOST, RasClass.R, RasClass.A, RasClass.REDUNDANCY_EXHAUSTED, RasClass.S)
_HAS_SYNDROME = (RasClass.R, RasClass.A, RasClass.REDUNDANCY_EXHAUSTED, RasClass.S)


@dataclass(frozen=True, slots=True)
class RasMoment:
    """What belongs to one moment.

    sample: (jitter in 1/256 ns, whether it is valid), as the mapper is told. lost, drives_a: SYNC_LOST, and whether it
    drives A. config: comes in force with this moment. inject: classes asked for in the clock after this one. acks: of
    crc_reneg and phy_switch when the moment is collected.
    """

    time: TimeBus
    sample: tuple[int, bool] | None = None
    lost: bool = False
    drives_a: bool = False
    phy_changed: bool = False
    reneg_done: bool = False
    enable: bool = True
    config: RasConfig | None = None
    inject: Collection[RasClass] = ()
    acks: tuple[bool, bool] = (False, False)


class RasSourceModel:
    """The mapper with its requests. config: in force after reset. unit, timeout: parameters."""

    def __init__(
        self, config: RasConfig | None = None, unit: int = 0, timeout: int = THRESHOLDS["REQ_TIMEOUT"].value
    ) -> None:
        self._start, self.unit, self.timeout = config or RasConfig(), unit, timeout
        self.reset()

    def reset(self) -> None:
        """As after reset."""
        self.mapper = RasMapper(self._start)
        self.requests = (RasRequest(self.timeout), RasRequest(self.timeout))
        self._elapsed = 0
        self._rel: int | None = None
        self._waiting: set[RasClass] = set()

    @property
    def words(self) -> dict[int, int]:
        """CFG words in force."""
        return {int(word): value for word, value in self.mapper.config.words().items()}

    def clock(self, moment: RasMoment) -> list[Entry]:
        """The entries of the moment, in the order of the stream; those with a latch are not complete."""
        time, mapper = moment.time, self.mapper
        if self._rel is not None and not time.rel_step:  # how long the clock of a step took is not known
            self._elapsed += (time.rel_ns - self._rel) % _REL
        self._rel = time.rel_ns
        entries = []
        if moment.config is not None:
            mapper.config = moment.config
            words = moment.config.words().items()
            entries += [self._entry(time, Kind.CFG, word, value) for word, value in words]
        told = self._notes(moment)
        jitter, decided, injected = self._decide(moment)
        for n, request in enumerate(self.requests):
            answer = request.clock(any(REQUESTED_BY.get(what) == n for what in decided), moment.acks[n])
            if answer is not None:
                stuck = answer == RasClass.REQ_TIMEOUT and request.stuck
                told.append((answer, n | 2 * stuck))
        word = syndrome(jitter)
        told += [(what, word if what in _HAS_SYNDROME else 0) for what in decided]
        for what, value in told:
            latched = what in LATCHED
            entry = self._entry(time, Kind.RAS, *ras_record(what, None, value, injected and latched, self.unit))
            entries.append(replace(entry, latch=int(what)) if latched else entry)
        if time.ts_step or time.rel_step:
            first = entries.pop(0) if entries else Entry(time.ts_ns, SRC_RAS, None, tq=time.tq)
            entries.insert(0, replace(first, step_ns=time.step_ns))
        return entries

    def _notes(self, moment: RasMoment) -> list[tuple[RasClass, int]]:
        """M12, in the order in which they are told."""
        notes = []
        if moment.time.rel_step:
            notes.append(RasClass.FLUSHED)
        if moment.enable != self.mapper.enabled:
            notes.append(RasClass.ENABLED if moment.enable else RasClass.DISABLED)
        if moment.reneg_done:
            notes.append(RasClass.RENEG_DONE)
        if moment.phy_changed:
            notes.append(RasClass.PHY_CHANGED)
        for note in notes:
            self.mapper.note(note, self._elapsed)
        return [(note, 0) for note in notes]

    def _decide(self, moment: RasMoment) -> tuple[int, list[RasClass], bool]:
        """Jitter, decisions, and whether they are injected (M11: in a moment without sample and without SYNC_LOST)."""
        self._waiting |= set(moment.inject)
        if not moment.enable:
            self._waiting = set()
        jitter, decided = 0, []
        if moment.lost:
            decided = self.mapper.sync_lost(self._elapsed, moment.drives_a)
        if moment.sample is not None:
            jitter, ok = moment.sample
            decided += self.mapper.sample(self._elapsed, jitter, ok, abs(jitter) == SATURATED)
        if moment.lost or moment.sample is not None or not self._waiting:
            return jitter, decided, False
        decided, self._waiting = [what for what in _INJECTED_ORDER if what in self._waiting], set()
        return 0, decided, True

    @staticmethod
    def _entry(time: TimeBus, kind: Kind, sub: int | Cfg, word: int) -> Entry:
        return Entry(time.ts_ns, SRC_RAS, kind, int(sub), word, time.tq)


class Latches:
    """The latches of the mapper, as far as the records show them: count and overflow by class."""

    def __init__(self) -> None:
        self._latches = {what: RasLatch() for what in LATCHED}
        self._unsure = dict.fromkeys(LATCHED, 0)
        self._owed: set[RasClass] = set()

    def told(self, entry: Entry, sub: int, payload: int) -> Entry:
        """The entry as it is told. sub, payload: what the stream shows.

        They decide what a loss has left open: how much of it the latch has counted, and whether a loss that is told
        only later had come when this record was made.
        """
        if entry.latch is None:
            return entry
        what = RasClass(entry.latch)
        latch, count = self._latches[what], _COUNT.get(payload)
        latch.set(entry.ts, 0)
        if self._unsure[what] and latch.count - self._unsure[what] <= count <= latch.count:
            latch.overflow |= count < latch.count
            latch.count = count
        if sub & _OVERFLOW and not latch.overflow:
            latch.overflow = True
            if not self._unsure[what]:
                self._owed.add(what)
        self._unsure[what] = 0
        bits = {"first": latch.count == 1 and not latch.overflow, "overflow": latch.overflow}
        sub = entry.sub | sum(f.put(int(bits[f.name])) for f in SUB_FIELDS[Kind.RAS] if f.name in bits)
        return replace(entry, sub=sub, payload=entry.payload | _COUNT.put(latch.count))

    def lost(self, entry: Entry, collector: bool) -> None:
        """Not told: the collector dropped it, and the latch has not counted it; else it has, or perhaps not."""
        if entry.latch is None:
            return
        what = RasClass(entry.latch)
        self._owed.discard(what)
        if collector:
            self._latches[what].lose()
        else:
            self._latches[what].set(entry.ts, 0)
            self._unsure[what] += 1

    @property
    def owed(self) -> frozenset[RasClass]:
        """Classes of which a loss showed that the stream has not told yet."""
        return frozenset(self._owed)

    def clear(self, classes: Collection[RasClass]) -> None:
        """Write-1-to-clear, while nothing is told."""
        for what in classes:
            self._latches[what].clear()


_OVERFLOW = next(field.put(1) for field in SUB_FIELDS[Kind.RAS] if field.name == "overflow")
_COUNT = next(field for field in payload_fields(Kind.RAS, 0) if field.name == "count")
