"""The graph of buffers as the blame rules need it, by buffer index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from npuscope.description import Description

__all__ = ["Graph"]


@dataclass(frozen=True)
class Graph:
    """Successors, predecessors and orders of a description's buffers."""

    description: Description

    @property
    def size(self) -> int:
        """Number of buffers."""
        return len(self.description.buffers)

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Per buffer the outputs of its consumers."""
        return self.description.successors

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """Per buffer the inputs of its producer."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for u, after in enumerate(self.successors):
            for v in after:
                found[v].append(u)
        return tuple(map(tuple, found))

    @cached_property
    def downstream_first(self) -> tuple[int, ...]:
        """Every buffer after all its successors; in a cyclic graph as far as that goes."""
        done: dict[int, None] = {}
        for root in range(self.size):
            stack = [(root, iter(self.successors[root]))] if root not in done else []
            opened = {root}
            while stack:
                u, rest = stack[-1]
                v = next((v for v in rest if v not in done and v not in opened), None)
                if v is None:
                    done[u] = None
                    stack.pop()
                else:
                    opened.add(v)
                    stack.append((v, iter(self.successors[v])))
        return tuple(done)

    @cached_property
    def cyclic(self) -> bool:
        """Whether some buffer can wait for itself."""
        place = {u: i for i, u in enumerate(self.downstream_first)}
        return any(place[v] > place[u] for u in place for v in self.successors[u])

    @cached_property
    def is_chain(self) -> bool:
        """Whether every buffer has at most one successor and one predecessor, with no join and no cycle."""
        alone = all(len(after) <= 1 for after in self.successors)
        return alone and not self.cyclic and not any(self.at_join)

    @cached_property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """Per buffer all buffers upstream of it."""
        found: list[frozenset[int]] = []
        for start in range(self.size):
            seen: set[int] = set()
            todo = list(self.predecessors[start])
            while todo:
                u = todo.pop()
                if u not in seen:
                    seen.add(u)
                    todo.extend(self.predecessors[u])
            found.append(frozenset(seen))
        return tuple(found)

    @cached_property
    def at_join(self) -> tuple[bool, ...]:
        """Per buffer whether a stage that drains it has another input."""
        inputs = self.description.inputs
        return tuple(any(len(inputs[stage]) > 1 for stage in b.consumers) for b in self.description.buffers)
