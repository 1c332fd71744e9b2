"""Tables as CSV (RFC 4180 with line feeds): integer ns, an empty cell for what is not known."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import chain, islice
from typing import Final

import numpy as np

from npuscope.analysis import Stalls
from npuscope.layout import (
    PAYLOAD,
    BpSub,
    Cfg,
    ClkSub,
    Cnt,
    JitterSub,
    Kind,
    MarkSub,
    MonSub,
    State,
    SyncSub,
    TokenSub,
)
from npuscope.records.batch import Batch
from npuscope.timeline import EpisodeFlag, Timeline
from npuscope.units import titled

__all__ = ["EPISODES", "RECORDS", "STALLS", "SUBS", "episode_rows", "record_lines", "rows_to_lines", "stall_rows"]

EPISODES: Final = (
    "episode",
    "buffer",
    "layer",
    "consumer",
    "start_ns",
    "end_ns",
    "start_tai_ns",
    "length_ns",
    "peak",
    "peak_is_lower_bound",
    "start_seen",
    "end_seen",
    "printed_dwell_ns",
    "dwell_is_lower_bound",
)
STALLS: Final = (
    "victim",
    "culprit",
    "kind",
    "min_ns",
    "max_ns",
    "draining_ns",
    "victim_full_ns",
    "victim_no_cause_ns",
)
RECORDS: Final = "tai_ns,src,kind,sub,layer,occ,bp_en,peak,dwell,payload,tq,seq,quality,offset"
SUBS: Final[dict[Kind, type[IntEnum]]] = {
    Kind.BP: BpSub,
    Kind.JITTER: JitterSub,
    Kind.CNT: Cnt,
    Kind.MARK: MarkSub,
    Kind.CLK: ClkSub,
    Kind.STATE: State,
    Kind.CFG: Cfg,
    Kind.TOKEN: TokenSub,
    Kind.MON: MonSub,
    Kind.SYNC: SyncSub,
}
"""Kinds whose subs have names; other subs are numbers."""
_BP: Final = PAYLOAD[Kind.BP, None]


class _Line:
    """A file for csv.writer that keeps the last line."""

    text = ""

    def write(self, text: str) -> int:
        self.text = text
        return len(text)


def rows_to_lines(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Lines with their line feeds, the titles first."""
    line = _Line()
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(map(titled, titles))
    yield line.text
    for row in rows:
        writer.writerow(row)
        yield line.text


def episode_rows(timeline: Timeline, window: tuple[int, int]) -> Iterator[list[object]]:
    """A row of ``EPISODES`` for each episode that touches ``window`` = [from, to) ns on the axis; not cut by it."""
    table, buffers = timeline.episodes, timeline.description.buffers
    touching = np.flatnonzero((table["end"] > window[0]) & (table["start"] < window[1]))
    for number in touching.tolist():
        row = table[number]
        buffer, flags = buffers[int(row["buffer"])], EpisodeFlag(int(row["flags"]))
        start, end, dwell = int(row["start"]), int(row["end"]), int(row["dwell"])
        yield [
            f"ep:{number}",
            buffer.name,
            buffer.id,
            buffer.drain,
            start - timeline.start_ns,
            end - timeline.start_ns,
            start,
            end - start,
            int(row["peak"]),
            int(EpisodeFlag.PEAK_LOWER in flags),
            int(EpisodeFlag.LEFT_CENSORED not in flags),
            int(EpisodeFlag.RIGHT_CENSORED not in flags),
            dwell if dwell >= 0 else "",
            int(EpisodeFlag.DWELL_LOWER in flags) if dwell >= 0 else "",
        ]


def stall_rows(stalls: Stalls) -> Iterator[list[object]]:
    """A row of ``STALLS`` for each victim and culprit."""
    kinds = {row.culprit: row.kind for row in stalls.rows}
    for cell in stalls.matrix:
        yield [
            stalls.buffers[cell.victim],
            cell.culprit,
            kinds.get(cell.culprit, ""),
            cell.min_ns,
            cell.max_ns,
            cell.draining_ns,
            stalls.hot_ns[cell.victim],
            stalls.unknown_ns[cell.victim],
        ]


def record_lines(batches: Iterable[Batch]) -> Iterator[str]:
    """The records of all kinds in stream order, a batch of lines at a time; BP fields are empty for other kinds."""
    kinds = {int(kind): kind.name for kind in Kind}
    subs = {(int(kind), int(sub)): sub.name for kind, names in SUBS.items() for sub in names}
    todo = iter(batches)
    first = list(islice(filter(len, todo), 1))  # an input that is refused has no line, not even the titles
    yield ",".join(map(titled, RECORDS.split(","))) + "\n"
    for batch in chain(first, todo):
        columns = (
            batch.ts.tolist(),
            batch.src.tolist(),
            batch.kind.tolist(),
            batch.sub.tolist(),
            batch.payload.tolist(),
            batch.tq.tolist(),
            batch.seq.tolist(),
            batch.quality.tolist(),
            batch.offset.tolist(),
        )
        lines = []
        for ts, src, kind, sub, payload, tq, seq, quality, offset in zip(*columns, strict=True):
            name = subs.get((kind, sub), sub)
            fields = _bp_fields(payload) if kind == Kind.BP else ",,,,"
            lines.append(
                f"{ts},{src},{kinds[kind]},{name},{fields},{payload},{tq},{seq},{quality},{offset}\n",
            )
        yield "".join(lines)


def _bp_fields(payload: int) -> str:
    return ",".join(str(field.get(payload)) for field in _BP)
