"""Makes the captures of this folder, their provenance (.toml) and their expected reading (.json).

``python traces/synthetic/make.py`` writes them; ``tests/records/test_synthetic.py`` checks that nothing differs.
Look at every difference of a .json before it is committed: it is what users see.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.encode import Entry, SourceConfig, Writer
from npuscope.layout import BpSub, Kind
from npuscope.records import decode
from npuscope.source import open_source

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


CAPTURES = {make.__name__: make for make in (clean, lossy, damaged, restarted, swapped)}


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
    return {"records": count, "holes": holes, "ledger": ledger}


def main() -> int:
    """Write everything."""
    for name, make in CAPTURES.items():
        path = FOLDER / f"{name}.npt"
        path.write_bytes(make())
        text = "\n".join(line.strip() for line in (make.__doc__ or "").split("\n"))
        provenance = f'what = "{text}"\nmade_by = "python traces/synthetic/make.py"\nbytes = {path.stat().st_size}\n'
        path.with_suffix(".toml").write_text(provenance)
        path.with_suffix(".json").write_text(json.dumps(reading(path), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
