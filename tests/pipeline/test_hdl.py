"""The memory files of the Verilog model, read back field by field."""

from __future__ import annotations

from pathlib import Path

import pytest

from npuscope.errors import NpuscopeError
from npuscope.pipeline import Fifo, Pipeline, Stage, Window, hdl_parameters, write_hdl
from npuscope.pipeline.hdl import BUFFER_FIELDS, CHANGE_FIELDS, SIZE_FIELDS, STAGE_FIELDS, Fields
from npuscope.pipeline.run import stage_seed

PIPELINE = Pipeline(
    (Stage("source", 4, burst=3, gap=9), Stage("a", 5, 6), Stage("sink")),
    (Fifo("in", "source", "a", 16), Fifo("out", "a", "sink", 7)),
    (Window("sink", 20, 30), Window("a", 10, 25, 8)),
    seed=11,
    tokens=99,
)


def rows(path: Path, fields: Fields) -> list[dict[str, int]]:
    result = []
    for line in path.read_text().split():
        assert len(line) * 4 == sum(bits for _, bits in fields)
        word, row = int(line, 16), {}
        for name, bits in fields:
            row[name] = word & ((1 << bits) - 1)
            word >>= bits
        result.append(row)
    return result


def test_files_hold_every_field(tmp_path: Path) -> None:
    size = hdl_parameters(PIPELINE)
    assert size == {"STAGES": 3, "BUFFERS": 2, "CHANGES": 4, "SOURCES": 1, "MAX_DEPTH": 16}
    write_hdl(PIPELINE, tmp_path / "new")
    stages = rows(tmp_path / "new" / "stage.hex", STAGE_FIELDS)
    assert [s["service"] for s in stages] == [4, 5, 1]
    assert [s["jitter"] for s in stages] == [0, 6, 0]
    assert [(s["burst"], s["gap"]) for s in stages] == [(3, 9), (0, 0), (0, 0)]
    assert [s["limit"] for s in stages] == [99, 2**32 - 1, 2**32 - 1]
    assert [s["seed"] for s in stages] == [stage_seed(11, i) for i in range(3)]
    assert [(s["inputs"], s["outputs"]) for s in stages] == [(0, 1), (1, 2), (2, 0)]
    buffers = rows(tmp_path / "new" / "buffer.hex", BUFFER_FIELDS)
    assert buffers == [
        {"producer": 0, "consumer": 1, "depth": 16},
        {"producer": 1, "consumer": 2, "depth": 7},
    ]
    changes = rows(tmp_path / "new" / "change.hex", CHANGE_FIELDS)
    assert [(c["clock"], c["stage"], c["stopped"], c["extra"]) for c in changes] == [
        (10, 1, 0, 8),
        (20, 2, 1, 0),
        (25, 1, 0, 0),
        (30, 2, 0, 0),
    ]
    assert rows(tmp_path / "new" / "size.hex", SIZE_FIELDS) == [{"stages": 3, "buffers": 2, "span": 2}]


def test_padding_does_nothing(tmp_path: Path) -> None:
    size = {"STAGES": 5, "BUFFERS": 4, "CHANGES": 6, "SOURCES": 1, "MAX_DEPTH": 16}
    write_hdl(PIPELINE, tmp_path, size)
    assert [s["limit"] for s in rows(tmp_path / "stage.hex", STAGE_FIELDS)][3:] == [0, 0]
    assert [b["producer"] for b in rows(tmp_path / "buffer.hex", BUFFER_FIELDS)][2:] == [255, 255]
    assert [c["clock"] for c in rows(tmp_path / "change.hex", CHANGE_FIELDS)][4:] == [2**32 - 1] * 2


@pytest.mark.parametrize(
    ("key", "value"), [("STAGES", 2), ("BUFFERS", 1), ("CHANGES", 3), ("MAX_DEPTH", 15), ("SOURCES", 2)]
)
def test_a_build_that_is_too_small_is_refused(tmp_path: Path, key: str, value: int) -> None:
    with pytest.raises(NpuscopeError, match=f"the build is too small for 'pipeline': found {key} {value}"):
        write_hdl(PIPELINE, tmp_path, {**hdl_parameters(PIPELINE), key: value})
    assert not list(tmp_path.iterdir())
