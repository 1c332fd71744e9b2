"""The report's sections on sync jitter, RAS events and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from npuscope.layout import SRC_RAS, SRC_TOKEN
from npuscope.ledger import Ledger
from npuscope.tables import Tables
from npuscope.tables.ras import coverage
from npuscope.views import html
from npuscope.views.event_svg import event_svg
from npuscope.views.events import EventCells, event_cells
from npuscope.views.html import text
from npuscope.views.jitter import (
    JitterData,
    Table,
    jitter_facts,
    jitter_json,
    jitter_verdict,
    limit_table,
    lost_of,
    spread_tables,
)
from npuscope.views.lanes import Int64
from npuscope.views.ras import ShowData, coverage_facts, event_table, headline, show_json
from npuscope.views.tokens import TokenData, flow_table, interrupt_table, token_facts, tokens_json, verdict

__all__ = ["EventReport", "event_report", "lanes", "sections"]

ROWS: Final = 20
KEYS: Final = {
    "jitter": (
        ("--c:var(--accent)", "jitter within the limits"),
        ("--c:var(--h3)", "over R"),
        ("--c:var(--h5)", "over A"),
        ("--c:var(--h6)", "over S"),
        ("--c:var(--unknown)", "no valid sample"),
    ),
    "ras": (
        ("--c:var(--soft)", "RAS: informational"),
        ("--c:var(--h3)", "corrected"),
        ("--c:var(--h5)", "recoverable"),
        ("--c:var(--h6)", "fatal"),
    ),
    "tokens": (
        ("--c:var(--good)", "tokens"),
        ("--c:var(--h5)", "after a gap over the limit"),
        ("--c:var(--dry)", "frozen"),
        ("--c:var(--ink)", "interrupt"),
    ),
}


@dataclass(frozen=True)
class EventReport:
    """What the report shows of one capture that has any such record; statistics are of the whole recording."""

    cells: EventCells
    origin: int
    jitter: JitterData
    ras: ShowData
    tokens: TokenData

    def to_json(self) -> dict[str, Any]:
        """Lanes as drawn, and what ``jitter``, ``tokens`` and ``ras show`` print as JSON, without their trust lines."""
        parts = {"jitter": jitter_json(self.jitter), "tokens": tokens_json(self.tokens), "ras": show_json(self.ras)}
        for part in parts.values():
            for key in ("files", "trust", "origin_tai_ns", "window_ns"):
                del part[key]
        return {"lanes": self.cells.to_json(self.origin), **parts}


def event_report(tables: Tables, ledger: Ledger, edges: Int64, origin: int) -> EventReport | None:
    """The report's data, None when the capture has no such record. edges: columns of the picture, ns on the axis."""
    summary = tables.summary
    if not tables.any or summary is None:
        return None
    lost = lost_of(ledger)
    return EventReport(
        cells=event_cells(tables, edges),
        origin=origin,
        jitter=JitterData((), list(summary.jitter.values()), origin, None, lost, ()),
        ras=ShowData((), summary.ras, coverage(summary.ras, tables.gaps), origin, lost.get(SRC_RAS, (0, False)), ()),
        tokens=TokenData((), summary.tokens.flow, origin, None, lost.get(SRC_TOKEN, (0, False)), ()),
    )


def lanes(found: EventReport) -> str:
    """The drawing, in the columns of the heat map."""
    keys = "".join(f'<span style="{style}">{name}</span>' for lane in found.cells.present for style, name in KEYS[lane])
    return (
        "<section><h2>Sync, RAS and tokens over time</h2>"
        f"{event_svg(found.cells, origin=found.origin, name='events')}"
        f'<div class="key">{keys}<span class="k-lines">records may be missing</span></div></section>'
    )


def sections(found: EventReport) -> str:
    """Sync jitter, RAS and tokens, each only if there is any."""
    return "\n".join(filter(None, (_jitter(found.jitter), _ras(found.ras), _tokens(found.tokens))))


def _table(content: Table) -> str:
    titles, rows = content
    return html.table(titles, [[text(cell) for cell in row] for row in rows])


def _facts(pairs: list[tuple[str, str]]) -> str:
    return '<p class="soft">' + "<br>".join(f"{text(name)}: {text(value)}" for name, value in pairs) + "</p>"


def _section(title: str, sentence: str, *content: str) -> str:
    return f"<section><h2>{title}</h2><p>{text(sentence)}</p>{''.join(content)}</section>"


def _jitter(data: JitterData) -> str:
    found = []
    for meter in data.meters:
        tables = [_table(each) for each in spread_tables(meter)] if meter.period.count else []
        facts = _facts(jitter_facts(data, meter))
        found.append(_section("Sync jitter", jitter_verdict(data, meter), *tables, _table(limit_table(meter)), facts))
    return "\n".join(found)


def _ras(data: ShowData) -> str:
    if not data.meter.counts and not data.meter.limits:
        return ""
    events = event_table(data, ROWS)
    left = data.meter.shown - len(events[1])
    more = f'<p class="soft">{left:,} more, see npuscope ras show</p>' if left > 0 else ""
    listed = _table(events) + more if events[1] else ""
    return _section("RAS", headline(data), listed, _facts(coverage_facts(data)))


def _tokens(data: TokenData) -> str:
    flow = data.flow
    if not flow.tokens and not flow.interrupts:
        return ""
    parts = [_table(flow_table(flow))] if flow.gaps.count else []
    if flow.interrupts:
        parts.append(_table(interrupt_table(data, ROWS)))
        left = flow.interrupts - min(flow.interrupts, ROWS)
        parts += [f'<p class="soft">{left:,} more interrupts, see npuscope tokens</p>'] if left else []
    return _section("Tokens", verdict(flow), *parts, _facts(token_facts(data)))
