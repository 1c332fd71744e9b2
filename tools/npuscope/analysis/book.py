"""Causes, interned: a *token* is (root buffer, culprit), an *entry* what is known of one victim's cause at one time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from npuscope.analysis.graph import Graph

__all__ = ["ANYBODY", "Book", "Entry", "Status", "Token"]

Token = tuple[int, str]
"""(buffer in front of the culprit, culprit); buffer -1: a wait cycle."""


class Status(IntEnum):
    """What kind of cause an entry is."""

    ACTIVE = 0  # somebody holds the victim up now
    DRAINING = 1  # the cause has gone, its backlog has not (rule 4)
    AMBIGUOUS = 2  # an active and a held cause that differ: both are named, the time counts as unknown
    ANYBODY = 3  # loss hides it: it may be anybody


@dataclass(frozen=True)
class Entry:
    """may: tokens that can be causes; must: those that certainly are. exact when both are the same."""

    may: frozenset[Token]
    must: frozenset[Token]
    status: Status

    @property
    def exact(self) -> bool:
        """Whether the causes are certain."""
        return self.may == self.must and self.status != Status.ANYBODY


ANYBODY: Final = 0
"""Id of the entry of which nothing is known."""


class Book:
    """Interned entries and how they combine."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.entries: list[Entry] = []
        self._ids: dict[Entry, int] = {}
        self._kept: dict[tuple[tuple[int, ...], bool], int] = {}
        self.intern(Entry(frozenset(), frozenset(), Status.ANYBODY))

    def intern(self, entry: Entry) -> int:
        """The id of an entry."""
        found = self._ids.get(entry)
        if found is None:
            found = self._ids[entry] = len(self.entries)
            self.entries.append(entry)
        return found

    def fresh(self, tokens: frozenset[Token]) -> int:
        """A certain cause at work."""
        return self.intern(Entry(tokens, tokens, Status.ACTIVE))

    def held(self, sources: tuple[int, ...], drain: str) -> int:
        """The cause that a buffer of consumer ``drain`` keeps from entries: draining unless that is the consumer."""
        return self.held_by(sources, own=all(name == drain for i in sources for _, name in self.entries[i].may))

    def held_by(self, sources: tuple[int, ...], *, own: bool) -> int:
        """The same; own: the consumer is all that the entries name."""
        key = (sources, own)
        if key not in self._kept:
            entries = [self.entries[i] for i in sources]
            tokens = frozenset[Token]().union(*(entry.may for entry in entries))
            known = all(entry.exact for entry in entries)
            entry = Entry(tokens, tokens, Status.ACTIVE if own else Status.DRAINING)
            self._kept[key] = self.intern(entry) if known else ANYBODY
        return self._kept[key]

    def combine(self, may: list[int], must: list[int]) -> int:
        """The entry of a victim whose possible and certain roots have these entries."""
        if not may or ANYBODY in may:
            return ANYBODY
        if len(may) == 1 and may == must:
            return may[0]
        possible = [self.entries[i] for i in may]
        if any(entry.status == Status.AMBIGUOUS or not entry.exact for entry in possible):
            return ANYBODY
        held = frozenset[Token]().union(*(e.may for e in possible if e.status == Status.DRAINING))
        tokens = held.union(*(e.may for e in possible))
        certain = frozenset[Token]().union(*(self.entries[i].may for i in must))
        held_names, fresh_names = {name for _, name in held}, {name for _, name in tokens - held}
        status = Status.DRAINING if held else Status.ACTIVE
        if held_names and fresh_names:
            differ = held_names != fresh_names or (tokens != certain and len(held_names) > 1)
            status = Status.AMBIGUOUS if differ else status
        return self.intern(Entry(tokens, certain, status))
