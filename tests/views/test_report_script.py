"""The report's script in a JavaScript engine: what it draws and tells is what Python computes from the same lanes."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from py_mini_racer import JSEvalException, MiniRacer

import npuscope
from npuscope.cli import run
from npuscope.intervals import clip, total
from npuscope.units import duration
from npuscope.views.picture import MAX_INTERVALS, picture
from npuscope.views.report import ReportData, render
from npuscope.views.svg import LABEL, TOP, WIDTH, heat_map
from tests.views.sample import LOSS, START, report
from tests.views.test_events import dump
from tests.views.test_report import Page

SCRIPT = Path(npuscope.__file__).with_name("views") / "report.js"
DOCUMENT = Path(__file__).with_name("page.js")
VOID = {"meta", "link", "br", "hr", "img", "input"}
PLOT = WIDTH - LABEL


class Tree(HTMLParser):
    """The page as [tag, attributes, children]."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list[Any] = ["#document", {}, []]
        self.open = [self.root]
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(self.open[-1][2][-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1][2].append([tag, {name: value or "" for name, value in attrs}, []])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.open[-1][2].append(data)


class Script:
    """A page with its script run; ``look`` and ``fire`` as in page.js."""

    def __init__(self, text: str) -> None:
        self.engine = MiniRacer()
        self.engine.eval(DOCUMENT.read_text())
        self.engine.eval(f"open({json.dumps(Tree(text).root)})")
        self.engine.eval(SCRIPT.read_text())

    def look(self, selector: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(str(self.engine.eval(f"look({json.dumps(selector)})")))
        return found

    def fire(self, selector: str, name: str, **event: float | bool) -> None:
        self.engine.eval(f"fire({json.dumps(selector)}, {json.dumps(name)}, {json.dumps(event)})")

    def text(self, selector: str) -> str:
        (found,) = self.look(selector)
        return str(found["text"])


@pytest.fixture(scope="module")
def data() -> ReportData:
    return report()


@pytest.fixture
def page(data: ReportData) -> Script:
    return Script(render(data))


def test_the_whole_picture_is_as_python_draws_it(data: ReportData) -> None:
    """With the columns of the page (too many intervals to send them all) nothing may move when the script redraws."""
    many = np.arange(2 * MAX_INTERVALS, dtype=np.int64).reshape(-1, 2) * 100 + START
    hot = (dataclasses.replace(data.timeline.hot[0], true=many), *data.timeline.hot[1:])
    line = dataclasses.replace(data.timeline, hot=hot)
    text = render(dataclasses.replace(data, timeline=line))
    script = Script(text)
    before = {path["class"]: path["d"] for path in script.look("#map .cells path")}
    losses = script.look("#map .losses rect")
    press(script, "in")
    assert {path["class"]: path["d"] for path in script.look("#map .cells path")} != before
    script.fire("#map", "dblclick")
    after = {path["class"]: path["d"] for path in script.look("#map .cells path")}
    assert before.keys() == after.keys()
    for name, drawn in before.items():
        assert segments(after[name]) == pytest.approx(segments(drawn), abs=0.011), name
    for mine, theirs in zip(script.look("#map .losses rect"), losses, strict=True):
        for side in ("x", "y", "width", "height"):
            assert float(mine[side]) == pytest.approx(float(theirs[side]), abs=0.011)


def test_a_window_is_drawn_as_python_draws_it(data: ReportData, page: Script) -> None:
    """Zoomed around the loss: cells, losses and arrows of Python's own picture of those ns, column by column."""
    low, high = LOSS[0] - START - 100_000, LOSS[1] - START + 100_000
    drag(page, low, high)
    start, end = window(page)
    assert abs(start - low) <= 2 * data_span(data) / PLOT
    assert abs(end - high) <= 2 * data_span(data) / PLOT
    span = end - start
    shown = picture(data.timeline, data.losses, START + start, START + end, PLOT)
    theirs = Tree(heat_map(shown.cells, shown.losses, origin=START, name="theirs", tallest=row_height(page))).root
    expected = {attrs["class"]: attrs["d"] for _, attrs, _ in flat(theirs) if "d" in attrs and "class" in attrs}
    for path in page.look("#map .cells path"):
        mine, python = covered(path["d"]), covered(expected[path["class"]])
        # the script's window has fractions of a ns, Python's has whole ones: a column may differ at each border
        assert mine.keys() == python.keys(), path["class"]
        for row, length in mine.items():
            assert length == pytest.approx(python[row], abs=2 + 0.02 * PLOT * 1000 / span), (path["class"], row)
    (rect,) = page.look(".losses rect")
    assert float(rect["x"]) == pytest.approx(LABEL + (LOSS[0] - START - start) / span * PLOT, abs=0.1)
    assert float(rect["width"]) == pytest.approx((LOSS[1] - LOSS[0]) / span * PLOT, abs=0.1)


def test_hover_tells_the_times_of_the_lanes(data: ReportData, page: Script) -> None:
    span = data_span(data) / PLOT
    for row in (0, 3, 6, 11):
        for column in (5, 260, 530, 889):
            page.fire("#map", "pointermove", clientX=LABEL + column + 0.5, clientY=TOP + (row + 0.5) * row_height(page))
            name, where, states, _ = page.text("#tip").split("\n")
            assert name == data.timeline.description.buffers[row].name
            assert where.endswith(" wide")
            shares = dict(re.findall(r"(full|empty|not known) (\S+) %", states))
            start, end = (START + round((column + more) * span) for more in (0, 1))
            for word, intervals in (
                ("full", data.timeline.hot[row].true),
                ("empty", data.timeline.dry[row].true),
                ("not known", data.timeline.hot[row].unknown),
            ):
                share = 100 * total(clip(intervals, start, end)) / (end - start)
                assert float(shares[word].strip("<>")) == pytest.approx(share, abs=0.2), (row, column, word)
    page.fire("#map", "pointermove", clientX=LABEL / 2, clientY=TOP + 1)
    assert page.look("#tip")[0]["hidden"]


def test_a_card_of_evidence_shows_its_episode_and_the_command_for_it(data: ReportData, page: Script) -> None:
    card = page.look(".card [data-from]")[0]
    page.fire(".card [data-from]", "click")
    start, end = window(page)
    low, high = int(card["data-from"]), int(card["data-to"])
    margin = max(high - low, 50)
    assert (start, end) == (max(0, low - margin), min(data_span(data), high + margin))
    assert page.text("#range").split(" .. ")[0].split()[1] == duration(start).split()[1]
    for _ in range(40):
        press(page, "in")
    start, end = window(page)
    assert low < start < end < high
    assert 10 <= end - start <= 12  # ns: closer there is nothing to see
    full = next(covered(path["d"]) for path in page.look("#map .cells path") if path["class"] == "h6")
    assert PLOT in full.values()  # up to the last column
    page.fire("#map", "dblclick")
    assert window(page) == (0, data_span(data))


def test_the_buttons_zoom_and_move(data: ReportData, page: Script) -> None:
    whole = data_span(data)
    assert press(page, "in") == pytest.approx((whole // 4, whole - whole // 4), abs=1)
    assert press(page, "right") == pytest.approx((whole // 2, whole), abs=1)
    assert press(page, "right") == pytest.approx((whole // 2, whole), abs=1)  # no further than the end
    assert press(page, "left") == pytest.approx((whole // 4, whole - whole // 4), abs=1)
    assert press(page, "out") == (0, whole)
    assert press(page, "all") == (0, whole)


def test_lanes_of_events_tell_their_column(tmp_path: Path) -> None:
    """Every column of the lanes: the counts under the pointer add up to those of the verbs."""
    (tmp_path / "run.npt").write_bytes(dump())
    target = tmp_path / "run.html"
    assert run(["report", str(tmp_path / "run.npt"), "-o", str(target), "--allow-loss", "100", "-q"]) == 0
    text = target.read_text()
    events = json.loads(Page(text).data)["events"]
    script, told = Script(text), []
    edges = events["lanes"]["edges"]
    for low, high in itertools.pairwise(edges):
        at = LABEL + ((low + high) / 2 - edges[0]) / (edges[-1] - edges[0]) * PLOT
        script.fire("#events", "pointermove", clientX=at, clientY=5)
        told.append(script.text("#tip"))
    samples = sum(int(found) for found in re.findall(r"(\d+) samples", "\n".join(told)))
    invalid = sum(int(found) for found in re.findall(r"(\d+) not valid", "\n".join(told)))
    assert samples + invalid == events["jitter"]["sources"][0]["samples"]
    assert sum(int(found) for found in re.findall(r"tokens (\d+),", "\n".join(told))) == events["tokens"]["tokens"]
    assert any("RAS" in line and "worst fatal" in line for line in told)


def test_without_its_data_the_page_fails_loudly(data: ReportData) -> None:
    with pytest.raises(JSEvalException):
        Script(render(data).replace('id="npuscope-data"', 'id="other"'))


# ---------------------------------------------------------------- what is drawn
def press(page: Script, name: str) -> tuple[int, int]:
    """Press a button above the picture; the ns then shown."""
    place = [each["data-do"] for each in page.look(".tools button")].index(name)
    page.engine.eval(f'document.querySelectorAll(".tools button")[{place}].fire("click")')
    return window(page)


def drag(page: Script, low: int, high: int) -> None:
    """Draw a frame around [low, high) ns of the whole picture."""
    whole = data_span(report())
    x, y = (LABEL + time / whole * PLOT for time in (low, high))
    page.fire("#map", "pointerdown", clientX=x, clientY=50, button=0, pointerId=1)
    page.fire("#map", "pointermove", clientX=y, clientY=50)
    page.fire("#map", "pointerup", clientX=y, clientY=50)


def window(page: Script) -> tuple[int, int]:
    """ns that are shown, as the command under the picture says."""
    found = re.search(r"--window (\d+)ns\.\.(\d+)ns", page.text("#range-command"))
    assert found
    return int(found[1]), int(found[2])


def row_height(page: Script) -> int:
    return int(page.look("#map")[0]["data-row"])


def data_span(data: ReportData) -> int:
    return data.timeline.end_ns - data.timeline.start_ns


def segments(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"[\d.]+", path)]


def covered(path: str) -> dict[float, float]:
    """Units drawn by the height of their row."""
    found: dict[float, float] = {}
    for _, y, length in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", path):
        found[float(y)] = found.get(float(y), 0.0) + float(length)
    return found


def flat(node: Any) -> list[Any]:
    return [node] + [each for child in node[2] if not isinstance(child, str) for each in flat(child)]
