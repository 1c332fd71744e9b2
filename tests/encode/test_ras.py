"""The RAS mapper's golden model: hand-computed sequences, and the S window against its definition."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode.ras import RasConfig, RasLatch, RasMapper, RasRequest, exceeds, ras_record, syndrome
from npuscope.layout import THRESHOLDS, Cfg, RasClass, Severity

R, A, S, EXHAUSTED = RasClass.R, RasClass.A, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED
US = 1000 * 256
"""One us of jitter."""
BAD, GOOD = 20 * US, 3 * US
PERIOD = 125_000


def mapper(**config: int) -> RasMapper:
    model = RasMapper(RasConfig(**config))
    model.note(RasClass.ENABLED, 0)
    return model


def play(model: RasMapper, *jitters: int | None, start: int = 0) -> list[list[RasClass]]:
    """A sample each 125 us; None is an invalid one."""
    return [
        model.sample(start + n * PERIOD, jitter or 0, ok=jitter is not None)
        for n, jitter in enumerate(jitters, start=1)
    ]


@pytest.mark.parametrize("sign", [1, -1])
def test_limits_are_strict_in_the_last_bit(sign: int) -> None:
    config = RasConfig()
    assert (config.r_limit, config.a_limit, config.s_limit) == (12_500 * 256, 40_000 * 256, 100_000 * 256)
    for limit in (config.r_limit, config.a_limit, config.s_limit, THRESHOLDS["S_LIMIT"].max):
        assert not exceeds(sign * limit, limit)
        assert exceeds(sign * (limit + 1), limit)
        assert exceeds(sign * ((1 << 31) - 1), limit)
        assert exceeds(0, limit, saturated=True)


def test_r_fires_at_the_fifth_in_a_row() -> None:
    assert play(mapper(), BAD, -BAD, BAD, -BAD, BAD) == [[], [], [], [], [R]]
    assert play(mapper(), *[BAD] * 4, None, BAD, *[BAD] * 4) == [[]] * 9 + [[R]]
    assert play(mapper(), *[BAD] * 4, GOOD, *[BAD] * 5) == [[]] * 9 + [[R]]
    assert play(mapper(), *[12_500 * 256] * 9) == [[]] * 9


def test_r_is_armed_by_good_ones_in_a_row_or_reneg_done() -> None:
    model = mapper()
    assert play(model, *[BAD] * 12)[4:] == [[R]] + [[]] * 7
    assert play(model, *[GOOD] * 4, None, *[GOOD] * 4, BAD, *[GOOD] * 4, *[BAD] * 5) == [[]] * 19
    assert play(model, *[GOOD] * 5, *[BAD] * 5)[-1] == [R]
    model.note(RasClass.RENEG_DONE, 0)
    assert play(model, *[BAD] * 4) == [[]] * 4
    model.note(RasClass.RENEG_DONE, 0)  # ends the run too
    assert play(model, *[BAD] * 5) == [[]] * 4 + [[R]]


def test_a_holds_off_after_a_switch_and_after_the_change() -> None:
    model = mapper(a_holdoff=1000, r_run=99)
    assert model.sample(0, 41 * US) == [A]
    assert model.sample(999_999, 41 * US) == []
    assert model.sample(1_000_000, -41 * US) == [A]
    model.note(RasClass.PHY_CHANGED, 3_000_000)
    assert model.sample(3_125_000, 80 * US) == []  # the new path is 80 us longer: no switch back
    assert model.sample(4_000_000, 41 * US) == [A]


def test_a_budget_of_a_window() -> None:
    model = mapper(a_holdoff=1, a_budget=2, s_window=10_000, r_run=99)
    assert [model.sample(t, 50 * US) for t in (0, 2000, 4000, 6000, 10_000)] == [[A], [A], [EXHAUSTED], [], []]
    assert [model.sample(t, 50 * US) for t in (10_001, 12_000, 14_000, 16_000)] == [[A], [A], [EXHAUSTED], []]
    none = mapper(a_budget=0, s_window=10_000)
    assert [none.sample(t, 50 * US) for t in (0, 5, 10_000, 10_001)] == [[EXHAUSTED], [], [], [EXHAUSTED]]


def test_s_window_is_closed_and_consumed() -> None:
    second = 1_000_000_000

    def fires(newest: int) -> bool:
        model = mapper()
        return [S in model.sample(t, 101 * US) for t in (0, second // 2, newest)] == [False, False, True]

    assert fires(second)
    assert not fires(second + 1)
    model = mapper()
    assert [S in model.sample(t, -101 * US) for t in range(9)] == [False, False, True] * 3
    model = mapper()
    days = 10 * 86400 * second
    assert [S in model.sample(t, 101 * US) for t in (0, 1, days)] == [False, False, False]


def test_one_sample_may_be_all_three() -> None:
    model = mapper(r_run=3, a_holdoff=1, a_budget=1)
    assert play(model, *[150 * US] * 3) == [[A], [EXHAUSTED], [R, S]]
    model = mapper(r_run=3, a_holdoff=300)
    assert play(model, *[150 * US] * 4) == [[A], [], [R, S], [A]]


def test_disable_flushes_runs_and_stamps_only() -> None:
    model = mapper(r_run=2, r_rearm=2, s_count=2)
    assert play(model, 150 * US) == [[A]]
    model.note(RasClass.DISABLED, 0)
    assert play(model, *[150 * US] * 5) == [[]] * 5
    model.note(RasClass.ENABLED, 0)
    assert play(model, 150 * US, 150 * US) == [[], [R, S]]  # A is held still
    model.note(RasClass.DISABLED, 0)
    model.note(RasClass.ENABLED, 0)
    assert play(model, BAD, BAD, GOOD, GOOD, BAD, BAD) == [[]] * 5 + [[R]]  # R was disarmed still


def test_a_step_flushes_stamps_and_holds_a() -> None:
    model = mapper(s_count=2, a_holdoff=1, s_window=5000, a_budget=1, r_run=99)
    assert model.sample(0, 101 * US) == [A]
    model.note(RasClass.FLUSHED, 4000)
    assert model.sample(4999, 101 * US) == []
    assert model.sample(5000, 101 * US) == [EXHAUSTED, S]
    assert model.sample(9000, 41 * US) == []  # the window began anew with the step
    assert model.sample(9001, 41 * US) == [A]


def test_sync_lost_may_drive_a() -> None:
    model = mapper()
    assert model.sync_lost(0) == [RasClass.SYNC_LOST]
    assert model.sync_lost(1, drives_a=True) == [RasClass.SYNC_LOST, A]
    assert model.sync_lost(2, drives_a=True) == [RasClass.SYNC_LOST]
    assert play(model, *[BAD] * 4) == [[]] * 4
    model.sync_lost(3)  # neither ends nor extends a run
    assert play(model, BAD) == [[R]]
    model.note(RasClass.DISABLED, 0)
    assert model.sync_lost(4, drives_a=True) == []


samples = st.lists(
    st.tuples(st.integers(0, 400), st.sampled_from([0, 99, 100, 101, -101, -100]), st.booleans()),
    min_size=1,
    max_size=60,
)


@given(samples, st.integers(0, 1200), st.integers(2, 5))
def test_s_window_is_its_definition(steps: list[tuple[int, int, bool]], window: int, count: int) -> None:
    """Fires iff the count-th newest excess since the last fire, this one included, is at most the window older."""
    model = mapper(r_limit=50, a_limit=60, s_limit=100, s_count=count, s_window=window)
    now, since_fire = 0, []
    for advance, jitter, ok in steps:
        now += advance
        fired = S in model.sample(now, jitter, ok)
        expected = False
        if ok and abs(jitter) > 100:
            since_fire.append(now)
            expected = len(since_fire) >= count and now - since_fire[-count] <= window
            if expected:
                since_fire.clear()
        assert fired == expected


@given(st.lists(st.sampled_from("bgi"), max_size=80), st.integers(1, 6), st.integers(1, 6))
def test_r_run_is_its_definition(kinds: list[str], run: int, rearm: int) -> None:
    """Between two fires lie `rearm` good ones in a row, and `run` bad ones end at each."""
    model = mapper(r_run=run, r_rearm=rearm)
    fires = []
    for at, kind in enumerate(kinds):
        fired = model.sample(at, BAD if kind == "b" else GOOD, ok=kind != "i")
        if fired:
            assert fired == [R]
            fires.append(at)
    text, expected, at = "".join(kinds), [], 0
    while (found := text.find("b" * run, at)) >= 0:
        expected.append(found + run - 1)
        armed = text.find("g" * rearm, found + run)
        if armed < 0:
            break
        at = armed + rearm
    assert fires == expected


def test_configuration_words_and_legality() -> None:
    config = RasConfig(1, 2, 3, 4, 5, 6, 7, 8000, 9)
    assert config.words()[Cfg.RAS_COUNTS] == 4 | 5 << 8 | 6 << 16 | 7 << 24
    assert RasConfig.from_words(config.words()) == config
    assert config.legal
    assert RasConfig().legal
    assert replace(config, r_limit=3, a_limit=3).legal
    for wrong in (
        {"r_limit": 3}, {"a_limit": 4}, {"s_limit": 1 << 30}, {"r_run": 0}, {"r_rearm": 0}, {"s_window": 999},
        {"s_window": 1 << 31}, {"a_holdoff": 0}, {"a_holdoff": 1 << 18}, {"s_count": 1}, {"a_budget": 256},
    ):  # fmt: skip
        assert not replace(config, **wrong).legal, wrong


def test_latch() -> None:
    latch = RasLatch()
    assert not latch.pending
    for n, jitter in enumerate([5, -7, 7, -6]):
        latch.set(100 + n, jitter)
    assert (latch.count, latch.first_ts, latch.last_ts, latch.worst, latch.overflow) == (4, 100, 103, 7, False)
    for n in range(27):
        latch.set(200 + n, 0)
    assert (latch.count, latch.overflow) == (31, False)
    latch.set(300, 0)
    assert (latch.count, latch.overflow, latch.first_ts, latch.last_ts) == (31, True, 100, 300)
    latch.clear()
    assert not latch.pending
    latch.lose()
    assert (latch.pending, latch.count) == (True, 0)
    latch.set(400, -1)
    assert (latch.count, latch.first_ts, latch.worst, latch.overflow) == (1, 400, -1, True)


def test_record() -> None:
    latch = RasLatch()
    latch.set(0, syndrome(-13 * US))
    sub, word = ras_record(R, latch, syndrome(-13 * US), injected=True, unit=3)
    assert sub == Severity.CORRECTED | 1 << 2
    assert word == 3 | R << 5 | 1 << 10 | 1 << 11 | (-13 * US >> 16 & 0xFFFF) << 16
    assert ras_record(RasClass.ACK, None, 1) == (0, RasClass.ACK << 5 | 1 << 16)


def test_request_goes_round_and_merges() -> None:
    line = RasRequest(timeout=4)
    assert line.clock(True, False) is None
    assert line.req
    assert line.clock(True, False) is None  # answered by the same ack
    assert line.clock(False, True) is RasClass.ACK
    assert not line.req
    assert line.clock(False, True) is None
    assert [line.clock(False, False), line.req] == [None, False]
    line.clock(True, False)
    assert line.clock(True, True) is RasClass.ACK  # a fire in the clock of the ack is asked for again
    assert [line.clock(False, True), line.req] == [None, False]
    assert [line.clock(False, False), line.req] == [None, True]


def test_request_times_out() -> None:
    line = RasRequest(timeout=3)
    line.clock(True, False)
    told = [line.clock(False, False) for _ in range(3)]
    assert told == [None, None, RasClass.REQ_TIMEOUT]
    assert (line.req, line.stuck) == (False, False)
    told = [line.clock(n == 1, True) for n in range(5)]  # a late ack is no ack, and stays high
    assert told == [None, None, RasClass.REQ_TIMEOUT, None, None]
    assert (line.req, line.stuck) == (False, True)
    assert [line.clock(False, False), line.req] == [None, True]
