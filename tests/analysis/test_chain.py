"""The pieces of a chain against the states of the board: the same answer on random chains with and without loss."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.analysis import stalls
from npuscope.analysis.blame import tally
from npuscope.analysis.graph import Graph
from npuscope.description import Buffer, Description
from npuscope.episodes import EPISODE, EpisodeFlag
from npuscope.timeline import Timeline
from tests.analysis.graphs import lanes
from tests.analysis.test_blame import UNKNOWN, timeline

LENGTH = 40


def chains(size: int, cut: int) -> Description:
    """Two chains: buffers 0 .. cut and cut + 1 .. size - 1."""
    return Description(
        tuple(
            Buffer(
                u, 0, u, f"q{u}", None if u in (0, cut + 1) else f"s{u}", () if u in (cut, size - 1) else (f"s{u + 1}",)
            )
            for u in range(size)
        )
    )


@st.composite
def lossy(draw: st.DrawFn) -> tuple[Timeline, tuple[int, int]]:
    size = draw(st.integers(1, 7))
    hot = draw(lanes(size, LENGTH))
    buffer, time = st.integers(0, size - 1), st.integers(0, LENGTH - 1)
    for u, begin, length in draw(st.lists(st.tuples(buffer, time, st.integers(1, 5)), max_size=4)):
        end = min(LENGTH, begin + length)
        hot[u][begin:end] = [UNKNOWN] * (end - begin)
    built = timeline(chains(size, draw(buffer)), hot, [[0] * LENGTH for _ in hot])
    cut = [u for u in range(size) if hot[u][0] == 1 and draw(st.booleans())]
    episodes = np.zeros(len(cut), EPISODE)
    episodes["buffer"], episodes["flags"], episodes["end"] = cut, EpisodeFlag.LEFT_CENSORED, 1
    object.__setattr__(built, "episodes", episodes)
    window = sorted(draw(st.sets(st.integers(0, LENGTH), min_size=2, max_size=2)))
    return built, (window[0], window[1])


@given(lossy())
@settings(max_examples=150, deadline=None)
def test_pieces_equal_states(case: tuple[Timeline, tuple[int, int]]) -> None:
    built, window = case
    assert Graph(built.description).is_chain
    told, causes = stalls(built, window=window), _causes(built, window)
    with mock.patch.object(Graph, "is_chain", False):
        assert told == stalls(built, window=window)
        assert causes == _causes(built, window)


def _causes(built: Timeline, window: tuple[int, int]) -> list[list[object]]:
    """The entry of each buffer at each nanosecond."""
    counted = tally(built, built.description, window, spans=True)
    out: list[list[object]] = [[None] * LENGTH for _ in built.hot]
    for row, spans in zip(out, counted.spans, strict=True):
        for begin, end, entry in zip(*(column.tolist() for column in spans), strict=True):
            assert row[begin:end] == [None] * (end - begin)
            row[begin:end] = [counted.book.entries[entry]] * (end - begin)
    return out
