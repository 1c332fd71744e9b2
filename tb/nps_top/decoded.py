# SPDX-License-Identifier: Apache-2.0
"""The last part of the way: the decoder reads the dumps of the RTL and must say what the bench did, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from npuscope.encode import unpack
from npuscope.errors import Exit
from npuscope.layout import GROUP_RECORDS, RECORD_BYTES, SRC_FRAMER
from npuscope.ledger import Ledger
from npuscope.records import Batch, decode
from npuscope.source import open_source
from npuscope.timeline import Timeline

__all__ = ["Reading", "check_hot", "check_ledger", "check_ras", "check_records", "driven", "episodes", "read"]


@dataclass(frozen=True)
class Reading:
    """A dump, what the decoder made of it, and what the bench knows."""

    dump: bytes
    batches: list[Batch]
    ledger: Ledger
    truth: dict


def read(path: Path) -> Reading:
    """Decode ``path`` (.npt); the truth is beside it."""
    decoder = decode(open_source(path))
    batches = list(decoder)
    return Reading(path.read_bytes(), batches, decoder.ledger, json.loads(path.with_suffix(".json").read_text()))


def check_ledger(reading: Reading) -> int:
    """The books balance, nothing is bad, and the decoder's loss is the loss the bench saw; returns records lost.

    What a reset cut off was never told: then the decoder must say restart, and its loss is a lower bound.
    """
    ledger, truth = reading.ledger, reading.truth
    ledger.check()
    assert ledger.total == len(reading.dump)
    assert ledger.tail == 0
    assert not ledger.conflicts
    assert ledger.end_seen
    stubs = truth["stubs"]
    assert truth["sessions"] <= ledger.runs <= truth["sessions"] + stubs
    assert truth["cut"] <= ledger.restarts <= truth["cut"] + stubs
    lost = {int(src): count for src, count in truth["lost"].items()}
    if truth["cut"] or stubs:
        assert ledger.bad < GROUP_RECORDS * RECORD_BYTES * (truth["cut"] + stubs), "no more than groups cut in two"
        assert all(ledger.sources[src].dropped <= count for src, count in lost.items())
        return sum(lost.values())
    assert (ledger.bad, ledger.missing) == (0, 0)
    assert {src: ledger.sources[src].dropped for src in lost} == lost
    told = dict.fromkeys(lost, 0)
    for window in ledger.windows:
        if window.src is not None and window.count is not None:
            told[window.src] += window.count
    assert told == lost
    return sum(lost.values())


def check_records(reading: Reading) -> int:
    """Decode of the RTL's bytes is the identity: per source, every record in its order; returns records compared.

    Behind the last group before a reset no CRC-32 vouches for the records: there the decoder may reject some, counted
    as bad, and must not change, move or invent any.
    """
    rows = [unpack(reading.dump[at : at + RECORD_BYTES]) for at in range(0, len(reading.dump), RECORD_BYTES)]
    decoded: dict[int, list[tuple[int, ...]]] = {}
    for batch in reading.batches:
        columns = (batch.ts, batch.src, batch.kind, batch.sub, batch.tq, batch.seq, batch.payload)
        for row in zip(*(column.tolist() for column in columns), strict=True):
            decoded.setdefault(row[1], []).append(row)
    compared = rejected = 0
    for src in {row.src for row in rows} - {SRC_FRAMER}:
        expected = [(r.ts, r.src, r.kind, r.sub, r.tq, r.seq, r.payload) for r in rows if r.src == src]
        rest = iter(expected)
        assert all(row in rest for row in decoded.get(src, [])), f"source {src}: not the dump's records in order"
        rejected += len(expected) - len(decoded.get(src, []))
        compared += len(expected)
    assert rejected * RECORD_BYTES <= reading.ledger.bad, f"{rejected} records are neither decoded nor counted as bad"
    return compared


def check_ras(path: Path) -> Counter[str]:
    """``npuscope ras check`` over the dump: no decision of the mapper disagrees; how often it agrees or cannot say."""
    command = [sys.executable, "-m", "npuscope", "ras", "check", "--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (Exit.OK, Exit.LOSS, Exit.CANNOT_TEST), f"{path}: {done.stdout[-1500:]} {done.stderr}"
    answer = json.loads(done.stdout)
    assert answer["disagreements"] == 0, answer["listed"]
    verdicts: Counter[str] = Counter(samples=answer["samples"])
    for counts in answer["decisions"].values():
        verdicts.update(counts)
    return verdicts


def check_hot(reading: Reading) -> tuple[int, int]:
    """In every ns and layer: hot or cool as the bench drove it, or unknown; returns (ns known, ns hot of them).

    Where the bench does not know (``HotTruth.open``), neither is checked.
    """
    timeline = Timeline.build(reading.batches, reading.ledger)
    assert not timeline.conflicts
    lanes = {(b.src, b.layer): lane for b, lane in zip(timeline.description.buffers, timeline.hot, strict=True)}
    known_ns = hot_ns = 0
    for src, layer, spans, undecided in reading.truth["hot"]:
        lane = lanes[src, layer]
        truth, either = (
            _mask(timeline, [[s[0], timeline.end_ns if s[1] is None else s[1]] for s in of])
            for of in (spans, undecided)
        )
        hot, unknown = _mask(timeline, lane.true.tolist()), _mask(timeline, lane.unknown.tolist())
        where = f"source {src} layer {layer}"
        assert not (hot & unknown).any(), where
        assert not (hot & ~truth & ~either).any(), f"{where}: hot that never was"
        assert not (~hot & ~unknown & truth).any(), f"{where}: hot that was not told"
        known_ns += int((~unknown).sum())
        hot_ns += int(hot.sum())
    return known_ns, hot_ns


def _mask(timeline: Timeline, spans: list[list[int]]) -> npt.NDArray[np.bool_]:
    """One flag for each ns of the recording."""
    mask = np.zeros(timeline.end_ns - timeline.start_ns, np.bool_)
    for start, end in spans:
        mask[max(0, start - timeline.start_ns) : max(0, end - timeline.start_ns)] = True
    return mask


def episodes(reading: Reading) -> list[tuple[int, int, int, int]]:
    """(src, layer, start, end) of all episodes that the decoder knows from beginning to end."""
    timeline = Timeline.build(reading.batches, reading.ledger)
    buffers = timeline.description.buffers
    return sorted(
        (buffers[e["buffer"]].src, buffers[e["buffer"]].layer, int(e["start"]), int(e["end"]))
        for e in timeline.episodes
        if not e["flags"] & 3
    )


def driven(reading: Reading) -> list[tuple[int, int, int, int]]:
    """The same from the bench: closed, and with a sample before that showed the layer cool."""
    spans = [(src, layer, *span) for src, layer, spans, _ in reading.truth["hot"] for span in spans]
    return sorted((src, layer, a, b) for src, layer, a, b, seen in spans if seen and b is not None)
