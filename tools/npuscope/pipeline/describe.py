"""A pipeline as the analysis and the probes see it: the graph, and the masks that ``nps_top`` takes."""

from __future__ import annotations

from itertools import combinations

from npuscope.description import Buffer, Description
from npuscope.pipeline.graph import SINK, SOURCE, Pipeline

__all__ = ["describe", "dry_buffers", "probe_masks"]


def describe(pipeline: Pipeline, *, build_id: str = "") -> Description:
    """The graph; buffer b is global layer b, on source b // span, layer b % span of it (rule P8).

    clock_bound_ns is the time of one scan: how much later than another a buffer may be looked at.
    """
    buffers = tuple(
        Buffer(
            id=i,
            src=i // pipeline.span,
            layer=i % pipeline.span,
            name=b.name,
            producer=None if b.producer == SOURCE else b.producer,
            consumers=() if b.consumer == SINK else (b.consumer,),
        )
        for i, b in enumerate(pipeline.buffers)
    )
    return Description(
        buffers,
        clock_period_ps=pipeline.clock_period_ps,
        clock_bound_ns=-(-pipeline.span * pipeline.clock_period_ps // 1000),
        title=pipeline.title,
        build_id=build_id,
    )


def dry_buffers(pipeline: Pipeline) -> frozenset[int]:
    """Indices of the buffers upstream of a join, back to and including the input of its fork (rtl/probe: DRY_MASK)."""
    above: dict[str, frozenset[str]] = {}  # a stage and all that feed it
    for s in pipeline.order():
        name = pipeline.stages[s].name
        feeds = [above[pipeline.buffers[b].producer] for b in pipeline.inputs(name)]
        above[name] = frozenset({name}).union(*feeds)
    found: set[int] = set()
    for stage in pipeline.stages:
        for a, b in combinations(pipeline.inputs(stage.name), 2):
            one, two = (above[pipeline.buffers[x].producer] for x in (a, b))
            common = one & two
            forks = {s for s in common if not any(s in above[other] - {other} for other in common)}
            found |= {
                i
                for i, buffer in enumerate(pipeline.buffers)
                if i in (a, b) or (buffer.consumer in (one | two) - common) or buffer.consumer in forks
            }
    return frozenset(found)


def probe_masks(pipeline: Pipeline) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """LAYERS and DRY_MASK of each trace source, as masks of its layers."""
    layers, dry = [0] * pipeline.sources, [0] * pipeline.sources
    dries = dry_buffers(pipeline)
    for i in range(len(pipeline.buffers)):
        layers[i // pipeline.span] |= 1 << i % pipeline.span
        dry[i // pipeline.span] |= (i in dries) << i % pipeline.span
    return tuple(layers), tuple(dry)
