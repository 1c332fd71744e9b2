"""Links of a waveform: their classes, how deep their buffers had to be, and a deadlock at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from npuscope.analysis.standstill import Wait, standstill
from npuscope.timeline import Timeline
from npuscope.units import duration, percent, safe
from npuscope.views.table import table

if TYPE_CHECKING:
    from npuscope.importers.links import Link

__all__ = ["links_json", "links_text"]


def links_json(links: Sequence[Link], timeline: Timeline) -> dict[str, Any]:
    """Plain dict with stable keys: ``links``, clock edges of each class, and ``deadlock``, null without one."""
    found = []
    for link in links:
        index = timeline.description.index.get((link.src, link.layer))
        buffer = None if index is None else timeline.description.buffers[index]
        entry: dict[str, Any] = {"name": None if buffer is None else buffer.name}
        entry["producer"] = None if buffer is None else buffer.producer
        entry["consumers"] = [] if buffer is None else list(buffer.consumers)
        found.append(entry | asdict(link))
    waits = standstill(timeline)
    deadlock = None
    if waits:
        names = [timeline.description.buffers[wait.buffer].name for wait in waits]
        deadlock = {
            "last_handshake_ns": _last(links, timeline, waits),
            "waits": [
                {"stage": wait.stage, "buffer": name, "full": wait.full}
                for wait, name in zip(waits, names, strict=True)
            ],
        }
    return {"links": found, "deadlock": deadlock}


def links_text(links: Sequence[Link], timeline: Timeline, columns: int = 80) -> str:
    """The table of links and buffers, over the whole recording, and a line on a deadlock; empty without links."""
    if not links:
        return ""
    rows = []
    for link in links:
        index = timeline.description.index.get((link.src, link.layer))
        name = f"b{link.src}.{link.layer}" if index is None else timeline.description.buffers[index].name
        shares = [percent(each, link.clocks) for each in (link.transfer, link.stalled, link.starved, link.idle)]
        if not any((link.transfer, link.stalled, link.starved)):
            shares = ["", "", "", ""]  # a level alone
        level = "" if link.high is None else f"{link.high}/{link.depth}"
        full = percent(link.full, link.clocks) if link.depth else ""
        rows.append([name, *shares, level, full, _depth(link)])
    titles = ["link", ">moves%", ">stall%", ">starve%", ">idle%", ">max", ">full%", "depth without stall"]
    text = table(titles, rows, columns=columns)
    if waits := standstill(timeline):
        last = _last(links, timeline, waits)
        parts = [
            f"{wait.stage} for {timeline.description.buffers[wait.buffer].name} ({'full' if wait.full else 'empty'})"
            for wait in waits
        ]
        since = "" if last is None else f"; last handshake at {duration(last - timeline.start_ns)}"
        text += f"\n\ndeadlock candidate: {safe(', '.join(parts))} wait in a circle{since}"
    return text


def _depth(link: Link) -> str:
    if link.least is None:
        return "not recorded" if link.depth else ""
    if link.most is None:
        return f">={link.least}"
    return str(link.least) if link.least == link.most else f"{link.least}..{link.most}"


def _last(links: Sequence[Link], timeline: Timeline, waits: Sequence[Wait]) -> int | None:
    """Time of the last handshake on the links of a circle."""
    buffers = [timeline.description.buffers[wait.buffer] for wait in waits]
    inside = {(buffer.src, buffer.layer) for buffer in buffers}
    return max((x.last_ns for x in links if (x.src, x.layer) in inside and x.last_ns is not None), default=None)
