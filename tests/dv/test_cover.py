# SPDX-License-Identifier: Apache-2.0
"""Verilator's coverage files: merged over instances and runs, told as holes, LCOV, Cobertura and a page."""

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from npuscope.dv import cover
from npuscope.errors import NpuscopeError

SOURCE = "module m;\n  if (a) b;\n  else c;\nendmodule\n"


def entry(file, line, kind, what, hits, instance="top.a", lines=""):
    fields = {"f": file, "l": line, "n": 3, "t": kind, "page": f"v_{kind}/m", "o": what, "S": lines, "h": instance}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in fields.items() if value != "") + f"' {hits}\n"


@pytest.fixture
def files(tmp_path):
    """Two runs of a module that is there twice."""
    rtl = tmp_path / "m.v"
    rtl.write_text(SOURCE)
    head = "# SystemC::Coverage-3\n"
    one = head + entry(rtl, 2, "branch", "if", 5, lines="2") + entry(rtl, 2, "branch", "else", 0, lines="3")
    one += entry(rtl, 1, "toggle", "a[0]:0->1", 0) + entry(rtl, 1, "toggle", "a[0]:0->1", 3, "top.b")
    two = head + entry(rtl, 2, "branch", "if", 1, lines="2") + entry(rtl, 1, "toggle", "a[1]:0->1", 0)
    two += entry("/elsewhere/n.v", 1, "line", "block", 1)
    for name, text in (("1.dat", one), ("2.dat", two)):
        (tmp_path / name).write_text(text)
    return [tmp_path / "1.dat", tmp_path / "2.dat"]


def points(files):
    return cover.of_file(cover.read(files), "m.v")


def test_hits_add_up_over_instances_and_runs(files):
    found = points(files)
    assert cover.kinds(found) == {"branch": (1, 2), "toggle": (1, 2)}
    assert cover.holes(found) == ["m.v:1 toggle: a[1]:0->1", "m.v:2 branch: else"]
    assert cover.holes(found, {"m.v": {2}}) == ["m.v:2 branch: else"]
    assert cover.holes(found, {}) == []


def test_rank_puts_what_adds_most_first(files):
    runs = {"small": points(files[1:]), "big": points(files[:1])}
    assert cover.rank(runs) == [("big", 2, 2), ("small", 0, 2)]


def test_lcov_and_cobertura_say_the_same_lines(files, tmp_path):
    text = cover.lcov(points(files), tmp_path)
    assert text.split("\n")[1] == "SF:m.v"
    assert "DA:2,6\nDA:3,0\nLF:2\nLH:1\nend_of_record" in text
    assert "BRF:4\nBRH:2" in text
    lines = ElementTree.fromstring(cover.cobertura(points(files), tmp_path)).iter("line")
    assert [(line.get("number"), line.get("hits")) for line in lines] == [("2", "6"), ("3", "0")]


def test_page_shows_the_source_with_its_holes(files, tmp_path):
    text = cover.page(points(files), tmp_path)
    assert '<tr class="m"><td>2<td>' in text.replace("</td>", "")
    assert "toggle a[1]:0-&gt;1" in text


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "x.dat").write_text("TN:\n")
    with pytest.raises(NpuscopeError, match="not a coverage file of Verilator: found TN:"):
        cover.read([Path(tmp_path / "x.dat")])


def test_no_points_are_no_coverage(tmp_path):
    assert cover.kinds(Counter()) == {}
    assert cover.table({"m": {"kinds": {"line": (1, 2)}, "holes": ["x"]}}) == [
        "m                      line 1/2, 1 never hit"
    ]
