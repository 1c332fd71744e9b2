"""The forest of episodes against a slow search, its laws, and what loss may not change."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.analysis import LinkFlag, Propagation, propagation
from npuscope.description import Description
from npuscope.episodes import EPISODE, EpisodeFlag, Lane
from npuscope.intervals import EMPTY, clip, make, total
from npuscope.timeline import Timeline
from tests.analysis.graphs import CHAIN, LOOP, SKIP, graphs, lanes
from tests.analysis.test_blame import timeline

LENGTH = 40


def with_episodes(graph: Description, rows: list[list[int]]) -> Timeline:
    """The timeline of ``rows`` (one value per ns: 0, 1, 2 = unknown) with an episode for each stretch of 1."""
    line = timeline(graph, rows, [[0] * len(rows[0]) for _ in rows])
    found = [
        (u, 0, 56 + (start + u) % 8, start, end, end - start)
        for u, lane in enumerate(line.hot)
        for start, end in lane.true.tolist()
    ]
    table = np.array(sorted(found, key=lambda row: (row[3], row[0])), EPISODE)
    return dataclasses.replace(line, episodes=table)


def parents(line: Timeline) -> list[int]:
    """The rule as it is written, one episode after the other."""
    graph, rows = line.description, line.episodes.tolist()
    found = []
    for u, _, _, start, end, _ in rows:
        options = []
        for number, (v, _, peak, a, b, _) in enumerate(rows):
            if v in graph.successors[u] and a < end and b > start:
                overlap = min(b, end) - max(a, start)
                options.append((a > start, -overlap, -b, -peak, graph.buffers[v].id, number))
        found.append(min(options)[-1] if options else -1)
    return found


def root(links: list[int], number: int) -> tuple[int, int]:
    hops = 0
    while links[number] >= 0:
        number, hops = links[number], hops + 1
        if hops > len(links):
            return -1, 0
    return number, hops


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_parents_and_roots_are_those_of_the_slow_search(data: st.DataObject) -> None:
    graph = data.draw(st.one_of(graphs, st.just(LOOP)))
    line = with_episodes(graph, data.draw(lanes(len(graph.buffers), LENGTH)))
    links, slow = propagation(line).links, parents(line)
    assert links["parent"].tolist() == slow
    assert list(zip(links["root"].tolist(), links["hops"].tolist(), strict=True)) == [
        root(slow, i) for i in range(len(slow))
    ]
    follows = links["parent"] >= 0
    start, end = line.episodes["start"], line.episodes["end"]
    assert (links["delay"][follows] == (start - start[links["parent"]])[follows]).all()
    assert (links["lag"][follows] == (end - end[links["parent"]])[follows]).all()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_trees_and_chains_share_out_all_stall_time(data: st.DataObject) -> None:
    graph = data.draw(graphs)
    line = with_episodes(graph, data.draw(lanes(len(graph.buffers), LENGTH)))
    window = (data.draw(st.integers(0, 15)), data.draw(st.integers(20, LENGTH)))
    found = propagation(line)
    trees, chains = found.trees(window, 1000), found.chains(window, 1000)
    hot = sum(total(clip(lane.true, *window)) for lane in line.hot)
    assert sum(tree.own_ns + tree.stall_ns for tree in trees) == hot
    assert sum(chain.stall_ns for chain in chains) == sum(tree.stall_ns for tree in trees)
    for tree in trees:
        assert tree.path[0] == line.episodes["buffer"][tree.root]
        assert len(tree.path) == 1 or tree.path[-1] in tree.buffers
    for chain in chains:
        assert len(set(chain.path)) == len(chain.path) > 1
        assert all(down in graph.successors[up] for down, up in zip(chain.path, chain.path[1:], strict=False))


def one(rows: list[list[int]], graph: Description = CHAIN) -> Propagation:
    return propagation(with_episodes(graph, rows))


def row(*spans: tuple[int, int], unknown: tuple[int, int] = (0, 0)) -> list[int]:
    return [2 if unknown[0] <= t < unknown[1] else int(any(a <= t < b for a, b in spans)) for t in range(LENGTH)]


def test_a_path_with_its_delays_and_lags() -> None:
    found = one([row((14, 30)), row((12, 27)), row((5, 25)), row()])
    assert found.path(2) == (2, 1, 0)
    assert found.links["delay"].tolist() == [0, 7, 2]
    assert found.links["lag"].tolist() == [0, 2, 3]
    assert found.followers(0).tolist() == [1]
    (tree,) = found.trees((0, LENGTH), 5)
    assert (tree.root, tree.own_ns, tree.stall_ns, tree.path, tree.sure) == (0, 20, 31, (2, 1, 0), True)
    ends = [(chain.path, chain.delay_ns, chain.lag_ns) for chain in found.chains((0, LENGTH), 5)]
    assert ends == [((2, 1, 0), 9, 5), ((2, 1), 7, 2)]


def test_a_tie_is_marked() -> None:
    fork = SKIP
    found = one([row((10, 20)), row((5, 25)), row(), row((5, 25)), row()], fork)
    assert LinkFlag(int(found.links["flags"][2])) == LinkFlag.TIE
    apart = one([row((10, 20)), row((5, 25)), row(), row((5, 24)), row()], fork)
    assert not apart.links["flags"].any()
    near = dataclasses.replace(fork, clock_bound_ns=1)
    close = with_episodes(near, [row((10, 20)), row((5, 25)), row(), row((5, 24)), row()])
    assert LinkFlag(int(propagation(close).links["flags"][2])) == LinkFlag.TIE


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_loss_never_turns_a_link_that_is_not_marked(data: st.DataObject) -> None:
    graph = data.draw(graphs)
    rows = data.draw(lanes(len(graph.buffers), LENGTH))
    whole = with_episodes(graph, rows)
    lost = data.draw(st.integers(0, len(rows) - 1))
    begin = data.draw(st.integers(0, LENGTH - 2))
    holes = [list(r) for r in rows]
    for t in range(begin, data.draw(st.integers(begin + 1, LENGTH))):
        holes[lost][t] = 2
    line = with_episodes(graph, holes)
    for u, lane in enumerate(line.hot):  # what touches the hole is censored
        mine = np.flatnonzero(line.episodes["buffer"] == u)
        for i in mine.tolist():
            if line.episodes["start"][i] in lane.unknown[:, 1]:
                line.episodes["flags"][i] |= int(EpisodeFlag.LEFT_CENSORED)
            if line.episodes["end"][i] in lane.unknown[:, 0]:
                line.episodes["flags"][i] |= int(EpisodeFlag.RIGHT_CENSORED)
    before, after = propagation(whole), propagation(line)

    def name(of: Timeline, number: int) -> tuple[int, int] | None:
        return None if number < 0 else (int(of.episodes["buffer"][number]), int(of.episodes["start"][number]))

    truth = {name(whole, i): name(whole, int(p)) for i, p in enumerate(before.links["parent"])}
    for i, link in enumerate(after.links):
        if link["flags"] & (LinkFlag.OPEN | LinkFlag.TIE):
            continue
        parent = int(link["parent"])
        if parent >= 0 and line.episodes["flags"][parent] & EpisodeFlag.LEFT_CENSORED:
            continue  # the same episode, its start not seen
        assert truth[name(line, i)] == name(line, parent)


def test_nothing_hot() -> None:
    line = dataclasses.replace(with_episodes(CHAIN, [row()] * 4), hot=(Lane(EMPTY, make([0], [LENGTH])),) * 4)
    found = propagation(line)
    assert (found.trees((0, LENGTH), 3), found.chains((0, LENGTH), 3)) == ((), ())
