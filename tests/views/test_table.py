"""Tables stay inside 80 columns and keep their numbers whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from npuscope.units import width
from npuscope.views.table import cut, fields, table


def test_columns_are_aligned() -> None:
    text = table(["culprit", ">share"], [["conv3", "61.2"], ["卷积", "<0.1"]])
    assert text == "culprit  share\nconv3     61.2\n卷积      <0.1"


@given(st.lists(st.tuples(st.text(max_size=200), st.text(max_size=90), st.integers(0, 10**9)), max_size=5))
def test_never_wider_than_asked(rows: list[tuple[str, str, int]]) -> None:
    lines = table(["name", "where", ">ns"], [[a, b, str(c)] for a, b, c in rows]).split("\n")
    assert len(lines) == len(rows) + 1
    assert all(width(line) <= 80 for line in lines)
    for line, (_, _, number) in zip(lines[1:], rows, strict=True):
        assert line.endswith(str(number))


def test_cut_keeps_wide_characters_whole() -> None:
    assert cut("卷积层十二", 6) == "卷积…"
    assert cut("short", 5) == "short"


def test_fields_line_up() -> None:
    assert fields([("loss", "none"), ("coverage", "100.0 %")]) == "loss      none\ncoverage  100.0 %"


def test_long_values_are_broken_at_blanks() -> None:
    text = fields([("limits", "full from 56/64, " * 8), ("path", "x" * 100)])
    lines = text.split("\n")
    assert lines[1].startswith("        ")
    assert max(map(width, lines[:-1])) <= 80
    assert lines[-1] == "path    " + "x" * 100
