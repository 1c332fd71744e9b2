"""The backpressure golden model, rule by rule, on examples computed by hand (rules: traces/FORMAT.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.encode import BpLimits, BpProbeModel, Entry, Record, Sample, SourceConfig, TimeBus, unpack_payload
from npuscope.layout import BpSub, Cfg, Kind, State

QUIET = BpLimits(th_on=10, th_off=5, th_wet=3, level_step=0, k=0, raw=0, stale_ns=0)
UNKNOWN = "UNKNOWN"


class Rig:
    """A model, a clock of 10 ns, and a short way to see what it offers."""

    def __init__(self, limits: BpLimits = QUIET, layers: int = 0b11, dry: int = 0, steady: int = 4) -> None:
        self.model = BpProbeModel(SourceConfig(layers, dry, limits), src=3, steady=steady)
        self.rel = 1000
        self.step(restart=True)
        self.idle()

    def idle(self) -> None:
        """The four clocks after a restart or a new stale period in which the tick is blind."""
        for _ in range(4):
            assert self.step(rel=self.rel) is None

    def step(
        self,
        sample: tuple[int, int] | tuple[int, int, int] | None = None,
        apply: BpLimits | None = None,
        restart: bool = False,
        **bus: int,
    ) -> Entry | None:
        self.rel = bus.pop("rel", self.rel + 10)
        time = TimeBus(self.rel, self.rel + 1_000_000, **bus)
        return self.model.clock(time, Sample(*(*sample, 0)[:3]) if sample else None, apply, restart)

    def name(self, *args: object, **kwargs: object) -> str | None:
        entry = self.step(*args, **kwargs)  # type: ignore[arg-type]
        if entry is None or entry.kind is None:
            return None
        if entry.kind == Kind.BP:
            return BpSub(entry.sub).name
        if entry.kind == Kind.CFG:
            return Cfg(entry.sub).name
        assert (entry.kind, entry.sub) == (Kind.STATE, State.UNKNOWN)
        return f"{UNKNOWN} {entry.payload:#x}"

    def fields(self, *args: object, **kwargs: object) -> dict[str, int]:
        entry = self.step(*args, **kwargs)  # type: ignore[arg-type]
        assert entry is not None
        assert entry.kind is not None
        return unpack_payload(Record(entry.ts, entry.src, entry.kind, entry.sub, entry.payload))


def test_enter_and_exit_with_hysteresis() -> None:
    rig = Rig()
    occs = [0, 9, 10, 9, 5, 4, 9, 10]
    assert [rig.name((0, occ)) for occ in occs] == ["KNOWN", None, "ENTER", None, None, "EXIT", None, "ENTER"]


def test_an_entry_carries_source_and_time_of_its_clock() -> None:
    entry = Rig().step((1, 12), rel=5000, tq=1)
    assert entry == Entry(1_005_000, 3, Kind.BP, BpSub.ENTER, 1 | 12 << 5 | 12 << 12, 1, None, 0)


def test_enter_from_unknown() -> None:
    assert Rig().name((0, 10)) == "ENTER"


def test_peak_and_dwell() -> None:
    rig = Rig(replace(QUIET, k=3))
    assert rig.fields((0, 10)) == {"layer": 0, "occ": 10, "bp_en": 0, "peak": 10, "dwell": 0}
    assert rig.fields((0, 12)) == {"layer": 0, "occ": 12, "bp_en": 0, "peak": 12, "dwell": 10 >> 3}  # new peak
    assert rig.step((0, 11)) is None
    assert rig.fields((0, 4)) == {"layer": 0, "occ": 4, "bp_en": 0, "peak": 12, "dwell": 30 >> 3}
    assert rig.fields((0, 10)) == {"layer": 0, "occ": 10, "bp_en": 0, "peak": 10, "dwell": 0}


def test_exit_tells_the_peak_of_the_episode_even_if_this_sample_is_higher() -> None:
    rig = Rig()
    rig.step((0, 11))
    assert rig.name(apply=replace(QUIET, th_on=40, th_off=30)) == "BP_LIMITS"
    fields = rig.fields((0, 20))
    assert (fields["occ"], fields["peak"]) == (20, 11)


def test_dwell_saturates_and_a_relative_step_saturates_it_until_exit() -> None:
    rig = Rig()
    rig.step((0, 10), rel=0)
    assert rig.fields((0, 11), rel=0x3FFE)["dwell"] == 0x3FFE
    assert rig.fields((0, 12), rel=0x4000)["dwell"] == 0x3FFF
    rig.step((1, 10), rel=0x4010)
    rig.step(rel=0x4020, rel_step=1, step_ns=-5)
    assert rig.fields((1, 11), rel=0x4030)["dwell"] == 0x3FFF
    assert rig.fields((1, 0), rel=0x4040)["dwell"] == 0x3FFF
    rig.step((1, 10), rel=0x4050)
    assert rig.fields((1, 0), rel=0x4060)["dwell"] == 0x10


def test_the_tick_is_blind_for_four_clocks_after_a_restart() -> None:
    rig = Rig(replace(QUIET, stale_ns=100), layers=0b11)
    rig.step((0, 5), rel=1020)
    rig.step((0, 5), restart=True, rel=1030)
    ticks = []
    for _ in range(6):
        rig.step(rel=5000)
        ticks.append(rig.model._last_tick == 5000)
    assert ticks == [False, False, False, False, True, True]


def test_dwell_of_a_layer_hot_for_a_day_is_saturated_though_time_wraps() -> None:
    rig = Rig()
    rig.step((0, 10), rel=5)
    for day in range(1, 10):
        rig.step(rel=(day << 45) % (1 << 48))
    assert rig.fields((0, 0), rel=(9 << 45) % (1 << 48) + 10)["dwell"] == 0x3FFF


def test_dwell_counts_over_the_wrap_of_relative_time() -> None:
    rig = Rig()
    rig.step((0, 10), rel=(1 << 48) - 5)
    assert rig.fields((0, 0), rel=7)["dwell"] == 12


def test_dry_and_wet_only_in_the_dry_mask_and_only_if_known() -> None:
    rig = Rig(dry=0b01)
    assert [rig.name((0, occ)) for occ in (0, 0, 2, 3, 0, 2, 0)] == ["KNOWN", None, None, "WET", "DRY", None, None]
    assert [rig.name((1, occ)) for occ in (0, 0, 3, 0)] == ["KNOWN", None, None, None]


def test_enter_and_exit_beat_dry_and_wet_but_the_flag_moves() -> None:
    rig = Rig(dry=0b01)
    assert [rig.name((0, occ)) for occ in (0, 10, 0, 3)] == ["KNOWN", "ENTER", "EXIT", "WET"]
    rig = Rig(dry=0b01)
    assert [rig.name((0, occ)) for occ in (0, 10, 4, 0)] == ["KNOWN", "ENTER", "EXIT", "DRY"]


def test_bp_edges_after_steady_clocks() -> None:
    rig = Rig(steady=4)
    rig.step((0, 5))
    names = [rig.name((0, 5, bit)) for bit in (1, 1, 1, 1, 1, 1)]
    assert names == [None, None, None, None, "BP_ON", None]
    names = [rig.name((0, 5, bit)) for bit in (0, 0, 1, 0, 0, 0, 0, 0)]  # the high sample begins a new run
    assert names == [None, None, None, None, None, None, None, "BP_OFF"]


def test_bp_on_comes_with_the_first_sample_that_is_late_enough() -> None:
    rig = Rig(steady=4)
    rig.step((0, 5))
    rig.step((0, 5, 1))
    for _ in range(7):
        assert rig.step() is None
    assert rig.fields((0, 6, 1))["bp_en"] == 1


def test_a_steady_edge_in_a_sample_won_by_another_record_is_told_by_it() -> None:
    rig = Rig(steady=1)
    assert rig.fields((0, 5, 1))["bp_en"] == 0  # KNOWN begins the run
    assert rig.fields((0, 10, 1))["bp_en"] == 1  # ENTER
    assert rig.step((0, 10, 1)) is None


def test_a_run_begins_anew_after_unknown() -> None:
    rig = Rig(replace(QUIET, stale_ns=100), steady=4, layers=0b1)
    rig.step((0, 5, 1))
    assert rig.name(rel=2000) is None  # tick: the layer was seen
    rig.idle()
    assert rig.name(rel=2100) == "UNKNOWN 0x1"
    assert rig.fields((0, 5, 1), rel=2110)["bp_en"] == 0
    assert [rig.name((0, 5, 1)) for _ in range(4)] == [None, None, None, "BP_ON"]


def test_level_on_new_peaks_only_while_hot() -> None:
    rig = Rig()
    names = [rig.name((0, occ)) for occ in (9, 8, 10, 10, 12, 11, 13, 4)]
    assert names == ["KNOWN", None, "ENTER", None, "LEVEL", None, "LEVEL", "EXIT"]


def test_level_step_counts_from_the_last_report() -> None:
    rig = Rig(replace(QUIET, level_step=3))
    names = [rig.name((0, occ)) for occ in (4, 6, 7, 5, 4, 2, 1)]
    assert names == ["KNOWN", None, "LEVEL", None, "LEVEL", None, "LEVEL"]


def test_level_spends_its_credit_until_the_tick() -> None:
    rig = Rig(replace(QUIET, stale_ns=1000))  # restarted at 1010
    rig.step((0, 10), rel=1500)
    rig.step((1, 10), rel=1505)
    assert [rig.name((0, occ), rel=1510 + occ) for occ in (11, 12, 13)] == ["LEVEL", None, None]
    assert rig.name((1, 11), rel=1560) == "LEVEL"  # credit is per layer
    assert rig.name(rel=2009) is None
    assert rig.name((0, 13), rel=2010) is None  # the tick executes behind this sample
    assert rig.name((0, 13), rel=2020) == "LEVEL"


def test_raw_reports_every_sample_at_or_above_the_limit() -> None:
    rig = Rig(replace(QUIET, raw=1))
    occs = [9, 10, 10, 12, 9, 10, 4, 10]
    names = [rig.name((0, occ)) for occ in occs]
    assert names == ["KNOWN", "ENTER", "RAW", "LEVEL", None, "RAW", "EXIT", "ENTER"]
    assert sum(name is not None and occ >= 10 for name, occ in zip(names, occs, strict=True)) == 5


def test_raw_takes_the_raw_bit_at_once() -> None:
    rig = Rig(replace(QUIET, raw=1), steady=100)
    assert rig.fields((0, 5, 1))["bp_en"] == 1
    assert [rig.name((0, 5, bit)) for bit in (1, 0, 1)] == [None, "BP_OFF", "BP_ON"]
    assert rig.fields((0, 10, 0))["bp_en"] == 0


def test_absent_layers_are_counted_and_ignored() -> None:
    rig = Rig()
    for _ in range(255):
        assert rig.step((7, 60, 1)) is None
    assert rig.model.bp_samples == 0
    entry = rig.step((0, 5, 1))
    assert entry is not None
    assert entry.bp_samples == 1


def test_stale_tick_names_the_whole_mask_and_only_when_it_grows() -> None:
    rig = Rig(replace(QUIET, stale_ns=100), layers=0b111, dry=0b100)
    rig.step((0, 10), rel=2000)  # the tick is due and postponed by this record
    assert rig.step(rel=2010) is None  # executed: 1 and 2 were never known
    rig.step((1, 5), rel=2020)
    rig.idle()
    assert rig.name(rel=2100) == "UNKNOWN 0x5"
    rig.idle()
    assert rig.name(rel=2200) == "UNKNOWN 0x7"
    assert rig.name(rel=2300) is None
    assert rig.name((0, 9), rel=2310) == "KNOWN"  # hot was cleared


def test_the_tick_is_postponed_by_records_and_its_sample_counts_as_seen() -> None:
    rig = Rig(replace(QUIET, stale_ns=100), layers=0b111)
    rig.step((0, 5), rel=2000)
    rig.step(rel=2010)  # first tick executed
    rig.step((1, 5), rel=2020)
    rig.idle()
    assert rig.name((1, 10), rel=2100) == "ENTER"  # due, postponed
    assert rig.name((1, 4), rel=2110) == "EXIT"
    assert rig.name((0, 5), rel=2120) is None  # executed here; layer 0 counts as seen, 2 was unknown already
    assert rig.name((1, 5), rel=2190) is None
    assert rig.name(rel=2199) is None
    assert rig.name(rel=2200) == "UNKNOWN 0x5"  # due 100 after it was due, not after it was executed


def test_configuration_words_wait_for_a_free_clock_behind_the_tick() -> None:
    rig = Rig(replace(QUIET, stale_ns=100), layers=0b11)
    rig.step((0, 4), rel=1015)
    new = replace(QUIET, th_on=20, stale_ns=50)
    assert rig.name((0, 10), apply=new, rel=1030) == "ENTER"  # old limits
    rig.step((0, 11), rel=1040)
    assert rig.name((0, 12), rel=1115) is None  # tick due (restart at 1010); credit spent, so no LEVEL: tick executes
    assert rig.name((0, 4), rel=1120) == "EXIT"
    assert rig.name((0, 10), rel=1130) == "ENTER"  # still the old limits
    assert rig.name((0, 10), rel=1140) == "BP_LIMITS"
    assert rig.name((0, 4), rel=1150) == "EXIT"
    assert rig.name((0, 19), rel=1160) == "STALE"
    assert rig.step((0, 20), rel=1163) is not None


def test_a_second_apply_replaces_the_first() -> None:
    rig = Rig()
    rig.step((0, 12), apply=replace(QUIET, th_on=20))
    assert rig.step((0, 13), apply=replace(QUIET, th_on=30)) is not None
    entry = rig.step()
    assert entry is not None
    assert entry.payload == replace(QUIET, th_on=30).word
    assert rig.name() == "STALE"
    assert rig.name() is None


@pytest.mark.parametrize(
    "bad",
    [{"th_off": 10}, {"th_on": 0, "th_off": 0}, {"th_off": 0}, {"th_wet": 0}, {"th_wet": 64}, {"k": 32}, {"raw": 2}],
)
def test_illegal_limits_are_refused_and_the_old_ones_stay(bad: dict[str, int]) -> None:
    rig = Rig()
    assert rig.step(apply=replace(QUIET, **bad)) is None
    assert rig.model.cfg_error
    assert rig.name((0, 10)) == "ENTER"
    assert not rig.model.cfg_error
    assert rig.name() is None


def test_a_step_precedes_the_record_of_its_clock_and_may_stand_alone() -> None:
    rig = Rig()
    entry = rig.step(ts_step=1, step_ns=-77)
    assert entry is not None
    assert (entry.kind, entry.step_ns) == (None, -77)
    entry = rig.step((0, 10), ts_step=1, step_ns=5)
    assert entry is not None
    assert [(r.kind, r.sub) for r in entry.records()] == [(Kind.CLK, 1), (Kind.CLK, 7), (Kind.BP, BpSub.ENTER)]
    entry = rig.step(apply=QUIET, ts_step=1, step_ns=5)
    assert entry is not None
    assert (entry.kind, entry.step_ns) == (Kind.CFG, 5)


def test_restart_forgets_all_but_the_limits() -> None:
    rig = Rig()
    rig.step(apply=replace(QUIET, th_on=20))
    rig.step((0, 20))
    rig.step((1, 5, 1))
    assert rig.step((0, 20), restart=True, ts_step=1, step_ns=4) is None
    assert rig.model.bp_samples == 0
    assert [rig.name((0, occ)) for occ in (19, 20)] == ["KNOWN", "ENTER"]
    assert rig.name() is None


def test_limits_applied_up_to_the_restart_are_in_force_after_it_untold() -> None:
    rig = Rig()
    rig.step((0, 12), apply=replace(QUIET, th_on=20))
    rig.step((0, 5), apply=replace(QUIET, th_on=30), restart=True)
    assert rig.model.limits.th_on == 30
    assert [rig.name((0, occ)) for occ in (29, 30)] == ["KNOWN", "ENTER"]
    assert rig.name() is None


def test_a_new_stale_period_begins_with_its_word() -> None:
    rig = Rig(replace(QUIET, stale_ns=0), layers=0b1)
    rig.step((0, 5), rel=9000)
    rig.step(apply=replace(QUIET, stale_ns=100), rel=9010)
    assert rig.name(rel=9020) == "STALE"
    rig.idle()
    assert [rig.name(rel=9020 + dt) for dt in (99, 100)] == [None, None]
    rig.idle()
    assert [rig.name(rel=9020 + dt) for dt in (199, 200)] == [None, "UNKNOWN 0x1"]
