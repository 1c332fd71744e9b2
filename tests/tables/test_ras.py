"""RAS coverage, and the recomputation: agrees with the golden mapper whatever is lost, finds each wrong record."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.encode import Entry
from npuscope.encode.ras_check import Verdict
from npuscope.errors import NpuscopeError
from npuscope.layout import SRC_JITTER, SRC_RAS, Kind, RasClass
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import TABLE_KINDSUBS, Reader
from npuscope.tables.ras import RasMeter, coverage
from npuscope.tables.recheck import Recheck
from tests.records.dumps import DAMAGES
from tests.tables.dumps import START, Sync, pulse, ras, writer
from tests.tables.mapper import Story, dump, story, stream

AGREE, DISAGREE, UNKNOWN = Verdict.AGREE, Verdict.DISAGREE, Verdict.NOT_COMPARABLE


def recheck(path: Path, block_bytes: int = 1 << 21) -> Recheck:
    def parts(reader: Reader):  # type: ignore[no-untyped-def]
        with open_source(path) as source:
            for batch in decode(source, keep=TABLE_KINDSUBS, block_bytes=block_bytes):
                yield from reader.parts(batch)

    before = Reader(keep_gaps=True)
    for _ in parts(before):
        pass
    found = Recheck(before)
    for run, chunks, words in parts(Reader()):
        found.feed(run, chunks, words)
    found.finish()
    return found


def of(data: bytes, folder: Path, block_bytes: int = 1 << 21) -> Recheck:
    path = folder / "run.npt"
    path.write_bytes(data)
    return recheck(path, block_bytes)


def totals(found: Recheck) -> Counter[Verdict]:
    return sum(found.verdicts.values(), Counter())


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_the_golden_mapper(seed: int, tmp_path: Path) -> None:
    made = story(seed, change=seed % 2 == 0, steps=seed % 3 == 0)
    found = of(dump(made.entries), tmp_path)
    assert found.findings == []
    assert found.disagreements == 0
    seen = totals(found)
    assert seen[DISAGREE] == 0
    assert seen[AGREE] + seen[UNKNOWN] >= len(made.decisions)
    if seed % 2:
        assert seen[AGREE] > len(made.decisions) // 4
    assert found.samples == made.samples
    assert found.configured


@pytest.mark.parametrize("seed", range(25))
def test_loss_makes_not_comparable_never_a_disagreement(seed: int, tmp_path: Path) -> None:
    rng, made = random.Random(seed), story(seed)
    lost, start = [], 0
    while start < len(made.entries) - 60:
        begin = start + rng.randrange(20, 60)
        end = begin + rng.randrange(1, 40)
        lost.append((begin, end))
        start = end
    found = of(dump(made.entries, lost), tmp_path)
    assert found.findings == []
    assert totals(found)[UNKNOWN] > 0


@pytest.mark.parametrize("src", [SRC_JITTER, SRC_RAS])
@pytest.mark.parametrize("seed", range(10))
def test_loss_of_one_source_that_is_told_late(src: int, seed: int, tmp_path: Path) -> None:
    """The LOSS stands behind records of the other source that it concerns."""
    rng, made = random.Random(seed), story(seed)
    begin = rng.randrange(20, 100)
    end = begin + rng.randrange(1, 60)
    entries = [e for i, e in enumerate(made.entries) if not (begin <= i < end and e.src == src)]
    gone = [e for e in made.entries[begin:end] if e.src == src]
    if not gone:
        return
    data = _late(entries, gone, min(begin + rng.randrange(0, 40), len(entries)))
    assert of(data, tmp_path).findings == []


def _late(entries: list[Entry], gone: list[Entry], place: int) -> bytes:
    made, sent = stream(), False
    for index, entry in enumerate(entries):
        if not sent and index >= place and entry.src == gone[0].src and entry.ts > gone[-1].ts:
            made.drop(gone[0].src, gone)
            sent = True
        made.offer(entry)
    if not sent:
        made.drop(gone[0].src, gone)
    made.flush()
    return made.data()


@pytest.mark.parametrize("block", range(4))
def test_damage_makes_no_disagreement(block: int, tmp_path: Path) -> None:
    refused = 0
    for seed in range(12 * block, 12 * (block + 1)):
        rng, data = random.Random(seed), bytearray(dump(story(seed % 5, steps=seed % 2 == 1).entries))
        for _ in range(rng.choice((1, 2))):
            rng.choice(DAMAGES)(rng, data)
        path = tmp_path / f"damaged{seed}.npt"
        path.write_bytes(data)
        try:
            found = recheck(path)
        except NpuscopeError:
            refused += 1
            continue
        assert found.findings == [], seed
    assert refused < 4


@pytest.mark.parametrize("src", [SRC_JITTER, SRC_RAS])
def test_a_clock_step_that_one_source_lost(src: int, tmp_path: Path) -> None:
    """The times of the two sources do not compare any more, which is no disagreement."""
    for seed in range(8):
        data = bytearray(dump(story(seed, steps=True).entries))
        pairs = [at for at in range(0, len(data), 16) if data[at + 8] == Kind.CLK | 1 << 4 and data[at + 9] & 63 == src]
        data[pairs[0] + 13] ^= 4
        assert of(bytes(data), tmp_path).findings == [], seed


def test_a_dump_that_begins_in_the_middle_becomes_sure_again(tmp_path: Path) -> None:
    seen: Counter[Verdict] = Counter()
    for seed in range(4):
        data = dump(story(seed, 2_000, change=False).entries)
        found = of(data[len(data) // 3 :], tmp_path)
        assert found.findings == []
        seen += totals(found)
    assert seen[AGREE] > 0
    assert seen[UNKNOWN] > 0


def test_the_result_does_not_depend_on_how_the_dump_is_read(tmp_path: Path) -> None:
    made = story(3, 900)
    data = dump(made.entries, [(200, 230), (500, 503)])
    whole = of(data, tmp_path)
    for block in (2_000, 9_000, 33_000):
        parts = of(data, tmp_path, block)
        assert parts.verdicts == whole.verdicts
        assert (parts.samples, parts.injected, parts.findings) == (whole.samples, whole.injected, whole.findings)


# ---------------------------------------------------------------- wrong records
def wrong(made: Story, index: int, how: str) -> list[Entry]:
    entries = list(made.entries)
    entry = entries[index]
    if how == "dropped":
        del entries[index]
    elif how == "syndrome":
        entries[index] = Entry(entry.ts, entry.src, entry.kind, entry.sub, entry.payload ^ 1 << 20)
    elif how == "severity":
        entries[index] = Entry(entry.ts, entry.src, entry.kind, entry.sub ^ 1, entry.payload)
    elif how == "count":
        count = (entry.payload >> 11 & 31) + 5
        entries[index] = Entry(entry.ts, entry.src, entry.kind, entry.sub, entry.payload & ~(31 << 11) | count << 11)
    elif how == "late":
        entries[index] = Entry(entry.ts + 7, entry.src, entry.kind, entry.sub, entry.payload)
        entries[index], entries[index + 1] = entries[index + 1], entries[index]
    return entries


@pytest.mark.parametrize("how", ["dropped", "syndrome", "severity", "count", "late"])
def test_a_wrong_record_is_found(how: str, tmp_path: Path) -> None:
    found = 0
    for seed in range(12):
        made = story(seed, change=False, inject=False)
        kinds = {i: RasClass(made.entries[i].payload >> 5 & 31) for i in made.decisions}
        later = [
            i for i in made.decisions[6:] if made.entries[i + 1].kind == Kind.JITTER and kinds[i] != RasClass.SYNC_LOST
        ]
        for index in later[:2]:
            if how == "syndrome" and made.entries[index + 1].sub == 1:
                continue  # A of a lost sync: there is no jitter
            found += of(dump(wrong(made, index, how)), tmp_path).disagreements > 0
    assert found > 12


def test_an_invented_decision_is_found(tmp_path: Path) -> None:
    made = story(1, change=False, inject=False)
    place = next(
        i for i, e in enumerate(made.entries) if i > 60 and e.kind == Kind.JITTER and e.payload == 0 and not e.sub
    )
    ts = made.entries[place].ts
    entries = [*made.entries[:place], ras(ts, RasClass.S, severity=2), *made.entries[place:]]  # type: ignore[arg-type]
    found = of(dump(entries), tmp_path)
    assert [f.kind for f in found.findings][:1] == [RasClass.S]
    assert found.findings[0].time_ns == ts
    assert "does not fire" in found.findings[0].what


# ---------------------------------------------------------------- coverage
def covered(data: bytes, folder: Path, window: tuple[int, int] | None = None):  # type: ignore[no-untyped-def]
    path = folder / "run.npt"
    path.write_bytes(data)
    meter, reader = RasMeter(window), Reader(keep_gaps=True)
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS):
            for run, chunks, words in reader.parts(batch):
                meter.feed(run, chunks, words)
    return meter, coverage(meter, reader.gaps)


def test_silence_of_a_disabled_mapper_is_not_watching(tmp_path: Path) -> None:
    made = writer()
    made.offer(pulse(START + 1_000, 1))
    made.offer(ras(START + 2_000, RasClass.ENABLED, count=0))
    made.offer(ras(START + 5_000, RasClass.A, severity=2))  # type: ignore[arg-type]
    made.offer(ras(START + 10_000, RasClass.DISABLED, count=0))
    made.offer(pulse(START + 12_000, 1))
    made.flush()
    meter, found = covered(made.data(), tmp_path)
    assert (found.watched, found.off, found.unknown, found.holes) == (8_000, 2_001, 2_000, 0)
    assert meter.samples == meter.good == 2
    _, part = covered(made.data(), tmp_path, (START + 3_000, START + 11_000))
    assert (part.watched, part.off, part.unknown) == (7_000, 1_000, 0)


def test_a_loss_is_not_watched_and_what_follows_is_not_known(tmp_path: Path) -> None:
    made = writer()
    made.offer(ras(START + 1_000, RasClass.ENABLED, count=0))
    made.drop(SRC_RAS, [ras(START + 3_000, RasClass.A), ras(START + 4_000, RasClass.A)])
    made.offer(ras(START + 6_000, RasClass.RENEG_DONE, count=0))
    made.offer(ras(START + 8_000, RasClass.S))
    made.offer(pulse(START + 9_999, 1))
    made.flush()
    _, found = covered(made.data(), tmp_path)
    assert found.holes == 1_001
    assert found.watched == 2_000 + 2_000
    assert found.unknown == 10_000 - found.watched
    made = writer()
    made.offer(ras(START + 1_000, RasClass.ENABLED, count=0))
    made.drop(SRC_JITTER, [pulse(START + 3_000, 1), pulse(START + 4_000, 1)], marked=pulse(START + 5_000, 1))
    made.flush()
    _, found = covered(made.data(), tmp_path)
    assert (found.watched, found.holes, found.unknown) == (5_001 - 1_000 - 1_001, 1_001, 1_000 + 1_001)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_coverage_adds_up(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng, made = random.Random(seed), story(seed, 60)
    begin = rng.randrange(1, len(made.entries) - 5)
    data = dump(made.entries, [(begin, rng.randrange(begin + 1, len(made.entries)))] if rng.random() < 0.7 else [])
    meter, found = covered(data, tmp_path_factory.mktemp("ras"))
    first, last = min(s[0] for s in meter.spans.values()), max(s[1] for s in meter.spans.values())
    assert found.watched + found.off + found.unknown == last + 1 - first
    assert found.holes <= found.unknown
    assert min(found.watched, found.off, found.holes) >= 0


def test_pulses_alone_say_nothing_of_the_mapper(tmp_path: Path) -> None:
    made = writer()
    for entry in Sync().pulses(30):
        made.offer(entry)
    made.flush()
    meter, found = covered(made.data(), tmp_path)
    assert found.watched == found.off == 0
    assert (meter.samples, meter.good) == (30, 29)
    assert set(meter.limits) == set(range(8, 14))
