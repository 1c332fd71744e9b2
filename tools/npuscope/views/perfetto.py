"""A capture as a Perfetto trace, for ui.perfetto.dev: a lane per buffer, arrows for propagation, counters, loss.

On a lane stand full episodes, empty and unknown time, none over another. An arrow leads from an episode to each that
follows it and did not begin before it. Times are ns TAI on the axis of the timeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.analysis.graph import Graph
from npuscope.analysis.propagation import Propagation
from npuscope.intervals import Intervals, subtract, union
from npuscope.layout import RasClass, TokenSub
from npuscope.occupancy import Level
from npuscope.tables import Tables
from npuscope.timeline import Timeline
from npuscope.units import safe
from npuscope.views.protobuf import Bytes, Template, number, text, weave

__all__ = ["perfetto"]

I8 = npt.NDArray[np.int64]

# Field numbers of perfetto/trace/trace_packet.proto, track_event.proto and track_descriptor.proto.
PACKET: Final = 1
TIMESTAMP, SEQUENCE_ID, TRACK_EVENT, SEQUENCE_FLAGS, TRACK_DESCRIPTOR = 8, 10, 11, 13, 60
ANNOTATION, TYPE, TRACK, CATEGORY, NAME, COUNTER_VALUE, DOUBLE_VALUE = 4, 9, 11, 22, 23, 30, 44
FLOW, LAST_FLOW = 47, 48
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
UUID, TRACK_NAME, PARENT, COUNTER_TRACK, ORDERING, RANK = 1, 2, 5, 8, 11, 12
UNIT_NAME: Final = 6
VALUE, ANNOTATION_NAME = 4, 10
EXPLICIT: Final = 3
CLEARED: Final = 1
TIME_BYTES: Final = 9
"""63 bits."""
ID_BYTES: Final = 5

ROOT: Final = 1
"""Track of the whole capture; the others are numbered from there."""
_CHUNK: Final = 1 << 16


def perfetto(
    timeline: Timeline,
    found: Propagation,
    levels: Iterable[Level],
    losses: Sequence[tuple[str, Intervals]],
    tables: Tables,
    title: str,
) -> Iterator[bytes]:
    """The trace in pieces. levels: per buffer, or none. losses: name and windows of each source."""
    track = ROOT
    yield _descriptor(ROOT, text(TRACK_NAME, safe(title)) + number(ORDERING, EXPLICIT), first=True)
    buffers = timeline.description.buffers
    arrows = _arrows(timeline, found)
    places = {u: ROOT + 1 + u for u in range(len(buffers))}
    for u, buffer in enumerate(buffers):
        yield _track(places[u], f"{buffer.name} > {buffer.drain}", u)
    for u in Graph(timeline.description).downstream_first:  # of equal times the first begins an arrow
        yield from _lane(timeline, u, places[u], arrows)
    track += len(buffers)
    for name, windows in losses:
        track += 1
        yield _track(track, f"lost: {name}", track)
        yield from _slices(windows, "lost", track)
    for u, level in enumerate(levels):
        if len(level.time):
            track += 1
            yield _track(track, f"{buffers[u].name} occupancy", track, unit="1/64")
            yield from _counter(level, track)
    yield from _events(tables, track)


def _packet(body: Template) -> Template:
    return Template().nest(PACKET, body.add(number(SEQUENCE_ID, 1)))


def _descriptor(uuid: int, rest: bytes, *, first: bool = False) -> bytes:
    flags = number(SEQUENCE_FLAGS, CLEARED) if first else b""
    return _packet(Template(text(TRACK_DESCRIPTOR, number(UUID, uuid) + rest) + flags)).data


def _track(uuid: int, name: str, rank: int, unit: str = "") -> bytes:
    counter = text(COUNTER_TRACK, text(UNIT_NAME, unit)) if unit else b""
    return _descriptor(uuid, text(TRACK_NAME, safe(name)) + number(PARENT, ROOT) + number(RANK, rank) + counter)


def _event(kind: int, track: int, name: str = "", time: str = "start") -> tuple[Template, Template]:
    """A packet with its time, and the event that goes into it."""
    event = Template(number(TYPE, kind) + number(TRACK, track) + (text(NAME, name) if name else b""))
    return Template().varint(TIMESTAMP, time, TIME_BYTES), event


def _close(packet: Template, event: Template) -> Template:
    return _packet(packet.nest(TRACK_EVENT, event))


def _note(event: Template, name: str) -> Template:
    """A number shown with a slice."""
    return event.nest(ANNOTATION, Template(text(ANNOTATION_NAME, name)).varint(VALUE, name, ID_BYTES))


def _arrows(timeline: Timeline, found: Propagation) -> tuple[I8, npt.NDArray[np.bool_], I8]:
    """Followers of each episode by arrow, in order of the parent; which episodes an arrow leads to; their number."""
    links = found.links
    drawn = (links["parent"] >= 0) & (links["delay"] >= 0)
    to = np.flatnonzero(drawn)
    to = to[np.argsort(links["parent"][to], kind="stable")]
    return to, drawn, np.bincount(links["parent"][drawn], minlength=len(links)).astype(np.int64)


def _lane(timeline: Timeline, u: int, track: int, arrows: tuple[I8, npt.NDArray[np.bool_], I8]) -> Iterator[bytes]:
    episodes = timeline.episodes
    mine = np.flatnonzero(episodes["buffer"] == u)
    full = np.column_stack([episodes["start"][mine], episodes["end"][mine]])
    unknown = timeline.hot[u].unknown
    empty = subtract(timeline.dry[u].true, union(unknown, full[full[:, 0] < full[:, 1]]))
    spans = np.concatenate([full, unknown, empty])
    what = np.repeat(["full", "unknown", "empty"], [len(full), len(unknown), len(empty)])
    order = np.lexsort((spans[:, 1], spans[:, 0]))
    number_of = np.full(len(spans), -1)
    number_of[: len(mine)] = mine
    followers, led_to, count = arrows
    place = np.cumsum(count) - count
    ends = _close(*_event(END, track, time="end"))
    for low in range(0, len(order), _CHUNK):
        some = order[low : low + _CHUNK]
        ids = number_of[some]
        pieces: list[tuple[npt.NDArray[np.intp], Bytes]] = []
        for name in ("unknown", "empty"):
            at = np.flatnonzero(what[some] == name)
            if len(at):
                start = _close(*_event(BEGIN, track, name))
                pieces.append((at, _pairs(start, ends, spans[some[at]], {})))
        at = np.flatnonzero(ids >= 0)
        shape = count[ids[at]] * 2 + led_to[ids[at]]
        for key in np.unique(shape).tolist():
            rows = at[shape == key]
            number_here = ids[rows]
            packet, event = _event(BEGIN, track, "full")
            _note(_note(event, "episode"), "peak")
            columns: dict[str, npt.NDArray[np.generic]] = {
                "episode": number_here,
                "peak": episodes["peak"][number_here],
            }
            if key & 1:
                event.fixed64(LAST_FLOW, "episode_flow")
                columns["episode_flow"] = number_here.astype("<u8") + np.uint64(1)
            for i in range(key >> 1):
                event.fixed64(FLOW, f"flow{i}")
                columns[f"flow{i}"] = followers[place[number_here] + i].astype("<u8") + np.uint64(1)
            pieces.append((rows, _pairs(_close(packet, event), ends, spans[some[rows]], columns)))
        yield from weave(pieces)


def _pairs(start: Template, end: Template, spans: Intervals, columns: dict[str, npt.NDArray[np.generic]]) -> Bytes:
    """Begin and end of each span in one row."""
    columns = columns | {"start": spans[:, 0], "end": spans[:, 1]}
    return np.hstack([start.rows(len(spans), columns), end.rows(len(spans), columns)])


def _slices(spans: Intervals, name: str, track: int) -> Iterator[bytes]:
    start, end = _close(*_event(BEGIN, track, name)), _close(*_event(END, track, time="end"))
    yield _pairs(start, end, spans, {}).tobytes()


def _counter(level: Level, track: int) -> Iterator[bytes]:
    packet, event = _event(COUNTER, track)
    whole = _close(packet, event.varint(COUNTER_VALUE, "occ", 1))
    for low in range(0, len(level.time), _CHUNK):
        time, occ = level.time[low : low + _CHUNK], level.occ[low : low + _CHUNK]
        yield whole.rows(len(time), {"start": time, "occ": occ}).tobytes()


def _events(tables: Tables, track: int) -> Iterator[bytes]:
    """Tokens, interrupts and RAS as instants, jitter as a counter; a track for each that there is."""
    if len(tables.tokens):
        track += 1
        yield _track(track, "tokens", track)
        yield from _instants(tables.tokens, "sub", {int(sub): sub.name.lower() for sub in TokenSub}, ("token",), track)
    if len(tables.interrupts):
        track += 1
        yield _track(track, "token interrupts", track)
        yield from _instants(tables.interrupts, "src", {}, ("token", "cause"), track, "interrupt")
    if len(tables.ras):
        track += 1
        yield _track(track, "RAS", track)
        names = {int(kind): kind.name for kind in RasClass}
        yield from _instants(tables.ras, "class", names, ("severity", "count", "unit"), track)
    if len(tables.jitter):
        track += 1
        yield _track(track, "sync jitter", track, unit="ns")
        packet, event = _event(COUNTER, track)
        whole = _close(packet, event.fixed64(DOUBLE_VALUE, "jitter"))
        rows = tables.jitter
        yield whole.rows(len(rows), {"start": rows["time"], "jitter": rows["jitter"] / 256}).tobytes()


def _instants(
    rows: npt.NDArray[np.void], key: str, names: dict[int, str], notes: tuple[str, ...], track: int, other: str = "?"
) -> Iterator[bytes]:
    """One instant per row, named by its ``key``, with ``notes``."""
    for value in np.unique(rows[key]).tolist():
        mine = rows[rows[key] == value]
        packet, event = _event(INSTANT, track, names.get(value, other))
        for note in notes:
            _note(event, note)
        columns = {note: mine[note] for note in notes}
        yield _close(packet, event).rows(len(mine), columns | {"start": mine["time"]}).tobytes()
