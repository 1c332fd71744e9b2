"""The RAS mapper's decisions recomputed from the stream and compared with those that it told.

``npuscope.encode.ras_check`` holds the rules and follows every state that the stream still allows; this module feeds
it in the order of time, fast where nothing can happen, and blind where records may be missing. A capture is read
twice: a LOSS stands in the stream behind samples that it concerns, so the gaps must be known first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.encode.ras import LATCHED, severity, syndrome
from npuscope.encode.ras_check import RasCheck, Verdict
from npuscope.layout import PAYLOAD, SRC_JITTER, SRC_RAS, Cfg, JitterSub, Kind, RasClass
from npuscope.ledger import MAX_LISTED
from npuscope.tables.events import Break, Chunk, Gap, Picker, Reader, Setting
from npuscope.tables.rows import RowMaker, valid

__all__ = ["Finding", "Recheck"]

I8 = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

_NEVER, _FOREVER = -(1 << 62), 1 << 62
FAULTS: Final = frozenset(LATCHED)
COUNT_MAX: Final = 31
SETTLE_NS: Final = 200
"""A new configuration is told within this time of when it is in force: samples so near to it are not judged."""
_CLASSES: Final = frozenset(map(int, RasClass))
_OPTIONS: Final = {f.name: f for f in PAYLOAD[Kind.CFG, int(Cfg.T_NOMINAL_HI)]}
_CFG, _UNSURE, _GAP, _ROW = range(4)
"""Order of what happens at one time; the samples of that time come last."""


@dataclass(frozen=True)
class Finding:
    """A disagreement at ``time_ns`` (axis): what the record of ``kind`` says or does not say, against the rules."""

    time_ns: int
    tai_ns: int
    kind: RasClass
    what: str
    jitter: int | None


@dataclass
class _Samples:
    """Sync pulses that were not judged yet, in order."""

    time: I8
    ts: I8
    sub: npt.NDArray[np.uint8]
    jitter: I8

    def cut(self, start: int, stop: int) -> _Samples:
        part = slice(start, stop)
        return _Samples(self.time[part], self.ts[part], self.sub[part], self.jitter[part])

    @classmethod
    def none(cls) -> _Samples:
        empty = np.empty(0, np.int64)
        return cls(empty, empty, np.empty(0, np.uint8), empty)


@dataclass
class Recheck:
    """Fed with the chunks and CFG words of each run in stream order. before: the ``Reader`` of a pass before.

    disorder: max_disorder_ns; where a run is cut off, so much before its last record may lack its other half.

    verdicts: class -> how often. findings: the first ``MAX_LISTED`` disagreements; disagreements: all. samples: pulses
    seen; judged: those that the state was known for in part or in whole. injected: records left out.
    """

    before: Reader
    disorder: int = 1000
    verdicts: dict[RasClass, Counter[Verdict]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    disagreements: int = 0
    samples: int = 0
    judged: int = 0
    injected: int = 0
    configured: bool = False

    def __post_init__(self) -> None:
        self._by_run: dict[int, list[Gap]] = {}
        for gap in sorted(self.before.gaps, key=lambda gap: gap.from_ns):
            self._by_run.setdefault(gap.run, []).append(gap)
        self._maker, self._picker = RowMaker(Kind.RAS), Picker(Kind.JITTER)
        self._run = -1

    def _begin(self, run: int) -> None:
        """A run of the stream: nothing is known of the mapper."""
        self._run, self._check = run, RasCheck()
        self._words: dict[int, int] = {}
        self._latched: dict[RasClass, int] = {}
        self._drives_a: bool | None = None  # options of the jitter source, None = not told yet
        self._exclude: bool | None = None
        self._last = _NEVER
        self._waiting = _Samples.none()
        self._events: list[tuple[int, int, object]] = []
        self._first: int | None = None
        self._told: dict[int, int] = {}
        self._blind_until = self._unsure_until = _NEVER
        self._blind_ras = False
        gaps = self._by_run.get(run, [])
        if not self.before.aligned(run, SRC_RAS, SRC_JITTER):  # their times do not compare
            gaps = [Gap(run, SRC_RAS, _NEVER, _FOREVER)]
        self._events += [(gap.from_ns, _GAP, gap) for gap in gaps]

    # ---------------------------------------------------------------- input
    def feed(self, run: int, chunks: Sequence[Chunk], settings: Sequence[Setting]) -> None:
        """Take the chunks and CFG words of one batch that belong to ``run``."""
        if run != self._run:
            self.finish()
            self._begin(run)
        for setting in settings:
            self._events.append((setting.time, _CFG, setting))
            changes = setting.src == SRC_RAS and self._told.get(setting.word, setting.value) != setting.value
            if setting.src == SRC_RAS:
                self._told[setting.word] = setting.value
            if changes:
                self._events.append((setting.time - SETTLE_NS, _UNSURE, setting.time + SETTLE_NS))
        for rows in self._maker.feed([chunk for chunk in chunks if chunk.src == SRC_RAS]):
            self._events += [(int(row["time"]), _ROW, row) for row in rows]
        parts = [self._waiting]
        for chunk in chunks:
            own = self._picker.feed(chunk) if chunk.src == SRC_JITTER else chunk.part(0, 0)
            jitter = own.payload.view(np.int32).astype(np.int64)
            parts.append(_Samples(own.time, own.ts, own.sub, jitter))
        self._waiting = _Samples(
            *(np.concatenate([getattr(p, n) for p in parts]) for n in ("time", "ts", "sub", "jitter"))
        )
        order = np.argsort(self._waiting.time, kind="stable")
        if (order[1:] < order[:-1]).any():
            self._waiting = _Samples(*(getattr(self._waiting, n)[order] for n in ("time", "ts", "sub", "jitter")))
        seen = [int(self._waiting.time[-1])] if len(self._waiting.time) else []
        seen += [time for time, kind, _ in self._events if kind == _ROW]
        if seen:
            self._last = max(self._last, *seen)
            self._advance(self._last - max(SETTLE_NS, self.disorder))

    def finish(self) -> None:
        """The run is over."""
        if self._run < 0:
            return
        if self._run not in self.before.ended:
            self._events.append((self._last - self.disorder, _GAP, Gap(self._run, SRC_RAS, self._last, _FOREVER)))
        self._advance(_FOREVER)

    def _advance(self, horizon: int) -> None:
        """Go through everything before ``horizon``: what has that very time may still get company."""
        self._events.sort(key=lambda event: event[:2])
        due = [event for event in self._events if event[0] < horizon]
        self._events = self._events[len(due) :]
        for time, group in groupby(due, key=lambda event: event[0]):
            place = int(np.searchsorted(self._waiting.time, time, side="left"))
            self._quiet(self._waiting.cut(0, place))
            self._waiting = self._waiting.cut(place, len(self._waiting.time))
            self._happen(time, [(kind, item) for _, kind, item in group])
        place = int(np.searchsorted(self._waiting.time, horizon, side="left"))
        self._quiet(self._waiting.cut(0, place))
        self._waiting = self._waiting.cut(place, len(self._waiting.time))

    # ---------------------------------------------------------------- what happens
    def _happen(self, time: int, items: list[tuple[int, object]]) -> None:
        """All events of one time, then the samples of that time if something was told for them."""
        rows: list[np.void] = []
        for kind, item in items:
            if isinstance(item, Setting):
                self._set(item)
            elif isinstance(item, Gap):
                self._blind(item)
            elif kind == _UNSURE:
                assert isinstance(item, int)
                self._unsure_until = max(self._unsure_until, item)
            else:
                assert isinstance(item, np.void)
                rows.append(item)
        faults: list[np.void] = []
        blind = time <= self._blind_until
        for row in rows:
            self._count(row)
            if row["injected"]:
                self.injected += 1
            elif int(row["class"]) in FAULTS:
                faults.append(row)
            elif int(row["class"]) in _CLASSES and not (blind and self._blind_ras):
                self._check.note(RasClass(int(row["class"])), time)
        if blind:
            self._latched.clear()
        if rows and blind:
            self._check.forget(self._blind_until, ras=self._blind_ras or bool(faults))
        if faults:
            place = int(np.searchsorted(self._waiting.time, time, side="right"))
            own = self._waiting.cut(0, place)
            self._waiting = self._waiting.cut(place, len(self._waiting.time))
            self._decided(time, faults, own)

    def _set(self, setting: Setting) -> None:
        if setting.src == SRC_JITTER and setting.word == Cfg.T_NOMINAL_HI:
            self._drives_a = bool(_OPTIONS["sync_lost_a"].get(setting.value))
            self._exclude = bool(_OPTIONS["exclude"].get(setting.value))
        if setting.src != SRC_RAS or self._words.get(setting.word) == setting.value:
            return
        self._words[setting.word] = setting.value
        self._check.configure({setting.word: setting.value}, setting.time)
        self.configured |= self._check.config is not None

    def _blind(self, gap: Gap) -> None:
        """Records may be missing up to the end of ``gap``: nothing before it is judged any more."""
        ras = gap.src == SRC_RAS
        self._blind_ras = ras or (self._blind_ras and gap.from_ns <= self._blind_until)
        self._blind_until = max(self._blind_until, gap.to_ns)
        if not gap.told and ras:  # the limits may have changed in it
            self._check, self._words = RasCheck(), {}
        elif not gap.told:
            self._drives_a = self._exclude = None
        self._check.forget(self._blind_until, ras=self._blind_ras)
        if ras:
            self._latched.clear()

    def _count(self, row: np.void) -> None:
        """The count of a latch goes up by one, or begins again after software cleared it."""
        if row["broken"] >= Break.START:
            self._latched.clear()
        what = int(row["class"])
        if what not in FAULTS:
            return
        kind, count = RasClass(what), int(row["count"])
        before = self._latched.get(kind)
        allowed = {1} if before is None else {1, min(before + 1, COUNT_MAX)}
        if before is not None and count not in allowed:
            self._disagree(
                row, kind, f"count {count} told, {' or '.join(map(str, sorted(allowed)))} by the record before"
            )
        self._latched[kind] = count

    def _decided(self, time: int, told: list[np.void], own: _Samples) -> None:
        """Faults told at ``time``, and the samples of that time, of which there should be one."""
        said = [RasClass(int(row["class"])) for row in told]
        known = time > max(self._blind_until, self._unsure_until) and self._first is not None
        self._start(own)
        self.samples += len(own.time)
        if not (known and len(own.time)):
            for row, kind in zip(told, said, strict=True):
                if known:
                    self._disagree(row, kind, "told, but there is no sample of that time")
                self._tally(kind, Verdict.DISAGREE if known else Verdict.NOT_COMPARABLE)
            self._check.forget(max(time, self._blind_until))
            return
        for row, kind in zip(told, said, strict=True):
            if row["severity"] != severity(kind):
                self._disagree(row, kind, f"severity {row['severity']} told, {int(severity(kind))} by its class")
            jitter = int(own.jitter[-1])
            if own.sub[-1] != JitterSub.SYNC_LOST and int(row["syndrome"]) != syndrome(jitter):
                self._disagree(row, kind, f"syndrome {row['syndrome']} told, {syndrome(jitter)} by the sample")
        for index in range(len(own.time) - 1):
            self._sample(own, index, [])
        self._sample(own, len(own.time) - 1, said)

    def _start(self, own: _Samples) -> None:
        if self._first is None and len(own.time):
            self._first = int(own.time[0])

    def _quiet(self, own: _Samples) -> None:
        """Samples for which nothing was told."""
        if not len(own.time):
            return
        self._start(own)
        self.samples += len(own.time)
        start = int(np.searchsorted(own.time, self._blind_until, side="right"))
        unsure = int(np.searchsorted(own.time, self._unsure_until, side="right"))
        if unsure > start:
            start = unsure
            self._check.forget(int(own.time[unsure - 1]), ras=False)
        check, index, size = self._check, start, len(own.time)
        config = check.config
        if config is None or check.enabled is None:
            if start < size:
                self._sample(own, size - 1, [])
            return
        if not check.enabled:
            self.judged += size - start
            return
        busy = np.flatnonzero((np.abs(own.jitter) > config.r_limit) | (own.sub == JitterSub.SYNC_LOST))
        while index < size:
            if check.at_rest:
                place = int(np.searchsorted(busy, index))
                skip = int(busy[place]) if place < len(busy) else size
                self.judged += skip - index
                index = skip
                if index == size:
                    return
            self._sample(own, index, [])
            index += 1

    def _sample(self, own: _Samples, index: int, said: list[RasClass]) -> None:
        """One sample and what was told for it."""
        time, sub, jitter = int(own.time[index]), int(own.sub[index]), int(own.jitter[index])
        known = self._check.enabled is not None and self._check.config is not None
        self.judged += known
        lost, odd = sub == JitterSub.SYNC_LOST, sub in (JitterSub.MISSED, JitterSub.EARLY)
        if (lost and self._drives_a is None) or (odd and self._exclude is None):
            verdicts = dict.fromkeys(said, Verdict.NOT_COMPARABLE)
            self._check.forget(time)
        elif lost:
            verdicts = self._check.sync_lost(time, bool(self._drives_a), said)
        elif odd and self._exclude:
            verdicts = dict.fromkeys(said, Verdict.DISAGREE)
        else:
            verdicts = self._check.sample(time, jitter, bool(valid(own.sub[index : index + 1])[0]), said)
        for kind, verdict in verdicts.items():
            if verdict is Verdict.DISAGREE:
                what = (
                    "told, but by the rules it does not fire"
                    if kind in said
                    else "by the rules it fires, but it was not told"
                )
                self._add(Finding(time, int(own.ts[index]), kind, what, jitter))
            self._tally(kind, verdict)

    def _disagree(self, row: np.void, kind: RasClass, what: str) -> None:
        self._add(Finding(int(row["time"]), int(row["ts"]), kind, what, None))

    def _add(self, finding: Finding) -> None:
        self.disagreements += 1
        if len(self.findings) < MAX_LISTED:
            self.findings.append(finding)

    def _tally(self, kind: RasClass, verdict: Verdict) -> None:
        self.verdicts.setdefault(kind, Counter())[verdict] += 1
