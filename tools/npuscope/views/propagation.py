"""Propagation as text and plain data: which episodes the others follow, and along which buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from npuscope.analysis import Chain, Propagation, Tree
from npuscope.units import duration
from npuscope.views.evidence import episode
from npuscope.views.table import table

__all__ = ["chain_rows", "chain_table", "propagation_json", "tree_rows", "tree_table"]

ARROW: Final = " < "
SHOWN: Final = 3
"""Buffers of a path that are named; of a longer one its ends."""


Rows = tuple[list[str], list[list[str]]]
"""Titles and cells of a table."""


def tree_table(found: Propagation, window: tuple[int, int], top: int, columns: int = 80) -> str:
    """One row per root episode, that with the longest stalls behind it first."""
    titles, rows = tree_rows(found, window, top)
    text = table(titles, rows, columns=columns)
    unsure = any(row[0].endswith("?") for row in rows)
    return f"{text}\n?: a tie, or loss hides what it follows or who follows it" if unsure else text


def tree_rows(found: Propagation, window: tuple[int, int], top: int) -> Rows:
    """The cells of ``tree_table``."""
    names = _names(found)
    rows = []
    for tree in found.trees(window, top):
        it = episode(found.timeline, tree.root)
        root = f"ep:{it.id}" + ("" if tree.sure else "?")
        stall = duration(tree.stall_ns)
        rows.append([root, it.at, it.length, str(tree.episodes), stall, _path(tree.path, names)])
    return ["root", ">from", ">for", ">victims", ">they stall", "reaches"], rows


def chain_table(found: Propagation, window: tuple[int, int], top: int, columns: int = 80) -> str:
    """One row per path of buffers, that at whose end most stall time lies first."""
    titles, rows = chain_rows(found, window, top)
    return table(titles, rows, columns=columns)


def chain_rows(found: Propagation, window: tuple[int, int], top: int) -> Rows:
    """The cells of ``chain_table``."""
    names = _names(found)
    rows = [
        [
            _path(chain.path, names),
            str(chain.episodes),
            duration(chain.stall_ns),
            *("-" if ns is None else duration(ns) for ns in (chain.delay_ns, chain.worst_ns, chain.lag_ns)),
        ]
        for chain in found.chains(window, top)
    ]
    return ["path", ">stalls", ">its end", ">delay", ">worst", ">release"], rows


def propagation_json(found: Propagation, window: tuple[int, int], by: str, top: int) -> list[dict[str, Any]]:
    """The same rows as plain data: ns, names of buffers, numbers of episodes."""
    names = _names(found)
    rows: Sequence[Tree | Chain] = found.trees(window, top) if by == "episode" else found.chains(window, top)
    named = ("path", "buffers")
    return [{k: [names[i] for i in v] if k in named else v for k, v in asdict(row).items()} for row in rows]


def _names(found: Propagation) -> list[str]:
    return [buffer.name for buffer in found.timeline.description.buffers]


def _path(path: Sequence[int], names: Sequence[str]) -> str:
    """``scores < rotated < heads``: who waits for whom, the root first."""
    words = [names[i] for i in path]
    if len(words) > SHOWN:
        words = [words[0], f".. {len(words) - 2} ..", words[-1]]
    return ARROW.join(words)
