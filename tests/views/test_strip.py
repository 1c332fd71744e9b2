"""The terminal strip: what is unknown or lost is never drawn as calm."""

from __future__ import annotations

import numpy as np

from npuscope.units import width
from npuscope.views.lanes import Track, grid
from npuscope.views.strip import ASCII, UNICODE, cells_for, legend, strip

EMPTY = np.empty((0, 2), np.int64)


def track(name: str, **states: list[list[int]]) -> Track:
    arrays = {k: np.array(states.get(k, []), np.int64).reshape(-1, 2) for k in ("hot", "dry", "bp", "unknown")}
    return Track(0, name, **arrays)


def rows(text: str) -> dict[str, str]:
    return {line.split()[0]: line for line in text.split("\n")[1:]}


def test_golden_picture() -> None:
    tracks = [
        track("conv1", hot=[[100, 400]]),
        track("relu\x1b", dry=[[0, 300]], hot=[[310, 312]]),
        track("pool", unknown=[[200, 420]], hot=[[420, 800]]),
        track("dark", unknown=[[0, 800]]),
    ]
    text = strip(grid(tracks, 0, 800, 16), [(200, 420)], origin=0, columns=80)
    assert text == (
        "         0 ns      800 ns  full%\n"
        "conv1    ··██████········   37.5\n"
        "relu\\x1b ______:·········    0.3\n"
        "pool     ····????▓███████   65.5\n"
        "dark     ????????????????      ?\n"
        "loss         !!!!!"
    )


def test_lines_fit_80_columns_even_with_long_wide_names() -> None:
    tracks = [track("层" * 40, hot=[[0, 10]]), track("a")]
    columns = cells_for(80, [t.name for t in tracks])
    text = strip(grid(tracks, 0, 10_000, columns), [(5, 5)], origin=0, columns=80)
    assert all(width(line) <= 80 for line in text.split("\n"))


def test_the_shortest_hot_moment_and_the_shortest_loss_are_seen() -> None:
    cells = grid([track("a", hot=[[500_000, 500_001]])], 0, 1_000_000, 50)
    lines = rows(strip(cells, [(999_999, 999_999)], origin=0, columns=80))
    assert lines["a"].count(":") == 1
    assert lines["loss"].rstrip().endswith("!")
    assert "<0.1" in lines["a"]


def test_unknown_wins_over_cool_and_over_mostly_unknown_hot() -> None:
    cells = grid([track("a", unknown=[[0, 1], [10, 16]], hot=[[16, 20]])], 0, 20, 2)
    assert rows(strip(cells, [], origin=0, columns=80))["a"].split()[1] == "??"


def test_under_one_percent_of_unknown_leaves_a_cell_as_it_is() -> None:
    cells = grid([track("a", unknown=[[0, 9]]), track("b", unknown=[[0, 10]])], 0, 2000, 2)
    found = rows(strip(cells, [], origin=0, columns=80))
    assert found["a"].split()[1] == "··"
    assert found["b"].split()[1] == "?·"


def test_legend_names_every_glyph() -> None:
    for glyphs in (UNICODE, ASCII):
        text = legend(glyphs)
        assert width(text) <= 80
        for glyph in (*glyphs.hot, glyphs.trace, glyphs.cool, glyphs.dry, glyphs.unknown, glyphs.loss):
            assert glyph in text
