"""Judges what ``framer`` takes from a dump, from the clocks in which things happened.

Inputs: the units of a checked dump, the clock in which the sink took each record, the time bus of every clock and the
clocks in which the sink stalled. Rule numbers are those of ``traces/FORMAT.md``. A record is chosen some clocks before
it is taken: not before the record ``Limits.buffered`` places ahead of it was taken. So each check allows a window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from npuscope.encode.framer import Unit, UnitKind
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import FRAME_AGE_NS, FRAME_RECORDS, HEARTBEAT_NS, RECORD_BYTES

__all__ = ["Limits", "Schedule"]

_REL = 1 << 48


@dataclass(frozen=True, slots=True)
class Limits:
    """What the build promises.

    sources: all that offer. frame_records, age_ns, heartbeat_ns: its parameters. latency: clocks from an input to its
    entry in a queue, at most. buffered: records between choice and sink, at most. slack: clocks in which a due group
    must be chosen. jump_ns: a change of relative time in one clock that only a step makes. late: sources whose entries
    come later than others of their clock, by no fixed number of clocks.
    """

    sources: tuple[int, ...]
    frame_records: int = FRAME_RECORDS
    age_ns: int = FRAME_AGE_NS
    heartbeat_ns: int = HEARTBEAT_NS
    latency: int = 24
    buffered: int = 17
    slack: int = 64
    jump_ns: int = 128
    late: tuple[int, ...] = ()


class Schedule:
    """One session of a checked dump, with its clocks.

    units: of the session. taken: clock in which each record of the whole dump was taken. history: (rel_ns, ts_ns, tq)
    of every clock. stalls: number of clocks with valid and not ready before each clock. start: clock of the start.
    """

    def __init__(
        self,
        limits: Limits,
        units: Sequence[Unit],
        taken: Sequence[int],
        history: Sequence[tuple[int, int, int]],
        stalls: Sequence[int],
        start: int,
    ) -> None:
        self.limits, self.units, self.taken = limits, units, taken
        self.history, self.stalls, self.start = history, stalls, start
        self._seen: dict[tuple[int, int], list[int]] = {}
        for clock, (_, ts, tq) in enumerate(history):
            self._seen.setdefault((ts, tq), []).append(clock)
        rel = [entry[0] for entry in history]
        jumps = [not 0 <= (b - a) % _REL <= limits.jump_ns for a, b in pairwise(rel)]
        self._jumps = [0, *accumulate(map(int, jumps))]
        drift = [(b[1] - a[1] - b[0] + a[0]) % _REL for a, b in pairwise(history)]
        self._stepped = [at + 1 for at in range(len(jumps)) if jumps[at] or drift[at]]

    def check(self) -> Counter[str]:
        """All checks; how many groups had which cause. Raises NpuscopeError (exit code 1) at the first that fails."""
        self.merge_order()
        self.times()
        self.steps_close_frames()
        self.latest()
        return self.causes()

    # ---------------------------------------------------------------- clocks
    def _early(self, index: int) -> int:
        """First clock in which record ``index`` can have been chosen, and its time latched."""
        before = index - self.limits.buffered
        return (self.taken[before] if before >= self.units[0].index else self.start) - 2

    def _aged(self, since: int, until: int, ns: int) -> bool:
        """Whether relative time can have advanced by ``ns`` between the clocks; a jump makes anything possible."""
        jumped = self._jumps[until] != self._jumps[max(since, 0)]
        return jumped or (self.history[until][0] - self.history[max(since, 0)][0]) % _REL >= ns

    # ---------------------------------------------------------------- order
    def merge_order(self) -> None:
        """Rule 23: entries leave in the order of the clocks in which they were offered, lowest source first."""
        last = (-1, -1)
        for unit in self.units:
            if unit.entry is not None and unit.entry.clock is not None and unit.src not in self.limits.late:
                key = (unit.entry.clock, unit.src)
                if key <= last:
                    raise self._error(unit, f"offered in clock {key[0]}", f"after source {last[1]} of clock {last[0]}")
                last = key

    # ---------------------------------------------------------------- times
    def _now(self, unit: Unit, until: int, index: int | None = None) -> bool:
        """Whether the time of ``unit`` was on the bus while it can have been latched, and not after ``until``.

        index: the record for which it was latched, if not the unit's own.
        """
        early = self._early(unit.index if index is None else index)
        return any(early <= clock <= until for clock in self._seen.get((unit.ts, unit.tq), ()))

    def times(self) -> None:
        """Rule 10: a group's time is now if nothing is queued or nothing was emitted, else the last entry's.

        END and its counters: now.
        """
        last: Unit | None = None
        ending = False
        for at, unit in enumerate(self.units):
            if unit.kind == UnitKind.ENTRY:
                last = unit
            elif unit.kind == UnitKind.GROUP:
                self._group_time(unit, last, self.units[at + 1 :])
            elif unit.kind == UnitKind.END and not ending:
                ending = True
                before = self.units[at - 1]  # the counters behind a group have its time
                index = before.index if before.kind == UnitKind.GROUP else unit.index
                if not self._now(unit, self.taken[unit.index], index):
                    raise self._error(unit, f"the end is at {unit.ts} tq {unit.tq}", "now")

    def _group_time(self, unit: Unit, last: Unit | None, following: Sequence[Unit]) -> None:
        taken = self.taken[unit.index]
        if last is None:
            if not self._now(unit, taken):
                raise self._error(unit, f"group time {unit.ts} tq {unit.tq}", "now")
            return
        lost = bool(following) and following[0].kind == UnitKind.LOSS
        entry = next((u.entry for u in following if u.entry is not None), None)
        offered = entry.clock if entry is not None and entry.clock is not None else taken + 1
        cut = entry is None and self.units[-1].kind != UnitKind.END  # a reset may have taken what was queued
        late = entry is not None and entry.src in self.limits.late
        queued = lost or offered <= taken or cut or late
        empty_until = taken if late else min(taken, offered + self.limits.latency)
        is_last = (unit.ts, unit.tq) == (last.ts, last.tq)
        if not (is_last and queued) and not self._now(unit, empty_until):
            wanted = f"now, or {last.ts} tq {last.tq} if something is queued"
            raise self._error(unit, f"group time {unit.ts} tq {unit.tq}", wanted)

    def stalled(self, index: int, value: int) -> None:
        """Rule 9: CNT STALLED at record ``index`` is floor(stalled clocks since the start / 256)."""
        begun = self.stalls[min(self.start + self.limits.latency, len(self.stalls) - 1)]
        low = (self.stalls[max(self._early(index), self.start)] - begun) >> 8
        high = (self.stalls[self.taken[index]] - self.stalls[self.start]) >> 8
        if not max(low, 0) <= value <= high:
            unit = next(unit for unit in self.units if unit.index <= index < unit.index + unit.count)
            raise self._error(unit, f"CNT STALLED is {value}", f"{low} to {high}")

    # ---------------------------------------------------------------- groups
    def steps_close_frames(self) -> None:
        """Rule 21: behind the last source's pair of a step comes a group, unless another step is on its way."""
        places: dict[int, dict[int, int]] = {}
        for at, unit in enumerate(self.units):
            if unit.entry is not None and unit.entry.step_ns is not None and unit.entry.clock is not None:
                places.setdefault(unit.entry.clock, {})[unit.src] = at
        # a step that was on its way when a reset cut the stream is seen on the bus only
        known = places if self.units[-1].kind == UnitKind.END else self._stepped
        for clock, pairs in places.items():
            if set(pairs) != set(self.limits.sources):
                continue  # a pair was lost
            last = max(pairs.values())
            decided = self.taken[self.units[last].index] + self.limits.latency
            again = any(clock < other <= decided for other in known)
            lost = any(unit.kind == UnitKind.LOSS for unit in self.units)  # another step may have been lost
            if again or lost or last + 1 == len(self.units):  # the last case: a reset cut the stream here
                continue
            after = self.units[last + 1]
            if after.kind != UnitKind.GROUP:
                raise self._error(after, "no group behind the last pair of a clock step", "a group")

    def latest(self) -> None:
        """Rule 24: a frame with contents ends at its age, any frame at the heartbeat, within the slack."""
        opened, first = self.units[0], None
        for unit in self.units[1:]:
            since = self.taken[opened.index]
            due = self._early(unit.index) - self.limits.slack
            if first is not None and unit.kind != UnitKind.GROUP and due > self.taken[first.index]:
                calm = self._jumps[self._early(unit.index)] == self._jumps[self._early(opened.index)]
                if calm and self._aged(since, due, self.limits.age_ns):
                    raise self._error(unit, "the frame goes on at this age", f"a group after {self.limits.age_ns} ns")
            if unit.kind == UnitKind.GROUP or unit is self.units[-1]:
                self._heartbeat(unit, since)
            if unit.kind == UnitKind.GROUP:
                opened, first = unit, None
            elif first is None:
                first = unit

    def _heartbeat(self, unit: Unit, since: int) -> None:
        taken = self.taken[unit.index]
        stalled = self.stalls[taken] - self.stalls[since]
        due = taken - self.limits.slack - stalled
        calm = self._jumps[taken] == self._jumps[since]
        if due > since and calm and self._aged(since, due, self.limits.heartbeat_ns):
            raise self._error(unit, "no group for this long", f"one every {self.limits.heartbeat_ns} ns")

    def causes(self) -> Counter[str]:
        """Rules 4, 6, 21, 24: each group has a cause; counts those whose cause is beyond doubt, by its name.

        start, full, step, loss, age, heartbeat; "several" if more than one is possible.
        """
        found: Counter[str] = Counter()
        opened, frame = self.units[0], []
        for at, unit in enumerate(self.units):
            if unit.kind != UnitKind.GROUP:
                frame.append(unit)
                continue
            causes = self._legal(opened, frame, unit, self._run(at + 1)) if at else ["start"]
            if not causes:
                raise self._error(unit, "a group without cause")
            found[causes[0] if len(causes) == 1 else "several"] += 1
            opened, frame = unit, []
        records = sum(unit.count for unit in self.units)
        if found["loss"] > 1 + records // self.limits.frame_records:
            raise self._error(
                self.units[-1], f"{found['loss']} groups for losses", "one in a frame's number of records"
            )
        return found

    def _legal(self, opened: Unit, frame: Sequence[Unit], unit: Unit, following: int) -> list[str]:
        size, limit = unit.index - opened.index, self.limits.frame_records
        since, taken = self._early(opened.index), self.taken[unit.index]
        possible = {
            "full": size == limit or size + following > limit,
            "step": any(self._step_told(u, unit.index) for u in frame),
            "loss": any(u.kind == UnitKind.LOSS for u in frame),
            "age": bool(frame) and self._aged(since, taken, self.limits.age_ns),
            "heartbeat": self._aged(since, taken, self.limits.heartbeat_ns),
        }
        return [cause for cause, holds in possible.items() if holds]

    def _step_told(self, unit: Unit, index: int) -> bool:
        """Whether ``unit`` tells a clock step that every source has told before record ``index`` (or has lost)."""
        if unit.steps or unit.entry is None or unit.entry.step_ns is None:
            return unit.steps
        pairs = {
            u.src for u in self.units if u.entry is not None and u.entry.clock == unit.entry.clock and u.index < index
        }
        return pairs == set(self.limits.sources) or any(u.steps for u in self.units)

    def _run(self, at: int) -> int:
        """Records of the unbroken run that begins with unit ``at``: a LOSS burst takes its marked entry along."""
        if at >= len(self.units):
            return 0
        unit = self.units[at]
        after = self.units[at + 1] if at + 1 < len(self.units) else None
        marked = unit.kind == UnitKind.LOSS and after is not None and after.entry is not None and after.src == unit.src
        return unit.count + (after.count if marked and after is not None else 0)

    def _error(self, unit: Unit, found: str, expected: str | None = None) -> NpuscopeError:
        return NpuscopeError(
            f"{unit.kind.value} of source {unit.src}, taken in clock {self.taken[unit.index]}",
            record=unit.index,
            offset=unit.index * RECORD_BYTES,
            found=found,
            expected=expected,
            exit_code=Exit.CHECK_FAILED,
        )
