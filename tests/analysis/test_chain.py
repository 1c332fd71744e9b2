"""Chains by their edges against the states of the board, and in parts against in one: always the same answer."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.analysis import blame, stalls
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
                u,
                u // 32,
                u % 32,
                f"q{u}",
                None if u in (0, cut + 1) else f"s{u}",
                () if u in (cut, size - 1) else (f"s{u + 1}",),
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


@given(lossy(), st.sampled_from([1, 5, blame._MANY]))
@settings(max_examples=300, deadline=None)
def test_edges_equal_states(case: tuple[Timeline, tuple[int, int]], many: int) -> None:
    built, window = case
    assert Graph(built.description).is_chain
    with mock.patch.multiple(blame, _FEW=0, _MANY=many):
        told, causes = stalls(built, window=window), _causes(built, window)
    with mock.patch.object(Graph, "is_chain", False):
        assert told == stalls(built, window=window)
        assert causes == _causes(built, window)


@given(st.integers(1, 200), st.integers(0, 1 << 32))
@settings(max_examples=25, deadline=None)
def test_long_chains(size: int, seed: int) -> None:
    """More buffers than bits in a word, and runs across the words."""
    rng = np.random.default_rng(seed)
    share = rng.random()
    hot = [(rng.random(LENGTH).cumsum() * 0.5 % 1 < share).astype(int).tolist() for _ in range(size)]
    built = timeline(chains(size, int(rng.integers(size))), hot, [[0] * LENGTH for _ in hot])
    told, causes = stalls(built), _causes(built, (0, LENGTH))
    with mock.patch.object(Graph, "is_chain", False):
        assert told == stalls(built)
        assert causes == _causes(built, (0, LENGTH))


@pytest.mark.parametrize("size", [60, 64, 65, 128])
def test_a_word_full_of_unknown_buffers(size: int) -> None:
    built = timeline(chains(size, size - 1), [[UNKNOWN] * LENGTH] * size, [[0] * LENGTH] * size)
    assert stalls(built).unseen_ns == (LENGTH,) * size


def _causes(built: Timeline, window: tuple[int, int]) -> list[list[object]]:
    """The entry of each buffer at each nanosecond."""
    counted = tally(built, built.description, window, spans=True)
    out: list[list[object]] = [[None] * LENGTH for _ in built.hot]
    for row, spans in zip(out, counted.spans, strict=True):
        for begin, end, entry in zip(*(column.tolist() for column in spans), strict=True):
            assert row[begin:end] == [None] * (end - begin)
            row[begin:end] = [counted.book.entries[entry]] * (end - begin)
    return out
