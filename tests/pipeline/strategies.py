"""Small random pipelines for hypothesis: any legal graph, not only those of random_pipeline."""

from __future__ import annotations

from hypothesis import strategies as st

from npuscope.pipeline import SINK, SOURCE, Fifo, Pipeline, Stage, Window

CLOCKS = 400


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """1 to 5 stages in a chain, up to 3 more buffers that skip ahead, up to 4 windows on any stage."""
    small = st.integers(0, 5)
    names = [SOURCE, *(f"s{i}" for i in range(draw(st.integers(1, 5)))), SINK]
    stages = [
        Stage(
            name, service=draw(st.integers(1, 6)), jitter=draw(small), burst=draw(small), gap=draw(st.integers(0, 30))
        )
        for name in names
    ]
    edges = [(i, i + 1) for i in range(len(names) - 1)]
    for _ in range(draw(st.integers(0, 3)) if len(names) > 3 else 0):
        a = draw(st.integers(1, len(names) - 3))
        edges.append((a, draw(st.integers(a + 1, len(names) - 2))))
    buffers = [Fifo(f"f{i}", names[a], names[b], draw(st.integers(1, 6))) for i, (a, b) in enumerate(edges)]
    windows = []
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, CLOCKS))
        end = first + draw(st.integers(1, 120))
        windows.append(Window(draw(st.sampled_from(names)), first, end, draw(st.none() | st.integers(1, 20))))
    sources = draw(st.integers(1, 2))
    return Pipeline(
        tuple(stages),
        tuple(buffers),
        tuple(windows),
        seed=draw(st.integers(0, 2**32 - 1)),
        tokens=draw(st.just(0) | st.integers(1, 60)),
        sources=sources if (sources - 1) * -(-len(buffers) // sources) < len(buffers) else 1,
    )
