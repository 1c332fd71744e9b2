"""The reference PTP clock: examples computed by hand, and laws for any rate."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode.ptp import LOAD_LATENCY, RATE_LATENCY, PtpClock, PtpRate

ONE = 1 << 32
SECOND = 10**9


def times(clock: PtpClock, count: int) -> list[int]:
    return [clock.clock().rel for _ in range(count)]


def test_it_adds_its_period() -> None:
    rel = times(PtpClock(5 * ONE), 8)
    assert rel[-4:] == [rel[3] + n * 5 * ONE for n in (1, 2, 3, 4)]


def test_a_rate_is_used_after_its_latency_and_drift_counts_from_there() -> None:
    clock = PtpClock(5 * ONE)
    times(clock, 10)
    before = [clock.clock(PtpRate(7 * ONE, -3, 2)).rel, *times(clock, RATE_LATENCY - 1)]
    steps = [b - a for a, b in itertools.pairwise(before)]
    assert steps == [5 * ONE] * (RATE_LATENCY - 1)
    after = [before[-1], *times(clock, 4)]
    assert [b - a for a, b in itertools.pairwise(after)] == [7 * ONE, 7 * ONE - 3] * 2


def test_an_offset_is_taken_whole_and_marked_once() -> None:
    clock = PtpClock(5 * ONE)
    clock.clock(load=(3, 4))
    taken = [clock.clock() for _ in range(LOAD_LATENCY + 3)]
    assert [t.offset for t in taken[-5:]] == [0] * 1 + [3 * SECOND + 4] * 4
    assert [t.step for t in taken].count(True) == 1
    assert taken[LOAD_LATENCY - 1].step


def test_refusals() -> None:
    clock = PtpClock()
    clock.clock(load=(1, SECOND), rate=PtpRate(ONE - 1))
    assert clock.load_error
    assert clock.rate_error
    clock.clock(load=(1, 0), rate=PtpRate(254 * ONE + 1))
    assert not clock.load_error
    assert clock.rate_error
    clock.clock(load=(2, 0))
    assert clock.load_error
    assert {clock.clock().offset for _ in range(2 * LOAD_LATENCY)} == {0, SECOND}


@given(
    st.integers(ONE, 254 * ONE), st.integers(-(1 << 31), (1 << 31) - 1), st.integers(0, 5), st.integers(0, SECOND - 1)
)
def test_time_goes_forward_and_seconds_are_told_once(period: int, drift: int, clocks: int, nsec: int) -> None:
    clock = PtpClock(period)
    clock.clock(PtpRate(period, drift, clocks), load=(5, nsec))
    last = None
    for n in range(150):
        time = clock.clock()
        if last is not None and n > 4:
            assert time.rel > last.rel
            told = time.pps or LOAD_LATENCY - 1 <= n < LOAD_LATENCY + 5
            assert told >= (time.ts_ns // SECOND != last.ts_ns // SECOND)
            assert not time.pps or time.ts_ns // SECOND == last.ts_ns // SECOND + 1
        last = time
