"""Who stalls whom as text: one sentence to paste, then the table with its bounds, then episodes to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from npuscope.analysis import Cell, Stalls, propagation
from npuscope.timeline import Timeline
from npuscope.units import duration, percent, percent_range, safe
from npuscope.views.evidence import episode
from npuscope.views.propagation import chain_table, tree_table
from npuscope.views.table import fields, table
from npuscope.views.trust import Trust

__all__ = ["By", "cell_share", "stalls_text"]

By = Literal["stage", "layer", "episode", "chain"]
VICTIMS: Final = 3
CAUSES: Final = 3
"""Culprits named for each victim."""


def stalls_text(
    stalls: Stalls,
    timeline: Timeline,
    trust: Sequence[Trust],
    *,
    by: By = "stage",
    top: int = 10,
    evidence: int = 3,
    command: str = "npuscope show FILE",
    columns: int = 80,
) -> str:
    """The text of ``npuscope stalls``, without a final newline.

    by: one row per culprit (``stage``), per buffer that was stalled (``layer``), per episode that others follow
    (``episode``) or per path of buffers (``chain``). top, evidence: rows at most.
    command: what shows an episode when `` --around ep:N`` is added to it.
    """
    parts = [safe(stalls.verdict), fields([(t.name, t.text) for t in trust])]
    if any(stalls.hot_ns):
        parts.append(_by(by, stalls, timeline, top, columns))
    origin = timeline.start_ns
    for cycle in stalls.cycles:
        word = "deadlock candidate" if cycle.deadlock else "wait cycle"
        span = f"{duration(cycle.from_ns - origin)} .. {duration(cycle.to_ns - origin)}"
        parts.append(f"{word} {safe(cycle.culprit)}: {span}, last handshake {duration(cycle.last_ns - origin)}")
    if evidence and stalls.evidence:
        parts.append(_evidence(timeline, stalls.evidence[:evidence], command, columns))
    return "\n\n".join(filter(None, parts))


def _by(by: By, stalls: Stalls, timeline: Timeline, top: int, columns: int) -> str:
    if by == "stage":
        return _by_stage(stalls, top, columns)
    if by == "layer":
        return _by_layer(stalls, top, columns)
    view = tree_table if by == "episode" else chain_table
    return view(propagation(timeline), (stalls.from_ns, stalls.to_ns), top, columns)


def cell_share(stalls: Stalls, cell: Cell) -> tuple[int, int, int]:
    """(low, high, whole) ns: the culprit's share of the victim's certainly hot time, which others share for sure."""
    open_ns = stalls.unknown_ns[cell.victim]
    return cell.min_ns, min(cell.max_ns, cell.min_ns + open_ns), stalls.hot_ns[cell.victim]


def _by_stage(stalls: Stalls, top: int, columns: int) -> str:
    rows = []
    for row in stalls.rows[:top]:
        names = [stalls.buffers[i] for i in row.victims]
        victims = " ".join(names[:VICTIMS]) + (f" +{len(names) - VICTIMS}" if len(names) > VICTIMS else "")
        kind = "" if row.kind in ("stage", row.culprit) else f" ({row.kind})"
        share = percent_range(*stalls.share(row))
        rows.append([row.culprit + kind, share, duration(row.min_ns), duration(row.draining_ns), victims])
    if len(stalls.rows) > top:
        rows.append([f"+{len(stalls.rows) - top} more", "", "", "", ""])
    if unknown := sum(stalls.unknown_ns):
        rows.append(["(not known)", percent(unknown, sum(stalls.hot_ns)), duration(unknown), "", ""])
    return table(["culprit", ">% of stall", ">certain", ">draining", "stalls"], rows, columns=columns)


def _by_layer(stalls: Stalls, top: int, columns: int) -> str:
    rows = []
    span = stalls.to_ns - stalls.from_ns
    order = sorted(range(len(stalls.buffers)), key=lambda i: (-stalls.hot_ns[i], i))
    hot = [i for i in order if stalls.hot_ns[i]]
    for i in hot[:top]:
        cells = sorted((c for c in stalls.matrix if c.victim == i), key=lambda c: (-c.min_ns, -c.max_ns, c.culprit))
        own = stalls.hot_ns[i]
        causes = [f"{c.culprit} {percent_range(*cell_share(stalls, c))}" for c in cells if c.max_ns]
        numbers = [
            duration(own),
            percent(own, stalls.coverage[i]),
            percent(stalls.coverage[i], span),
            percent(stalls.unknown_ns[i], own),
        ]
        rows.append([stalls.buffers[i], *numbers, causes[0] if causes else ""])
        rows += [["", "", "", "", "", cause] for cause in causes[1:CAUSES]]
    if len(hot) > top:
        rows.append([f"+{len(hot) - top} more", "", "", "", "", ""])
    titles = ["buffer", ">full", ">% of known", ">known %", ">no cause %", "because of, %"]
    return table(titles, rows, columns=columns)


def _evidence(timeline: Timeline, numbers: Sequence[int], command: str, columns: int) -> str:
    items = [episode(timeline, number) for number in numbers]
    rows = [[f"ep:{e.id}", e.buffer, e.consumer, e.at, e.length, e.top] for e in items]
    text = table(["longest", "buffer", "drained by", ">from", ">for", ">peak"], rows, columns=columns)
    return f"{text}\nlook: {safe(command)} --around ep:{items[0].id}"
