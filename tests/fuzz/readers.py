"""Every reader of bytes from outside, as something to fuzz: it gives an answer or one NpuscopeError, nothing else."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

import npuscope
from npuscope.analysis import stalls
from npuscope.capture import Text
from npuscope.crc import crc8_records, crc32
from npuscope.description import Description
from npuscope.errors import NpuscopeError
from npuscope.hostlog import parse_log, read_events
from npuscope.importers.aie import Tile, Unit
from npuscope.importers.aie.labels import read_labels
from npuscope.importers.formats import WAVES, open_waveform
from npuscope.layout import MAGIC, RECORD, RECORD_BYTES
from npuscope.source import open_source

__all__ = ["READERS", "read"]

NATIVE: Final = ("fst", "ghw")
"""Read by another's library, which is not ours to fuzz."""


def whole(path: Path, text: Text | None = None) -> None:
    """From the bytes to the culprit, with the tables and the books."""
    capture = npuscope.open(path, with_tables=True, summarise=True, text=text)
    timeline = capture.timeline
    stalls(timeline, timeline.description)
    capture.trust()
    capture.ledger.check()
    assert len(capture.jitter) + len(capture.ras) + len(capture.tokens) <= capture.ledger.records


def mended(data: bytes) -> bytes:
    """``data`` as records whose CRC-8 is right, in frames whose CRC-32 is: damage that no checksum tells."""
    rows = np.frombuffer(data[: len(data) // RECORD_BYTES * RECORD_BYTES], np.uint8).reshape(-1, RECORD_BYTES).copy()
    rows[:, 11] = crc8_records(rows)
    at = np.flatnonzero(rows.view(RECORD)["ts"] == MAGIC)
    for before, place in pairwise(at.tolist()):
        if place + 1 < len(rows):
            check = crc32(rows[before:place].tobytes())
            rows[place + 1, 12:] = np.frombuffer(check.to_bytes(4, "little"), np.uint8)
            rows[place + 1, 11] = crc8_records(rows[place + 1 : place + 2])[0]
    return rows.tobytes()


def dump(data: bytes, path: Path) -> None:
    """A trace as it is."""
    path.write_bytes(data)
    whole(path)


def records(data: bytes, path: Path) -> None:
    """A trace with the right checksums."""
    path.write_bytes(mended(data))
    whole(path)


def text(data: bytes, path: Path) -> None:
    """Legacy ``$fwrite`` text, or whatever it is taken for."""
    path.write_bytes(data)
    whole(path, Text(time_unit_ps=1000, sample_period_ns=100))


def waveform(data: bytes, path: Path) -> None:
    """VCD, and CSV of logic analysers: all signals."""
    path.write_bytes(data)
    with open_source(path, accept=WAVES) as source:
        if source.head_kind in WAVES and source.head_kind not in NATIVE:
            wave = open_waveform(source, allow_backwards=source.head_kind == "vcd")
            wave.signals(wave.variables)
            wave.facts()


def description(data: bytes, path: Path) -> None:
    """The graph: TOML of a user, JSON of a header page."""
    path.write_bytes(data)
    for read_it in (lambda: Description.from_toml(path), lambda: Description.from_json(data)):
        try:
            read_it()
        except NpuscopeError:
            continue


def labels(data: bytes, path: Path) -> None:
    """Labels of an AIE trace: TOML or MLIR."""
    path = path.with_suffix(".toml" if data[:1] == b"[" else ".mlir")
    path.write_bytes(data)
    read_labels(str(path), [Tile(Unit.CORE, 2, 0), Tile(Unit.SHIM, 0, 0)])


def host_log(data: bytes, _path: Path) -> None:
    """Kernel logs, and what ``ras import`` wrote."""
    lines = data.decode("utf-8", "replace").splitlines()
    parse_log(lines, "log")
    read_events(lines, "log")


READERS: Final[dict[str, Callable[[bytes, Path], None]]] = {
    reader.__name__: reader for reader in (dump, records, text, waveform, description, labels, host_log)
}


def read(name: str, data: bytes, path: Path) -> None:
    """Let a reader read ``data``, by way of the file ``path`` where it reads files."""
    said = ""
    try:
        READERS[name](data, path)
    except NpuscopeError as error:
        said = str(error)
    assert "\n" not in said
