"""The HTML report: complete without a network or a script, and its numbers are the analysis' own."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import npuscope
from npuscope.description import Buffer, Description
from npuscope.timeline import EPISODE, Lane
from npuscope.units import duration, percent_range
from npuscope.views.picture import MAX_CELLS, MAX_COLUMNS, MAX_INTERVALS, picture
from npuscope.views.report import ReportData, render
from tests.views.sample import NASTY, START, report

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Elements, attributes and visible text; complains about tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.data = ""
        self.rows: list[list[str]] = []
        self._json = False
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._json = ("type", "application/json") in attrs

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._json = False

    def handle_data(self, data: str) -> None:
        if self._json:
            self.data += data
        elif self.open and self.open[-1] not in ("script", "style"):
            self.text += data
            if "td" in self.open or "th" in self.open:
                self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def shown() -> tuple[ReportData, str, Page]:
    data = report()
    text = render(data)
    return data, text, Page(text)


def test_nothing_is_asked_from_outside(shown: tuple[ReportData, str, Page]) -> None:
    _, text, page = shown
    for tag, name, value in page.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
            assert value.startswith("data:"), (tag, name, value)
        assert not re.search(r"url\((?!#)", value), (tag, name, value)
    assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)[a-z0-9]", re.sub(r"//[^\n\"']*", "", text))
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(|WebSocket", text)
    policy = next(v for _, n, v in page.attributes if n == "content" and "default-src" in v)
    assert "default-src 'none'" in policy
    assert page.tags.count("script") == 2


def test_json_loads_and_is_the_analysis(shown: tuple[ReportData, str, Page]) -> None:
    data, _, page = shown
    found: dict[str, Any] = json.loads(page.data)
    assert found["schema"] == 1
    assert found["stalls"] == json.loads(json.dumps(data.stalls.to_json()))
    assert found["ledger"] == json.loads(json.dumps(data.ledger.to_json()))
    assert found["files"] == [{"name": "my runs/run.npt", "bytes": 663_552, "sha256": "ab" * 32}]
    assert found["origin_ns"] == START
    assert len(found["trust"]) == len(data.trust)


def test_verdict_trust_and_tables_need_no_script(shown: tuple[ReportData, str, Page]) -> None:
    data, _, page = shown
    assert data.stalls.verdict in page.text
    for item in data.trust:
        assert item.text in page.text
    rows = {row[0]: row for row in page.rows if row}
    for row in data.stalls.rows:
        line = rows[row.culprit]
        assert line[2] == percent_range(*data.stalls.share(row))
        assert line[4] == duration(row.min_ns)
    for name in data.stalls.buffers:
        assert name in page.text
    assert ["3.100 ms", "3.190 ms", "0", "5 6 7", "fifo full", "96"] in page.rows
    assert ["total", "663,552"] in page.rows
    assert ["0", "40,000", "40,000", "0", "96", "0"] in page.rows
    assert "npuscope show 'my runs/run.npt' --around ep:" in page.text


def test_names_cannot_break_out(shown: tuple[ReportData, str, Page]) -> None:
    _, text, page = shown
    assert NASTY not in text
    assert "q4<b>" not in text
    assert NASTY in page.text
    assert NASTY in {row["culprit"] for row in json.loads(page.data)["stalls"]["rows"]}
    assert "q4<b>&'\"" in json.loads(page.data)["picture"]["names"]


def test_picture_intervals_are_the_lanes(shown: tuple[ReportData, str, Page]) -> None:
    data, _, page = shown
    drawn = json.loads(page.data)["picture"]
    assert drawn["columns"] is None
    for state, lanes in (
        ("hot", [lane.true for lane in data.timeline.hot]),
        ("dry", [d.true for d in data.timeline.dry]),
    ):
        for flat, lane in zip(drawn["intervals"][state], lanes, strict=True):
            assert flat == (lane - START).ravel().tolist()
    assert drawn["losses"] == [[3_100_000, 3_190_000]]


def test_a_big_capture_makes_a_small_page() -> None:
    data = report()
    edges = np.arange(2 * MAX_INTERVALS, dtype=np.int64).reshape(-1, 2) * 100 + START
    none = np.empty((0, 2), np.int64)
    lanes = tuple(Lane(edges, none) for _ in range(12))
    line = dataclasses.replace(data.timeline, hot=lanes, end_ns=int(edges[-1, 1]), episodes=np.empty(0, EPISODE))
    stalls = dataclasses.replace(data.stalls, to_ns=line.end_ns, evidence=())
    text = render(dataclasses.replace(data, timeline=line, stalls=stalls))
    assert len(text) < 2_000_000
    drawn = json.loads(Page(text).data)["picture"]
    assert drawn["intervals"] is None
    assert len(drawn["edges"]) == MAX_COLUMNS + 1
    for packed in drawn["columns"]["hot"]:
        assert sum(packed[1::2]) == MAX_COLUMNS
        assert sum(v * n for v, n in zip(packed[::2], packed[1::2], strict=True)) == int(
            (edges[:, 1] - edges[:, 0]).sum()
        )


def test_many_buffers_make_fewer_columns() -> None:
    line = report().timeline
    buffers = tuple(Buffer(i, i // 32, i % 32, f"q{i}") for i in range(400))
    many = dataclasses.replace(
        line, description=Description(buffers), hot=line.hot[:1] * 400, dry=line.dry[:1] * 400, bp=line.bp[:1] * 400
    )
    assert picture(line, [], START, START + 10**6).cells.hot.shape == (12, MAX_COLUMNS)
    assert picture(many, [], START, START + 10**6).cells.hot.shape == (400, MAX_CELLS // 400)


def test_propagation_is_told_and_drawn() -> None:
    """Arrows from an episode to the one that follows it: where both are, in the picture as in its JSON."""
    capture = npuscope.open("traces/simulated/transformer_block.npt")
    data = dataclasses.replace(
        report(),
        stalls=capture.stalls(),
        timeline=capture.timeline,
        losses=[],
        places=capture.places,
        ledger=capture.ledger,
        propagation=capture.propagation,
    )
    page = Page(render(data))
    assert "How it spreads" in page.text
    assert any(row[0] == "scores < rotated" and row[1] == "33" for row in page.rows)
    assert any(row[0] == "ep:160" and row[3] == "10" for row in page.rows)
    flat = json.loads(page.data)["picture"]["arrows"]
    found = {tuple(flat[i : i + 4]) for i in range(0, len(flat), 4)}
    episodes, links, origin = capture.episodes, capture.propagation.links, capture.timeline.start_ns
    assert found == {
        (
            int(episodes["start"][p]) - origin,
            int(episodes["buffer"][p]),
            int(episodes["start"][i]) - origin,
            int(episodes["buffer"][i]),
        )
        for i, p in enumerate(links["parent"].tolist())
        if p >= 0
    }
    paths = [
        value for tag, name, value in page.attributes if tag == "path" and name == "d" and value.count("M") % 2 == 0
    ]
    drawn = [path for path in paths if re.fullmatch(r"(M[\d.]+ [\d.]+L[\d.]+ [\d.]+M[\d. ]+L[\d. ]+L[\d. ]+)+", path)]
    assert len(drawn) == 1 + 5, "in the map and on each card"
    assert drawn[0].count("M") == 2 * len(found)


def test_long_tables_are_folded_not_cut() -> None:
    data = report()
    many = tuple(dataclasses.replace(data.stalls.rows[0], culprit=f"stage{i}") for i in range(30))
    text = render(dataclasses.replace(data, stalls=dataclasses.replace(data.stalls, rows=many)))
    assert "<summary>18 more</summary>" in text
    rows = [row[0] for row in Page(text).rows if row]
    assert all(rows.count(f"stage{i}") == 1 for i in range(30))


def test_the_same_input_gives_the_same_bytes() -> None:
    assert render(report()) == render(report())


def test_an_empty_recording_is_said_plainly() -> None:
    data = report()
    none = np.empty((0, 2), np.int64)
    lanes = tuple(Lane(none, none) for _ in range(12))
    line = dataclasses.replace(data.timeline, hot=lanes, dry=lanes, episodes=np.empty(0, EPISODE))
    stalls = dataclasses.replace(
        data.stalls, verdict="No buffer was full.", hot_ns=(0,) * 12, rows=(), matrix=(), evidence=()
    )
    page = Page(render(dataclasses.replace(data, timeline=line, stalls=stalls)))
    assert "No buffer was seen full in this window." in page.text
