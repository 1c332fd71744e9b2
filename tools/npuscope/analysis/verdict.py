"""From counted time to the answer: integer bounds per victim and culprit, rows, evidence, one sentence."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from npuscope.analysis.blame import Tally, tally
from npuscope.analysis.book import Book, Status
from npuscope.analysis.report import Cell, Cycle, Row, Stalls
from npuscope.description import SINK, SOURCE, Description
from npuscope.errors import NpuscopeError
from npuscope.timeline import Timeline
from npuscope.units import duration, percent_range

__all__ = ["stalls"]

EVIDENCE = 5
"""Episodes named as evidence."""
DEADLOCK_DELAYS = 10
"""A wait cycle that lasts as many longest delays is a deadlock candidate (rule 5)."""


def stalls(timeline: Timeline, description: Description | None = None, window: tuple[int, int] | None = None) -> Stalls:
    """Who stalls whom in ``window`` = [from, to) ns on the axis, default all of the timeline.

    description: the graph, default the timeline's; it must have the same buffers. Raises NpuscopeError for another
    one and for an empty window of a recording that is not empty.
    """
    description = timeline.description if description is None else description
    if [b.id for b in description.buffers] != [b.id for b in timeline.description.buffers]:
        raise NpuscopeError("the description has other buffers than the timeline")
    start, end = (timeline.start_ns, timeline.end_ns) if window is None else window
    if start >= end and window is not None:
        raise NpuscopeError("the window is empty", found=f"[{start}, {end}) ns")
    counted = tally(timeline, description, (start, end))
    plain = _Plain.of(counted.book)
    victims = [_victim(counted, u, plain) for u in range(len(description.buffers))]
    cells = tuple(cell for victim in victims for cell in victim.cells)
    rows = _rows(victims)
    coverage = timeline.coverage((start, end))
    result = Stalls(
        verdict="",
        graph_assumed=description.assumed,
        from_ns=start,
        to_ns=end,
        buffers=tuple(buffer.name for buffer in description.buffers),
        coverage=coverage,
        coverage_min=min(coverage, default=0),
        hot_ns=tuple(v.hot_ns for v in victims),
        unknown_ns=tuple(v.hot_ns - sum(cell.min_ns for cell in v.cells) for v in victims),
        unseen_ns=tuple(v.unseen_ns for v in victims),
        draining_ns=tuple(sum(cell.draining_ns for cell in v.cells) for v in victims),
        ambiguous_ns=tuple(v.ambiguous_ns for v in victims),
        rows=rows,
        matrix=cells,
        cycles=_cycles(counted, timeline, description, end),
        evidence=_evidence(timeline, rows, start, end),
        anybody_ns=tuple(v.anybody_ns for v in victims),
    )
    object.__setattr__(result, "verdict", _sentence(result, description))
    return result


@dataclass
class _Victim:
    cells: list[Cell] = field(default_factory=list)
    roots: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    hot_ns: int = 0
    unseen_ns: int = 0
    ambiguous_ns: int = 0
    anybody_ns: int = 0


@dataclass(frozen=True)
class _Plain:
    """Of each entry of a book: one certain cause and no doubt (most of them), its name, its root, only draining.

    root and name are meaningless for the ``others``. names: what ``name`` counts.
    """

    names: tuple[str, ...]
    one: npt.NDArray[np.bool_]
    name: npt.NDArray[np.int64]
    root: npt.NDArray[np.int64]
    draining: npt.NDArray[np.bool_]
    others: frozenset[int]

    @classmethod
    def of(cls, book: Book) -> _Plain:
        """Look at all entries once."""
        names: dict[str, int] = {}
        rows = []
        for entry in book.entries:
            one = len(entry.may) == 1 and entry.status <= Status.DRAINING and entry.may == entry.must
            root, name = next(iter(entry.may)) if one else (0, "")
            rows.append((one, names.setdefault(name, len(names)), root, entry.status == Status.DRAINING))
        table = np.asarray(rows, np.int64)
        others = frozenset(np.flatnonzero(table[:, 0] == 0).tolist())
        return cls(tuple(names), table[:, 0] > 0, table[:, 1], table[:, 2], table[:, 3] > 0, others)

    def add(self, times: dict[int, int], out: _Victim) -> tuple[dict[str, int], dict[str, int]]:
        """Time by name of those of ``times``, and the part in which the victim was only draining."""
        number, ns = np.fromiter(times, np.int64, len(times)), np.fromiter(times.values(), np.int64, len(times))
        mine = self.one[number]
        number, ns = number[mine], ns[mine]
        sums = np.zeros((2, len(self.names)), np.int64)
        np.add.at(sums[0], self.name[number], ns)
        np.add.at(sums[1], self.name[number], ns * self.draining[number])
        for name, root in set(zip(self.name[number].tolist(), self.root[number].tolist(), strict=True)):
            out.roots[self.names[name]].add(root)
        named = np.flatnonzero(np.bincount(self.name[number])).tolist()
        whole, draining = (dict(zip([self.names[i] for i in named], row[named].tolist(), strict=True)) for row in sums)
        return whole, draining


def _victim(counted: Tally, u: int, plain: _Plain) -> _Victim:
    """Bounds of one victim. The formulas: min = k/(k+p), max = m/(m+q), see ``_bounds``."""
    out = _Victim(hot_ns=sum(counted.hot[u].values()), unseen_ns=sum(counted.unseen[u].values()))
    low: dict[str, int] = defaultdict(int)
    above: dict[str, int] = defaultdict(int)  # max beyond what may be anybody's
    draining: dict[str, int] = defaultdict(int)
    for seen, times in ((True, counted.hot[u]), (False, counted.unseen[u])):
        whole, drained = plain.add(times, out)
        for name, ns in whole.items():
            above[name] += ns
            if seen:
                low[name] += ns
                draining[name] += drained[name]
        for number, ns in sorted((number, times[number]) for number in plain.others.intersection(times)):
            entry = counted.book.entries[number]
            if entry.status == Status.ANYBODY:
                out.anybody_ns += ns
                continue
            tokens = sorted(entry.may)
            for root, name in tokens:
                out.roots[name].add(root)
            names = list(dict.fromkeys(name for _, name in tokens))
            if entry.status == Status.AMBIGUOUS:
                out.ambiguous_ns += ns if seen else 0
                bounds = dict.fromkeys(names, (0, ns))
            elif entry.exact:
                share = _split(ns, [name for _, name in tokens])
                bounds = {name: (share[name], share[name]) for name in names}
            else:
                bounds = {name: _bounds(ns, name, entry.may, entry.must) for name in names}
            for name, (least, most) in bounds.items():
                above[name] += most
                if seen:
                    low[name] += least
                    draining[name] += least if entry.status == Status.DRAINING else 0
    for name in above:
        out.cells.append(Cell(u, name, low[name], above[name] + out.anybody_ns, draining[name]))
    out.cells.sort(key=lambda cell: (-cell.min_ns, -cell.max_ns, cell.culprit))
    return out


def _split(ns: int, names: list[str]) -> dict[str, int]:
    """``ns`` in equal parts, one per token; the remainder goes to the first (smallest root)."""
    part, rest = divmod(ns, len(names))
    share: dict[str, int] = defaultdict(int)
    for name in names:
        share[name] += part
    share[names[0]] += rest
    return share


def _bounds(ns: int, name: str, may: frozenset[tuple[int, str]], must: frozenset[tuple[int, str]]) -> tuple[int, int]:
    """min = k/(k+p), max = m/(m+q): m, k = may, must roots of the culprit; p, q = may, must roots of the others."""
    m = sum(culprit == name for _, culprit in may)
    k = sum(culprit == name for _, culprit in must)
    p, q = len(may) - m, len(must) - k
    low = ns * k // (k + p) if k else 0
    return low, -(-ns * m // (m + q)) if m else 0


def _rows(victims: list[_Victim]) -> tuple[Row, ...]:
    cells: dict[str, list[Cell]] = defaultdict(list)
    roots: dict[str, set[int]] = defaultdict(set)
    for victim in victims:
        for cell in victim.cells:
            cells[cell.culprit].append(cell)
            roots[cell.culprit] |= victim.roots[cell.culprit]
    anybody = [victim.anybody_ns for victim in victims]
    rows = [
        Row(
            culprit=name,
            kind=_kind(name),
            roots=tuple(sorted(root for root in roots[name] if root >= 0)),
            min_ns=sum(cell.min_ns for cell in mine),
            max_ns=sum(c.max_ns for c in mine) + sum(anybody) - sum(anybody[c.victim] for c in mine),
            draining_ns=sum(cell.draining_ns for cell in mine),
            victims=tuple(cell.victim for cell in mine if cell.min_ns > 0),
        )
        for name, mine in cells.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.min_ns, -row.max_ns, row.culprit)))


def _kind(name: str) -> str:
    if name in (SINK, SOURCE):
        return name
    return next(
        (kind for kind, mark in (("shallow", "shallow("), ("cycle", "cycle{")) if name.startswith(mark)), "stage"
    )


def _cycles(counted: Tally, timeline: Timeline, description: Description, end: int) -> tuple[Cycle, ...]:
    names = {buffer.name: i for i, buffer in enumerate(description.buffers)}
    out = []
    for number, start, stop in counted.cycles:
        for _, culprit in counted.book.entries[number].may:
            members = [names[name] for name in culprit.removeprefix("cycle{").removesuffix("}").split(", ")]
            changes = [start]
            for lane in (lanes[i] for lanes in (timeline.hot, timeline.dry, timeline.bp) for i in members):
                edges = lane.true.ravel()
                changes += edges[edges <= stop][-1:].tolist()
            lasting = stop - start >= DEADLOCK_DELAYS * description.max_delay_ns or stop >= min(end, timeline.end_ns)
            out.append(Cycle(culprit, start, stop, max(changes), lasting))
    return tuple(sorted(out, key=lambda cycle: (cycle.from_ns, cycle.culprit)))


def _evidence(timeline: Timeline, rows: tuple[Row, ...], start: int, end: int) -> tuple[int, ...]:
    """The longest episodes, inside the window, of the buffers that the first culprit stalls for sure."""
    if not rows or not rows[0].victims:
        return ()
    episodes, stalled = timeline.episodes, np.zeros(len(timeline.hot), np.bool_)
    stalled[list(rows[0].victims)] = True
    inside = np.minimum(episodes["end"], end) - np.maximum(episodes["start"], start)
    mine = np.flatnonzero(stalled[episodes["buffer"]] & (inside > 0))
    if len(mine) > EVIDENCE:  # of those as long as the last one to be named, all are looked at
        least = np.partition(inside[mine], -EVIDENCE)[-EVIDENCE]
        mine = mine[inside[mine] >= least]
    order = mine[np.argsort(-inside[mine], kind="stable")][:EVIDENCE]
    return tuple(int(i) for i in order)


def _sentence(result: Stalls, description: Description) -> str:
    whole = sum(result.hot_ns)
    note = f" Graph: assumed {description.assumed_as}." if result.graph_assumed else ""
    length = result.to_ns - result.from_ns
    if not whole:
        seen = "" if result.coverage_min == length else f" in the {duration(result.coverage_min)} seen of each"
        return f"Nobody stalls: no buffer was hot{seen}.{note}"
    if not result.rows or not result.rows[0].min_ns:
        return f"Not decidable: loss hides who stalls the {duration(whole)} of stall time.{note}"
    row = result.rows[0]
    low, high, _ = result.share(row)
    who = {"stage": f"stage {row.culprit}", "shallow": f"too small a buffer: {row.culprit}"}.get(row.kind, row.culprit)
    places = ", ".join(result.buffers[root] for root in row.roots)
    where = f" (in front of it: {places})" if places else ""
    worst = max((cell for cell in result.matrix if cell.culprit == row.culprit), key=lambda cell: cell.min_ns)
    return (
        f"{who[0].upper()}{who[1:]}{where} causes {percent_range(low, high, whole)} % of {duration(whole)} stall time "
        f"in {len(row.victims)} of {len(result.buffers)} buffers, most in {result.buffers[worst.victim]} "
        f"({duration(worst.min_ns)}).{note}"
    )
