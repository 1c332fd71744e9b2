"""Makes the captures of this folder, their provenance (.toml) and their expected reading (.json).

``python traces/synthetic/make.py`` writes them; ``tests/records/test_synthetic.py`` checks that nothing differs.
Look at every difference of a .json before it is committed: it is what users see.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.encode import Entry, SourceConfig, Writer, payload
from npuscope.encode.jitter import JitterConfig, JitterMeter, SyncPulse
from npuscope.encode.ras import LATCHED, RasConfig, RasLatch, RasMapper, ras_record, syndrome
from npuscope.layout import (
    SRC_JITTER,
    SRC_RAS,
    SRC_TOKEN,
    THRESHOLDS,
    BpSub,
    Cfg,
    CtxSub,
    JitterSub,
    Kind,
    RasClass,
    TimeQuality,
    TokenSub,
)
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import TABLE_KINDSUBS, Chunk, Reader, Setting
from npuscope.tables.ras import coverage
from npuscope.tables.recheck import Recheck
from npuscope.tables.summary import Summary
from npuscope.views.jitter import JitterData, jitter_json
from npuscope.views.ras import CheckData, ShowData, check_json, show_json
from npuscope.views.tokens import TokenData, tokens_json

FOLDER = Path(__file__).parent
START = 1_700_000_000_000_000_000
SOURCES = [SourceConfig(layers=0b1111), SourceConfig(layers=0b11)]


def episode(writer: Writer, ts: int, src: int, layer: int) -> None:
    """One episode of 400 ns."""
    writer.bp(ts, src, BpSub.ENTER, layer=layer, occ=57)
    writer.bp(ts + 100, src, BpSub.LEVEL, layer=layer, occ=63)
    writer.bp(ts + 400, src, BpSub.EXIT, layer=layer, occ=40, peak=63, dwell=1)


def traffic(writer: Writer, ts: int, count: int) -> int:
    """``count`` episodes, one after the other over all layers; returns the time behind them."""
    lanes = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
    for number in range(count):
        episode(writer, ts + 500 * number, *lanes[number % len(lanes)])
    return ts + 500 * count


def clean() -> bytes:
    """Three frames of episodes, then END."""
    writer = Writer(SOURCES, start_ts=START)
    writer.flush(traffic(writer, START + 1000, 400))
    return writer.data()


def lossy() -> bytes:
    """Source 0 loses 300 events of layers 1 and 2 in the middle and tells it."""
    writer = Writer(SOURCES, start_ts=START)
    now = traffic(writer, START + 1000, 200)
    word = int(BpSub.LEVEL)
    lost = [Entry(now + 10 * i, 0, Kind.BP, word, 1 + i % 2) for i in range(300)]
    writer.drop(0, lost, marked=Entry(now + 3000, 0, Kind.BP, BpSub.EXIT, 1))
    writer.flush(traffic(writer, now + 4000, 200))
    return writer.data()


def damaged() -> bytes:
    """``clean`` with a flipped bit, 16 zeroed records, 5 bytes too many and 37 bytes too few."""
    data = bytearray(clean())
    data[3000] ^= 4
    data[9000:9256] = bytes(256)
    del data[15_000:15_037]
    data[12_345:12_345] = b"\xa5\x5a\xa5\x5a\xa5"
    return bytes(data)


def restarted() -> bytes:
    """A run that is cut by a start without END, one that ends, and a third that is still open."""
    writer = Writer(SOURCES, start_ts=START)
    traffic(writer, START + 1000, 150)
    writer.start(START + 1_000_000)
    writer.flush(traffic(writer, START + 1_001_000, 150))
    writer.start(START + 2_000_000)
    traffic(writer, START + 2_001_000, 50)
    return writer.data()[:-6]


def swapped() -> bytes:
    """``clean``, read through a 32-bit bus of the other byte order."""
    return np.frombuffer(clean(), ">u4").astype("<u4").tobytes()


SYNC_NS = 10_000
LIMITS = RasConfig(
    r_limit=100 * 256,
    a_limit=400 * 256,
    s_limit=1_000 * 256,
    r_run=5,
    r_rearm=5,
    s_count=3,
    a_budget=2,
    s_window=500_000,
    a_holdoff=50,
)
"""100, 400 and 1000 ns, in a window of 500 us."""


def events() -> bytes:
    """A drifting sync source, RAS events of each class, a token stream with interrupts that turns pseudo, one loss.

    Sync every 10 us. 0.5 ms: five samples over R, renegotiated. 0.8 ms: three over S. 1.2 ms: a missed pulse.
    1.5 ms: 20 us unlocked. 1.8 ms: one over A. 960 tokens at 80 ns with 12 interrupts; from 1 ms on in bursts of 16. Of
    2.0 to 2.1 ms everything is lost and told.
    """
    entries = sorted([*_sync(), *_tokens()], key=lambda entry: (entry.ts, entry.src))
    jitter = JitterConfig(t_nominal=SYNC_NS * 256)
    words = dict(zip((Cfg.T_NOMINAL_LO, Cfg.T_NOMINAL_HI), jitter.words, strict=True))
    others = {SRC_TOKEN: {}, SRC_RAS: LIMITS.words(), SRC_JITTER: words}
    writer = Writer([SourceConfig(layers=1)], start_ts=START, others=others)
    writer.bp(START + 10, 0, BpSub.KNOWN, layer=0, occ=3)
    gone = [entry for entry in entries if 2_000_000 <= entry.ts - START < 2_100_000]
    for entry in entries:
        if gone and entry.ts > gone[-1].ts:
            for src in (SRC_TOKEN, SRC_RAS, SRC_JITTER):
                if lost := [one for one in gone if one.src == src]:
                    writer.drop(src, lost)
            gone = []
        if not gone or entry.ts < gone[0].ts:
            writer.offer(entry)
    writer.flush(START + 2_500_000)
    return writer.data()


def _sync() -> list[Entry]:
    """Samples of the golden capture and what the golden mapper makes of them."""
    rng, config = random.Random(1), JitterConfig(t_nominal=SYNC_NS * 256)
    meter, mapper, latches = JitterMeter(config), RasMapper(LIMITS), {kind: RasLatch() for kind in RasClass}
    found, exact = [], START * 256
    done: int | None = None

    def told(ts: int, kind: RasClass, jitter: int = 0) -> None:
        if kind in LATCHED:
            latches[kind].set(ts, jitter)
        words = ras_record(kind, latches[kind], syndrome(jitter)) if kind in LATCHED else ras_record(kind)
        found.append(Entry(ts, SRC_RAS, Kind.RAS, *words))

    mapper.note(RasClass.ENABLED, START + 100)
    told(START + 100, RasClass.ENABLED)
    for number in range(249):
        exact += SYNC_NS * 256 + rng.randrange(-20 * 256, 21 * 256) + number * 10
        exact += dict.fromkeys(range(50, 55), 150 * 256).get(number, 0)
        exact += {80: 1_200 * 256, 83: -1_200 * 256, 86: 1_200 * 256, 180: 500 * 256}.get(number, 0)
        exact += SYNC_NS * 256 * (number == 120)
        ts = exact >> 8
        sample = meter.pulse(SyncPulse(exact % (1 << 56), unlocked=number in (148, 149)))
        if done is not None and done < ts:
            mapper.note(RasClass.RENEG_DONE, done)
            told(done, RasClass.RENEG_DONE)
            done = None
        for kind in mapper.sample(ts, sample.jitter, sample.ok):
            told(ts, kind, sample.jitter)
            done = ts + 3_000 if kind == RasClass.R else done
        quality = TimeQuality.FREE_RUN if sample.sub == JitterSub.UNLOCKED else TimeQuality.LOCKED
        found.append(Entry(ts, SRC_JITTER, Kind.JITTER, sample.sub, sample.jitter & 0xFFFFFFFF, quality))
    return found


def _tokens() -> list[Entry]:
    """80 ns apart, each eightieth an interrupt with a freeze of 3 us; from 1 ms on bursts of 16 and pauses of 5 us."""
    found, now = [], START + 5_000
    for number in range(1_800):
        now += 80
        if number % 80 == 79 and now < START + 1_000_000:
            head = payload(Kind.CTX, CtxSub.HEAD, words=4, layer=number // 80, slot=number % 3)
            memory = payload(Kind.CTX, CtxSub.MEMORY, free=2_000 - number, limit=THRESHOLDS["MEM_LOW_ON"].value)
            cause = 1 << number // 80 % 4
            context = (head, 0x1000 + number, memory, 0xC0FFEE)
            found.append(Entry(now, SRC_TOKEN, Kind.TOKINT, cause, number, context=context))
            found.append(Entry(now + 5, SRC_TOKEN, Kind.TOKEN, TokenSub.FROZEN, number))
            now += 3_005
            found.append(Entry(now, SRC_TOKEN, Kind.TOKEN, TokenSub.RESUMED, number))
            continue
        if number >= 960:
            now = max(now, START + 1_000_000) + (19_000 if number % 16 == 0 else 0)
        sub = TokenSub.NEXT if number else TokenSub.FIRST
        found.append(Entry(now, SRC_TOKEN, Kind.TOKEN, sub, number))
    return found


CAPTURES = {make.__name__: make for make in (clean, lossy, damaged, restarted, swapped, events)}


def reading(path: Path) -> dict[str, Any]:
    """What the decoder says of ``path``: the ledger, and the holes with the record they precede."""
    with open_source(path) as source:
        decoder = decode(source)
        holes, count = [], 0
        for batch in decoder:
            for hole in batch.holes:
                holes.append([count + hole.index, hole.from_ns, hole.to_ns, hole.src, str(hole.cause)])
            count += len(batch)
    ledger = decoder.ledger.to_json()
    ledger["files"] = [path.name]
    said = {"records": count, "holes": holes, "ledger": ledger}
    return said | ({"events": read_events(path)} if path.stem == events.__name__ else {})


def read_events(path: Path) -> dict[str, Any]:
    """What ``jitter``, ``tokens``, ``ras show`` and ``ras check`` say of ``path``."""
    before = Reader(keep_gaps=True)
    summary, batches = Summary(), list(_parts(path, before))
    for part in batches:
        summary.feed(*part)
    summary.finish(before.gaps)
    check = Recheck(before)
    for part in batches:
        check.feed(*part)
    check.finish()
    covered = coverage(summary.ras, before.gaps)
    return {
        "jitter": jitter_json(JitterData((), list(summary.jitter.values()), START, None, {}, ())),
        "tokens": tokens_json(TokenData((), summary.tokens.flow, START, None, (0, False), ())),
        "ras": show_json(ShowData((), summary.ras, covered, START, (0, False), ())),
        "check": check_json(CheckData((), check, START, ())),
    }


def _parts(path: Path, reader: Reader) -> Iterator[tuple[int, list[Chunk], list[Setting]]]:
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS):
            yield from reader.parts(batch)


def main() -> int:
    """Write everything."""
    for name, make in CAPTURES.items():
        path = FOLDER / f"{name}.npt"
        path.write_bytes(make())
        text = (make.__doc__ or "").split("\n")[0]
        provenance = f'what = "{text}"\nmade_by = "python traces/synthetic/make.py"\nbytes = {path.stat().st_size}\n'
        path.with_suffix(".toml").write_text(provenance)
        path.with_suffix(".json").write_text(json.dumps(reading(path), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
