"""The tables of the CSV export as Parquet files: the same columns, what is not known is null."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import chain, islice
from typing import IO, Any, Final

import numpy as np

from npuscope.errors import NpuscopeError
from npuscope.layout import PAYLOAD, Kind
from npuscope.records.batch import Batch
from npuscope.units import titled
from npuscope.views.csv import RECORDS, SUBS

__all__ = ["write_records", "write_rows"]

TEXTS: Final = {
    *("episode", "buffer", "consumer", "victim", "culprit", "kind"),
    *("break_before", "sub", "class", "severity", "how", "cause", "no_gap"),
}
"""Columns that are text; all others are integers."""
_ROWS: Final = 1 << 16
_KINDS: Final = [kind.name for kind in Kind]
_SUBS: Final = [
    SUBS[Kind(code & 15)](code >> 4).name
    if code & 15 in SUBS and code >> 4 in set(SUBS[Kind(code & 15)])
    else str(code >> 4)
    for code in range(256)
]


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise NpuscopeError("Parquet needs pyarrow", hint="pip install 'npuscope[export]'") from error


def write_rows(sink: IO[bytes], titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The rows of a CSV table; an empty cell is null. Raises NpuscopeError without pyarrow."""
    arrow, parquet = _arrow()
    schema = arrow.schema([(titled(t), arrow.string() if t in TEXTS else arrow.int64()) for t in titles])
    todo = iter(rows)
    with parquet.ParquetWriter(sink, schema) as writer:
        while some := list(islice(todo, _ROWS)):
            columns = ([None if cell == "" else cell for cell in column] for column in zip(*some, strict=True))
            arrays = [arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(arrow.table(arrays, schema=schema))


def write_records(sink: IO[bytes], batches: Iterable[Batch]) -> None:
    """Every record of the batches, as in the CSV table. Raises NpuscopeError without pyarrow."""
    arrow, parquet = _arrow()
    todo = iter(batches)
    first = list(islice(filter(len, todo), 1))  # an input that is refused leaves no file
    writer = None
    for batch in chain(first, filter(len, todo)):
        table = _records(arrow, batch)
        if writer is None:
            writer = parquet.ParquetWriter(sink, table.schema)
        writer.write_table(table)
    if writer is None:
        writer = parquet.ParquetWriter(sink, _records(arrow, Batch.of([], [], [], [], [])).schema)
    writer.close()


def _records(arrow: Any, batch: Batch) -> Any:
    other = batch.kind != Kind.BP
    fields = {field.name: field for field in PAYLOAD[Kind.BP, None]}

    def names(codes: Any, words: list[str]) -> Any:
        return arrow.DictionaryArray.from_arrays(arrow.array(codes.astype(np.int16)), arrow.array(words))

    def column(title: str) -> Any:
        if title == "tai_ns":
            return arrow.array(batch.ts.astype(np.int64))
        if title == "kind":
            return names(batch.kind, _KINDS)
        if title == "sub":
            return names(batch.kindsub, _SUBS)
        if title in fields:
            field = fields[title]
            values = batch.payload >> np.uint32(field.lsb) & np.uint32((1 << field.width) - 1)
            return arrow.array(values.astype(np.int32), mask=other)
        return arrow.array(getattr(batch, title))

    titles = RECORDS.split(",")
    return arrow.table([column(title) for title in titles], names=list(map(titled, titles)))
