"""The report: one HTML file that works offline, without JavaScript and on paper."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from npuscope.analysis import Propagation, Row, Stalls
from npuscope.ledger import Ledger
from npuscope.timeline import Timeline
from npuscope.units import count, duration, percent, percent_range, size, tai
from npuscope.views import html
from npuscope.views.event_report import EventReport, lanes, sections
from npuscope.views.evidence import Episode, episode
from npuscope.views.html import text
from npuscope.views.lanes import grid
from npuscope.views.ledger import byte_table, source_table, window_table
from npuscope.views.picture import Picture, arrows, picture, tracks
from npuscope.views.propagation import chain_rows, tree_rows
from npuscope.views.stalls import cell_share
from npuscope.views.svg import heat_map
from npuscope.views.trust import Trust

__all__ = ["SCHEMA", "FileFact", "ReportData", "render"]

SCHEMA: Final = 1
"""Version of the JSON inside the page."""
CULPRITS: Final = 12
"""Rows of a table before the rest is folded."""
CARDS: Final = 5
CARD_COLUMNS: Final = 240
CARD_ROWS: Final = 16
CARD_ROW: Final = 11
CONFLICTS: Final = 100
MATRIX: Final = 40
"""Victims and culprits shown at most; the embedded JSON has all."""


@dataclass(frozen=True)
class FileFact:
    """One input: its name as given, bytes, and SHA-256 in hex (None for a pipe)."""

    name: str
    size: int
    sha256: str | None


@dataclass(frozen=True)
class ReportData:
    """All that a report shows. losses: [from, to] ns on the axis; places: those of all windows of the ledger.

    events: sync, RAS and tokens, if the capture has any. propagation: which episode follows which.
    """

    title: str
    stalls: Stalls
    timeline: Timeline
    trust: Sequence[Trust]
    losses: Sequence[tuple[int, int]]
    ledger: Ledger
    places: Sequence[tuple[int, int]]
    files: Sequence[FileFact]
    version: str
    events: EventReport | None = None
    propagation: Propagation | None = None


def render(data: ReportData) -> str:
    """The report as one HTML document."""
    stalls = data.stalls
    drawn = picture(data.timeline, data.losses, stalls.from_ns, stalls.to_ns, found=data.propagation)
    names = " ".join(shlex.quote(fact.name) for fact in data.files)
    parts = [
        _head(data),
        _trust(data.trust),
        _culprits(stalls),
        _map(drawn, names),
        lanes(data.events) if data.events else "",
        _spread(data),
        _evidence(data, names),
        sections(data.events) if data.events else "",
        _matrix(stalls),
        _buffers(stalls),
        _ledger(data),
        f"<footer>npuscope {text(data.version)} · this file asks nothing from outside · its numbers are in the page "
        "as JSON, element npuscope-data</footer>",
        html.embedded(
            "npuscope-data",
            {
                "schema": SCHEMA,
                "npuscope": data.version,
                "title": data.title,
                "origin_ns": data.timeline.start_ns,
                "time_unit": data.ledger.time_unit,
                "command": {"show": f"npuscope show {names}"},
                "files": [{"name": f.name, "bytes": f.size, "sha256": f.sha256} for f in data.files],
                "stalls": stalls.to_json(),
                "ledger": data.ledger.to_json(),
                "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in data.trust],
                "picture": drawn.to_json(),
                "events": data.events.to_json() if data.events else None,
            },
        ),
    ]
    return html.page(data.title, "\n".join(filter(None, parts)), html.asset("report.js"))


def _head(data: ReportData) -> str:
    stalls, origin = data.stalls, data.timeline.start_ns
    window = f"{duration(stalls.from_ns - origin)} .. {duration(stalls.to_ns - origin)}"
    span = f"{window} after the first record at {tai(origin)}"
    lines = [f"<p>{text(stalls.verdict)}</p>"]
    lines += [
        f"<p>Deadlock candidate {text(c.culprit)} from {duration(c.from_ns - origin)} to {duration(c.to_ns - origin)}; "
        f"last handshake at {duration(c.last_ns - origin)}.</p>"
        for c in stalls.cycles
        if c.deadlock
    ]
    return (
        f'<header><h1>{text(data.title)}</h1><p class="soft">{text(span)}</p></header>\n'
        f'<section class="verdict" aria-label="verdict">{"".join(lines)}</section>'
    )


def _trust(items: Sequence[Trust]) -> str:
    words = {"ok": "ok", "warn": "mind", "bad": "bad", "plain": ""}
    boxes = "".join(
        f'<div class="{item.mood}"><dt>{text(item.name)}<span class="mood">{words[item.mood]}</span></dt>'
        f"<dd>{text(item.text)}</dd></div>"
        for item in items
    )
    return f'<section aria-label="trust"><h2>How far to trust it</h2><dl class="trust">{boxes}</dl></section>'


def _culprits(stalls: Stalls) -> str:
    total = sum(stalls.hot_ns)
    if not total:
        return "<section><h2>Who stalls whom</h2><p>No buffer was seen full in this window.</p></section>"
    rows = [_culprit(stalls, row) for row in stalls.rows]
    rows, others = rows[:CULPRITS], rows[CULPRITS:]
    unknown = sum(stalls.unknown_ns)
    if unknown:
        rows.append(["<em>not known</em>", "", percent(unknown, total), "", duration(unknown), "", ""])
    titles = ["culprit", "in front of it", ">% of stall time", "", ">certain", ">of it draining", "stalls for sure"]
    note = (
        f"Stall time is {duration(total)}: the time that buffers were full, summed over all buffers. A range holds for "
        "everything that loss may hide; a bar is solid up to its lower and hatched up to its upper bound. Draining: "
        "the cause had gone, the buffer was still full."
    )
    more = _folded(f"{len(others)} more", html.table(titles, others)) if others else ""
    return f'<section><h2>Who stalls whom</h2>{html.table(titles, rows)}{more}<p class="soft">{note}</p></section>'


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{text(summary)}</summary>{content}</details>"


def _culprit(stalls: Stalls, row: Row) -> list[str]:
    least, most, total = stalls.share(row)
    low, high = 100 * least / total, 100 * most / total
    bar = f'<span class="bar"><i style="width:{high:.1f}%"></i><b style="width:{low:.1f}%"></b></span>'
    name = f"<strong>{text(row.culprit)}</strong>" + (
        "" if row.kind in ("stage", row.culprit) else f" ({text(row.kind)})"
    )
    names = [stalls.buffers[i] for i in row.victims]
    victims = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    roots = ", ".join(stalls.buffers[i] for i in row.roots[:4]) + (" ..." if len(row.roots) > 4 else "")
    share = percent_range(least, most, total)
    return [name, text(roots), share, bar, duration(row.min_ns), duration(row.draining_ns), text(victims)]


def _map(drawn: Picture, names: str) -> str:
    tools = "".join(
        f'<button type="button" data-do="{do}" aria-label="{label}">{face}</button>'
        for do, label, face in (
            ("in", "zoom in", "+"),
            ("out", "zoom out", "&minus;"),
            ("left", "earlier", "&larr;"),
            ("right", "later", "&rarr;"),
            ("all", "whole window", "all"),
        )
    )
    return (
        "<section><h2>Buffers over time</h2>"
        f'<div class="tools">{tools}<span id="range"></span><span>drag to zoom, double click for all</span></div>'
        f'<div class="wide">{_drawing(drawn)}</div>'
        '<div class="key"><span class="k-hot">full, part of the column\'s time</span>'
        '<span class="k-dry" style="--c:var(--dry)">empty</span><span class="k-unknown">not known</span>'
        '<span style="--c:var(--cool)">neither</span><span style="--c:var(--loss)">records lost</span></div>'
        f"{html.command(f'npuscope show {names}', 'range-command')}</section>"
    )


def _drawing(drawn: Picture) -> str:
    return heat_map(drawn.cells, drawn.losses, origin=drawn.origin, name="map", arrows=drawn.arrows)


def _spread(data: ReportData) -> str:
    """Which episodes the others follow, and along which buffers."""
    if data.propagation is None:
        return ""
    window = data.stalls.from_ns, data.stalls.to_ns
    tables = []
    for make in (tree_rows, chain_rows):
        titles, rows = make(data.propagation, window, CULPRITS)
        if rows:
            tables.append(html.table(titles, [[text(cell) for cell in row] for row in rows]))
    if not tables:
        return ""
    note = (
        "Each stall and the one it follows downstream, root first. Delay: from the root's start to that of the "
        "last buffer, median and worst; release: from the root's release to its own, median. An arrow in the pictures "
        "leads from a stall to one that follows it. ?: a tie, or loss hides it."
    )
    return f'<section><h2>How it spreads</h2>{"".join(tables)}<p class="soft">{note}</p></section>'


def _evidence(data: ReportData, names: str) -> str:
    cards = [_card(data, episode(data.timeline, number), names) for number in data.stalls.evidence[:CARDS]]
    return f"<section><h2>Evidence</h2>{''.join(cards)}</section>" if cards else ""


def _card(data: ReportData, item: Episode, names: str) -> str:
    margin = max(item.end - item.start, 50) // 2
    start = max(item.start - margin, data.timeline.start_ns)
    end = max(min(item.end + margin, data.timeline.end_ns), start + 1)
    rows = _busy_rows(data.timeline, item, start, end)
    cells = grid(tracks(data.timeline, rows), start, end, CARD_COLUMNS)
    losses = [loss for loss in data.losses if loss[1] >= start and loss[0] <= end]
    mark = (max(item.start, start), min(item.end, end))
    places = {u: row for row, u in enumerate(rows)}
    follows = arrows(data.propagation, start, end) if data.propagation is not None else []
    shown = [(a, places[u], b, places[v]) for a, u, b, v in follows if u in places and v in places]
    name = f"ep-{item.id}"
    drawing = heat_map(cells, losses, origin=item.origin, name=name, tallest=CARD_ROW, mark=mark, arrows=shown)
    more = f", {item.censored}" if item.censored else ""
    return (
        f'<article class="card"><h3>ep:{item.id} · {text(item.buffer)} full, drained by {text(item.consumer)}</h3>'
        f"<p>from {item.at}, for {item.length}, peak {item.top}{more}"
        f' <button type="button" data-from="{item.start - item.origin}" '
        f'data-to="{item.end - item.origin}">show above</button></p><div class="wide">{drawing}</div>'
        f"{html.command(f'npuscope show {names} --around ep:{item.id}')}</article>"
    )


def _busy_rows(timeline: Timeline, item: Episode, start: int, end: int) -> list[int]:
    """Indices of the buffers that are ever full or unknown in [start, end), the nearest to the episode's own first."""
    own = next(i for i, b in enumerate(timeline.description.buffers) if b.name == item.buffer)
    busy = []
    for i, lane in enumerate(timeline.hot):
        inside = [bool(np.any((a[:, 1] > start) & (a[:, 0] < end))) for a in (lane.true, lane.unknown)]
        if any(inside) or abs(i - own) <= 1:
            busy.append(i)
    return sorted(sorted(busy, key=lambda i: abs(i - own))[:CARD_ROWS])


def _matrix(stalls: Stalls) -> str:
    """Victims by culprits, share of each victim's full time."""
    if not stalls.matrix:
        return ""
    culprits = [row.culprit for row in stalls.rows][:MATRIX]
    cells = {(cell.victim, cell.culprit): cell for cell in stalls.matrix}
    victims = sorted({cell.victim for cell in stalls.matrix})[:MATRIX]
    rows = []
    for victim in victims:
        hot = stalls.hot_ns[victim]
        line = [text(stalls.buffers[victim]), duration(hot)]
        for culprit in culprits:
            cell = cells.get((victim, culprit))
            line.append(percent_range(*cell_share(stalls, cell)) if cell and hot else "")
        rows.append([*line, percent(stalls.unknown_ns[victim], hot) if hot else ""])
    titles = ["victim", ">full", *(f">{name}" for name in culprits), ">not known"]
    shown = html.table(titles, rows, "matrix")
    if len(victims) > CULPRITS or len(culprits) > CULPRITS:
        shown = _folded(f"{len(victims)} buffers by {len(culprits)} culprits", shown)
    return f"<section><h2>Share of each buffer's full time, % by culprit</h2>{shown}</section>"


def _buffers(stalls: Stalls) -> str:
    span = stalls.to_ns - stalls.from_ns
    rows = [
        [
            text(name),
            percent(stalls.coverage[i], span),
            duration(stalls.hot_ns[i]),
            percent(stalls.hot_ns[i], stalls.coverage[i]),
            duration(stalls.draining_ns[i]),
            duration(stalls.unseen_ns[i]),
        ]
        for i, name in enumerate(stalls.buffers)
    ]
    titles = ["buffer", ">known %", ">full", ">full % of known", ">of it draining", ">not known whether full"]
    return f"<section><h2>Buffers</h2>{_folded(f'all {len(rows)}', html.table(titles, rows))}</section>"


def _ledger(data: ReportData) -> str:
    facts = [[text(f.name), count(f.size), size(f.size), f.sha256 or "-"] for f in data.files]
    lines = html.table(["input", ">bytes", ">", "SHA-256"], facts)
    tables = [
        byte_table(data.ledger),
        source_table(data.ledger),
        window_table(data.ledger, data.places, data.timeline.start_ns),
    ]
    names = ("Every byte", "Records of each source", "When records may be missing")
    shown = "".join(
        f"<h3>{name}</h3>{html.table(titles, [[text(cell) for cell in row] for row in rows])}"
        for name, (titles, rows) in zip(names, tables, strict=True)
        if rows
    )
    conflicts = "".join(f"<li>{text(line)}</li>" for line in data.ledger.conflicts[:CONFLICTS])
    shown += f"<h3>Contradictions</h3><ul>{conflicts}</ul>" if conflicts else ""
    return f"<section><h2>Ledger and hashes</h2>{lines}{_folded('the whole ledger', shown)}</section>"
