"""What a pass over a dump told, kept in a file next to it, so that the next verb does not decode again.

It is believed only if all of this is as it was: name, length, times, inode and samples (both ends and 64 places) of
every input, the program that read them, description and options. A pass during which that changed, or an input written
to in the last seconds, is not kept. Sidecars are replaced in one step, so that runs may meet; one that is damaged is
left aside. Nothing fails for want of one: a folder that cannot be written to just has none.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.episodes import EPISODE, Lane
from npuscope.layout import RECORD, RECORD_BYTES
from npuscope.ledger import Cause, ClockStep, Ledger, SourceCount, Window
from npuscope.records import Batch, Hole
from npuscope.timeline import Conflict, Step, Timeline

__all__ = ["SUFFIX", "WORTH_BYTES", "Sidecar"]

SUFFIX: Final = ".npuscope-cache"
WORTH_BYTES = 64 << 20
"""Inputs smaller than this are decoded in less time than it takes to start the program."""
SETTLED_S: Final = 2.0
"""An input written to in the last seconds may change again within the resolution of its times."""
SHARE: float = 4
"""A sidecar of more than this part of the inputs is not written."""
_MAGIC: Final = b"NPUSIDE1"
_DIGEST: Final = 16
_FIXED: Final = len(_MAGIC) + _DIGEST + 8
_ALIGN: Final = 16
_EDGE_BYTES: Final = 1 << 16
_SAMPLE_BYTES: Final = 1 << 12
_SAMPLES: Final = 64
_SIGNALS: Final = ("hot", "dry", "bp")
_LISTED: Final = ("sources", "config", "clock", "windows", "steps", "version")
"""Fields of the ledger that are no plain JSON."""


@dataclass
class Sidecar:
    """The sidecar of inputs that are regular files; ``key`` is what they and everything else were when asked.

    most: bytes of arrays that are worth keeping.
    """

    path: Path
    names: tuple[str, ...]
    options: str
    key: str
    most: float
    _batches: list[Batch] = field(default_factory=list)
    _held: int = 0

    @classmethod
    def of(cls, names: Sequence[str], mode: str, options: str) -> Sidecar | None:
        """mode: what is kept, a part of the name. options: all that the answer depends on. None: not worth it."""
        try:
            infos = [os.stat(name) for name in names]
            size = sum(info.st_size for info in infos)
            if not all(stat.S_ISREG(info.st_mode) for info in infos) or size < WORTH_BYTES:
                return None
            path = Path(f"{names[0]}.{mode}{SUFFIX}")
            return cls(path, tuple(names), options, _key(names, options), size / SHARE)
        except OSError:
            return None

    def load(self) -> tuple[tuple[Timeline, Ledger] | None, str | None]:
        """The timeline and the ledger that are kept, None without them; and a note if the sidecar is damaged."""
        found, note = self._read()
        return None if found is None else (_timeline(*found), _ledger(found[0])), note

    def load_records(self) -> tuple[tuple[list[Batch], Ledger] | None, str | None]:
        """The same of some kinds of records and the ledger."""
        found, note = self._read()
        return None if found is None else (_batches(*found), _ledger(found[0])), note

    def store(self, timeline: Timeline, ledger: Ledger) -> None:
        """Keep what was told, unless the inputs changed meanwhile; it is no error if that is not possible."""
        self._write(_ledger_table(ledger), *_of_timeline(timeline))

    def add(self, batch: Batch) -> None:
        """Records for ``store_records``; none are held once they are too many."""
        self._held += RECORD_BYTES * len(batch)
        if self._held <= self.most:
            self._batches.append(batch)
        else:
            self._batches.clear()

    def store_records(self, ledger: Ledger) -> None:
        """The same of the records that were added."""
        if self._held <= self.most:
            self._write(_ledger_table(ledger), *_of_batches(self._batches))

    def _read(self) -> tuple[tuple[dict[str, Any], memoryview] | None, str | None]:
        try:
            if not stat.S_ISREG(os.stat(self.path).st_mode):  # reading a pipe would wait for its writer
                return None, None
            data = memoryview(np.fromfile(self.path, np.uint8))  # type: ignore[arg-type]
        except OSError:
            return None, None
        begin = len(_MAGIC) + _DIGEST
        if bytes(data[: len(_MAGIC)]) != _MAGIC or _digest(data[begin:]) != bytes(data[len(_MAGIC) : begin]):
            return None, f"{self.path} is damaged and was not used"
        size = int.from_bytes(data[begin:_FIXED], "little")
        table = json.loads(bytes(data[_FIXED : _FIXED + size]))
        return (None if table["key"] != self.key else (table, data[_FIXED + size :])), None

    def _write(self, ledger: dict[str, Any], table: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> None:
        try:
            changed = max(os.stat(name).st_mtime for name in self.names)
            if changed > time.time() - SETTLED_S or _key(self.names, self.options) != self.key:
                return
            if sum(array.nbytes for array in arrays) > self.most:
                return
            text = json.dumps({"key": self.key, "ledger": ledger, **table}).encode()
            text = text.ljust(len(text) + -(_FIXED + len(text)) % _ALIGN)
            parts = [len(text).to_bytes(8, "little"), text, *(array.tobytes() for array in arrays)]
            self._replace([_MAGIC, _digest(*parts), *parts])
        except OSError:
            return

    def _replace(self, parts: list[Any]) -> None:
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with open(fd, "wb") as file:
                file.writelines(parts)
            os.replace(fresh, self.path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


def _digest(*parts: Any) -> bytes:
    state = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        state.update(part)
    return state.digest()


def _key(names: Sequence[str], options: str) -> str:
    """One word for the inputs, the program and the options."""
    state = hashlib.blake2b(digest_size=_DIGEST)
    package = Path(__file__).parent
    for folder in (package, package / "records"):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                info = entry.stat()
                state.update(f"{entry.name} {info.st_size} {info.st_mtime_ns}\n".encode())
    for name in names:
        with open(name, "rb") as file:
            info = os.fstat(file.fileno())
            whole = (name, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino, info.st_dev)
            state.update(repr(whole).encode(errors="surrogateescape"))
            places = [(info.st_size * i // _SAMPLES, _SAMPLE_BYTES) for i in range(_SAMPLES)]
            for place, size in (0, _EDGE_BYTES), *places, (max(0, info.st_size - _EDGE_BYTES), _EDGE_BYTES):
                state.update(os.pread(file.fileno(), size, place))
    state.update(options.encode(errors="surrogateescape"))
    return state.hexdigest()


def _ledger_table(ledger: Ledger) -> dict[str, Any]:
    """A ledger for JSON."""
    return {f.name: getattr(ledger, f.name) for f in fields(ledger) if f.name not in _LISTED} | {
        "sources": [[src, asdict(count)] for src, count in ledger.sources.items()],
        "config": [[src, list(words.items())] for src, words in ledger.config.items()],
        "clock": list(ledger.clock.items()),
        "windows": [asdict(window) for window in ledger.windows],
        "steps": [asdict(step) for step in ledger.steps],
        "version": ledger.version,
    }


def _ledger(table: dict[str, Any]) -> Ledger:
    told = table["ledger"]
    ledger = Ledger(**{name: value for name, value in told.items() if name not in _LISTED})
    ledger.sources = {src: SourceCount(**count) for src, count in told["sources"]}
    ledger.config = {src: dict(words) for src, words in told["config"]}
    ledger.clock = dict(told["clock"])
    for window in told["windows"]:
        ledger.windows.append(Window(**(window | {"cause": Cause(window["cause"])})))
    ledger.steps = [ClockStep(**step) for step in told["steps"]]
    ledger.version = None if told["version"] is None else tuple(told["version"])
    return ledger


def _of_timeline(timeline: Timeline) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    """A table for JSON, and the arrays: the intervals of all lanes in a row, then the episodes."""
    lanes = [lane for name in _SIGNALS for lane in getattr(timeline, name)]
    runs = [part for lane in lanes for part in (lane.true, lane.unknown)]
    table = {
        "description": timeline.description.to_json(),
        "assumed_as": timeline.description.assumed_as,
        "span": [timeline.start_ns, timeline.end_ns],
        "steps": [astuple(step) for step in timeline.steps],
        "conflicts": [astuple(conflict) for conflict in timeline.conflicts],
        "runs": [len(part) for part in runs],
    }
    return table, [*map(np.ascontiguousarray, runs), np.ascontiguousarray(timeline.episodes)]


def _timeline(table: dict[str, Any], data: memoryview) -> Timeline:
    description = Description.from_json(table["description"])
    object.__setattr__(description, "assumed_as", table["assumed_as"])
    bounds = np.cumsum([0, *table["runs"]])
    size = 16 * int(bounds[-1])
    episodes = np.frombuffer(data[size:], EPISODE)
    pairs = np.frombuffer(data[:size], "<i8").reshape(-1, 2)
    runs = [pairs[low:high] for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
    lanes = [Lane(*runs[i : i + 2]) for i in range(0, len(runs), 2)]
    count = len(description.buffers)
    hot, dry, bp = (tuple(lanes[count * i : count * (i + 1)]) for i in range(len(_SIGNALS)))
    start, end = table["span"]
    steps = tuple(Step(*step) for step in table["steps"])
    conflicts = tuple(Conflict(*conflict) for conflict in table["conflicts"])
    return Timeline(description, start, end, hot, dry, bp, episodes, steps, conflicts)


def _of_batches(batches: Sequence[Batch]) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    """A table for JSON, and the arrays: records, offsets, qualities."""
    table = {"batches": [[len(batch), [astuple(hole) for hole in batch.holes]] for batch in batches]}
    columns = ([batch.raw for batch in batches], [b.offset for b in batches], [b.quality for b in batches])
    return table, [np.ascontiguousarray(part) for column in columns for part in column]


def _batches(table: dict[str, Any], data: memoryview) -> list[Batch]:
    counts = [count for count, _ in table["batches"]]
    bounds, whole = np.cumsum([0, *counts]).tolist(), sum(counts)
    raw = np.frombuffer(data[: RECORD_BYTES * whole], RECORD)
    offset = np.frombuffer(data[RECORD_BYTES * whole :], "<i8", whole)
    quality = np.frombuffer(data[(RECORD_BYTES + 8) * whole :], np.uint8, whole)
    return [
        Batch(
            raw[low:high],
            quality=quality[low:high],
            offset=offset[low:high],
            holes=tuple(
                Hole(index, first, last, src, count, Cause(cause)) for index, first, last, src, count, cause in holes
            ),
        )
        for low, high, (_, holes) in zip(bounds[:-1], bounds[1:], table["batches"], strict=True)
    ]
