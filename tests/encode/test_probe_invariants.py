"""What must hold for the backpressure model on any input: hypothesis looks for a counterexample."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.encode import BpLimits, BpProbeModel, Entry, Mirror, Record, Sample, SourceConfig, TimeBus
from npuscope.encode import unpack_payload as fields_of
from npuscope.layout import BpSub, Kind, State

CONFIG = SourceConfig(0b10111, 0b00110, BpLimits(th_on=8, th_off=5, th_wet=3, level_step=0, k=2, stale_ns=150))
OCC = st.sampled_from([0, 1, 2, 3, 4, 5, 7, 8, 9, 40, 63])
SAMPLE = st.one_of(st.none(), st.builds(Sample, st.integers(0, 4), OCC, st.integers(0, 1)))
LIMITS = st.builds(
    BpLimits,
    th_on=st.integers(1, 12),
    th_off=st.integers(1, 8),
    th_wet=st.integers(1, 10),
    level_step=st.sampled_from([0, 1, 5]),
    k=st.integers(0, 4),
    raw=st.integers(0, 1),
    stale_ns=st.sampled_from([0, 30, 150]),
)
CLOCK = st.tuples(SAMPLE, st.one_of(st.none(), st.none(), st.none(), LIMITS), st.integers(0, 19))


def play(clocks: list[tuple[Sample | None, BpLimits | None, int]]) -> list[tuple[BpProbeModel, Sample | None, Entry]]:
    model = BpProbeModel(CONFIG, steady=3)
    rel, out = 0, []
    for sample, limits, luck in clocks:
        rel += 10 + 40 * (luck == 1)
        entry = model.clock(TimeBus(rel, rel, ts_step=luck == 0, rel_step=luck == 19, step_ns=luck), sample, limits)
        if entry is not None:
            out.append((model, sample, entry))
    return out


@settings(max_examples=150, deadline=None)
@given(st.lists(CLOCK, max_size=150))
def test_enter_and_exit_alternate_between_unknowns(clocks: list[tuple[Sample | None, BpLimits | None, int]]) -> None:
    hot: set[int] = set()
    known: set[int] = set()
    for _, _, entry in play(clocks):
        if entry.kind == Kind.STATE:
            gone = {layer for layer in range(32) if entry.payload >> layer & 1}
            assert known & gone, "an unknown record without a layer that became unknown"
            hot, known = hot - gone, known - gone
        if entry.kind != Kind.BP:
            continue
        layer = entry.payload & 31
        assert (entry.sub == BpSub.KNOWN) <= (layer not in known)
        assert layer in known or entry.sub in (BpSub.ENTER, BpSub.KNOWN)
        if entry.sub == BpSub.ENTER:
            assert layer not in hot
            hot.add(layer)
        elif entry.sub == BpSub.EXIT:
            assert layer in hot
            hot.remove(layer)
        known.add(layer)


@settings(max_examples=150, deadline=None)
@given(st.lists(CLOCK, max_size=150))
def test_the_mirror_of_the_records_is_the_state_of_the_probe(
    clocks: list[tuple[Sample | None, BpLimits | None, int]],
) -> None:
    """Rule 15: hot, dry and bp_en move on every sample, and yet a decoder that sees only records knows them."""
    model, mirror, rel = BpProbeModel(CONFIG, steady=3), Mirror(CONFIG), 0
    for sample, limits, luck in clocks:
        rel += 10 + 40 * (luck == 1)
        entry = model.clock(TimeBus(rel, rel), sample, limits)
        for record in entry.records() if entry else []:
            mirror.update(record)
        masks = [0, 0, 0, 0]
        for number, layer in model.layers.items():
            for index, flag in enumerate((layer.hot, layer.steady, layer.unknown, layer.dry)):
                masks[index] |= bool(flag) << number
        assert [mask for _, mask in mirror.keyframe()] == masks
        assert mirror.hot & mirror.unknown == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(CLOCK, max_size=150))
def test_fields_of_a_record_follow_its_sample(clocks: list[tuple[Sample | None, BpLimits | None, int]]) -> None:
    for _, sample, entry in play(clocks):
        if entry.kind != Kind.BP:
            continue
        assert sample is not None
        fields = fields_of(Record(0, 0, Kind.BP, entry.sub, entry.payload))
        assert (fields["layer"], fields["occ"]) == (sample.layer, sample.occ)
        if entry.sub in (BpSub.ENTER, BpSub.KNOWN):
            assert (fields["peak"], fields["dwell"]) == (sample.occ, 0)
        if entry.sub in (BpSub.BP_ON, BpSub.BP_OFF):
            assert fields["bp_en"] == (entry.sub == BpSub.BP_ON) == sample.bp_en
        if entry.sub not in (BpSub.EXIT,):
            assert fields["peak"] >= sample.occ


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(SAMPLE, st.none(), st.integers(2, 18)), max_size=150))
def test_raw_counts_every_sample_at_or_above_the_limit(clocks: list[tuple[Sample | None, None, int]]) -> None:
    model = BpProbeModel(replace(CONFIG, limits=replace(CONFIG.limits, raw=1)), steady=3)
    rel = told = wanted = 0
    for sample, _, _ in clocks:
        rel += 10
        entry = model.clock(TimeBus(rel, rel), sample)
        present = sample is not None and CONFIG.layers >> sample.layer & 1
        wanted += bool(present and sample is not None and sample.occ >= 8)
        told += bool(entry and entry.kind == Kind.BP and fields_of(Record(0, 0, 1, 0, entry.payload))["occ"] >= 8)
    assert told == wanted


def test_state_unknown_is_the_only_state_record() -> None:
    clocks = [(Sample(0, 9, 0), None, 5)] + [(None, None, 5)] * 60
    kinds = [(entry.kind, entry.sub) for _, _, entry in play(clocks)]
    assert kinds == [(Kind.BP, BpSub.ENTER), (Kind.STATE, State.UNKNOWN)]
