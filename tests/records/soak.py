"""The laws of the decoder on many damaged dumps, from the bytes to the culprit.

Each dump is hurt in one or two of eight ways: flipped bits, a missing end or beginning, bytes missing, random bytes put
in, pieces at another place, pages never written, random bytes instead, a log file in the middle. Of each: it ends, with
one line or an answer; no record of quality 0 or 1 is wrong; the ledger closes; timeline and blame stand it; stretch by
stretch or in one piece it is the same timeline.

    python -m tests.records.soak --dumps 10000 --seed 1
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

import numpy as np

from npuscope.analysis import stalls
from npuscope.encode.bulk import Bulk
from npuscope.errors import leave
from npuscope.records import Batch
from npuscope.replay import BLAME_KINDSUBS, Recorder
from npuscope.timeline import Timeline
from tests.records.dumps import DAMAGES, check_laws, dump

LONGEST_S = 60
"""A dump of some 50 kB that takes longer hangs."""
KEPT = "soak-failed.npt"


def hangs(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"not done after {LONGEST_S} s")


def bases(count: int, seed: int) -> list[bytes]:
    """Undamaged dumps: all kinds of records in short frames, and full frames of backpressure."""
    made = [
        dump(seed + n, events=1500, step=n % 3 == 1, runs=1 + n % 2, end=n % 4 != 3, loss=n % 5 != 4)
        for n in range(count)
    ]
    return made + [
        Bulk(1 << 16, sources=1 + n % 3, layers=1 + n, fronts=n % 2 > 0, seed=seed + n).data() for n in (3, 8)
    ]


def judge(batches: list[Batch]) -> None:
    """Timeline and blame of what was decoded."""
    recorder = Recorder(BLAME_KINDSUBS)
    for batch in batches:
        recorder.feed(batch)
    one, many = Timeline.of(recorder, whole=True), Timeline.of(recorder)
    np.testing.assert_array_equal(one.episodes, many.episodes)
    for lane, other in zip(one.hot + one.dry, many.hot + many.dry, strict=True):
        np.testing.assert_array_equal(lane.true, other.true)
        np.testing.assert_array_equal(lane.unknown, other.unknown)
    found = stalls(many, many.description)
    assert all(0 <= cell.min_ns <= cell.max_ns for cell in found.matrix)
    for u, hot in enumerate(found.hot_ns):
        assert sum(cell.min_ns for cell in found.matrix if cell.victim == u) + found.unknown_ns[u] == hot


def soak(dumps: int, seed: int, folder: Path) -> Counter[str]:
    """Hurt and decode ``dumps`` dumps; how often each way was taken and how it went."""
    told: Counter[str] = Counter()
    whole = bases(6, seed)
    signal.signal(signal.SIGALRM, hangs)
    for number in range(dumps):
        rng = random.Random(seed * 1_000_003 + number)
        base = whole[number % len(whole)]
        data, path = bytearray(base), folder / "damaged.npt"
        for way in rng.choices(DAMAGES, k=rng.choice((1, 1, 2))):
            if data:
                way(rng, data)
                told[way.__name__] += 1
        signal.alarm(LONGEST_S)
        try:
            found = check_laws(base, bytes(data), path)
            if found is not None:
                judge(found[0])
        except BaseException:
            Path(KEPT).write_bytes(data)
            print(f"dump {number} of seed {seed} failed; it is kept as {KEPT}", file=sys.stderr)
            raise
        finally:
            signal.alarm(0)
        told["refused in one line" if found is None else "decoded"] += 1
    return told


def main() -> int:
    """Soak; the first failure ends it with its traceback."""
    parser = argparse.ArgumentParser(prog="python -m tests.records.soak", description=__doc__)
    parser.add_argument("--dumps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = soak(options.dumps, options.seed, Path(folder))
    print(f"{options.dumps:,} damaged dumps, seed {options.seed}: all laws hold")
    for name, count in told.items():
        print(f"  {name:20} {count:6,}")
    return 0


if __name__ == "__main__":
    leave(main)
