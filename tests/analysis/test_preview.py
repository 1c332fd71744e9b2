"""The 95 % interval covers at its rate, rare layers included; a sample is what a full pass says of that frame."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import npuscope
from npuscope.analysis.preview import estimate, poisson_limit, preview, times
from npuscope.cli import run
from npuscope.encode.bulk import Bulk
from npuscope.errors import Exit
from npuscope.intervals import clip, total
from npuscope.records.frames import groups_anywhere
from npuscope.sampling import Sampler

GOOD = "traces/simulated/transformer_block.npt"
LOSSY = "traces/simulated/transformer_block_lossy.npt"
Captured = pytest.CaptureFixture[str]
FRAMES = 4000


def shares() -> tuple[np.ndarray, np.ndarray]:
    """Lengths of frames (events make them short) and the shares of layers of all characters in each."""
    rng = np.random.default_rng(5)
    busy = np.clip(np.cumsum(rng.normal(0, 0.05, FRAMES)), 0, 1)  # wanders between calm and busy
    length = rng.integers(50, 100, FRAMES) * np.where(busy > 0.5, 1, 20)

    def rare(rate: float, size: float) -> np.ndarray:
        return np.where(rng.random(FRAMES) < rate, size * rng.random(FRAMES), 0.0)

    burst = np.zeros(FRAMES)
    burst[1700:1760] = 1.0
    layers = [
        busy,
        np.clip(busy * rng.random(FRAMES), 0, 1),
        rng.random(FRAMES) * 0.02,
        rare(0.02, 1.0),
        rare(0.003, 1.0),
        burst,
        1 - rare(0.01, 1.0),
        (np.arange(FRAMES) % 2).astype(float),
        np.zeros(FRAMES),
        np.ones(FRAMES),
    ]
    return length, np.array(layers).T


@pytest.mark.parametrize("most", [30, 150])
def test_intervals_cover_at_their_rate(most: int) -> None:
    length, table = shares()
    ends = np.cumsum(length)
    truth = (table * length[:, None]).sum(axis=0) / ends[-1]
    covered, rounds, wide = np.zeros(len(truth)), 250, []
    for seed in range(rounds):
        found, number = preview(lambda t: table[np.searchsorted(ends, t, side="right")], (0, int(ends[-1])), most, seed)
        assert number <= most
        covered += [e.low <= share <= e.high for e, share in zip(found, truth, strict=True)]
        wide.append([e.high - e.low for e in found])
    least = 0.95 - 2.6 * (0.05 * 0.95 / rounds) ** 0.5  # 1 of 200 fair ones is below
    assert (covered / rounds).min() >= least, (covered / rounds).round(3)
    assert np.mean(wide, axis=0)[1] < 0.5, "an interval that says something"


def test_what_was_never_or_always_seen_is_at_least_three_nths_wide() -> None:
    for value in (0.0, 1.0):
        found = estimate(np.full(100, value))
        assert found is not None
        assert found.rare
        assert found.high - found.low >= 3 / 100
        assert found.low <= value <= found.high
    assert estimate(np.array([np.nan, np.nan])) is None
    half = estimate(np.array([0.2, np.nan] * 50))
    assert half is not None
    assert (half.low, half.high) == (0.0, pytest.approx(0.7)), "samples without an answer may be anything"
    assert [round(poisson_limit(k), 2) for k in (0, 1, 5)] == [3.69, 5.57, 11.67]


def test_one_time_in_each_stratum() -> None:
    found = times(1000, 2000, 10, random.Random(1))
    assert [(t - 1000) // 100 for t in found] == list(range(10))
    assert len(times(0, 3, 10, random.Random(1))) == 10


@pytest.mark.parametrize("source", [GOOD, LOSSY, "bulk"])
def test_a_sample_is_the_share_of_its_frame(source: str, tmp_path: Path) -> None:
    if source == "bulk":
        source = str(tmp_path / "run.npt")
        Path(source).write_bytes(b"".join(Bulk(600_000, sources=3, layers=5)))
    capture = npuscope.open(source)
    line, layers = capture.timeline, {}
    for buffer in line.description.buffers:
        layers[buffer.src] = layers.get(buffer.src, 0) | 1 << buffer.layer
    sampler = Sampler([source], 0, line.description, layers)
    data = np.fromfile(source, np.uint8)
    stamps = groups_anywhere(data, 0, len(data))["ts"].astype(np.int64)
    seed, told = random.Random(source), 0
    for _ in range(25):
        time = seed.randrange(sampler.first_ns, sampler.last_ns)
        low = int(stamps[np.searchsorted(stamps, time, side="right") - 1])
        high = int(stamps[np.searchsorted(stamps, time, side="right")])
        for share, lane in zip(sampler.shares(time), line.hot, strict=True):
            known = high - low - total(clip(lane.unknown, low, high))
            if np.isnan(share) or not known:
                continue
            told += 1
            unknown = 1 - known / (high - low)
            assert share == pytest.approx(total(clip(lane.true, low, high)) / known, abs=1e-9 + unknown)
    assert told > 20 * len(line.hot)


def test_the_verb(tmp_path: Path, capsys: Captured) -> None:
    assert run(["stalls", GOOD, "--preview"]) == Exit.OK
    out = capsys.readouterr().out
    assert out.startswith("Fullest is scores, ")
    assert "95 % intervals" in out
    assert run(["stalls", GOOD, "--preview", "--samples", "40", "--json"]) == Exit.OK
    rows = {row["buffer"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    whole = npuscope.open(GOOD).stalls()
    for name, hot in zip(whole.buffers, whole.hot_ns, strict=True):
        assert rows[name]["low"] - 0.01 <= hot / (whole.to_ns - whole.from_ns) <= rows[name]["high"] + 0.01
    assert run(["stalls", LOSSY, "--preview", "-q"]) == Exit.LOSS
    capsys.readouterr()
    assert run(["stalls", f"{GOOD}@ep:3", "--preview"]) == Exit.USAGE
    assert "--preview is of the whole dump" in capsys.readouterr().err
