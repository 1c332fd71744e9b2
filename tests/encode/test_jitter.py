"""The golden model of jitter capture: examples computed by hand, and laws for any sequence of pulses."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode import JitterConfig, JitterInputs, JitterModel, JitterSample, JitterStatistics, SyncPulse, TimeBus
from npuscope.encode.jitter import JITTER_MAX, TIME_MODULUS, JitterMeter, measure
from npuscope.layout import Cfg, JitterSub, Kind

US = 256_000
T = 125 * US
CONFIG = JitterConfig(t_nominal=T, watchdog=10)


def judged(*times: int, config: JitterConfig = CONFIG) -> list[tuple[str, int]]:
    return [(s.sub.name, s.jitter) for s in measure([SyncPulse(t % TIME_MODULUS) for t in times], config)]


def test_intervals_by_hand() -> None:
    assert judged(0, T, 2 * T + 60 * US, 3 * T, 5 * T, 5 * T + T // 4) == [
        ("FIRST", 0), ("OK", 0), ("OK", 60 * US), ("OK", -60 * US), ("MISSED", T), ("EARLY", T // 4 - T)
    ]  # fmt: skip


def test_limits_of_missed_and_early_are_strict() -> None:
    assert judged(0, 3 * T // 2, 3 * T + 1, 3 * T + 1 + T // 2, 3 * T + T) == [
        ("FIRST", 0), ("OK", T // 2), ("MISSED", T // 2 + 1), ("OK", -T // 2), ("EARLY", -T // 2 - 1)
    ]  # fmt: skip


def test_time_wraps_and_goes_backward() -> None:
    assert judged(-5, T - 5, T - 6, 2 * T - 6 + TIME_MODULUS // 2) == [
        ("FIRST", 0), ("OK", 0), ("BACKWARD", 0), ("BACKWARD", 0)
    ]  # fmt: skip


def test_reasons_by_priority() -> None:
    everything = SyncPulse(TIME_MODULUS - 1, stepped=True, unlocked=True)
    meter = JitterMeter(CONFIG)
    meter.pulse(SyncPulse(0))
    meter.arm()
    assert meter.pulse(everything).sub == JitterSub.STEPPED
    meter.arm()
    assert meter.pulse(dataclasses.replace(everything, time=5, stepped=False)).sub == JitterSub.UNLOCKED
    meter.arm()
    assert meter.pulse(SyncPulse(0)).sub == JitterSub.BACKWARD
    meter.arm()
    assert meter.pulse(SyncPulse(T)).sub == JitterSub.FIRST


def test_only_a_step_in_its_own_clock_spoils_the_next_pulse() -> None:
    def subs(step: SyncPulse) -> list[JitterSub]:
        return [s.sub for s in measure([SyncPulse(0), step, SyncPulse(2 * T), SyncPulse(3 * T)], CONFIG)][1:]

    assert subs(SyncPulse(T, stepped=True)) == [JitterSub.STEPPED, JitterSub.OK, JitterSub.OK]
    assert subs(SyncPulse(T, step_here=True)) == [JitterSub.STEPPED, JitterSub.FIRST, JitterSub.OK]
    assert subs(SyncPulse(T, unlocked=True)) == [JitterSub.UNLOCKED, JitterSub.OK, JitterSub.OK]


def test_unlocked_counts_only_if_lock_is_needed() -> None:
    pulses = [SyncPulse(0, unlocked=True), SyncPulse(T, unlocked=True)]
    free = dataclasses.replace(CONFIG, need_lock=False)
    assert [s.sub for s in measure(pulses, CONFIG)] == [JitterSub.UNLOCKED] * 2
    assert [s.sub for s in measure(pulses, free)] == [JitterSub.FIRST, JitterSub.OK]


def test_a_refused_configuration_changes_nothing() -> None:
    meter = JitterMeter(CONFIG)
    meter.pulse(SyncPulse(0))
    with pytest.raises(ValueError, match="t_nominal=0"):
        meter.configure(dataclasses.replace(CONFIG, t_nominal=0))
    assert meter.pulse(SyncPulse(T)) == JitterSample(JitterSub.OK)
    meter.configure(CONFIG)
    assert meter.pulse(SyncPulse(2 * T)).sub == JitterSub.FIRST


@given(st.integers(1, (1 << 48) - 1), st.integers(0, 15))
def test_words_tell_the_configuration(t_nominal: int, options: int) -> None:
    config = JitterConfig.from_options(t_nominal, options, 7)
    assert config.options == options
    assert JitterConfig.from_words(*config.words, watchdog=7) == config
    assert JitterConfig.from_words(config.words[0], config.words[1] | 0xFFF00000, 7) == config


TIMES = st.integers(0, TIME_MODULUS - 1)
PULSES = st.builds(SyncPulse, TIMES, st.booleans(), st.booleans(), st.booleans())
VALID = (JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY)


@given(st.lists(PULSES), st.integers(1, (1 << 48) - 1), st.booleans())
def test_laws_of_any_sequence(pulses: list[SyncPulse], t_nominal: int, need_lock: bool) -> None:
    config = JitterConfig(t_nominal=t_nominal, need_lock=need_lock)
    samples = list(measure(pulses, config))
    assert len(samples) == len(pulses)
    for before, pulse, sample in zip([None, *pulses], pulses, samples, strict=False):
        assert -JITTER_MAX <= sample.jitter <= JITTER_MAX
        if not sample.ok:
            assert sample.jitter == 0
            continue
        assert before is not None
        assert not any((pulse.stepped, pulse.step_here, before.step_here))
        assert not (pulse.unlocked and need_lock)
        exact = (pulse.time - before.time) % TIME_MODULUS - t_nominal
        assert sample.saturated == (abs(exact) >= JITTER_MAX)
        assert sample.saturated or sample.jitter == exact
        assert (sample.sub == JitterSub.MISSED) == (2 * exact > t_nominal)
        assert (sample.sub == JitterSub.EARLY) == (2 * exact < -t_nominal)


@given(st.lists(st.one_of(st.none(), st.integers(-JITTER_MAX, JITTER_MAX))), st.lists(st.integers(0, 20)))
def test_statistics_are_those_of_the_list(values: list[int | None], cuts: list[int]) -> None:
    statistics, window, seen = JitterStatistics(), [], []
    for n, value in enumerate(values):
        statistics.add(JitterSample(JitterSub.FIRST) if value is None else JitterSample(JitterSub.OK, value))
        seen.append(value)
        window += [] if value is None else [value]
        if n in cuts:
            taken = statistics.snapshot()
            valid = [v for v in seen if v is not None]
            tail = seen[len(seen) - seen[::-1].index(None) :] if None in seen else seen
            assert (taken.count, taken.total, taken.squares) == (len(valid), sum(valid), sum(v * v for v in valid))
            assert taken.tie == sum(v for v in tail if v is not None)
            assert (taken.lowest, taken.highest) == ((min(window), max(window)) if window else (None, None))
            window = []


def test_words_of_a_snapshot() -> None:
    statistics = JitterStatistics()
    for value in (-2, JITTER_MAX):
        statistics.add(JitterSample(JitterSub.OK, value))
    words = statistics.snapshot().words
    squares = 4 + JITTER_MAX**2
    assert words == (2, 0xFFFFFFFE, JITTER_MAX, JITTER_MAX - 2, 0, squares & 0xFFFFFFFF, squares >> 32, 0,
                     JITTER_MAX - 2, 0, 1)  # fmt: skip
    assert statistics.snapshot().words[1:3] == (0, 0)


# ---------------------------------------------------------------- with clocks
class Rig:
    """A model on a clock of 5 ns."""

    def __init__(self, config: JitterConfig = CONFIG) -> None:
        self.model, self.ns = JitterModel(config), 0

    def step(self, sync: bool = False, ts_step: bool = False, **inputs: object) -> tuple[str, int] | None:
        self.ns += 5
        bus = TimeBus(self.ns, self.ns, ts_step=ts_step)
        entry = self.model.clock(JitterInputs(bus, sync=sync, **inputs)).entry  # type: ignore[arg-type]
        if entry is None or entry.kind is None:
            return None
        names = JitterSub if entry.kind == Kind.JITTER else Cfg
        return names(entry.sub).name, entry.payload

    def steps(self, syncs: str, **inputs: object) -> list[str | None]:
        return [said[0] if (said := self.step(c == "1", **inputs)) else None for c in syncs]


def test_edges_and_strobes() -> None:
    config = dataclasses.replace(CONFIG, t_nominal=1280)
    assert Rig(config).steps("0110111") == [None, "FIRST", None, None, "MISSED", None, None]
    strobe = Rig(dataclasses.replace(config, strobe=True)).steps("0110111")
    assert strobe == [None, "FIRST", "OK", None, "MISSED", "OK", "OK"]


def test_sync_lost_once_and_the_pulse_after_it_arms() -> None:
    rig = Rig()
    assert rig.steps("1" + "0" * 11) == ["FIRST"] + [None] * 10 + ["SYNC_LOST"]
    assert rig.model.sync_lost
    assert rig.steps("0" * 30) == [None] * 30
    assert rig.steps("1" + "0" * 10 + "1") == ["FIRST"] + [None] * 10 + ["EARLY"]
    assert not rig.model.sync_lost


def test_configuration_words_wait_and_samples_wait_for_them() -> None:
    rig = Rig(dataclasses.replace(CONFIG, strobe=True, t_nominal=1280))
    rig.steps("11")
    new = dataclasses.replace(rig.model.config, t_nominal=1281)
    assert rig.step(True, apply=new) == ("OK", 0)
    assert rig.steps("11") == ["FIRST", "FIRST"]
    assert rig.steps("0101011") == ["T_NOMINAL_LO", "FIRST", "T_NOMINAL_HI", "FIRST", None, "MISSED", "OK"]
    assert rig.model.config == new


def test_restart_voids_the_record_but_not_the_sample() -> None:
    rig = Rig(dataclasses.replace(CONFIG, strobe=True, t_nominal=1280))
    rig.steps("11")
    made = rig.model.clock(JitterInputs(TimeBus(15, 15), sync=True, restart=True))
    assert made.entry is None
    assert made.mapped
    assert made.sample == JitterSample(JitterSub.OK)


def test_a_disabled_clock_forgets() -> None:
    rig = Rig()
    rig.steps("10")
    assert rig.steps("10", enable=False) == [None, None]
    assert rig.steps("1") == ["FIRST"]
