"""Legacy simulation text of ``$fwrite("%d,%d,%b")``: ``time,layer_id,backpressure_en``, a line a sample (figure A3).

Each line says that a layer was at or above the threshold at that time; nothing says when it left. A line becomes a BP
RAW record with occ = the threshold, of source layer // 32; ``Timeline.build(..., sample_period_ns=)`` makes episodes
of them. A first line with names and blank lines are skipped. ``x`` and ``z`` are unknown and leave a hole, as do lines
that are no sample (glued, cut); those are reported with their line number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import MAX_LAYERS, PAYLOAD, SRC_MARK, THRESHOLDS, BpSub, Kind
from npuscope.ledger import Cause, Ledger, SourceCount, Window
from npuscope.records.batch import Batch, Hole
from npuscope.source import Source

__all__ = ["FwriteReader"]

I8 = npt.NDArray[np.int64]

CHUNK_BYTES: Final = 1 << 18
LONGEST_LINE: Final = 1 << 12
SEQ: Final = 256
PS_PER_NS: Final = 1000
MAX_TIME: Final = 1 << 62
_CLEAN: Final = re.compile(rb"(?:[0-9]{1,18},[0-9]{1,4},[01]\n)+")
_LINE: Final = re.compile(rb"\s*([0-9]+|[xXzZ]+)\s*,\s*([0-9]+|[xXzZ]+)\s*,\s*([01xXzZ])\s*")
_NAMES: Final = re.compile(rb"\s*[A-Za-z_]\w*\s*(?:,\s*[A-Za-z_]\w*\s*){2}")
_BOM: Final = b"\xef\xbb\xbf"
LAYER, OCC, BP_EN = PAYLOAD[Kind.BP, None][:3]


class FwriteReader:
    """Iterate once: batches of BP RAW records in the order of the lines; then ``ledger`` is complete.

    source: opened with ``accept=("fwrite",)``. time_unit_ps: picoseconds of one count of the time column; None: the
    times are ticks. allow_backwards: a time that goes back begins a new simulation (a RESTART hole) instead of
    being an error with its line number. Times are floored to ns. Raises NpuscopeError, exit 5 without any sample.
    """

    def __init__(self, source: Source, *, time_unit_ps: int | None = None, allow_backwards: bool = False) -> None:
        if time_unit_ps is not None and time_unit_ps <= 0:
            raise NpuscopeError("the time unit must be positive", found=f"{time_unit_ps} ps")
        self.source, self.ledger = source, Ledger(importer="$fwrite text")
        self._unit, self._allow_backwards = time_unit_ps or PS_PER_NS, allow_backwards
        if time_unit_ps is None:
            self.ledger.time_unit = "tick"
        self._line = 0  # lines before the chunk
        self._clock = 0  # ns of the last sample
        self._hole: tuple[Cause, int] | None = None

    def __iter__(self) -> Iterator[Batch]:
        rest, place = b"", 0
        buffer = bytearray(CHUNK_BYTES)
        while got := self.source.fill(memoryview(buffer)):
            data = rest + bytes(buffer[:got])
            cut = data.rfind(b"\n") + 1
            if not cut and len(data) > LONGEST_LINE:
                cut = len(data)
            if cut:
                yield from self._chunk(data[:cut], place)
            rest, place = data[cut:], place + cut
        if rest:
            yield from self._chunk(rest, place)
        yield from self._finish(ends_cut=bool(rest) and not _LINE.fullmatch(rest), size=place + len(rest))

    def _chunk(self, data: bytes, place: int) -> Iterator[Batch]:
        """Whole lines: all at once if they are clean, else one by one."""
        if _CLEAN.fullmatch(data) and self._hole is None:
            numbers = np.fromstring(data.replace(b"\n", b","), np.int64, sep=",").reshape(-1, 3)
            starts = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))[:-1] + 1
            if numbers[:, 0].max() < MAX_TIME // self._unit and numbers[:, 1].max() < MAX_LAYERS * SRC_MARK:
                ts = numbers[:, 0] * self._unit // PS_PER_NS
                if (np.diff(ts, prepend=self._clock) >= 0).all():
                    self._line += len(numbers)
                    yield self._batch(ts, numbers[:, 1], numbers[:, 2], place + np.append(0, starts), [], len(data))
                    return
        yield from self._lines(data, place)

    def _lines(self, data: bytes, place: int) -> Iterator[Batch]:
        samples: list[tuple[int, int, int, int]] = []
        holes: list[Hole] = []
        taken = 0
        for line in data.splitlines(keepends=True):
            self._line += 1
            text = line.removeprefix(_BOM) if self._line == 1 else line
            match = _LINE.fullmatch(text)
            sample = self._sample(match) if match else None
            if sample is not None:
                if self._hole is not None:
                    holes.append(self._close(len(samples), sample[0]))
                samples.append((*sample, place))
                self._clock = sample[0]
                taken += len(line)
            elif not text.strip() or (self._line == 1 and _NAMES.fullmatch(text)):
                taken += len(line)
            elif match and not match.group().strip().replace(b",", b"").replace(b" ", b"").isdigit():
                taken += len(line)
                self.ledger.unknown["line with x or z"] = self.ledger.unknown.get("line with x or z", 0) + 1
                self._hole = self._hole or (Cause.UNKNOWN_VALUE, self._clock)
            else:
                self.ledger.bad += len(line)
                self.ledger.note(f"line {self._line} is no sample: {line[:60].strip()!r}")
                self._hole = self._hole or (Cause.DAMAGE, self._clock)
            place += len(line)
        columns = np.array(samples, np.int64).reshape(-1, 4)
        yield self._batch(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3], holes, taken)

    def _sample(self, match: re.Match[bytes]) -> tuple[int, int, int] | None:
        """(ns, layer, bp_en) of a line, None if a value is unknown or out of range."""
        time, layer, bit = match.groups()
        if not (time + layer + bit).isdigit() or int(layer) >= MAX_LAYERS * SRC_MARK:
            return None
        ts = int(time) * self._unit // PS_PER_NS
        if ts >= MAX_TIME:
            return None
        if ts < self._clock:
            if not self._allow_backwards:
                raise NpuscopeError(
                    f"line {self._line}: time goes back",
                    file=self.source.names[0],
                    found=f"{ts} ns after {self._clock} ns",
                    hint="--allow-backwards takes it as the start of another simulation",
                )
            self.ledger.restarts += 1
            self._hole = Cause.RESTART, self._clock
        return ts, int(layer), int(bit)

    def _close(self, index: int, until: int) -> Hole:
        assert self._hole is not None
        cause, since = self._hole
        self._hole = None
        low, high = min(since, until), max(since, until)
        self.ledger.windows.note(Window(None, 0, low, high, cause, None))
        return Hole(index, low, high, None, None, cause)

    def _batch(self, ts: I8, layer: I8, bit: I8, offset: I8, holes: list[Hole], size: int) -> Batch:
        payload = (layer % MAX_LAYERS) << LAYER.lsb | bit << BP_EN.lsb | THRESHOLDS["TH_ON"].value << OCC.lsb
        src = layer // MAX_LAYERS
        ledger = self.ledger
        ledger.text += size
        ledger.lines += len(ts)
        seq = np.zeros(len(ts), np.int64)
        for source in np.unique(src).tolist():
            own = np.flatnonzero(src == source)
            entry = ledger.sources.setdefault(source, SourceCount())
            seq[own] = (entry.decoded + np.arange(len(own))) % SEQ
            entry.decoded += len(own)
        if len(ts):
            ledger.first_ts = int(ts[0]) if ledger.first_ts is None else ledger.first_ts
            ledger.last_ts = self._clock = int(ts[-1])
            ledger.kinds[Kind.BP.name] = ledger.lines
        kind, sub = np.full(len(ts), Kind.BP), np.full(len(ts), BpSub.RAW)
        return Batch.of(ts, src, kind, sub, payload, seq=seq, offset=offset, holes=tuple(holes))

    def _finish(self, *, ends_cut: bool, size: int) -> Iterator[Batch]:
        ledger = self.ledger
        if self._hole is not None:
            none = np.empty(0, np.int64)
            yield self._batch(none, none, none, none, [self._close(0, self._clock)], 0)
        ledger.files, ledger.total = list(self.source.names), size
        ledger.runs = 1 + ledger.restarts
        ledger.end_seen = not ends_cut and self.source.cut is None
        for note in self.source.notes:
            ledger.note(note)
        ledger.check()
        ledger.complete = True
        if not ledger.lines:
            raise NpuscopeError(
                "no sample line in it",
                file=self.source.names[0],
                expected="time,layer_id,backpressure_en",
                exit_code=Exit.NOT_RECOGNISED,
            )
