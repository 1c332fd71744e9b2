"""From each threshold to its evidence: tests, proofs, mutants, boundary bins and how each stands; gaps are rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npuscope.dv.book import Book, Threshold
from npuscope.dv.evidence import Evidence, State
from npuscope.dv.plan import PROOF
from npuscope.sim import SIMULATORS

__all__ = ["Link", "matrix", "rows_json"]


@dataclass(frozen=True)
class Link:
    """A threshold and one thing that must stand behind it."""

    threshold: Threshold
    what: str  # test, proof, mutant, bin
    name: str
    state: State


def matrix(book: Book, evidence: Evidence, names: tuple[str, ...] = ()) -> list[Link]:
    """All links of the chosen thresholds that hardware holds."""
    found: list[Link] = []
    for threshold in book.select(names):
        if threshold.parameter is not None:
            found += _links(book, evidence, threshold)
    return found


def _links(book: Book, evidence: Evidence, t: Threshold) -> list[Link]:
    links = []
    for bench, point, tests in book.points(t.id):
        for test in tests:
            what = "proof" if test.startswith(PROOF) else "test"
            name = f"{bench} {point} {test.removeprefix(PROOF)}"
            links.append(Link(t, what, name, evidence.state(bench, test)))
    if not any(link.what == "test" for link in links):
        links.append(Link(t, "test", "no test in any plan", State.GAP))
    if not any(link.what == "proof" for link in links):
        links.append(Link(t, "proof", "no proof looks at it", State.GAP))
    if t.compares:
        links += [Link(t, "bin", name, evidence.bin(t.id, name)) for name in t.bins]
    for m in t.mutants:
        links += [Link(t, "mutant", f"{m.name} {sim}", evidence.mutant(m.bench, m.name, sim)) for sim in SIMULATORS]
    return links


def rows_json(book: Book, links: list[Link]) -> list[dict[str, Any]]:
    """A row for each threshold with the state of each kind of evidence."""
    rows = []
    for t in dict.fromkeys(link.threshold.id for link in links):
        mine = [link for link in links if link.threshold.id == t]
        entry = mine[0].threshold
        row: dict[str, Any] = {"id": t, "figure": entry.figure, "parameter": entry.parameter, "csr": entry.csr}
        row["operator"], row["value"], row["unit"] = entry.operator, entry.value, entry.unit
        for what in dict.fromkeys(link.what for link in mine):
            states = [link.state for link in mine if link.what == what]
            row[what] = {"state": State.worst(states), "count": len(states)}
        row["state"] = State.worst(link.state for link in mine)
        row["open"] = [f"{link.what} {link.name}: {link.state}" for link in mine if link.state is not State.VERIFIED]
        rows.append(row)
    return rows
