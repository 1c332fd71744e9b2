"""Workload figures D1 to D4 as formulas, for stimulus; detectors of a knee (C6) and of the onset of saturation (C4)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from npuscope.layout import THRESHOLDS

__all__ = [
    "MODELS",
    "Mix",
    "Model",
    "adapt_batch",
    "knee",
    "kv_bytes",
    "request_lengths",
    "saturation_onset",
    "stream_qps",
    "token_ns",
]


@dataclass(frozen=True)
class Model:
    """D1: FLOP per token, bytes of KV cache per 1,000 tokens, memory bytes per second."""

    flop: float
    kv_per_1k: float
    bandwidth: float


MODELS: Final = {"llama-3-70b": Model(182e9, 1.3e9, 2.1e12), "qwen2.5-72b": Model(216e9, 1.8e9, 2.9e12)}


def token_ns(model: Model, context: int, flops: float) -> float:
    """D1: ns of a token behind ``context`` others: the slower of computing it and of reading its KV cache."""
    return max(model.flop / flops, model.kv_per_1k * context / 1000 / model.bandwidth) * 1e9


def kv_bytes(layers: int, batch: int, mean_seq: int, hidden: int, dtype_bytes: int) -> int:
    """D2: bytes of the KV cache."""
    return 2 * layers * batch * mean_seq * hidden * dtype_bytes


def stream_qps(batch: int, latency_ns: int) -> int:
    """D3: queries a second of one stream."""
    return 10**9 * batch // (latency_ns + 12_500)


def adapt_batch(batch: int, p95_ms: float) -> int:
    """D4: the next batch."""
    if p95_ms > 120:
        return max(1, batch // 2)
    return min(256, batch * 2) if p95_ms < 60 else batch


@dataclass(frozen=True)
class Mix:
    """D2: a kind of request: mean tokens, how many at once, spread of the truncated normal as part of the mean."""

    mean: int
    concurrent: int
    spread: float = 0.25


CHAT, SUMMARY = Mix(128, 64), Mix(2048, 8)


def request_lengths(seed: int, mixes: Sequence[Mix] = (CHAT, SUMMARY)) -> Iterator[tuple[float, int]]:
    """D2: (time since the request before, in mean times; tokens), without end: Poisson arrivals, truncated normal."""
    rng = random.Random(seed)
    weights = [mix.concurrent for mix in mixes]
    while True:
        mix = rng.choices(mixes, weights)[0]
        tokens = 0
        while not 1 <= tokens <= 2 * mix.mean:
            tokens = round(rng.gauss(mix.mean, mix.spread * mix.mean))
        yield rng.expovariate(1.0), tokens


def knee(values: Sequence[float], drop: float = 0.2) -> int | None:
    """C6: index of the first value more than ``drop`` below the best before it, if none recovers; else None."""
    best = 0.0
    for index, value in enumerate(values):
        if value < best * (1 - drop) and max(values[index:]) < best * (1 - drop):
            return index
        best = max(best, value)
    return None


def saturation_onset(busy: Sequence[int], clocks: int, windows: int = 2) -> int | None:
    """C4: index of the first of so many windows in a row above the saturation of the book; None: there are none."""
    limit, run = THRESHOLDS["UTIL_SATURATION"].value, 0
    for index, value in enumerate(busy):
        run = run + 1 if value * 1000 > limit * clocks else 0
        if run == windows:
            return index - windows + 1
    return None
