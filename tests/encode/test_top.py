"""The model of the top: what is offered, when a session starts, and the time quality."""

from __future__ import annotations

from dataclasses import replace

from npuscope.encode import BpLimits, Sample, SourceConfig, StreamConfig
from npuscope.encode.top import TopClock, TopModel
from npuscope.layout import SRC_MARK, Cfg, Kind, TimeQuality

CONFIG = StreamConfig((SourceConfig(0b11), SourceConfig(0b1)))
IDLE = TopClock(0, 0, enable=False, sampling=False, active=False)
START = replace(IDLE, enable=True)
RUN = replace(START, sampling=True, active=True)


def at(clock: TopClock, ns: int, **changes: object) -> TopClock:
    return replace(clock, rel_ns=ns, ts_ns=ns + 1000, **changes)  # type: ignore[arg-type]


def test_a_session_holds_what_is_offered_between_start_and_flush() -> None:
    model = TopModel(CONFIG)
    hot = {0: Sample(1, 60, 1), 1: Sample(0, 60, 0)}
    model.clock(at(IDLE, 10, samples=hot, mark=(0, 1)))
    model.clock(at(START, 20, samples=hot, mark=(0, 2)))
    model.clock(at(RUN, 30, samples=hot, mark=(3, 4)))
    model.clock(at(RUN, 40, sampling=False, enable=False, samples={0: Sample(0, 60, 0)}, mark=(0, 3)))
    (session,) = model.sessions
    assert model.starts == [1]
    assert {src: [(e.kind, e.ts, e.clock) for e in offered] for src, offered in session.offered.items()} == {
        0: [(Kind.BP, 1030, 2)],
        1: [(Kind.BP, 1030, 2)],
        SRC_MARK: [(Kind.MARK, 1030, 2)],
    }
    mark = session.offered[SRC_MARK][0]
    assert (mark.sub, mark.payload) == (3, 4)


def test_every_source_offers_every_step() -> None:
    model = TopModel(CONFIG)
    for clock in (at(START, 0), at(RUN, 10, ts_step=True, step_ns=-5), at(RUN, 20, rel_step=True, step_ns=7)):
        model.clock(clock)
    for offered in model.sessions[0].offered.values():
        assert [(entry.kind, entry.step_ns) for entry in offered] == [(None, -5), (None, 7)]


def test_limits_set_while_idle_are_told_at_the_start() -> None:
    model = TopModel(CONFIG)
    new = BpLimits(th_on=20, th_off=10, stale_ns=77)
    model.clock(at(IDLE, 0, apply={1: new}))
    assert model.errors() == {0: False, 1: False}
    model.clock(at(START, 10, apply={0: BpLimits(th_on=9, th_off=9)}))
    assert model.errors() == {0: True, 1: False}
    assert model.sessions[0].cfg == {
        0: {Cfg.BP_LIMITS: BpLimits().word, Cfg.STALE: 100000},
        1: {Cfg.BP_LIMITS: new.word, Cfg.STALE: 77},
    }


def test_samples_are_counted_to_the_end_of_the_session() -> None:
    model = TopModel(CONFIG)
    model.clock(at(START, 0))
    for n in range(600):
        model.clock(at(RUN, n, samples={0: Sample(5, 0, 1)}))
    model.clock(at(RUN, 600, sampling=False, samples={0: Sample(5, 0, 1)}))
    assert model.sessions[0].bp_samples == {0: 2, 1: 0}


def test_time_quality() -> None:
    model = TopModel(CONFIG)
    free, locked, holdover = (False, False), (True, False), (False, True)
    steps = [
        (free, False, TimeQuality.FREE_RUN),
        (holdover, False, TimeQuality.HOLDOVER),
        (free, False, TimeQuality.DOUBT),  # lost
        (holdover, False, TimeQuality.HOLDOVER),
        (free, False, TimeQuality.DOUBT),
        ((True, True), False, TimeQuality.LOCKED),
        (holdover, False, TimeQuality.HOLDOVER),
        (locked, True, TimeQuality.LOCKED),  # a step under lock leaves no doubt
        (holdover, True, TimeQuality.HOLDOVER),
        (free, False, TimeQuality.DOUBT),
    ]
    for (is_locked, in_holdover), rel_step, _ in steps:
        model.clock(replace(RUN, locked=is_locked, holdover=in_holdover, rel_step=rel_step, sampling=False))
    assert [tq for _, _, tq in model.history] == [tq for _, _, tq in steps]
    model.clock(replace(IDLE, reset=True, locked=False))
    model.clock(replace(IDLE, locked=False))
    assert model.history[-1][2] == TimeQuality.FREE_RUN
    model.clock(replace(IDLE, locked=False, rel_step=True))
    assert model.history[-1][2] == TimeQuality.DOUBT


def test_a_reset_cuts_the_session_and_restores_the_limits() -> None:
    model = TopModel(CONFIG)
    model.clock(at(START, 0, apply={0: BpLimits(th_on=9, th_off=8)}))
    assert model.probes[0].limits.th_on == 9
    model.clock(at(RUN, 10))
    model.clock(at(RUN, 20, reset=True, samples={0: Sample(0, 63, 0)}))
    model.clock(at(START, 30))
    assert [session.complete for session in model.sessions] == [False, True]
    assert model.resets == [(2, 1)]
    assert model.probes[0].limits == BpLimits()
    assert not model.sessions[0].offered[0]
