"""Seeded random pipelines of every kind the analysis must judge."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.pipeline.graph import SINK, SOURCE, Fifo, Pipeline, Stage, Window

__all__ = ["KINDS", "random_pipeline"]

KINDS: Final = (
    "chain",
    "fork_equal",
    "fork_unequal",
    "skip",
    "two_stops",
    "overlapping",
    "slow_sink",
    "bursts",
)
"""chain: one window. fork_equal, fork_unequal: two branches of equal, of different length. skip: one buffer as branch.
two_stops: two windows apart; overlapping: two that share clocks (any graph). slow_sink: the window is the sink's.
bursts: the source delivers bursts."""


def random_pipeline(seed: int, kind: str, clocks: int = 30_000) -> Pipeline:
    """A pipeline whose windows lie within ``clocks`` clocks; without them it keeps up with its source.

    Every stage is at least 20 % faster than the source on average, so each lasting stall is some window's work.
    Raises NpuscopeError when ``kind`` is not one of KINDS.
    """
    if kind not in KINDS:
        raise NpuscopeError("no such kind of pipeline", found=kind, expected=" ".join(KINDS))
    rng = random.Random(f"{kind}/{seed}")
    pace = rng.randint(6, 16)
    graph = kind if kind in ("chain", "fork_equal", "fork_unequal", "skip") else rng.choice(KINDS[:4])
    names, buffers = _graph(rng, graph)
    stages = [_stage(rng, name, pace) for name in names]
    burst = rng.randint(4, 16) if kind == "bursts" else 0
    buffers = [replace(b, depth=max(b.depth, 2 * burst)) for b in buffers]  # a burst alone stalls nobody
    source = Stage(SOURCE, service=max(2, pace // 3), burst=burst, gap=burst * pace) if burst else Stage(SOURCE, pace)
    sink = Stage(SINK, service=rng.randint(1, max(1, pace // 2)))
    return Pipeline(
        (source, *stages, sink),
        tuple(buffers),
        tuple(_windows(rng, kind, names, pace, clocks)),
        seed=rng.getrandbits(32),
        title=f"{kind} {seed}",
    )


def _stage(rng: random.Random, name: str, pace: int) -> Stage:
    jitter = rng.choice((0, 0, rng.randint(1, pace // 2)))
    most = max(1, int(pace * 0.8) - jitter)
    return Stage(name, service=rng.randint(max(1, most // 2), most), jitter=jitter)


def _graph(rng: random.Random, graph: str) -> tuple[list[str], list[Fifo]]:
    """Stage names in order, and buffers: a chain with, by ``graph``, one branch beside some of its stages."""
    length = rng.randint(4, 11)
    names = [f"s{i}" for i in range(length)]
    main = [SOURCE, *names, SINK]
    buffers = [_fifo(rng, a, b) for a, b in pairwise(main)]
    if graph == "chain":
        return names, buffers
    fork = rng.randint(0, length - 3)
    join = rng.randint(fork + 2, length - 1)
    inside = join - fork - 1
    beside = {"skip": 0, "fork_equal": inside}.get(graph)
    if beside is None:
        beside = rng.choice([n for n in range(1, 6) if n != inside])
    branch = [f"b{i}" for i in range(beside)]
    path = [names[fork], *branch, names[join]]
    side = [_fifo(rng, a, b) for a, b in pairwise(path)]
    if graph == "skip":  # as a designer would: as deep as the path beside it, or (one in four) too shallow
        need = sum(b.depth + 1 for b in buffers[fork + 1 : join + 1])
        side = [Fifo(side[0].name, names[fork], names[join], max(2, need // (8 if rng.random() < 0.25 else 1)))]
    return names + branch, buffers + side


def _fifo(rng: random.Random, producer: str, consumer: str) -> Fifo:
    return Fifo(f"{producer}_{consumer}", producer, consumer, rng.choice((4, 8, 8, 12, 16, 16, 24, 32)))


def _windows(rng: random.Random, kind: str, names: list[str], pace: int, clocks: int) -> list[Window]:
    def window(stage: str, first: int, length: int) -> Window:
        slow = rng.random() < 0.5
        return Window(stage, first, first + length, rng.randint(pace, 3 * pace) if slow else None)

    length = rng.randint(clocks // 20, clocks // 6)
    first = rng.randint(clocks // 10, clocks // 3)
    if kind == "slow_sink":
        return [window(SINK, first, length)]
    if kind in ("two_stops", "overlapping"):
        one, two = rng.sample(names, 2)
        gap = rng.randint(clocks // 6, clocks // 4)
        second = first + (length + gap if kind == "two_stops" else rng.randint(1, length - 1))
        return [window(one, first, length), window(two, second, rng.randint(clocks // 20, clocks // 6))]
    return [window(rng.choice(names), first, length)]
