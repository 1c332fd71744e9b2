"""Rule 3, the join walk: a root before a join that misses another input is not the join's fault."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.analysis.graph import Graph
from npuscope.analysis.states import Words
from npuscope.description import SOURCE

__all__ = ["State", "Walker"]


@dataclass(frozen=True)
class State:
    """One state of all buffers, as integers with a bit per buffer."""

    hot: int
    unknown: int
    dry: int
    dry_unknown: int

    @classmethod
    def of(cls, planes: dict[str, Words], column: int) -> State:
        """The state in one column of a board."""
        names = ("hot", "unknown", "dry", "dry_unknown")
        return cls(
            *(
                sum(word << 64 * i for i, word in enumerate(planes[name][:, column].tolist())) if name in planes else 0
                for name in names
            )
        )


class _NotKnown(Exception):
    """The walk met a buffer whose state is not known."""


class Walker:
    """Walks with memory: one walk per distinct (root, state)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._memo: dict[tuple[int, State], frozenset[str] | None] = {}

    def other_inputs(self, root: int) -> tuple[int, ...]:
        """The other inputs of the stages that drain ``root``."""
        inputs = self.graph.description.inputs
        stages = self.graph.description.buffers[root].consumers
        return tuple(dict.fromkeys(x for stage in stages for x in inputs[stage] if x != root))

    def culprits(self, root: int, state: State) -> frozenset[str] | None:
        """Who is to blame for ``root``; None: not known."""
        key = (root, state)
        if key not in self._memo:
            try:
                self._memo[key] = frozenset(self._of_root(root, state, root, set()))
            except _NotKnown:
                self._memo[key] = None
        return self._memo[key]

    def _of_root(self, root: int, state: State, origin: int, seen: set[tuple[str, int]]) -> set[str]:
        """From a root into the dry other inputs of its join; its own consumer if there are none."""
        found: set[str] = set()
        for x in self.other_inputs(root):
            if self._is(x, state.dry, state.dry_unknown):
                found |= self._upstream(x, state, origin, seen)
        return found or {self.graph.description.buffers[root].drain}

    def _upstream(self, x: int, state: State, origin: int, seen: set[tuple[str, int]]) -> set[str]:
        """Upstream from the dry buffer x: through stages with dry inputs, around stages blocked by a hot output."""
        if ("buffer", x) in seen:
            return set()
        seen.add(("buffer", x))
        description = self.graph.description
        stage = description.buffers[x].producer
        if stage is None:
            return {SOURCE}
        found: set[str] = set()
        for above in description.inputs[stage]:
            if self._is(above, state.dry, state.dry_unknown):
                found |= self._upstream(above, state, origin, seen)
        if found:
            return found
        for y in description.outputs[stage]:
            if self._is(y, state.hot, state.unknown):
                for root in self._roots(y, state):
                    if root == origin:
                        found.add(f"shallow({description.buffers[origin].name})")
                    elif ("root", root) not in seen:
                        seen.add(("root", root))
                        found |= self._of_root(root, state, origin, seen)
        return found or {stage}

    def _roots(self, start: int, state: State) -> list[int]:
        """Hot buffers without hot successor that the hot buffer ``start`` waits for; all states must be known."""
        seen, todo, roots = {start}, [start], []
        while todo:
            u = todo.pop()
            after = [v for v in self.graph.successors[u] if self._is(v, state.hot, state.unknown)]
            if not after:
                roots.append(u)
            for v in after:
                if v not in seen:
                    seen.add(v)
                    todo.append(v)
        return sorted(roots)

    @staticmethod
    def _is(buffer: int, true: int, unknown: int) -> bool:
        if unknown >> buffer & 1:
            raise _NotKnown
        return bool(true >> buffer & 1)
