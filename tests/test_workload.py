"""The workload figures, each by an example computed by hand."""

from __future__ import annotations

from itertools import islice

import pytest

from npuscope.workload import (
    MODELS,
    adapt_batch,
    knee,
    kv_bytes,
    request_lengths,
    saturation_onset,
    stream_qps,
    token_ns,
)


def test_d1_service_times() -> None:
    llama = MODELS["llama-3-70b"]
    assert token_ns(llama, 1000, 1e15) == pytest.approx(1.3e9 / 2.1e12 * 1e9)  # 619,048 ns: bandwidth
    assert token_ns(llama, 100, 1e15) == pytest.approx(182_000)  # 182 GFLOP at 1 PFLOP/s: computing


def test_d2_kv_bytes() -> None:
    assert kv_bytes(80, 64, 128, 8192, 2) == 21_474_836_480  # 20 GiB


def test_d3_stream_rate() -> None:
    assert stream_qps(1, 87_500) == 10_000
    assert stream_qps(3, 100_000) == 26_666  # 26,666.67 rounded down


@pytest.mark.parametrize(
    ("batch", "p95", "then"),
    [(8, 120.1, 4), (8, 120, 8), (8, 60, 8), (8, 59.9, 16), (1, 500, 1), (200, 1, 256), (256, 1, 256)],
)
def test_d4_batch(batch: int, p95: float, then: int) -> None:
    assert adapt_batch(batch, p95) == then


def test_requests_are_seeded_and_of_both_kinds() -> None:
    found = list(islice(request_lengths(1), 4000))
    assert found == list(islice(request_lengths(1), 4000))
    short = [tokens for _, tokens in found if tokens <= 256]
    assert sum(short) / len(short) == pytest.approx(128, rel=0.05)
    assert len(short) / len(found) == pytest.approx(64 / 72, abs=0.03)
    assert sum(gap for gap, _ in found) / len(found) == pytest.approx(1, rel=0.1)


def test_knee() -> None:
    assert knee([9.5, 19.0, 28.5, 16.2, 16.0]) == 3  # more than 3 streams in a batch
    assert knee([9.5, 19.0, 14.0, 28.5]) is None  # it recovers
    assert knee([]) is None


def test_saturation_onset() -> None:
    assert saturation_onset([900, 944, 943, 944, 945], 1000) == 3
    assert saturation_onset([943] * 4, 1000) is None
