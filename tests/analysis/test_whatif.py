"""Other limits, against the golden models run with those limits in force."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import npuscope
from npuscope.analysis.whatif import late_gaps, raised, ras_decisions
from npuscope.cli import run
from npuscope.encode import BpLimits, BpProbeModel, Sample, SourceConfig, TimeBus, Writer
from npuscope.errors import Exit, NpuscopeError
from npuscope.intervals import clip, subtract, total, union
from npuscope.layout import RasClass
from npuscope.tables import Break
from tests.tables.dumps import START

Captured = pytest.CaptureFixture[str]
EVENTS = "traces/synthetic/events.npt"
CLOCKS, PERIOD = 6000, 5


def traced(folder: Path, seed: int, th_on: int, stale_ns: int) -> npuscope.Capture:
    """A buffer of 16 words that wanders, watched by the probe with the full limit ``th_on``."""
    chance = random.Random(seed)
    config = SourceConfig(1, 1, BpLimits(th_on=th_on, stale_ns=stale_ns))
    model, used, drift = BpProbeModel(config, steady=3), 0, 0
    writer = Writer([config], start_ts=START)
    for clock in range(CLOCKS):
        if chance.random() < 0.02:
            drift = chance.choice((-1, 0, 1))
        used = min(16, max(0, used + (chance.random() < 0.6) * (drift or chance.choice((-1, 1)))))
        ts = START + 100 + PERIOD * clock
        entry = model.clock(TimeBus(ts, ts), Sample(0, min(63, 4 * used), used == 16))
        if entry is not None:
            writer.offer(entry)
    writer.flush(START + 100 + PERIOD * CLOCKS)
    path = folder / f"{th_on}.npt"
    path.write_bytes(writer.data())
    return npuscope.open(path)


@pytest.mark.parametrize("stale_ns", [0, 3_000])
def test_a_higher_full_limit_is_what_the_probe_would_have_told(stale_ns: int, tmp_path: Path) -> None:
    known = 0
    for seed in range(2):
        capture = traced(tmp_path, seed, 52, stale_ns)
        levels = capture.occupancy()
        for th_on in (52, 56, 60, 63):
            truth, found = traced(tmp_path, seed, th_on, stale_ns).timeline, raised(capture.timeline, levels, th_on, 52)
            span = (START + 1_000, capture.timeline.end_ns)
            lane, sure = found.hot[0], clip(truth.hot[0].true, *span)
            assert not total(subtract(clip(lane.true, *span), union(sure, truth.hot[0].unknown)))
            assert not total(subtract(sure, union(lane.true, lane.unknown)))
            known += total(clip(lane.true, *span))
            tables = found.episodes, truth.episodes
            inside = [int(((t["end"] > span[0]) & (t["start"] < span[1])).sum()) for t in tables]
            assert inside[0] <= inside[1]
            if not stale_ns:
                assert inside[0] == inside[1], "every new peak is recorded: the count is exact"
    assert known > 10_000


def test_a_lower_one_was_not_recorded(tmp_path: Path) -> None:
    capture = traced(tmp_path, 1, 52, 0)
    with pytest.raises(NpuscopeError, match="TH_ON=51 was not recorded: expected 52 or more"):
        raised(capture.timeline, capture.occupancy(), 51, 52)
    (same,), (lane,) = raised(capture.timeline, capture.occupancy(), 52, 52).hot, capture.timeline.hot
    assert same.true.tolist() == lane.true.tolist()


def test_token_gaps_decide_any_interval() -> None:
    capture = npuscope.open(EVENTS)
    window = capture.timeline.start_ns, capture.timeline.end_ns + 1
    gaps = capture.arrivals["gap"]
    for limit in (50, 87, 100, 1000):
        low, high = late_gaps(capture.tables, limit, window)
        assert low == int(np.count_nonzero(gaps > limit))
        assert high in (low, None)


def test_ras_rules_with_the_limits_in_force_say_what_was_recorded() -> None:
    capture = npuscope.open(EVENTS)
    span = capture.timeline.start_ns, capture.timeline.end_ns + 1
    found, holes = ras_decisions(capture.tables, {}, span)
    told = Counter(RasClass(int(one)) for one in capture.ras["class"][capture.ras["injected"] == 0])
    faults = (RasClass.R, RasClass.A, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED)
    assert [found[one] for one in faults] == [told[one] for one in faults] == [1, 3, 1, 1]
    assert holes == int((capture.jitter["broken"] > Break.START).sum()) > 0
    wide, _ = ras_decisions(capture.tables, {"R_LIMIT": 2**29, "A_LIMIT": 2**29, "S_LIMIT": 2**29}, span)
    assert not sum(wide.values())


def test_text_and_json(capsys: Captured) -> None:
    good = "traces/simulated/transformer_block.npt"
    assert run(["whatif", good, "--set", "TH_ON=60"]) == Exit.OK
    assert capsys.readouterr().out.startswith("With TH_ON=60: Stage softmax")
    assert run(["whatif", good, "--sweep", "th_on=56..63", "--json"]) == Exit.OK
    rows = json.loads(capsys.readouterr().out)["answers"]
    assert [row["limits"]["TH_ON"] for row in rows] == list(range(56, 64))
    most = [sum(row["stalls"]["hot_ns"]) + sum(row["stalls"]["unseen_ns"]) for row in rows]
    assert most == sorted(most, reverse=True)
    assert run(["whatif", EVENTS, "--sweep", "TOKEN_INTERVAL=80..120:20", "--allow-loss", "5"]) == Exit.OK
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "nothing to ask"),
        (["--set", "TH_OM=3"], "not a limit that a recording can decide: found 'TH_OM'; did you mean TH_ON"),
        (["--set", "TH_ON=77"], "TH_ON is out of range: found 77, expected 1 .. 63 1/64"),
        (["--set", "TH_ON=much"], "--set is wrong: found 'TH_ON=much', expected NAME=VALUE"),
        (["--sweep", "TH_ON=60..58"], "--sweep is wrong"),
        (["--set", "TH_ON=60", "--sweep", "TH_ON=60..63"], "a limit is given twice"),
        (["--sweep", "TOKEN_INTERVAL=1..1000"], "too many answers"),
        (["--set", "TH_ON=40"], "TH_ON=40 was not recorded: expected 56 or more"),
    ],
)
def test_mistakes_are_one_line(options: list[str], text: str, capsys: Captured) -> None:
    assert run(["whatif", "traces/simulated/transformer_block.npt", *options]) == Exit.USAGE
    err = capsys.readouterr().err
    assert text in err
    assert err.count("\n") == 1


def test_no_samples_to_judge_is_one_line(capsys: Captured) -> None:
    assert run(["whatif", "traces/synthetic/clean.npt", "--set", "R_LIMIT=5"]) == Exit.USAGE
    err = capsys.readouterr().err
    assert "no jitter samples in it" in err
    assert err.count("\n") == 1
