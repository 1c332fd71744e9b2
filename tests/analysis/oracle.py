"""The blame rules, nanosecond by nanosecond for states that are fully known: slow, the judge of the sweep."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from npuscope.description import SOURCE, Description

Token = tuple[int, str]
"""(hot buffer where the wait ends, culprit); buffer -1: a cycle."""


@dataclass
class Memory:
    """What buffer u remembers: since when it is hot and waits, its last cause, and the cause it keeps until when."""

    hot_since: int | None = None
    waiting_since: int | None = None
    cause: frozenset[Token] = frozenset()
    drain_until: int | None = None
    held: frozenset[Token] = frozenset()
    kept: frozenset[str] | None = None
    kept_since: int = 0
    refill_until: int | None = None


@dataclass
class Blame:
    """Time of each victim by cause, as exact fractions of ns; ambiguous: fresh and held causes that differ."""

    active: dict[tuple[int, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    draining: dict[tuple[int, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    ambiguous: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    hot: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    by_time: list[tuple[int, int, dict[int, tuple[frozenset[str], bool]]]] = field(default_factory=list)


def blame(graph: Description, hot: list[list[bool]], dry: list[list[bool]], times: list[int]) -> Blame:
    """Blame of all buffers; row i of ``hot`` and ``dry`` (by buffer) holds in [times[i], times[i + 1])."""
    out = Blame()
    memories = [Memory() for _ in graph.buffers]
    for i in range(len(times) - 1):
        begin = times[i]
        end = times[i + 1]
        while begin < end:
            stop = _update(graph, hot[i], memories, begin, end)
            for u in range(len(graph.buffers)):
                _refill(graph, hot[i], dry[i], memories[u], u, begin)
            stop = min([stop, *(m.refill_until for m in memories if m.refill_until is not None)])
            said = {}
            for u in range(len(graph.buffers)):
                if not hot[i][u]:
                    continue
                tokens, held = _cause(graph, hot[i], dry[i], memories, u)
                out.hot[u] += stop - begin
                names = frozenset(name for _, name in tokens)
                said[u] = (names, bool(held))
                if held and tokens - held and {n for _, n in held} != {n for _, n in tokens - held}:
                    out.ambiguous[u] += stop - begin
                    continue
                book = out.draining if held else out.active
                for _, name in sorted(tokens):
                    book[u, name] += Fraction(stop - begin, len(tokens))
            out.by_time.append((begin, stop, said))
            for u in said:
                memories[u].cause = _cause(graph, hot[i], dry[i], memories, u)[0]
            begin = stop
    return out


def _update(graph: Description, hot: list[bool], memories: list[Memory], begin: int, end: int) -> int:
    """Move the memories to time ``begin``; returns until when nothing changes."""
    was_hot = [memory.hot_since is not None for memory in memories]
    since = [memory.hot_since for memory in memories]
    for u, memory in enumerate(memories):
        waits = hot[u] and any(hot[v] for v in graph.successors[u])
        if memory.waiting_since is not None and not waits:
            if hot[u]:
                memory.drain_until = begin + (begin - memory.waiting_since)
                memory.held = memory.cause
            memory.waiting_since = None
        if waits and memory.waiting_since is None:
            memory.waiting_since = begin
        if hot[u] and not was_hot[u]:
            memory.hot_since = begin
            near = _nearest(graph, was_hot, u)
            if near:
                oldest = min(since[w] for w in _upstream(graph, u) if was_hot[w])
                memory.drain_until = begin + (begin - oldest)
                memory.held = frozenset().union(*(memories[w].cause for w in near))
        if not hot[u]:
            memory.hot_since = None
        if waits or not hot[u] or (memory.drain_until is not None and memory.drain_until <= begin):
            memory.drain_until = None
    return min([end, *(m.drain_until for m in memories if m.drain_until is not None)])


def _refill(graph: Description, hot: list[bool], dry: list[bool], memory: Memory, u: int, now: int) -> None:
    """Keep the cause of a starved join while the branch refills."""
    at_join = any(len(graph.inputs[stage]) > 1 for stage in graph.buffers[u].consumers)
    is_root = hot[u] and not any(hot[v] for v in graph.successors[u])
    if not at_join or not is_root or memory.drain_until is not None:
        memory.kept = memory.refill_until = None
        return
    fresh = frozenset(culprits(graph, hot, dry, u))
    if memory.refill_until is not None and memory.refill_until <= now:
        memory.kept, memory.kept_since, memory.refill_until = fresh, memory.refill_until, None
    if memory.kept is None or fresh == memory.kept or memory.kept == {graph.buffers[u].drain}:
        memory.kept_since = memory.kept_since if fresh == memory.kept else now
        memory.kept, memory.refill_until = fresh, None
    elif memory.refill_until is None:
        memory.refill_until = now + (now - memory.kept_since)


def _upstream(graph: Description, v: int) -> set[int]:
    """All buffers upstream of v."""
    seen: set[int] = set()
    todo = [v]
    while todo:
        now = todo.pop()
        new = {w for w, after in enumerate(graph.successors) if now in after} - seen
        seen |= new
        todo += new
    return seen


def _nearest(graph: Description, hot: list[bool], v: int) -> set[int]:
    """Hot buffers upstream of v that only cool ones part from it."""
    near: set[int] = set()
    seen: set[int] = set()
    todo = [v]
    while todo:
        now = todo.pop()
        for w, after in enumerate(graph.successors):
            if now in after and w not in seen:
                seen.add(w)
                if hot[w]:
                    near.add(w)
                else:
                    todo.append(w)
    return near


def _cause(
    graph: Description, hot: list[bool], dry: list[bool], memories: list[Memory], u: int
) -> tuple[frozenset[Token], frozenset[Token]]:
    """All tokens of u and those of them that are held by a drain."""
    tokens: set[Token] = set()
    held: set[Token] = set()
    reached = _reach(graph, hot, u)
    for r in reached:
        if any(hot[v] for v in graph.successors[r]):
            continue
        if memories[r].drain_until is not None:
            tokens |= memories[r].held
            if {name for _, name in memories[r].held} != {graph.buffers[r].drain}:
                held |= memories[r].held
        elif memories[r].refill_until is not None:
            kept = {(r, name) for name in memories[r].kept or ()}
            tokens |= kept
            held |= kept
        else:
            tokens |= {(r, name) for name in culprits(graph, hot, dry, r)}
    if not tokens:
        members = sorted(v for v in reached if v in _after(graph, hot, v))
        tokens = {(-1, "cycle{" + ", ".join(graph.buffers[v].name for v in members) + "}")}
    return frozenset(tokens), frozenset(held)


def _reach(graph: Description, hot: list[bool], u: int) -> set[int]:
    return {u} | _after(graph, hot, u)


def _after(graph: Description, hot: list[bool], u: int) -> set[int]:
    seen: set[int] = set()
    todo = [u]
    while todo:
        for v in graph.successors[todo.pop()]:
            if hot[v] and v not in seen:
                seen.add(v)
                todo.append(v)
    return seen


def culprits(graph: Description, hot: list[bool], dry: list[bool], r: int) -> set[str]:
    """Rule 3: who is to blame for root r."""
    found: set[str] = set()
    for stage in graph.buffers[r].consumers:
        for x in graph.inputs[stage]:
            if x != r and dry[x]:
                found |= _walk(graph, hot, dry, r, x, set())
    return found or {graph.buffers[r].drain}


def _walk(graph: Description, hot: list[bool], dry: list[bool], r: int, x: int, seen: set[int]) -> set[str]:
    """Upstream from the dry buffer x."""
    if x in seen:
        return set()
    seen.add(x)
    stage = graph.buffers[x].producer
    if stage is None:
        return {SOURCE}
    found: set[str] = set()
    for above in graph.inputs[stage]:
        if dry[above]:
            found |= _walk(graph, hot, dry, r, above, seen)
    if found:
        return found
    for y in graph.outputs[stage]:
        if hot[y]:
            for root in sorted(v for v in _reach(graph, hot, y) if not any(hot[w] for w in graph.successors[v])):
                if root == r:
                    found.add(f"shallow({graph.buffers[r].name})")
                elif ("root", root) not in seen:
                    seen.add(("root", root))
                    more = set()
                    for join in graph.buffers[root].consumers:
                        for other in graph.inputs[join]:
                            if other != root and dry[other]:
                                more |= _walk(graph, hot, dry, r, other, seen)
                    found |= more or {graph.buffers[root].drain}
    return found or {stage}
