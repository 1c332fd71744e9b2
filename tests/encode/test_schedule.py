"""The schedule checks accept a plausible timing of a dump and refuse each kind of wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.encode import Entry, Session, SourceConfig, StreamConfig, StreamModel, Unit, UnitKind, Writer, payload
from npuscope.encode.schedule import Limits, Schedule
from npuscope.errors import NpuscopeError
from npuscope.layout import SRC_MARK, BpSub, Kind

PERIOD = 10
START = 5
LIMITS = Limits((0, 1, SRC_MARK), frame_records=64, age_ns=3000, heartbeat_ns=9000, latency=8, buffered=4, slack=16)
SOURCES = (SourceConfig(0b11), SourceConfig(0b1))


def at(clock: int) -> int:
    """The absolute time of a clock."""
    return 1_000_000 + clock * PERIOD


def bp(clock: int, src: int, occ: int = 60, step_ns: int | None = None) -> Entry:
    word = payload(Kind.BP, BpSub.LEVEL, layer=0, occ=occ)
    return Entry(at(clock), src, Kind.BP, BpSub.LEVEL, word, step_ns=step_ns, clock=clock)


class Rig:
    """A dump by the Writer whose records are taken one a clock, entries 10 clocks after they were offered."""

    def __init__(self) -> None:
        self.writer = Writer(SOURCES, start_ts=at(START), frame_records=64)
        self.offered: dict[int, list[Entry]] = {0: [], 1: [], SRC_MARK: []}
        self.taken = [START + 4 + index for index in range(self.writer.records)]

    def wait(self, clock: int) -> None:
        """Nothing is taken before ``clock``."""
        self._now = max(clock, self.taken[-1] + 1)

    def done(self) -> None:
        while len(self.taken) < self.writer.records:
            self.taken.append(self._now)
            self._now += 1

    def offer(self, *entries: Entry) -> None:
        for entry in entries:
            assert entry.clock is not None
            self.wait(entry.clock + 10)
            self.offered[entry.src].append(entry)
            self.writer.offer(entry)
            self.done()

    def group(self, clock: int, ts_clock: int | None = None) -> None:
        self.wait(clock)
        self.writer.group(at(clock if ts_clock is None else ts_clock), 2)
        self.done()

    def schedule(self, end: int = 400, **changes: object) -> Schedule:
        self.wait(end)
        self.writer.flush(at(end), 2)
        self.done()
        config = StreamConfig(SOURCES, frame_records=64)
        walk = StreamModel(config, Session(self.offered), self.writer.data()).check()
        clocks = self.taken[-1] + 1
        history = [(clock * PERIOD, at(clock), 2) for clock in range(clocks)]
        limits = replace(LIMITS, **changes)  # type: ignore[arg-type]
        return Schedule(limits, walk.units, self.taken, history, [0] * (clocks + 1), START)


def refused(schedule: Schedule) -> str:
    with pytest.raises(NpuscopeError) as caught:
        schedule.check()
    return str(caught.value)


def test_a_group_by_age_is_accepted_and_named() -> None:
    rig = Rig()
    rig.offer(bp(100, 0), bp(101, 1))
    rig.group(320)
    assert rig.schedule(500).check() == {"start": 1, "age": 1}


def test_a_group_without_cause_is_refused() -> None:
    rig = Rig()
    rig.offer(bp(100, 0))
    rig.group(120)
    assert "a group without cause" in refused(rig.schedule(200))


def test_a_frame_with_contents_that_is_too_old_is_refused() -> None:
    rig = Rig()
    rig.offer(bp(100, 0), bp(390, 0))
    assert "the frame goes on at this age" in refused(rig.schedule(700))


def test_a_missing_heartbeat_is_refused() -> None:
    rig = Rig()
    rig.group(350)
    assert "no group for this long" in refused(rig.schedule(1300))


def test_the_wrong_merge_order_is_refused() -> None:
    rig = Rig()
    rig.offer(bp(100, 1), bp(100, 0))
    assert "after source 1 of clock 100" in refused(rig.schedule(200))


def test_a_group_time_that_is_neither_now_nor_the_last_entry_is_refused() -> None:
    rig = Rig()
    rig.offer(*(bp(clock, 0) for clock in range(100, 104)))
    rig.group(330, ts_clock=105)  # before the entry that is `buffered` places ahead was taken
    assert "group time" in refused(rig.schedule(500))


def test_the_time_of_the_last_entry_is_legal_only_while_something_is_queued() -> None:
    for queued in (False, True):
        rig = Rig()
        rig.offer(*(bp(clock, 0) for clock in range(100, 104)))
        rig.group(330, ts_clock=103)
        if queued:
            rig.offer(bp(325, 0))
            assert rig.schedule(500).check()["age"] == 1
        else:
            assert "group time" in refused(rig.schedule(500))


def test_the_end_must_be_now() -> None:
    rig = Rig()
    schedule = rig.schedule(300)
    schedule.units = [
        replace(unit, ts=unit.ts - 500 * PERIOD) if unit.kind == UnitKind.END else unit for unit in schedule.units
    ]
    assert "the end is at" in refused(schedule)


def test_a_step_told_by_all_must_close_the_frame() -> None:
    rig = Rig()
    rig.offer(bp(100, 0, step_ns=3), bp(100, 1, step_ns=3))
    rig.offer(Entry(at(100), SRC_MARK, None, step_ns=3, clock=100))  # the Writer closes the frame here
    rig.offer(bp(101, 0))
    schedule = rig.schedule(300)
    assert schedule.check() == {"start": 1, "step": 1}
    group = next(i for i, unit in enumerate(schedule.units) if i and unit.kind == UnitKind.GROUP)
    units: list[Unit] = list(schedule.units)
    del units[group]
    schedule.units = units
    assert "no group behind the last pair" in refused(schedule)


def test_a_group_between_the_pairs_of_a_step_has_no_cause() -> None:
    rig = Rig()
    rig.offer(bp(100, 0, step_ns=3))
    rig.group(115, ts_clock=100)
    rig.offer(bp(100, 1, step_ns=3), Entry(at(100), SRC_MARK, None, step_ns=3, clock=100), bp(101, 0))
    assert "a group without cause" in refused(rig.schedule(300))


def test_stalled_clocks_must_be_those_that_were_seen() -> None:
    rig = Rig()
    rig.offer(bp(100, 0))
    schedule = rig.schedule(3000)
    clocks = rig.taken[-1] + 2
    schedule.stalls = [max(0, min(clock - 200, 1024)) for clock in range(clocks)]
    last = rig.writer.records - 1
    schedule.stalled(last, 4)
    for wrong in (3, 5):
        with pytest.raises(NpuscopeError, match=f"CNT STALLED is {wrong}, expected 4 to 4"):
            schedule.stalled(last, wrong)
