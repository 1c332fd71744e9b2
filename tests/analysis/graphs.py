"""Random small graphs and lanes for the blame tests."""

from __future__ import annotations

from hypothesis import strategies as st

from npuscope.description import Buffer, Description

CHAIN = Description(
    tuple(Buffer(i, 0, i, f"q{i}", None if i == 0 else f"s{i}", (f"s{i + 1}",) if i < 3 else ()) for i in range(4))
)
FORK_JOIN = Description(
    (
        Buffer(0, 0, 0, "in", None, ("fork",)),
        Buffer(1, 0, 1, "a0", "fork", ("a",)),
        Buffer(2, 0, 2, "a1", "a", ("join",)),
        Buffer(3, 0, 3, "b0", "fork", ("b",)),
        Buffer(4, 0, 4, "b1", "b", ("join",)),
        Buffer(5, 0, 5, "out", "join", ()),
    )
)
SKIP = Description(
    (
        Buffer(0, 0, 0, "in", None, ("fork",)),
        Buffer(1, 0, 1, "long0", "fork", ("a",)),
        Buffer(2, 0, 2, "long1", "a", ("join",)),
        Buffer(3, 0, 3, "skip", "fork", ("join",)),
        Buffer(4, 0, 4, "out", "join", ()),
    )
)
SHARED = Description(
    (
        Buffer(0, 0, 0, "in", None, ("a", "b")),
        Buffer(1, 0, 1, "qa", "a", ("c",)),
        Buffer(2, 0, 2, "qb", "b", ()),
    )
)
LOOP = Description(
    (
        Buffer(0, 0, 0, "in", None, ("a",)),
        Buffer(1, 0, 1, "ab", "a", ("b",)),
        Buffer(2, 0, 2, "ba", "b", ("a",)),
        Buffer(3, 0, 3, "out", "b", ()),
    )
)
graphs = st.sampled_from([CHAIN, FORK_JOIN, SKIP, SHARED])


def lanes(size: int, length: int) -> st.SearchStrategy[list[list[int]]]:
    """Per buffer a state 0 or 1 for each of ``length`` nanoseconds, in runs."""
    runs = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 6)), min_size=1, max_size=10)

    def unroll(pairs: list[tuple[int, int]]) -> list[int]:
        flat = [state for state, count in pairs for _ in range(count)]
        return (flat * length)[:length]

    return st.lists(runs.map(unroll), min_size=size, max_size=size)
