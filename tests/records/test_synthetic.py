"""The captures in traces/synthetic: made as they say, and read as they say."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.records.dumps import rows, run

FOLDER = Path(__file__).resolve().parents[2] / "traces/synthetic"
NAMES = ["clean", "damaged", "events", "lossy", "restarted", "swapped"]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_capture_is_listed() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.npt")) == NAMES == sorted(maker().CAPTURES)


@pytest.mark.parametrize("name", NAMES)
def test_capture_is_what_its_papers_say(name: str) -> None:
    make, path = maker(), FOLDER / f"{name}.npt"
    assert path.read_bytes() == make.CAPTURES[name]()
    assert tomllib.loads(path.with_suffix(".toml").read_text())["bytes"] == path.stat().st_size
    assert make.reading(path) == json.loads(path.with_suffix(".json").read_text())


def test_the_expected_readings_are_the_right_ones() -> None:
    """Numbers known from how the captures were made, so that a regenerated .json cannot hide a defect."""
    said = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in NAMES}
    assert [cause for *_, cause in said["restarted"]["holes"]] == ["restart", "stopped"]
    assert (said["restarted"]["ledger"]["runs"], said["restarted"]["ledger"]["tail"]) == (3, 10)
    assert said["lossy"]["ledger"]["dropped"] == 300
    assert said["lossy"]["ledger"]["windows"][0]["layers"] == 0b110
    assert said["swapped"]["ledger"]["swap"] == 32
    check = said["events"]["events"]["check"]
    assert (check["disagreements"], check["samples"], check["judged"]) == (0, 239, 239)
    assert [kind for kind, each in check["decisions"].items() if each["agree"]] == [
        "r",
        "a",
        "s",
        "redundancy_exhausted",
    ]
    assert [(each["name"], each["over"]) for each in said["events"]["events"]["jitter"]["sources"][0]["limits"]] == [
        ("R", 10),
        ("A", 5),
        ("S", 4),
    ]
    tokens = said["events"]["events"]["tokens"]
    assert (tokens["verdict"], tokens["bursts"]["p50_tokens"], tokens["interrupts"]) == ("pseudo", 16, 12)
    damaged, clean = said["damaged"]["ledger"], said["clean"]["ledger"]
    assert damaged["exact"]
    for src, count in clean["sources"].items():
        assert damaged["sources"][src]["accepted"] == count["decoded"]
    assert rows(run(FOLDER / "swapped.npt")[0]) == rows(run(FOLDER / "clean.npt")[0])
