"""The graph that the analysis is given, and the dry masks of joins."""

from __future__ import annotations

from hypothesis import given, settings

from npuscope.description import Description
from npuscope.pipeline import Fifo, Pipeline, Stage, describe, dry_buffers, probe_masks
from tests.pipeline.strategies import pipelines


def graph(*edges: str, sources: int = 1) -> Pipeline:
    names = sorted({name for edge in edges for name in edge.split(">")} - {"source", "sink"})
    stages = (Stage("source"), *(Stage(name) for name in names), Stage("sink"))
    return Pipeline(stages, tuple(Fifo(edge, *edge.split(">"), 4) for edge in edges), sources=sources)


def dry_names(p: Pipeline) -> set[str]:
    return {p.buffers[b].name for b in dry_buffers(p)}


def test_a_chain_has_no_dry_buffers() -> None:
    assert dry_buffers(graph("source>a", "a>b", "b>sink")) == frozenset()


def test_dry_buffers_reach_back_to_the_input_of_the_fork() -> None:
    p = graph("source>a", "a>b", "b>c", "c>d", "b>d", "d>e", "e>sink")
    assert dry_names(p) == {"a>b", "b>c", "c>d", "b>d"}


def test_nested_forks_each_count() -> None:
    p = graph("source>a", "a>b", "b>c", "b>d", "c>e", "d>e", "e>f", "a>f", "f>sink")
    assert dry_names(p) == {"source>a", "a>b", "b>c", "b>d", "c>e", "d>e", "e>f", "a>f"}


def test_a_fork_behind_a_join_does_not_reach_before_it() -> None:
    p = graph("source>a", "a>b", "a>b2", "b>c", "b2>c", "c>d", "d>e", "d>f", "e>f", "f>sink")
    assert dry_names(p) == {"source>a", "a>b", "a>b2", "b>c", "b2>c", "c>d", "d>e", "d>f", "e>f"}


def test_masks_and_places_follow_the_span() -> None:
    p = graph("source>a", "a>b", "b>c", "b>d", "c>d", "d>e", "e>sink", sources=2)
    assert p.span == 4
    layers, dry = probe_masks(p)
    assert layers == (0b1111, 0b111)
    assert dry == (0b1110, 0b001)
    places = [(b.id, b.src, b.layer) for b in describe(p).buffers]
    assert places == [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 0, 3), (4, 1, 0), (5, 1, 1), (6, 1, 2)]


@settings(max_examples=50, deadline=None)
@given(pipelines())
def test_the_description_survives_json_and_keeps_the_graph(pipeline: Pipeline) -> None:
    d = describe(pipeline, build_id="x")
    assert Description.from_json(d.to_json()) == d
    assert d.hash != 0
    for stage in pipeline.stages[1:-1]:
        assert d.inputs[stage.name] == pipeline.inputs(stage.name)
        assert d.outputs[stage.name] == pipeline.outputs(stage.name)
