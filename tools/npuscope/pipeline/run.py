"""Runs a pipeline: exact times per token and stage, from which every level of every clock follows.

No clock is stepped. By rules P1 to P5 the clock in which stage s takes or puts token n is a maximum over earlier such
clocks (of its inputs, of token n - 1, of the reader of a full buffer), so the cost is one step per token and stage.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.layout import THRESHOLDS
from npuscope.pipeline.graph import Pipeline, Stage

__all__ = ["Activity", "Run", "Samples", "costs", "mix", "run", "stage_seed"]

Ints = NDArray[np.int64]
FULL_CODE = 63
GOLDEN = 0x9E3779B9
MASK = 0xFFFFFFFF


class Activity(IntEnum):
    """What a stage does in a clock (rule P7)."""

    STOPPED = 0
    STARVED = 1
    BLOCKED = 2
    WORKING = 3


@dataclass(frozen=True)
class Samples:
    """Samples of one trace source, one per element: clock i8[n], layer, occ (code), bp u1[n]."""

    clock: Ints
    layer: NDArray[np.uint8]
    occ: NDArray[np.uint8]
    bp: NDArray[np.uint8]


@dataclass(frozen=True)
class Run:
    """``clocks`` clocks of a pipeline. taken[s], done[s], put[s]: clocks, i8[tokens], of stage s, all < clocks."""

    pipeline: Pipeline
    clocks: int
    taken: tuple[Ints, ...]
    done: tuple[Ints, ...]
    put: tuple[Ints, ...]

    @property
    def finished(self) -> Ints:
        """Clock in which token n leaves the sink, i8[tokens]."""
        return self.put[-1]

    def used(self, buffer: int) -> NDArray[np.int32]:
        """Tokens in a buffer during each clock, i4[clocks]."""
        b = self.pipeline.buffers[buffer]
        delta = np.zeros(self.clocks + 1, np.int32)
        delta[self.put[self.pipeline.index(b.producer)] + 1] += 1
        delta[self.taken[self.pipeline.index(b.consumer)] + 1] -= 1
        return np.cumsum(delta[:-1], dtype=np.int32)

    def codes(self, buffer: int) -> NDArray[np.uint8]:
        """Occupancy code of a buffer during each clock, min(63, floor(64 * used / depth)), u1[clocks]."""
        depth = self.pipeline.buffers[buffer].depth
        table = np.minimum(FULL_CODE, np.arange(depth + 1) * 64 // depth).astype(np.uint8)
        return table[self.used(buffer)]

    def changes(self, buffer: int) -> tuple[Ints, NDArray[np.uint8]]:
        """Clocks i8[n] from which a new code holds, and these codes u1[n]; the first is clock 0."""
        codes = self.codes(buffer)
        at = np.flatnonzero(np.diff(codes, prepend=FULL_CODE + 1)) if self.clocks else np.zeros(0, np.int64)
        return at, codes[at]

    def hot(
        self, buffer: int, th_on: int = THRESHOLDS["TH_ON"].value, th_off: int = THRESHOLDS["TH_OFF"].value
    ) -> NDArray[np.bool_]:
        """Hot (from code >= th_on until code < th_off) during each clock, with no sampling, bool[clocks]."""
        codes = self.codes(buffer)
        decides = (codes >= th_on) | (codes < th_off)
        last = np.maximum.accumulate(np.where(decides, np.arange(self.clocks), -1))
        return (codes[last] >= th_on) & (last >= 0)

    def activity(self, stage: str) -> NDArray[np.uint8]:
        """Class of each clock of a stage (Activity), u1[clocks]."""
        s = self.pipeline.index(stage)
        result = np.full(self.clocks, Activity.WORKING, np.uint8)
        free = np.concatenate(([0], self.put[s] + 1))
        _fill(result, free, _padded(self.taken[s], len(free), self.clocks), Activity.STARVED)
        _fill(result, self.done[s], _padded(self.put[s], len(self.done[s]), self.clocks), Activity.BLOCKED)
        for first, end in _stops(self.pipeline, stage):
            result[first:end] = Activity.STOPPED
        return result

    def samples(self, src: int) -> Samples:
        """What trace source ``src`` shows on its port (rule P8), in the order of the clocks."""
        span = self.pipeline.span
        layers = range(min(span, len(self.pipeline.buffers) - src * span))
        shape = (-(-self.clocks // span), len(layers))
        clock = np.arange(shape[0])[:, None] * span + np.arange(len(layers))
        occ = np.zeros(shape, np.uint8)
        bp = np.zeros(shape, np.uint8)
        for layer in layers:
            buffer = src * span + layer
            at = clock[clock[:, layer] < self.clocks, layer]
            occ[: len(at), layer] = self.codes(buffer)[at]
            bp[: len(at), layer] = self.used(buffer)[at] == self.pipeline.buffers[buffer].depth
        keep = clock < self.clocks
        layer_id = np.broadcast_to(np.arange(len(layers), dtype=np.uint8), shape)
        return Samples(clock[keep], layer_id[keep], occ[keep], bp[keep])


def run(pipeline: Pipeline, clocks: int) -> Run:
    """Run ``pipeline`` for ``clocks`` clocks (>= 0) from reset, rules P1 to P6."""
    taken: list[list[int]] = [[] for _ in pipeline.stages]
    done: list[list[int]] = [[] for _ in pipeline.stages]
    put: list[list[int]] = [[] for _ in pipeline.stages]
    tokens = clocks // pipeline.stages[0].service + 1
    if pipeline.tokens:
        tokens = min(tokens, pipeline.tokens)
    plan: list[tuple[Any, ...]] = []
    for s in pipeline.order():
        name = pipeline.stages[s].name
        feeds = [put[pipeline.index(pipeline.buffers[b].producer)] for b in pipeline.inputs(name)]
        reads = [
            (pipeline.buffers[b].depth, taken[pipeline.index(pipeline.buffers[b].consumer)])
            for b in pipeline.outputs(name)
        ]
        cost = costs(pipeline.stages[s], stage_seed(pipeline.seed, s), tokens)
        windows = _Windows(pipeline, name) if pipeline.schedule(name) else None
        plan.append((feeds, reads, cost, windows, taken[s], done[s], put[s]))
    for n in range(tokens):
        for feeds, reads, cost, windows, take, finish, leave in plan:
            t = leave[-1] if n else 0
            for fed in feeds:
                if fed[n] >= t:
                    t = fed[n] + 1
            if windows is None:
                end = t + cost[n]
            else:
                t = windows.running(t)
                end = windows.work(t, cost[n] + windows.extra(t))
            take.append(t)
            finish.append(end)
            for depth, read in reads:
                if n >= depth and read[n - depth] >= end:
                    end = read[n - depth] + 1
            leave.append(end if windows is None else windows.running(end))
        if taken[0][-1] >= clocks:
            break
    cut = [tuple(_before(times, clocks) for times in every) for every in (taken, done, put)]
    return Run(pipeline, clocks, *cut)


def mix(word: int) -> int:
    """The 32-bit finaliser of MurmurHash3 (public domain)."""
    word ^= word >> 16
    word = word * 0x85EBCA6B & MASK
    word ^= word >> 13
    word = word * 0xC2B2AE35 & MASK
    return word ^ word >> 16


def stage_seed(seed: int, index: int) -> int:
    """Seed of stage ``index`` (rule P6)."""
    return mix(seed + index & MASK)


@lru_cache(maxsize=64)
def costs(stage: Stage, seed: int, tokens: int) -> Sequence[int]:
    """Clocks that ``stage`` needs for token 0, 1, ..., without slow windows (rule P5)."""
    n = np.arange(tokens, dtype=np.uint64)
    word = seed + n * GOLDEN & MASK
    word ^= word >> 16
    word = word * 0x85EBCA6B & MASK
    word ^= word >> 13
    word = word * 0xC2B2AE35 & MASK
    word ^= word >> 16
    cost = stage.service + ((word >> 16) * (stage.jitter + 1) >> 16)
    if stage.burst:
        cost[stage.burst :: stage.burst] += np.uint64(stage.gap)
    return [int(c) for c in cost.tolist()]


class _Windows:
    """The windows of one stage."""

    def __init__(self, pipeline: Pipeline, stage: str) -> None:
        changes = pipeline.schedule(stage)
        self.at = [clock for clock, _, _ in changes]
        self.extras = [0, *(extra for _, _, extra in changes)]
        self.stops = _stops(pipeline, stage)
        self.ends = [end for _, end in self.stops]

    def extra(self, t: int) -> int:
        """Extra clocks of a token taken in clock t."""
        return self.extras[bisect_right(self.at, t)]

    def running(self, t: int) -> int:
        """First clock >= t outside the stops."""
        i = bisect_right(self.ends, t)
        return self.ends[i] if i < len(self.stops) and self.stops[i][0] <= t else t

    def work(self, t: int, cost: int) -> int:
        """First clock in which a token taken in clock t is finished: cost - 1 running clocks lie between."""
        t, left = t + 1, cost - 1
        for first, end in self.stops[bisect_right(self.ends, t) :]:
            if first >= t + left:
                break
            left -= max(0, first - t)
            t = end
        return t + left


def _stops(pipeline: Pipeline, stage: str) -> list[tuple[int, int]]:
    """Stops of a stage as disjoint ascending [first, end), none touching the next."""
    stops: list[tuple[int, int]] = []
    begin: int | None = None
    for clock, stopped, _ in pipeline.schedule(stage):
        if stopped and begin is None:
            begin = clock
        elif not stopped and begin is not None:
            stops.append((begin, clock))
            begin = None
    return stops


def _before(times: list[int], clocks: int) -> Ints:
    array = np.array(times, np.int64)
    return array[: np.searchsorted(array, clocks)]


def _padded(times: Ints, length: int, value: int) -> Ints:
    return np.concatenate((times, np.full(length - len(times), value, np.int64)))


def _fill(result: NDArray[np.uint8], first: Ints, end: Ints, value: int) -> None:
    """Set result[first[i]:end[i]] = value for disjoint ascending intervals; empty ones have end <= first."""
    some = first < end
    edges = np.zeros(len(result) + 1, np.int32)
    edges[first[some]] += 1
    edges[end[some]] -= 1
    result[np.cumsum(edges[:-1]) > 0] = value
