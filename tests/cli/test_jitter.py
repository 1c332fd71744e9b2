"""``npuscope jitter``: what it prints, its JSON, its exit codes, its windows and limits."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from npuscope.cli import run
from npuscope.cli.jitter import parse_limit
from npuscope.encode import Entry, Writer
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import SRC_JITTER, SRC_RAS, Cfg, JitterSub, Kind
from npuscope.units import width
from tests.cli.dumps import dump as plain_dump
from tests.tables.dumps import LIMITS, NOMINAL_NS, START, Sync, pulse, writer

Captured = pytest.CaptureFixture[str]
PULSES = 400
BAD = {50: 12_500 * 256 + 1, 60: 12_500 * 256, 70: -(40_000 * 256 + 5), 80: 100_001 * 256}
"""Pulse number to jitter: over R by one step, at R exactly, over A, over S."""


def entries() -> list[Entry]:
    found = Sync().pulses(PULSES)
    for index, value in BAD.items():
        found[index] = pulse(found[index].ts, value)
    found[200] = pulse(found[200].ts, 0, JitterSub.UNLOCKED, 0)
    found[300] = pulse(found[300].ts, NOMINAL_NS * 256, JitterSub.MISSED)
    return found


def whole(lose: tuple[int, int] | None = None, end: bool = True) -> bytes:
    made: Writer = writer()
    todo = entries()
    if lose is None:
        for entry in todo:
            made.offer(entry)
    else:
        for entry in todo[: lose[0]]:
            made.offer(entry)
        made.drop(SRC_JITTER, todo[lose[0] : lose[1]], marked=todo[lose[1]])
        for entry in todo[lose[1] + 1 :]:
            made.offer(entry)
    if end:
        made.flush()
    return made.data()


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("run.npt").write_bytes(whole())
    return "run.npt"


def text(arguments: list[str], capsys: Captured, code: int = 0) -> tuple[str, str]:
    assert run(arguments) == code
    return capsys.readouterr()


def parsed(arguments: list[str], capsys: Captured, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text([*arguments, "--json"], capsys, code)[0])
    return found


def test_the_verdict_counts_what_is_over_each_limit(good: str, capsys: Captured) -> None:
    out, err = text(["jitter", good], capsys)
    assert err == ""
    first = out.splitlines()[0]
    assert first.startswith("398 valid samples in 2 segments, rms ")
    assert first.endswith("worst 125.000 us: 4 over R, 3 over A, 2 over S, 2 marginal.")
    assert "\ninvalid  1 unlocked, 1 first\n" in out
    assert "\npulses   1 missed, taken literally; see --without-missed\n" in out
    assert "marginal: 6.2" in out
    assert "exactly at limit R" in out
    assert "1/256 ns above limit R" in out
    assert "look: npuscope show run.npt --around " in out
    assert max(map(width, out.splitlines()[1:])) <= 80


def test_json_has_stable_keys_and_integer_values(good: str, capsys: Captured) -> None:
    found = parsed(["jitter", good, "--mtie", "--segments"], capsys)
    assert list(found) == ["schema", "files", "origin_tai_ns", "window_ns", "trust", "sources"]
    assert (found["schema"], found["files"], found["origin_tai_ns"], found["window_ns"]) == (1, [good], START, None)
    (source,) = found["sources"]
    assert list(source) == [
        "src", "samples", "valid", "by_sub", "without_missed", "saturated", "lost", "lost_is_lower_bound",
        "nominal_256ns", "nominal_changes", "period", "cycle_to_cycle", "tie", "limits", "marginal", "worst",
        "segments", "wander",
    ]  # fmt: skip
    assert (source["src"], source["samples"], source["valid"]) == (SRC_JITTER, PULSES, PULSES - 2)
    assert source["by_sub"]["first"] == source["by_sub"]["unlocked"] == source["by_sub"]["missed"] == 1
    assert source["nominal_256ns"] == NOMINAL_NS * 256
    values = [e.payload - (e.payload >> 31 << 32) for e in entries() if e.sub in (JitterSub.OK, JitterSub.MISSED)]
    assert source["period"]["count"] == len(values)
    assert source["period"]["min_256ns"] == min(values)
    assert source["period"]["max_256ns"] == max(values)
    assert source["period"]["sum_256ns"] == sum(values)
    assert source["period"]["sum_squares_256ns2"] == sum(v * v for v in values)
    assert {limit["name"]: limit["limit_256ns"] for limit in source["limits"]} == LIMITS
    assert [limit["over"] for limit in source["limits"]] == [4, 3, 2]
    near = [(m["limit"], m["jitter_256ns"], m["tai_ns"] - m["at_ns"]) for m in source["marginal"]]
    assert near == [("R", BAD[50], START), ("R", BAD[60], START)]
    assert source["worst"][0]["jitter_256ns"] == NOMINAL_NS * 256
    assert source["segments"]["count"] == 2
    assert source["segments"]["behind"] == {"unlocked": 1, "first": 1}
    assert [s["samples"] for s in source["segments"]["listed"]] == [199, 199]
    assert source["wander"][0]["mtie_256ns"] == NOMINAL_NS * 256
    assert not [value for value in _numbers(found) if isinstance(value, float)]


def _numbers(tree: object) -> list[object]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in _numbers(value)]
    if isinstance(tree, list):
        return [leaf for value in tree for leaf in _numbers(value)]
    return [tree]


def test_missed_pulses_can_be_left_out(good: str, capsys: Captured) -> None:
    (source,) = parsed(["jitter", good, "--without-missed"], capsys)["sources"]
    assert (source["valid"], source["segments"]["count"]) == (PULSES - 3, 3)
    assert source["segments"]["behind"] == {"unlocked": 1, "first": 1, "missed": 1}
    assert source["period"]["max_256ns"] == BAD[80]


def test_a_loss_splits_and_counts_are_lower_bounds(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "lossy.npt"
    path.write_bytes(whole(lose=(55, 75)))
    assert run(["jitter", str(path), "--segments"]) == Exit.LOSS
    out, err = capsys.readouterr()
    assert "at least 3 over R" in out.splitlines()[0]
    assert "\nlost     20 records of this source\n" in out
    assert "125  100.001 us  100.371 us  loss\n" in out
    assert "20 of" in err
    (source,) = parsed(["jitter", str(path), "--segments", "--allow-loss", "50"], capsys)["sources"]
    assert source["lost"] == 20
    assert not source["lost_is_lower_bound"]
    assert source["segments"]["behind"]["loss"] == 1
    assert [s["samples"] for s in source["segments"]["listed"]] == [54, 125, 199]


def test_limits_given_are_a_gate(good: str, capsys: Captured) -> None:
    out, err = text(["jitter", good, "--limit", "tight=12.5us", "--limit", "200us"], capsys, Exit.CHECK_FAILED)
    assert "4 over tight" in out.splitlines()[0]
    assert err == "npuscope: source 61: 4 of 398 samples over the limit tight\n"
    text(["jitter", good, "--limit", "200us"], capsys)
    (source,) = parsed(["jitter", good, "--limit", "x=12500.00390625ns", "-q"], capsys, Exit.CHECK_FAILED)["sources"]
    assert source["limits"][0]["limit_256ns"] == 12_500 * 256 + 1
    assert source["limits"][0]["over"] == 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [("1us", ("limit", 256_000)), ("a=0.5ns", ("a", 128)), ("R=12.5us", ("R", 3_200_000)), ("7ns", ("limit", 7 * 256))],
)
def test_limits_are_read(given: str, expected: tuple[str, int]) -> None:
    assert parse_limit(given) == expected


@pytest.mark.parametrize("given", ["", "x", "1=2=3", "a b=1us", "9ms", "-1us", "=1us"])
def test_wrong_limits_are_refused(given: str) -> None:
    with pytest.raises(NpuscopeError):
        parse_limit(given)


def test_a_gate_without_samples_fails(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "plain.npt"
    path.write_bytes(plain_dump())
    out, _ = text(["jitter", str(path)], capsys)
    assert out.startswith("No jitter records")
    assert parsed(["jitter", str(path)], capsys)["sources"] == []
    _, err = text(["jitter", str(path), "--limit", "1us"], capsys, Exit.CHECK_FAILED)
    assert "no valid sample" in err


def test_windows(good: str, capsys: Captured) -> None:
    todo = entries()
    low, high = todo[100].ts - START, todo[150].ts - START
    for arguments in (
        [good, "--window", f"{low}ns..{high}ns"],
        [f"{good}@{low}ns..{high}ns"],
        [good, "--window", f"tai:{START + low}..tai:{START + high}"],
    ):
        found = parsed(["jitter", *arguments], capsys)
        assert found["window_ns"] == [low, high]
        assert found["sources"][0]["samples"] == 50
    assert parsed(["jitter", good, "--window", f"{low}ns.."], capsys)["sources"][0]["samples"] == PULSES - 100
    assert parsed(["jitter", good, "--window", f"..{low}ns"], capsys)["sources"][0]["samples"] == 100
    _, err = text(["jitter", good, "--window", f"tai:{START + 100}..50ns"], capsys, Exit.USAGE)
    assert "the window is empty" in err
    _, err = text(["jitter", good, "--window", "ep:0"], capsys, Exit.USAGE)
    assert "no episode ep:0" in err


def test_missing_end_and_coverage(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "open.npt"
    path.write_bytes(whole(end=False))
    _, err = text(["jitter", str(path)], capsys, Exit.LOSS)
    assert "no END" in err
    lossy = tmp_path / "lossy.npt"
    lossy.write_bytes(whole(lose=(100, 150)))
    _, err = text(["jitter", str(lossy), "--allow-loss", "100", "--min-coverage", "99"], capsys, Exit.CHECK_FAILED)
    assert "coverage below 99 %: source 61 87." in err
    text(["jitter", str(lossy), "--allow-loss", "100", "--min-coverage", "50"], capsys)


def test_a_pipe_is_read_in_one_pass(good: str, capsys: Captured) -> None:
    os.mkfifo("pipe")
    feeder = threading.Thread(target=lambda: Path("pipe").write_bytes(whole()))
    feeder.start()
    found = parsed(["jitter", "pipe", "--window", "1ms..20ms"], capsys)
    feeder.join()
    assert found["sources"] == parsed(["jitter", good, "--window", "1ms..20ms"], capsys)["sources"]


def test_a_changed_limit_is_told(tmp_path: Path, capsys: Captured) -> None:
    made = writer()
    todo = Sync().pulses(20)
    for index, entry in enumerate(todo):
        if index == 10:
            made.offer(Entry(entry.ts - 5, SRC_RAS, Kind.CFG, Cfg.R_LIMIT, 1))
        made.offer(entry)
    made.flush()
    path = tmp_path / "run.npt"
    path.write_bytes(made.data())
    out, _ = text(["jitter", str(path)], capsys)
    assert "10 over R" in out.splitlines()[0]
    assert "the last of 2" in out
