"""With loss the answer is the one without loss, or unknown: random recordings against the same with holes.

The recordings are those of random pipelines, long enough for every rule that remembers: drains, surges, refills.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from npuscope.analysis import Stalls, stalls
from npuscope.episodes import EPISODE, EpisodeFlag, Lane
from npuscope.intervals import Intervals, clip, make, subtract, union
from npuscope.pipeline import KINDS, random_pipeline, run
from npuscope.timeline import Timeline
from tests.analysis.closed_loop import as_timeline

CLOCKS = 6_000
HIDINGS = 12


def hide(lane: Lane, gaps: Intervals, start: int, end: int) -> Lane:
    """The lane in [start, end), not known in ``gaps``."""
    return Lane(clip(subtract(lane.true, gaps), start, end), clip(union(lane.unknown, gaps), start, end))


def lossy(whole: Timeline, rng: random.Random) -> Timeline:
    """The same recording with holes in some buffers, half of the time without its beginning."""
    start, count = 0, len(whole.hot)
    holes: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for _ in range(rng.randrange(1, 6)):
        length = rng.choice((1, 5, 20, 100, 500))
        begin = rng.randrange(whole.end_ns)
        for u in rng.sample(range(count), rng.randrange(1, count + 1)):
            holes[u].append((begin, min(begin + length, whole.end_ns)))
    episodes = np.empty(0, EPISODE)
    if rng.random() < 0.5:
        start = rng.randrange(whole.end_ns * 3 // 4)
        sudden = [u for u in range(count) if len(clip(whole.hot[u].true, start, start + 1)) and rng.random() < 0.5]
        for u in set(range(count)) - set(sudden):
            holes[u].append((start, start + rng.randrange(1, 40)))  # until its first record
        episodes = np.zeros(len(sudden), EPISODE)
        episodes["buffer"], episodes["start"], episodes["flags"] = sudden, start, EpisodeFlag.LEFT_CENSORED
    gaps = [make(*zip(*spans, strict=True)) if spans else make([], []) for spans in holes]
    hot = tuple(hide(lane, gap, start, whole.end_ns) for lane, gap in zip(whole.hot, gaps, strict=True))
    dry = tuple(hide(lane, gap, start, whole.end_ns) for lane, gap in zip(whole.dry, gaps, strict=True))
    return replace(whole, start_ns=start, hot=hot, dry=dry, bp=hot, episodes=episodes)


def bounds(found: Stalls) -> dict[tuple[int, str], tuple[int, int]]:
    return {(cell.victim, cell.culprit): (cell.min_ns, cell.max_ns) for cell in found.matrix}


def only_widens(truth: Stalls, found: Stalls) -> None:
    """Every bound is outside the one without loss, up to the one split of a sum, below 1 ns a buffer."""
    told, true = bounds(found), bounds(truth)
    slack = len(truth.buffers) ** 2
    for key in told.keys() | true.keys():
        low, high = told.get(key, (0, found.anybody_ns[key[0]]))
        true_low, true_high = true.get(key, (0, 0))
        assert low <= true_low + slack, (key, "at least", low, "but without loss", true_low)
        assert high >= true_high - slack, (key, "at most", high, "but without loss", true_high)


@pytest.mark.parametrize("kind", KINDS)
def test_loss_only_widens(kind: str) -> None:
    rng = random.Random(kind)
    for seed in range(3):
        pipeline = random_pipeline(seed, kind, clocks=CLOCKS)
        whole = as_timeline(pipeline, run(pipeline, CLOCKS))
        for _ in range(HIDINGS):
            part = lossy(whole, rng)
            window = (part.start_ns, part.end_ns)
            only_widens(stalls(whole, whole.description, window), stalls(part, whole.description, window))
