"""The gate on a small campaign; ``python -m tests.analysis.closed_loop`` runs the big one."""

from __future__ import annotations

import numpy as np
import pytest

from npuscope.analysis.drain import Holds, Part
from npuscope.analysis.graph import Graph
from npuscope.analysis.past import Past
from npuscope.analysis.states import Board
from npuscope.intervals import EMPTY
from npuscope.pipeline import KINDS
from tests.analysis.closed_loop import GATE, campaign


def test_active_stall_time_names_the_stage_that_was_slowed() -> None:
    whole, kinds, misses = campaign(40, seed=0)
    print(f"\nclosed loop, 40 pipelines: {whole}")
    assert whole.clocks["active"] > 300_000
    assert whole.share("active") >= GATE, misses
    assert set(kinds) == set(KINDS)
    assert all(score.clocks["active"] > 0 for score in kinds.values())


def test_the_judge_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rule 4 the same campaign is below the gate: the stage that a backlog meets last is named instead."""

    def forget(graph: Graph, part: Part, board: Board, past: Past) -> Holds:
        none = np.empty(0, np.int64)
        refs = np.empty((board.planes["hot"].shape[0], 0), np.uint64)
        return Holds(none, none, none, none, refs, none, np.zeros(graph.size + 1, np.int64), (EMPTY,) * graph.size)

    monkeypatch.setattr(Graph, "is_chain", False)
    monkeypatch.setattr("npuscope.analysis.blame.holds", forget)
    monkeypatch.setattr("npuscope.analysis.blame.refills", lambda graph, board, found, *rest: found)
    whole, _, misses = campaign(16, seed=0)
    assert misses
    assert whole.share("active") < GATE
    assert whole.clocks["draining"] == 0
