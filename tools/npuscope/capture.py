"""``npuscope.open(path)``: one capture as lazy tables; the command line is a thin layer on it.

capture = npuscope.open("run.npt", graph="npu.toml")
print(capture.stalls().verdict)
capture.episodes["end"] - capture.episodes["start"]   # numpy, ns
for batch in capture.batches(): ...                   # records as columns, in stream order
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from npuscope.description import Description
from npuscope.errors import NpuscopeError
from npuscope.importers import AieReader, FwriteReader, WaveReader
from npuscope.importers.formats import WAVES, open_waveform
from npuscope.intervals import Intervals, make
from npuscope.layout import SRC_FRAMER
from npuscope.ledger import Cause, Ledger
from npuscope.placing import place
from npuscope.records import Batch, Decoder, decode
from npuscope.source import Source, expand, open_source
from npuscope.timeline import ALL_KINDSUBS, BLAME_KINDSUBS, Timeline
from npuscope.units import counted_in

if TYPE_CHECKING:
    from npuscope.analysis import Propagation, Stalls
    from npuscope.importers.links import Link
    from npuscope.occupancy import Level
    from npuscope.sidecar import Sidecar
    from npuscope.tables import Tables
    from npuscope.views.trust import Trust

__all__ = ["Capture", "Path", "Progress", "Text", "open"]

Path = str | os.PathLike[str]
Reader = Decoder | AieReader | FwriteReader | WaveReader
Progress = Callable[[int, int | None], None]
"""Called while a pass runs, with bytes done and bytes in all (None: not known)."""


TEXT: Final = "fwrite"
TILES: Final = "aie"
FOREIGN: Final = (TEXT, TILES, *WAVES)
"""Formats of ``source.sniff`` that an importer reads."""


@dataclass(frozen=True)
class Text:
    """How to read what is no dump of ours.

    time_unit_ps: one count of the time column, None = what the file says, else ticks of unknown length.
    clock_period_ps: one cycle of an AIE trace. sample_period_ns: a layer that ``$fwrite`` text does not tell for longer
    is cool; None = unknown from its last sample on. allow_backwards: a time that goes back is a restart. refuse: take
    none of it at all. map: TOML that says which signals of a waveform are which layer, or TOML or MLIR that says what
    the slots of an AIE trace count. backend: reader of a waveform (``importers.formats.BACKENDS``), None = ours.
    """

    time_unit_ps: int | None = None
    clock_period_ps: int | None = None
    sample_period_ns: int | None = None
    allow_backwards: bool = False
    refuse: bool = False
    map: Path | None = None
    backend: str | None = None


class Capture:
    """One capture: nothing is read before it is asked for, and the timeline is built once.

    names: the input files. kind: format of the first (of ``source.sniff``). size: their bytes, None for a pipe.
    swap: 0, or bits of the words whose bytes are swapped. notes: what a user should know before any byte is read.
    description: what was given or stands in the header page; None = the chain is assumed.
    """

    def __init__(
        self,
        paths: Path | Iterable[Path],
        *,
        graph: Path | Description | None = None,
        force_desc: bool = False,
        text: Text | None = None,
        blame_only: bool = False,
        with_tables: bool = False,
        summarise: bool = False,
        progress: Progress | None = None,
        jobs: int = 1,
        cache: bool = False,
    ) -> None:
        """Find the files and read the description; see ``open``."""
        self.notes: list[str] = []
        self.names = expand([paths] if isinstance(paths, str | os.PathLike) else list(paths), self.notes)
        self._given = Description.from_toml(os.fspath(graph)) if isinstance(graph, str | os.PathLike) else graph
        self._force_desc = force_desc
        self._text = Text() if text is None else text
        self._accept = () if self._text.refuse else FOREIGN
        self._blame_only = blame_only
        self._with_tables, self._summarise = with_tables, summarise
        self._tables: Tables | None = None
        self._rows: Sidecar | None = None
        self._progress, self._jobs, self._cache = progress, jobs, cache
        self._source: Source | None = open_source(self.names, accept=self._accept)
        self.size, self.swap, self._again = self._source.size, self._source.swap, self._source.again
        self.kind = self._source.head_kind
        self._waves_read: WaveReader | None = None
        self.on_time_unit: Callable[[str], None] = lambda _: None
        """Told at the start of each pass what a count of time is (``Ledger.time_unit``)."""
        self._ledger: Ledger | None = None
        self._reading: Ledger | None = None
        self.description = self._given or self._from_header(self._source)

    @staticmethod
    def _from_header(source: Source) -> Description | None:
        if source.header is None:
            return None
        found = Description.from_json(source.header, file=source.names[0])
        return found if found.buffers else None

    def _hash_hint(self, source: Source) -> str:
        """What to try when the description is not that of the stream."""
        if self._given is None:
            return "it stands in the header page; give the right one with --graph, or force it with --force-desc"
        own = "leave it out: the header page brings a graph" if source.header is not None else "give the right one"
        return f"{own}, or force it with --force-desc"

    def batches(self, keep: npt.NDArray[np.bool_] | None = None) -> Iterator[Batch]:
        """Decode the capture from its start, batch by batch, in constant memory; a pipe can be read only once.

        keep: bool[256] over the kindsub byte, the records to give out; all unless given.
        """
        sidecar = self._sidecar("tables") if self._is_of_tables(keep) else None
        if sidecar is None:
            return self._watch(*self._start(keep if self.native else None))
        return self._kept(sidecar, keep)

    def _is_of_tables(self, keep: npt.NDArray[np.bool_] | None) -> bool:
        if keep is None or not self._cache:
            return False
        from npuscope.tables import TABLE_KINDSUBS

        return keep is TABLE_KINDSUBS

    def _kept(self, sidecar: Sidecar, keep: npt.NDArray[np.bool_] | None) -> Iterator[Batch]:
        """The records of the tables from the sidecar, or from a pass, which are kept if they are few."""
        kept, note = sidecar.load_records()
        if kept is not None:
            batches, self._reading = kept
            yield from batches
            self._ledger = self._reading
            return
        for batch in self._watch(*self._start(keep)):
            sidecar.add(batch)
            yield batch
        sidecar.store_records(self.ledger)
        if note is not None:
            self.ledger.note(note)

    @property
    def readable_again(self) -> bool:
        """Whether the inputs can be read once more: not so for a pipe."""
        return self._again

    @property
    def native(self) -> bool:
        """Whether it is a trace of ours, not read by an importer."""
        return self.kind not in FOREIGN

    def _start(self, keep: npt.NDArray[np.bool_] | None, *, across: bool = True) -> tuple[Source, Reader]:
        """A fresh pass; keep, across: see ``records.decode``."""
        source, self._source = self._source, None
        if source is None:
            if not self._again:
                raise NpuscopeError("a pipe can be read only once", file=self.names[0], hint="save it to a file first")
            source = open_source(self.names, accept=self._accept)
        if source.head_kind == TEXT:
            return source, FwriteReader(
                source, time_unit_ps=self._text.time_unit_ps, allow_backwards=self._text.allow_backwards
            )
        if source.head_kind in WAVES:
            return source, self._waves(source)
        if source.head_kind == TILES:
            self._alone("AIE trace")
            labels = None if self._text.map is None else os.fspath(self._text.map)
            return source, AieReader(source, labels=labels, clock_period_ps=self._text.clock_period_ps)
        given = self.description
        if given is None:
            return source, decode(source, keep=keep, across=across, jobs=self._jobs)
        return source, decode(
            source,
            keep=keep,
            across=across,
            jobs=self._jobs,
            max_disorder_ns=given.max_disorder_ns,
            desc_hash=given.hash,
            force_desc=self._force_desc,
            hash_hint=self._hash_hint(source),
        )

    def _waves(self, source: Source) -> WaveReader:
        from npuscope.importers.mapping import Mapping

        if self._text.map is None:
            hint = "give --map; npuscope signals FILE --propose writes one"
            raise NpuscopeError("a waveform needs a mapping of its signals to layers", file=self.names[0], hint=hint)
        self._alone("waveform")
        wave = open_waveform(source, self._text.backend, allow_backwards=self._text.allow_backwards)
        mapping = Mapping.from_toml(os.fspath(self._text.map), wave.variables)
        self._waves_read = WaveReader(wave, mapping, time_unit_ps=self._text.time_unit_ps or self._text.clock_period_ps)
        return self._waves_read

    def _alone(self, what: str) -> None:
        if len(self.names) > 1:
            raise NpuscopeError(
                f"more than one {what}", found=" and ".join(self.names[:2]), hint="read them one by one"
            )

    def _watch(self, source: Source, reader: Reader) -> Iterator[Batch]:
        """Hand the batches on, tell the progress, and keep the ledger when all were taken."""
        self.on_time_unit(reader.ledger.time_unit)
        with source:
            self._reading = reader.ledger
            for batch in reader:
                if self._progress is not None:
                    self._progress(source.position, source.size)
                yield batch
        self._ledger = reader.ledger
        for note in self.notes:
            self._ledger.note(note)

    @cached_property
    def timeline(self) -> Timeline:
        """Hot, dry and backpressure of every buffer, and the episodes: one pass over the capture."""
        sidecar = self._sidecar("blame" if self._blame_only else "full")
        if sidecar is None:
            return self._timeline()
        kept, note = sidecar.load()
        if kept is not None:
            timeline, self._ledger = kept
            self._reading = self._ledger
            return timeline
        rows = self._rows = self._sidecar("tables") if self._with_tables else None
        timeline = self._timeline()
        sidecar.store(timeline, self.ledger)
        if rows is not None:
            rows.store_records(self.ledger)
        if note is not None:
            self.ledger.note(note)
        return timeline

    def _sidecar(self, mode: str) -> Sidecar | None:
        """Where the timeline or the records of the tables of this capture are kept, if they are to be."""
        if not (self._cache and self.native and self._again):
            return None
        from npuscope.sidecar import Sidecar

        given = "" if self.description is None else self.description.to_json()
        return Sidecar.of(self.names, mode, repr((mode, given, self._force_desc, self._text, self.notes)))

    def _timeline(self) -> Timeline:
        """A pass over the capture."""
        blame_only = self._blame_only and self.native
        kept = BLAME_KINDSUBS if blame_only else ALL_KINDSUBS
        if self._with_tables:
            from npuscope.tables import TABLE_KINDSUBS

            kept = kept | TABLE_KINDSUBS
        source, reader = self._start(kept, across=self._with_tables)
        batches = self._watch(source, reader)
        return Timeline.build(
            self._tabulate(batches) if self._with_tables else batches,
            reader.ledger,
            self.description or (reader.description if isinstance(reader, AieReader | WaveReader) else None),
            blame_only=blame_only,
            sample_period_ns=self._text.sample_period_ns,
        )

    @property
    def links(self) -> list[Link]:
        """Of a waveform that is sampled on a clock: what each link did, in order of src and layer; else nothing."""
        _ = self.timeline
        return [] if self._waves_read is None else self._waves_read.links

    @property
    def first_ts(self) -> int | None:
        """ns TAI of the first record, None as long as a pass has not met it."""
        return None if self._reading is None else self._reading.first_ts

    def _tabulate(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Hand the batches on and keep the rows in them."""
        from npuscope.tables import TABLE_KINDSUBS, Tables

        tables = Tables(summarise=self._summarise)
        for batch in batches:
            rows = batch.only(TABLE_KINDSUBS)
            tables.feed(rows)
            if self._rows is not None:
                self._rows.add(rows)
            yield batch
        tables.finish()
        self._tables = tables

    @property
    def tables(self) -> Tables:
        """Rows of the jitter, RAS and token sources, made in the timeline's pass if so asked for, else in one more."""
        if self._tables is None and self._with_tables:
            _ = self.timeline
        if self._tables is None:
            from npuscope.tables import TABLE_KINDSUBS

            for _ in self._tabulate(self.batches(TABLE_KINDSUBS)):
                pass
        assert self._tables is not None
        return self._tables

    @property
    def jitter(self) -> npt.NDArray[np.void]:
        """Every sync pulse (``tables.JITTER``), jitter in 1/256 ns."""
        return self.tables.jitter

    @property
    def ras(self) -> npt.NDArray[np.void]:
        """Every RAS record (``tables.RAS``)."""
        return self.tables.ras

    @property
    def tokens(self) -> npt.NDArray[np.void]:
        """Every TOKEN record (``tables.TOKEN``)."""
        return self.tables.tokens

    @property
    def interrupts(self) -> npt.NDArray[np.void]:
        """Every token interrupt with its context (``tables.INTERRUPT``)."""
        return self.tables.interrupts

    @property
    def arrivals(self) -> npt.NDArray[np.void]:
        """Every token with the gap before it (``tables.tokens.ARRIVAL``)."""
        return self.tables.arrivals

    @property
    def clock_epochs(self) -> npt.NDArray[np.void]:
        """Stretches of time without a clock step (``tables.CLOCK_EPOCH``)."""
        from npuscope.tables import clock_epochs

        return clock_epochs(self.ledger)

    @property
    def ledger(self) -> Ledger:
        """What became of every byte and record; reads the capture if that was not done yet."""
        if self._ledger is None:
            _ = self.timeline
        if self._ledger is None:
            raise NpuscopeError("the pass over the capture was not finished", file=self.names[0])
        return self._ledger

    @property
    def episodes(self) -> npt.NDArray[np.void]:
        """Structured array (``timeline.EPISODE``), ns on the axis; the row is the number in ``ep:N``."""
        return self.timeline.episodes

    @cached_property
    def losses(self) -> list[tuple[int, int]]:
        """[from, to] ns on the axis of every window in which records may be missing, sorted."""
        found = zip(self.ledger.windows, self.places, strict=True)
        return sorted(place for window, place in found if window.cause is not Cause.STOPPED)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """[from, to] ns on the axis of each window of the ledger, in its order."""
        return place(self.ledger.windows, self.timeline)

    def stalls(self, window: tuple[int, int] | None = None) -> Stalls:
        """Who stalls whom in ``window`` = [from, to) ns on the axis, default the whole recording."""
        from npuscope.analysis import stalls

        if self.kind == TILES and self._text.map is None:
            hint = "give --map with the design's MLIR or a TOML; npuscope signals FILE --propose writes one"
            raise NpuscopeError("which slots are stalls is not known", file=self.names[0], hint=hint)
        timeline = self.timeline
        with counted_in(self.ledger.time_unit):
            return stalls(timeline, timeline.description, window)

    def occupancy(self) -> list[Level]:
        """Per buffer the times (ns on the axis) and occupancy codes (1/64) that were told; takes a pass of its own."""
        from npuscope.occupancy import occupancy

        return occupancy(self.batches(ALL_KINDSUBS), self.timeline.description)

    @cached_property
    def losses_by_source(self) -> list[tuple[str, Intervals]]:
        """Name and merged [from, to) ns on the axis of the windows in ``losses``, for each source, all sources last."""
        found: dict[int, list[tuple[int, int]]] = {}
        for window, (low, high) in zip(self.ledger.windows, self.places, strict=True):
            if window.cause is not Cause.STOPPED:
                src = SRC_FRAMER + 1 if window.src is None else window.src
                found.setdefault(src, []).append((low, high + 1))
        names = {SRC_FRAMER + 1: "all sources"}
        return [(names.get(src, f"source {src}"), make(*zip(*found[src], strict=True))) for src in sorted(found)]

    @cached_property
    def propagation(self) -> Propagation:
        """Which episode follows which: ``links``, ``path(n)``, ``trees(window, most)``, ``chains(window, most)``."""
        from npuscope.analysis import propagation

        return propagation(self.timeline)

    def trust(self) -> list[Trust]:
        """How far the answers can be believed: loss, damage, coverage, end, clock, graph, limits."""
        from npuscope.views.trust import trust

        with counted_in(self.ledger.time_unit):
            return trust(self.ledger, self.timeline)

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict and the heat map."""
        from npuscope.views.notebook import notebook

        with counted_in(self.ledger.time_unit):
            return notebook(self)

    def __repr__(self) -> str:
        return f"<npuscope.Capture {', '.join(self.names)}>"


def open(
    paths: Path | Iterable[Path],
    *,
    graph: Path | Description | None = None,
    force_desc: bool = False,
    text: Text | None = None,
    blame_only: bool = False,
    with_tables: bool = False,
    summarise: bool = False,
    progress: Progress | None = None,
    jobs: int = 1,
    cache: bool = False,
) -> Capture:
    """The capture in ``paths``: files, globs, folders, a named pipe, or ``-`` for stdin; several are one capture.

    graph: TOML file or ``Description`` of buffers and stages; default that of the header page, else an assumed chain.
    force_desc: take it even when its hash is not the one in the stream. text: how to read a legacy text dump.
    blame_only: a faster pass that leaves the bp lanes unknown. with_tables: fill the tables in the timeline's pass, so
    that a pipe has both; summarise: and their statistics (``tables.summary``). progress: see ``Progress``.
    jobs: processes that read ahead where that is worth it, without influence on the answer. cache: keep the timeline
    in a file next to the first one, or take it from there if nothing has changed (``sidecar``).
    Raises NpuscopeError: exit code 2 for what cannot be read or is empty, 5 for a format that is not known.
    """
    return Capture(
        paths,
        graph=graph,
        force_desc=force_desc,
        text=text,
        blame_only=blame_only,
        with_tables=with_tables,
        summarise=summarise,
        progress=progress,
        jobs=jobs,
        cache=cache,
    )
