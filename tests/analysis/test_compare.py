"""Verdicts hold for whatever was lost; summaries survive their file; the gate and its exit codes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import npuscope
from npuscope.analysis.compare import FLOOR, Verdict, compare, verdict
from npuscope.analysis.summary import Summary, summarise
from npuscope.cli import run
from npuscope.errors import Exit, NpuscopeError

GOOD = "traces/simulated/transformer_block.npt"
LOSSY = "traces/simulated/transformer_block_lossy.npt"
Captured = pytest.CaptureFixture[str]
parts = st.fractions(0, 1, max_denominator=1000)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(parts, parts), st.tuples(parts, parts), parts, parts, st.fractions(0, Fraction(1, 2)))
def test_a_verdict_holds_for_every_completion(
    base: tuple[Fraction, Fraction], new: tuple[Fraction, Fraction], at: Fraction, to: Fraction, tolerance: Fraction
) -> None:
    low, high = sorted(base), sorted(new)
    told = verdict((low[0], low[1]), (high[0], high[1]), tolerance, FLOOR)
    one, other = low[0] + at * (low[1] - low[0]), high[0] + to * (high[1] - high[0])
    truth = verdict((one, one), (other, other), tolerance, FLOOR)
    assert truth is not Verdict.UNDECIDED
    assert told in (truth, Verdict.UNDECIDED)
    assert verdict((low[0], None), (high[0], high[1]), tolerance, FLOOR) in (truth, Verdict.UNDECIDED)


def summary(path: str, window: tuple[int, int] | None = None) -> Summary:
    capture = npuscope.open(path)
    return summarise(capture.timeline, capture.stalls(window))


def test_loss_makes_undecided_and_never_another_verdict() -> None:
    whole, lossy = summary(GOOD), summary(LOSSY)
    assert {d.verdict for d in compare(whole, whole)} == {Verdict.SAME}
    against = {(d.what, d.metric): d.verdict for d in compare(whole, lossy)}
    assert set(against.values()) == {Verdict.SAME, Verdict.UNDECIDED}
    start = npuscope.open(GOOD).timeline.start_ns
    calm = summary(GOOD, (start, start + 1_000_000))
    truth = {(d.what, d.metric): d.verdict for d in compare(calm, whole)}
    found = {(d.what, d.metric): d.verdict for d in compare(calm, lossy)}
    assert truth["scores", "full_ns"] is Verdict.WORSE
    assert all(found[key] in (truth[key], Verdict.UNDECIDED) for key in truth if key in found)
    assert found["scores", "full_ns"] is Verdict.WORSE


def test_a_summary_survives_its_file() -> None:
    found = summary(LOSSY)
    assert Summary.from_json(json.loads(json.dumps(found.to_json())), "x") == found
    with pytest.raises(NpuscopeError, match="x: no summary of a capture"):
        Summary.from_json([], "x")
    with pytest.raises(NpuscopeError, match="the summary is damaged"):
        Summary.from_json({"schema": 1, "layers": {"q": {}}}, "x")


def test_per_token_needs_tokens() -> None:
    found = summary(GOOD)
    with pytest.raises(NpuscopeError, match="no tokens to count by"):
        compare(found, found, per="token")
    few = Summary(**{**vars(found), "tokens": (10, 10)})
    many = Summary(**{**vars(found), "tokens": (20, None)})
    rows = {(d.what, d.metric): d for d in compare(few, many, per="token")}
    full = rows["scores", "full_ns"]
    assert full.base[0] == Fraction(found.layers["scores"]["full_ns"][0], 10)
    assert full.new == (0, Fraction(found.layers["scores"]["full_ns"][1], 20))
    assert full.verdict is Verdict.BETTER


def test_a_baseline_is_saved_listed_compared_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    good, lossy = Path(GOOD).resolve(), Path(LOSSY).resolve()
    monkeypatch.chdir(tmp_path)
    calm = f"{good}@..1ms"
    assert run(["baseline", "save", calm, "--name", "calm"]) == Exit.OK
    assert capsys.readouterr().err == "npuscope: wrote baselines/calm.json\n"
    assert run(["baseline", "save", calm, "--name", "calm"]) == Exit.USAGE
    assert "the baseline exists; npuscope baseline accept --reason replaces it" in capsys.readouterr().err
    assert run(["diff", str(good), "--base", "calm"]) == Exit.OK
    out = capsys.readouterr().out
    assert out.startswith("Worst: ")
    assert "worse" in out
    assert run(["diff", str(good), "--base", "calm", "--gate", "5"]) == Exit.CHECK_FAILED
    assert "values are worse by more than 5 %" in capsys.readouterr().err
    assert run(["diff", calm, "--base", "calm", "--gate", "5"]) == Exit.OK
    capsys.readouterr()
    assert run(["diff", str(lossy), "--base", str(good), "--gate", "5", "--allow-loss", "20"]) == Exit.CANNOT_TEST
    assert "values are undecided" in capsys.readouterr().err
    assert run(["baseline", "accept", str(good), "--name", "calm", "--reason", "softmax is slow now"]) == Exit.OK
    kept = json.loads(Path("baselines/calm.json").read_text())
    assert [entry["reason"] for entry in kept["history"]] == ["softmax is slow now", "first"]
    capsys.readouterr()
    assert run(["baseline", "list"]) == Exit.OK
    assert "softmax is slow now" in capsys.readouterr().out
    assert run(["diff", str(good), "--base", "baselines/calm.json", "--json"]) == Exit.OK
    data = json.loads(capsys.readouterr().out)
    assert data["verdicts"]["same"] == len(data["rows"]) > 20


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["diff", GOOD, "--base", "none"], "none: no such baseline; give a dump"),
        (["diff", GOOD, "--base", "pyproject.toml"], "pyproject.toml: not an npuscope trace"),
        (["baseline", "save", GOOD, "--name", "../x"], "not a name of a baseline"),
        (["baseline", "accept", GOOD, "--name", "x", "--reason", "y"], "cannot read the baseline"),
        (["baseline", "list", "tests"], "no baselines there"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], text: str, capsys: Captured) -> None:
    assert run(arguments) in (Exit.USAGE, Exit.NOT_RECOGNISED)
    err = capsys.readouterr().err
    assert text in err
    assert err.count("\n") == 1
