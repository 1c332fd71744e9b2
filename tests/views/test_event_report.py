"""The lanes and sections of sync, RAS and tokens: complete without a script, the numbers those of the verbs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from npuscope.cli import run
from npuscope.views.event_svg import jitter_height
from tests.cli.dumps import dump as plain_dump
from tests.views.test_events import dump
from tests.views.test_report import Page

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Page, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("report")
    (folder / "run.npt").write_bytes(dump())
    target = folder / "run.html"
    assert run(["report", str(folder / "run.npt"), "-o", str(target), "--allow-loss", "100", "-q"]) == 0
    text = target.read_text()
    page = Page(text)
    return text, page, json.loads(page.data)


def test_the_lanes_are_drawn_without_a_script(shown: tuple[str, Page, dict[str, Any]]) -> None:
    text, page, _ = shown
    drawing = re.search(r'<svg id="events".*?</svg><g class="axis">.*?</svg>', text, re.S)
    assert drawing is not None
    classes = re.findall(r'<path class="([^"]+)"', drawing[0])
    assert {"l0", "l1", "l2", "l3", "invalid", "s0", "s2", "s3", "tokens", "late", "frozen", "stop"} <= set(classes)
    assert [c for c in classes if c.startswith("limit ")] == ["limit limit-S", "limit limit-A", "limit limit-R"]
    assert drawing[0].count('class="gone"') == 3
    assert "Sync, RAS and tokens over time" in page.text
    for name in ("jitter", "RAS", "tokens"):
        assert f">{name}</text>" in drawing[0]


def test_the_sections_say_what_the_verbs_say(
    shown: tuple[str, Page, dict[str, Any]], tmp_path: Path, capsys: Captured
) -> None:
    _, page, data = shown
    path = tmp_path / "run.npt"
    path.write_bytes(dump())
    for verb, name in ((["jitter"], "jitter"), (["tokens"], "tokens"), (["ras", "show"], "ras")):
        assert run([*verb, str(path), "--allow-loss", "100"]) == 0
        assert capsys.readouterr().out.splitlines()[0] in page.text
        assert run([*verb, str(path), "--allow-loss", "100", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        for key in ("files", "trust", "origin_tai_ns", "window_ns"):
            del told[key]
        assert data["events"][name] == told
    lanes = data["events"]["lanes"]
    assert lanes["present"] == ["jitter", "ras", "tokens"]
    assert sum(lanes["samples"]) == data["events"]["jitter"]["sources"][0]["samples"]
    assert sum(lanes["tokens"]) == data["events"]["tokens"]["tokens"]
    assert len(lanes["edges"]) == len(lanes["low"]) + 1 == len(data["picture"]["edges"])
    assert lanes["limits_256ns"] == {"R": 3_200_000, "A": 10_240_000, "S": 25_600_000}


def test_nothing_of_it_in_a_capture_without_such_records(tmp_path: Path) -> None:
    (tmp_path / "run.npt").write_bytes(plain_dump())
    target = tmp_path / "run.html"
    assert run(["report", str(tmp_path / "run.npt"), "-o", str(target), "-q"]) == 0
    page = Page(target.read_text())
    assert json.loads(page.data)["events"] is None
    assert "Sync, RAS and tokens" not in page.text
    assert 'id="events"' not in target.read_text()


def test_the_jitter_axis_is_odd_rises_and_ends_at_one() -> None:
    values = [0, 1, 100, 256, 5_000, 1 << 20, 1 << 30]
    heights = [jitter_height(value, 1 << 30) for value in values]
    assert heights == sorted(heights)
    assert (heights[0], heights[-1]) == (0, 1)
    assert [jitter_height(-value, 1 << 30) for value in values[1:]] == [-height for height in heights[1:]]
    assert jitter_height(5, 0) == 0
