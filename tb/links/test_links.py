"""Stalls read from a VCD: the named cause is the one whose removal, in a second run, removes the stall."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.analysis import Stalls
from npuscope.capture import Capture, Text
from npuscope.importers.mapping import Mapping, propose

HERE = Path(__file__).parent
CLOCK_NS = 4


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("links") / "links.vvp"
    subprocess.run(["iverilog", "-Wall", "-g2005", "-o", str(path), str(HERE / "links.v")], check=True)
    return path


def run(design: Path, name: str = "run", **plusargs: int) -> Path:
    path = design.parent / f"{name}.vcd"
    options = [f"+{key}={value}" for key, value in plusargs.items()]
    subprocess.run(["vvp", "-n", str(design), f"+file={path}", *options], check=True, capture_output=True, timeout=60)
    return path


def capture(path: Path, mapping: str) -> Capture:
    return npuscope.open(path, text=Text(map=HERE / f"{mapping}.toml"))


def stalled(path: Path, mapping: str) -> int:
    """Clocks in which some producer was held up, all links."""
    return sum(link.stalled for link in capture(path, mapping).links)


def first(stalls: Stalls) -> str:
    return stalls.rows[0].culprit


STOP_A, STOP_B = {"stop_a_from": 200, "stop_a_to": 320}, {"stop_b_from": 200, "stop_b_to": 300}


def test_a_stage_that_stops_with_an_empty_output(design: Path) -> None:
    path = run(design, **STOP_B)
    found = capture(path, "chain")
    assert first(found.stalls()) == "b"
    assert found.stalls().rows[0].min_ns == sum(found.stalls().hot_ns)
    (q0, q1, q2) = found.links
    assert (q1.high, q2.high) == (8, 1)
    assert q2.stalled == 0
    assert stalled(run(design, "without"), "chain") == 0 < q0.stalled + q1.stalled
    for link in found.links:
        assert link.transfer + link.stalled + link.starved + link.idle + link.unknown == link.clocks


def test_of_two_stops_only_the_nearer_is_to_blame(design: Path) -> None:
    inner = {"stop_b_from": 230, "stop_b_to": 240}
    path = run(design, **STOP_A, **inner)
    whole = stalled(path, "chain")
    assert whole > 0
    assert stalled(run(design, "without_b", **STOP_A), "chain") == whole
    assert stalled(run(design, "without_a", **inner), "chain") == 0
    stalls = capture(path, "chain").stalls()
    assert [(row.culprit, row.min_ns) for row in stalls.rows] == [("a", sum(stalls.hot_ns))]


def test_no_event_while_no_data_waits(design: Path) -> None:
    found = capture(run(design, gap_from=190, gap_to=310, **STOP_B), "chain")
    assert len(found.episodes) == 0
    assert found.stalls().verdict.startswith("Nobody stalls")


def test_a_skip_branch_that_is_too_shallow(design: Path) -> None:
    path = run(design, shape=1)
    stalls = capture(path, "skip").stalls()
    assert (first(stalls), stalls.rows[0].kind) == ("shallow(ps)", "shallow")
    assert stalls.rows[0].min_ns * 4 > sum(stalls.hot_ns) * 3
    assert stalled(run(design, "deep", shape=1, skip=40), "skip") == 0 < stalled(path, "skip")


def test_a_deadlock_its_circle_and_its_last_handshake(design: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run(design, shape=1, batch=8)
    stalls = capture(path, "skip").stalls()
    assert first(stalls) == "shallow(ps)"
    assert cli.run(["stalls", str(path), "--map", str(HERE / "skip.toml")]) == 0
    told = "deadlock candidate: split for ps (full), join for pb (empty), slow for pa (empty) wait in a circle"
    assert told in capsys.readouterr().out
    assert cli.run(["stalls", str(path), "--map", str(HERE / "skip.toml"), "--json"]) == 0
    fact = json.loads(capsys.readouterr().out)
    # nothing moves on these links any more, whatever is run behind it
    longer = capture(run(design, "longer", shape=1, batch=8, clocks=3000), "skip")
    moves = {link["name"]: link["transfer"] for link in fact["links"]}
    buffers = longer.timeline.description.buffers
    assert {buffer.name: link.transfer for buffer, link in zip(buffers, longer.links, strict=True)} == moves
    last = max(link.last_ns or 0 for link in longer.links[1:4])
    assert fact["deadlock"]["last_handshake_ns"] == last < 200
    moving = run(design, "moving", shape=1, batch=8, skip=40)
    assert cli.run(["stalls", str(moving), "--map", str(HERE / "skip.toml")]) == 0
    assert "deadlock" not in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(4))
def test_random_stops_and_the_depth_that_removes_them(design: Path, seed: int) -> None:
    rng = random.Random(seed)
    which = rng.choice("ab")
    begin = rng.randrange(60, 300)
    length = rng.randrange(8, 90)
    path = run(design, **{f"stop_{which}_from": begin, f"stop_{which}_to": begin + length})
    found = capture(path, "chain")
    if not any(link.stalled for link in found.links):
        assert len(found.episodes) == 0
        return
    assert first(found.stalls()) == which
    nearest = found.links["ab".index(which)]
    assert nearest.least == nearest.depth + 1
    assert nearest.most is not None
    # a buffer in front of the stop that is as deep as told, in a second run
    deep = run(design, "deep", **{f"stop_{which}_from": begin, f"stop_{which}_to": begin + length,
                                  f"depth_{which}": nearest.most})  # fmt: skip
    assert stalled(deep, "chain") == 0


def test_triples_are_proposed(design: Path, tmp_path: Path) -> None:
    from npuscope.importers.formats import WAVES, open_waveform
    from npuscope.source import open_source

    with open_source(run(design), accept=WAVES) as source:
        wave = open_waveform(source)
    text = propose({name: variable.width for name, variable in wave.variables.items() if name.count(".") == 2})
    (tmp_path / "map.toml").write_text(text)
    mapping = Mapping.from_toml(str(tmp_path / "map.toml"), wave.variables)
    inputs = {layer.valid: layer.level for layer in mapping.layers if layer.level}
    assert inputs["links.q1.in_valid"] == "links.q1.level"
    assert "links.q1.out_valid" in {layer.valid for layer in mapping.layers if not layer.level}
