"""Dumps whose RAS records are the golden mapper's, and ways to make them wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from npuscope.encode import Entry, SourceConfig, Writer
from npuscope.encode.ras import RasConfig, RasLatch, RasMapper, ras_record, syndrome
from npuscope.layout import SRC_JITTER, SRC_RAS, Cfg, JitterSub, Kind, RasClass
from tests.tables.dumps import START, others, pulse

SMALL = RasConfig(
    r_limit=2_560,
    a_limit=5_120,
    s_limit=7_680,
    r_run=3,
    r_rearm=2,
    s_count=3,
    a_budget=2,
    s_window=60_000,
    a_holdoff=4,
)
"""Limits of 10, 20, 30 ns, a window of 60 us."""
NOTES = (RasClass.RENEG_DONE, RasClass.PHY_CHANGED, RasClass.ACK, RasClass.REQ_TIMEOUT)


@dataclass
class Story:
    """What a mapper and its sync source offer, in the order of time; ``decisions``: indices of decided records."""

    entries: list[Entry] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    samples: int = 0


def story(seed: int, count: int = 300, *, change: bool = True, inject: bool = True, steps: bool = False) -> Story:
    """A random one: samples around the limits, notes, disabling, injection, clears, changes of the limits.

    steps: the clock steps now and then by 37 s, there and back.
    """
    rng, made, now = random.Random(seed), Story(), START + 1_000
    mapper, latches, config = RasMapper(SMALL), {kind: RasLatch() for kind in RasClass}, SMALL
    mapper.note(RasClass.ENABLED, now)
    made.entries.append(_record(now, RasClass.ENABLED))
    for _ in range(count):
        now += rng.choice([500, 1_000, 3_000, 9_000])
        draw = rng.random()
        if draw < 0.85:
            ok = rng.random() < 0.95
            limits = (config.r_limit, config.a_limit, config.s_limit)
            near = rng.choice(limits) + rng.choice([-1, 0, 1, 300])
            jitter = rng.choice([0, 50, -100, near, -near, (1 << 31) - 1]) if ok else 0
            sub = rng.choice([JitterSub.OK] * 9 + [JitterSub.MISSED]) if ok else JitterSub.FIRST
            told = mapper.sample(now, jitter, ok)
            _faults(made, now, told, latches, jitter)
            made.entries.append(pulse(now, jitter, sub))
            made.samples += 1
        elif draw < 0.88:
            _faults(made, now, mapper.sync_lost(now, drives_a=True), latches, 0)
            made.entries.append(pulse(now, 0, JitterSub.SYNC_LOST))
            made.samples += 1
        elif draw < 0.93:
            kind = rng.choice(NOTES)
            mapper.note(kind, now)
            made.entries.append(_record(now, kind))
        elif draw < 0.95:
            kind = RasClass.DISABLED if mapper.enabled else RasClass.ENABLED
            mapper.note(kind, now)
            made.entries.append(_record(now, kind))
        elif draw < 0.97 and inject:
            kind = rng.choice([RasClass.R, RasClass.A, RasClass.S])
            latches[kind].set(now, 0)
            sub, word = ras_record(kind, latches[kind], injected=True)
            made.entries.append(Entry(now, SRC_RAS, Kind.RAS, sub, word))
        elif draw < 0.98:
            latches[rng.choice(list(latches))].clear()
        elif change:
            config = RasConfig(**{**_values(SMALL), "r_limit": rng.choice([1_280, 2_560]), "r_run": rng.choice([2, 3])})
            mapper.config = config
            made.entries += [Entry(now, SRC_RAS, Kind.CFG, word, value) for word, value in config.words().items()]
    if steps:
        _step(rng, made)
    return made


def _step(rng: random.Random, made: Story) -> None:
    """Put clock steps between the entries; ``decisions`` still point to theirs."""
    places = sorted(rng.sample(range(5, len(made.entries)), 6))
    entries: list[Entry] = []
    offset = 0
    moved = {}
    for index, entry in enumerate(made.entries):
        if index in places and entry.ts != made.entries[index - 1].ts:
            size = -offset or 37_000_000_000
            offset += size
            entries.append(Entry(entry.ts + offset, SRC_RAS, None, step_ns=size))
        moved[index] = len(entries)
        entries.append(replace(entry, ts=entry.ts + offset))
    made.entries, made.decisions = entries, [moved[index] for index in made.decisions]


def _values(config: RasConfig) -> dict[str, int]:
    return {name: getattr(config, name) for name in RasConfig.__dataclass_fields__}


def _record(now: int, kind: RasClass) -> Entry:
    sub, word = ras_record(kind)
    return Entry(now, SRC_RAS, Kind.RAS, sub, word)


def _faults(made: Story, now: int, told: Sequence[RasClass], latches: dict[RasClass, RasLatch], jitter: int) -> None:
    for kind in told:
        latches[kind].set(now, jitter)
        sub, word = ras_record(kind, latches[kind], syndrome(jitter))
        made.decisions.append(len(made.entries))
        made.entries.append(Entry(now, SRC_RAS, Kind.RAS, sub, word))


def stream() -> Writer:
    """A stream with the limits ``SMALL`` in which SYNC_LOST drives A."""
    words = {int(word): value for word, value in SMALL.words().items()}
    sources = others() | {SRC_RAS: words}
    sources[SRC_JITTER] = sources[SRC_JITTER] | {int(Cfg.T_NOMINAL_HI): 0b1001 << 16}
    return Writer([SourceConfig(1)], start_ts=START, frame_records=64, others=sources)


def dump(entries: Sequence[Entry], lost: Sequence[tuple[int, int]] = (), *, flush: bool = True) -> bytes:
    """A dump of ``entries``; of each stretch [a, b) in ``lost`` the JITTER and RAS entries are dropped and told."""
    made = stream()
    ends = {end: begin for begin, end in lost}
    gone = {index for begin, end in lost for index in range(begin, end)}
    for index, entry in enumerate(entries):
        if index in ends:
            _drop(made, entries[ends[index] : index])
        if entry.kind is None and entry.step_ns is not None:
            made.step(entry.ts, entry.step_ns)
        elif index not in gone:
            made.offer(entry)
    if len(entries) in ends:
        _drop(made, entries[ends[len(entries)] :])
    if flush:
        made.flush()
    return made.data()


def _drop(made: Writer, entries: Sequence[Entry]) -> None:
    for src in (SRC_RAS, SRC_JITTER):
        own = [entry for entry in entries if entry.src == src and entry.kind is not None]
        if own:
            made.drop(src, own)
