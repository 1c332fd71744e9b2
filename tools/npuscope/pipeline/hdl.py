"""A pipeline as the memory files that ``tb/vip/npu_pipeline.v`` reads.

Files, hexadecimal, one word a line, padded to the capacity of the build with entries that do nothing:
``stage.hex`` (STAGE_FIELDS), ``buffer.hex`` (BUFFER_FIELDS), ``change.hex`` (CHANGE_FIELDS, by clock) and
``size.hex`` (SIZE_FIELDS, one word). Fields are (name, bits), least significant first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.pipeline.graph import MAX_BUFFERS, MAX_TIME, SOURCE, Pipeline
from npuscope.pipeline.run import stage_seed

__all__ = ["BUFFER_FIELDS", "CHANGE_FIELDS", "SIZE_FIELDS", "STAGE_FIELDS", "hdl_parameters", "write_hdl"]

Fields = tuple[tuple[str, int], ...]

STAGE_FIELDS: Final[Fields] = (
    ("service", 16),
    ("jitter", 16),
    ("burst", 16),
    ("gap", 16),
    ("limit", 32),  # tokens it takes in all; MAX_TIME: no end
    ("seed", 32),
    ("inputs", MAX_BUFFERS),  # mask of the buffers it reads
    ("outputs", MAX_BUFFERS),
)
BUFFER_FIELDS: Final[Fields] = (("producer", 8), ("consumer", 8), ("depth", 16))
CHANGE_FIELDS: Final[Fields] = (("clock", 32), ("extra", 16), ("stage", 8), ("stopped", 8))
SIZE_FIELDS: Final[Fields] = (("stages", 16), ("buffers", 16), ("span", 16))
NOBODY: Final = 255
"""Producer and consumer of a padding buffer."""


def hdl_parameters(*pipelines: Pipeline) -> dict[str, int]:
    """Smallest parameters of ``npu_pipeline`` that hold each of ``pipelines``; SOURCES must be alike."""
    if len({p.sources for p in pipelines}) != 1:
        raise NpuscopeError("pipelines of one build need the same number of trace sources")
    return {
        "STAGES": max(len(p.stages) for p in pipelines),
        "BUFFERS": max(len(p.buffers) for p in pipelines),
        "CHANGES": max(1, *(sum(len(p.schedule(s.name)) for s in p.stages) for p in pipelines)),
        "SOURCES": pipelines[0].sources,
        "MAX_DEPTH": max(b.depth for p in pipelines for b in p.buffers),
    }


def write_hdl(pipeline: Pipeline, folder: Path, parameters: Mapping[str, int] | None = None) -> None:
    """Write the four files into ``folder`` (made if needed), padded to ``parameters`` (default: the smallest).

    Raises NpuscopeError if the pipeline needs more than ``parameters`` offer.
    """
    need = hdl_parameters(pipeline)
    size = need if parameters is None else parameters
    for key, value in need.items():
        if value > size[key] or (key == "SOURCES" and value != size[key]):
            raise NpuscopeError(
                f"the build is too small for {pipeline.title!r}", found=f"{key} {size[key]}, {value} used"
            )
    stages: list[dict[str, int]] = []
    changes: list[dict[str, int]] = []
    for i, s in enumerate(pipeline.stages):
        changes += [
            {"clock": clock, "extra": extra, "stage": i, "stopped": int(stopped)}
            for clock, stopped, extra in pipeline.schedule(s.name)
        ]
        stages.append(
            {
                "service": s.service,
                "jitter": s.jitter,
                "burst": s.burst,
                "gap": s.gap,
                "limit": pipeline.tokens if s.name == SOURCE and pipeline.tokens else MAX_TIME,
                "seed": stage_seed(pipeline.seed, i),
                "inputs": sum(1 << b for b in pipeline.inputs(s.name)),
                "outputs": sum(1 << b for b in pipeline.outputs(s.name)),
            }
        )
    buffers = [
        {"producer": pipeline.index(b.producer), "consumer": pipeline.index(b.consumer), "depth": b.depth}
        for b in pipeline.buffers
    ]
    changes.sort(key=lambda change: change["clock"])
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "stage.hex", STAGE_FIELDS, stages, size["STAGES"], {"service": 1})
    _write(
        folder / "buffer.hex",
        BUFFER_FIELDS,
        buffers,
        size["BUFFERS"],
        {"producer": NOBODY, "consumer": NOBODY, "depth": 1},
    )
    _write(folder / "change.hex", CHANGE_FIELDS, changes, size["CHANGES"], {"clock": MAX_TIME})
    counts = {"stages": len(stages), "buffers": len(buffers), "span": pipeline.span}
    _write(folder / "size.hex", SIZE_FIELDS, [counts], 1, {})


def _write(
    path: Path, fields: Fields, rows: Iterable[Mapping[str, int]], count: int, padding: Mapping[str, int]
) -> None:
    words = [_word(fields, row) for row in rows]
    words += [_word(fields, padding)] * (count - len(words))
    digits = sum(bits for _, bits in fields) // 4
    path.write_text("".join(f"{word:0{digits}x}\n" for word in words), encoding="ascii")


def _word(fields: Fields, row: Mapping[str, int]) -> int:
    word = at = 0
    for name, bits in fields:
        word |= row.get(name, 0) << at
        at += bits
    return word
