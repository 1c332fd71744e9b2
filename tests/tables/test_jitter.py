"""Jitter statistics against the plain twin and allantools, whatever pieces the samples come in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import allantools
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from npuscope.layout import SRC_JITTER, SRC_RAS, Cfg, JitterSub, Kind
from npuscope.tables import Break, Chunk, Setting
from npuscope.tables.jitter import MARGINAL, WORST, JitterMeter, reason
from npuscope.tables.spread import EXACT, PERCENTILES, Spread, bucket, bucket_bounds
from npuscope.tables.wander import LEVELS, Wander
from tests.tables import oracle

FULL = (1 << 31) - 1
LIMITS = {"R": 100, "A": 300}
Samples = list[tuple[int, int, int, bool]]


def chunk(samples: Sequence[tuple[int, int, int, bool]], first: int = 0) -> Chunk:
    """Rows as the reader gives them; the first of a capture is always marked."""
    time = np.array([s[0] for s in samples], np.int64)
    byte = np.zeros(len(samples), np.uint8)
    jitter = np.array([s[2] for s in samples], np.int64).astype(np.int32)
    return Chunk(
        SRC_JITTER,
        first + np.arange(len(samples), dtype=np.int64),
        time,
        time,
        byte.astype(np.int32),
        byte + np.uint8(Kind.JITTER),
        np.array([s[1] for s in samples], np.uint8),
        byte,
        byte,
        jitter.view(np.uint32),
        np.array([Break.DAMAGE if s[3] else Break.NONE for s in samples], np.uint8),
    )


@st.composite
def samples(draw: st.DrawFn) -> Samples:
    values = draw(
        st.lists(
            st.tuples(
                st.sampled_from([JitterSub.OK] * 6 + list(JitterSub)),
                st.one_of(st.integers(-400, 400), st.sampled_from([FULL, -FULL, 99, 100, 101, -300, 301, 1 << 20])),
                st.sampled_from([False] * 9 + [True]),
            ),
            max_size=60,
        )
    )
    valid = oracle.VALID
    return [(100 * i, int(sub), v if sub in valid else 0, broken or not i) for i, (sub, v, broken) in enumerate(values)]


@settings(max_examples=120, deadline=None)
@given(samples(), st.lists(st.integers(0, 60)), st.booleans())
@example([(0, 0, FULL, True), (1, 0, 5, False), (2, 0, 7, False)], [1], True)
def test_statistics_are_those_of_the_twin(rows: Samples, cuts: list[int], missed: bool) -> None:
    meter = JitterMeter(SRC_JITTER, LIMITS, missed=missed, listed=True, wander=Wander())
    bounds = sorted({0, *(c for c in cuts if c < len(rows)), len(rows)})
    for low, high in pairwise(bounds):
        meter.feed([chunk(rows[low:high], low)], [])
    meter.finish()
    twin = oracle.jitter(rows, LIMITS, missed)
    assert meter.samples == len(rows)
    for spread, values in ((meter.period, twin.period), (meter.cycle, twin.cycle)):
        check_spread(spread, values)
    check_spread(meter.tie, [x for stretch in twin.stretches for x in stretch])
    assert meter.stretches == len(twin.stretches) == sum(meter.reasons.values()) == len(meter.table)
    assert meter.tie_range == max((max(x) - min(x) for x in twin.stretches), default=0)
    for one, stretch, times in zip(meter.table, twin.stretches, twin.times, strict=True):
        assert (one.count, one.start_ns, one.end_ns) == (len(times), times[0], times[-1])
        assert (one.tie_low, one.tie_high, one.tie_end) == (min(stretch), max(stretch), stretch[-1])
        steps = [b - a for a, b in pairwise(stretch)]
        assert (one.low, one.high) == (min(steps), max(steps))
    for name, limit in meter.limits.items():
        assert (limit.over, limit.marginal) == (twin.over[name], twin.marginal[name])
        assert limit.judged == len(twin.period)
    assert [abs(s.jitter) for s in meter.worst] == sorted(map(abs, twin.period), reverse=True)[:WORST]
    near = [s for s in meter.marginal if s.limit == "R"]
    assert len(near) == min(MARGINAL, twin.marginal["R"])
    assert meter.wander is not None
    for point in meter.wander.points():
        assert (point.mtie, point.windows) == oracle.mtie(twin.stretches, point.intervals)
        deviation = oracle.tdev(twin.stretches, point.intervals)
        assert (point.terms > 0) == (deviation is not None)
        if deviation is not None:
            assert point.terms == deviation[1]
            assert point.tdev is not None
            assert abs(point.tdev - deviation[0]) <= 0.5 + 1e-6 * deviation[0]


def check_spread(spread: Spread, values: list[int]) -> None:
    assert spread.count == len(values)
    if not values:
        assert (spread.low, spread.high, spread.rms, spread.mean, spread.percentile(50_000)) == (None,) * 5
        return
    assert (spread.low, spread.high) == (min(values), max(values))
    assert (spread.total, spread.squares) == (sum(values), sum(v * v for v in values))
    twin = oracle.Spread(values)
    assert spread.rms is not None
    assert abs(spread.rms - twin.rms()) <= 0.5 + 1e-9 * twin.rms()
    assert spread.mean is not None
    assert abs(spread.mean - sum(values) / len(values)) <= 0.5 + 1e-9 * twin.rms()
    for name, parts in PERCENTILES.items():
        exact, found = twin.percentile(parts / 100_000), spread.percentile(parts)
        assert found is not None, name
        assert exact <= found <= exact + exact // (EXACT // 2)


@given(st.lists(st.integers(-(1 << 61), 1 << 61), max_size=30))
@settings(max_examples=200, deadline=None)
def test_sums_are_exact_at_any_size(values: list[int]) -> None:
    spread = Spread()
    spread.feed(np.array(values[:7], np.int64))
    spread.feed(np.array(values[7:], np.int64))
    check_spread(spread, values)


@given(
    st.one_of(st.integers(0, 1 << 20), st.integers(0, (1 << 62) - 1), st.integers(0, 61).map(lambda k: (1 << k) - 1))
)
def test_buckets_hold_their_values_and_rise(value: int) -> None:
    numbers = bucket(np.array([value, value + 1], np.int64)).tolist()
    low, high = bucket_bounds(numbers[0])
    assert low <= value <= high
    assert high - low <= value // (EXACT // 2)
    assert numbers[0] <= numbers[1] <= numbers[0] + 1


@pytest.mark.parametrize("kind", ["noise", "drift", "steps"])
def test_mtie_and_tdev_are_those_of_allantools(kind: str) -> None:
    rng = np.random.default_rng(3)
    jitter = rng.integers(-2_000, 2_001, 70_000)
    if kind == "drift":
        jitter = jitter + np.linspace(0, 900, len(jitter)).astype(np.int64)
    if kind == "steps":
        jitter[::9_000] += 1_000_000
    phase = np.cumsum(jitter)
    wander = Wander()
    for part in np.array_split(phase, 41):
        wander.feed(part)
    points = wander.points()
    assert [p.intervals for p in points] == [1 << k for k in range(LEVELS)]
    taus = [float(p.intervals) for p in points]
    reached, mtie, _, _ = allantools.mtie(phase.astype(float), data_type="phase", taus=taus)
    tau, tdev, _, _ = allantools.tdev(phase.astype(float), data_type="phase", taus=taus)
    worst = dict(zip(reached.tolist(), mtie.tolist(), strict=True))
    assert {p.intervals: p.mtie for p in points if p.intervals in worst} == worst
    assert len(worst) >= LEVELS - 1
    theirs = dict(zip(tau.tolist(), tdev.tolist(), strict=True))
    assert set(theirs) <= set(taus)
    for point in points:
        if point.intervals in theirs:
            assert point.tdev is not None
            assert abs(point.tdev - theirs[point.intervals]) <= 0.5 + 1e-9 * theirs[point.intervals]
    assert len(theirs) >= LEVELS - 2


def test_limits_are_those_in_force_at_each_sample() -> None:
    rows = [(i, 0, 150, not i) for i in range(10)]
    meter = JitterMeter(SRC_JITTER)
    words = [Setting(-1, SRC_RAS, Cfg.R_LIMIT, 100), Setting(4, SRC_RAS, Cfg.R_LIMIT, 200)]
    words += [Setting(6, SRC_RAS, Cfg.A_LIMIT, 149), Setting(8, SRC_RAS, Cfg.R_LIMIT, 150)]
    meter.feed([chunk(rows)], words)
    r, a, s = meter.limits.values()
    assert (r.value, r.over, r.marginal, r.judged, r.changes) == (150, 4, 2, 10, 2)
    assert (a.value, a.over, a.judged) == (149, 4, 4)
    assert (s.value, s.over, s.judged) == (None, 0, 0)
    assert meter.nominal is None


def test_the_nominal_interval_is_put_together_from_two_words() -> None:
    meter = JitterMeter(SRC_JITTER)
    low, high = Setting(0, SRC_JITTER, Cfg.T_NOMINAL_LO, 5), Setting(1, SRC_JITTER, Cfg.T_NOMINAL_HI, 2 | 1 << 16)
    meter.feed([], [low])
    assert meter.nominal is None
    meter.feed([], [high, low])
    assert (meter.nominal, meter.nominal_changes) == (2 << 32 | 5, 0)
    meter.feed([], [Setting(9, SRC_JITTER, Cfg.T_NOMINAL_LO, 6)])
    assert (meter.nominal, meter.nominal_changes) == (2 << 32 | 6, 1)


def test_a_window_takes_the_samples_in_it_only() -> None:
    rows = [(10 * i, 0, i, not i) for i in range(10)]
    meter = JitterMeter(SRC_JITTER, window=(30, 60), listed=True)
    meter.feed([chunk(rows)], [])
    meter.finish()
    assert (meter.samples, meter.period.low, meter.period.high) == (3, 3, 5)
    assert (meter.table[0].start_ns, meter.table[0].end_ns) == (30, 50)


def test_reasons_have_names() -> None:
    names = [reason(int(sub)) for sub in JitterSub] + [reason(16 | cause) for cause in Break]
    assert {"first", "stepped", "unlocked", "loss", "damage", "restart", "start"} <= set(names)
    assert reason(15) == "saturated"
