"""The tables against the golden models of the blocks that make the records: what the models say is what is read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import npuscope
from npuscope.encode import Entry, SourceConfig, TimeBus, Writer
from npuscope.encode.jitter import JitterConfig, JitterMeter, JitterStatistics, SyncPulse
from npuscope.encode.ras import RasLatch, RasMapper, ras_record, syndrome
from npuscope.encode.token import Order, Token, TokenInputs, TokenIrqModel
from npuscope.layout import SRC_JITTER, SRC_RAS, JitterSub, Kind, RasClass
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import TABLE_KINDSUBS, Reader
from npuscope.tables.jitter import JitterMeter as Statistics
from npuscope.tables.recheck import Recheck
from npuscope.tables.tokens import TOKINT
from tests.tables.dumps import START, others
from tests.tables.mapper import SMALL

CLOCK_NS = 5


def dump(entries: list[Entry], sources: dict[int, dict[int, int]], folder: Path) -> Path:
    made = Writer([SourceConfig(1)], start_ts=START, frame_records=64, others=sources)
    for entry in entries:
        made.offer(entry)
    made.flush()
    path = folder / "run.npt"
    path.write_bytes(made.data())
    return path


@pytest.mark.parametrize("seed", range(4))
def test_tokens_are_those_of_the_golden_interrupt(seed: int, tmp_path: Path) -> None:
    rng, model = random.Random(seed), TokenIrqModel()
    entries, hits, arrived, spans = [], [], [], []
    number, shown, frozen = 0, None, None
    for clock in range(4_000):
        bus = TimeBus(ts_ns=START + CLOCK_NS * clock, rel_ns=CLOCK_NS * clock, tq=2)
        if shown is None and rng.random() < 0.7:
            ends = {name: rng.random() < 0.05 for name in ("eos", "eosp", "boundary")}
            own = tuple(rng.randrange(1 << 32) for _ in range(2))
            shown = Token(number, number, rng.randrange(256), rng.randrange(4), rng.random() < 0.05, own=own, **ends)
            number += 1
        inputs = TokenInputs(
            bus,
            shown,
            ready=rng.random() < 0.9,
            free=rng.choice([64, 65, 97, 1_000]),
            arm=Order(number, 15) if not model.armed and rng.random() < 0.2 else None,
            resume=rng.random() < 0.1,
            trim=seed % 2 == 1,
        )
        taken = model.look(inputs).taken
        entry = model.clock(inputs)
        if taken:
            assert shown is not None
            arrived.append((bus.ts_ns, shown.id))
            shown = None
        if entry is None:
            continue
        entries.append(entry)
        if entry.kind == Kind.TOKINT:
            assert model.snapshot is not None
            hits.append((bus.ts_ns, model.snapshot))
        elif entry.kind == Kind.TOKEN and entry.sub == 2:
            frozen = bus.ts_ns
        elif entry.kind == Kind.TOKEN and entry.sub == 3:
            assert frozen is not None
            spans.append(bus.ts_ns - frozen)
    capture = npuscope.open(dump(entries, others(), tmp_path))
    assert list(zip(capture.arrivals["time"].tolist(), capture.arrivals["token"].tolist(), strict=True)) == arrived
    rows = capture.interrupts
    assert len(rows) == len(hits) > 20
    for row, (time, snapshot) in zip(rows, hits, strict=True):
        assert (row["ts"], row["cause"], row["token"]) == (time, snapshot.cause, snapshot.token)
        assert row["complete"]
        assert tuple(row["context"][: row["words"]].tolist()) == snapshot.context
        assert row["pointer"] == row["token"]
    assert (capture.arrivals["how"] == TOKINT).sum() == len(hits)
    reader, meter = Reader(), npuscope.tables.tokens.TokenMeter()
    for batch in capture.batches(TABLE_KINDSUBS):
        meter.feed(reader.feed(batch)[0])
    meter.finish()
    assert (meter.flow.freezes.count, meter.flow.freezes.total) == (len(spans), sum(spans))


@pytest.mark.parametrize("seed", range(6))
def test_statistics_and_decisions_are_those_of_the_golden_sync_and_mapper(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    config = JitterConfig(t_nominal=2_000 * 256, exclude=seed % 2 == 1, sync_lost_a=seed % 3 == 0)
    meter, statistics, mapper = JitterMeter(config), JitterStatistics(), RasMapper(SMALL)
    latches = {kind: RasLatch() for kind in RasClass}
    now, exact = START + 1_000, (START + 1_000) * 256
    mapper.note(RasClass.ENABLED, now)
    entries = [Entry(now, SRC_RAS, Kind.RAS, *ras_record(RasClass.ENABLED))]
    for _ in range(600):
        draw = rng.random()
        factor = 0.3 if draw < 0.03 else 2.0 if draw < 0.06 else 1.0
        exact += int(2_000 * 256 * factor) + rng.choice([0, 9, -700, 2_561, -2_560, 5_200, 8_000])
        now = exact >> 8
        sample = meter.pulse(SyncPulse(exact % (1 << 56), unlocked=rng.random() < 0.02))
        statistics.add(sample)
        told = mapper.sample(now, sample.jitter, sample.ok) if sample.reaches_mapper(config) else []
        for kind in told:
            latches[kind].set(now, sample.jitter)
            entries.append(Entry(now, SRC_RAS, Kind.RAS, *ras_record(kind, latches[kind], syndrome(sample.jitter))))
        entries.append(Entry(now, SRC_JITTER, Kind.JITTER, sample.sub, sample.jitter & 0xFFFFFFFF))
    low, high = config.words
    sources = others() | {SRC_RAS: {int(w): v for w, v in SMALL.words().items()}, SRC_JITTER: {6: low, 7: high}}
    path = dump(entries, sources, tmp_path)
    before, reader = Reader(keep_gaps=True), Reader()
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS):
            before.feed(batch)
    found, check = Statistics(SRC_JITTER, listed=True), Recheck(before)
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS, block_bytes=5_000):
            for run, chunks, words in reader.parts(batch):
                found.feed(chunks, words)
                check.feed(run, chunks, words)
    found.finish()
    check.finish()
    golden = statistics.snapshot()
    assert (found.period.count, found.period.total, found.period.squares) == (
        golden.count,
        golden.total,
        golden.squares,
    )
    assert (found.period.low, found.period.high) == (golden.lowest, golden.highest)
    assert found.nominal == config.t_nominal
    last = found.table[-1].tie_end if entries[-1].sub in (JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY) else 0
    assert last == golden.tie
    assert check.findings == []
    assert sum(each.total() for each in check.verdicts.values()) > 20
