"""What a link did, clock by clock: its four classes, its last handshake, and how deep its buffer had to be.

Counts are clock edges. A buffer of ``depth`` words with a link at its input: while the producer was held up, a deeper
buffer would have taken at most a word a clock, so the level that it would have reached lies between two bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from npuscope.importers.mapping import LayerSignals

__all__ = ["Link", "Sampled", "link_of"]

I8 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Sampled:
    """Signals of a layer, -1 where unknown, None if it has none; each holds up to the next time (u8 (n,), counts)."""

    time: U8
    level: I8 | None
    valid: I8 | None
    ready: I8 | None


@dataclass(frozen=True)
class Link:
    """src, layer: which. clocks: edges seen; transfer, stalled, starved, idle, unknown: edges of each class.

    last_ns: time of the last handshake, None if there was none. depth: words of the buffer, 0 for a link without.
    high: highest level. full: edges at which it was full. least, most: depth without which there was a stall, and with
    which there surely is none; None: not to be told from this recording.
    """

    src: int
    layer: int
    clocks: int
    transfer: int = 0
    stalled: int = 0
    starved: int = 0
    idle: int = 0
    unknown: int = 0
    last_ns: int | None = None
    depth: int = 0
    high: int | None = None
    full: int = 0
    least: int | None = None
    most: int | None = None


def link_of(layer: LayerSignals, sampled: Sampled, time_ns: I8, edges: U8) -> Link:
    """The link of a layer that is sampled at ``edges``; time_ns: of ``sampled.time``."""
    at = np.searchsorted(edges, sampled.time)
    lasts = np.diff(np.append(at, len(edges)))  # edges for which each sample holds
    before = int(at[0]) if len(at) else len(edges)
    valid, ready = sampled.valid, sampled.ready
    counts: dict[str, int] = {"unknown": before}
    last_ns = None
    stalled = np.zeros(len(at), np.bool_)
    if valid is not None and ready is not None:
        stalled = (valid == 1) & (ready == 0)
        transfer = (valid == 1) & (ready == 1)
        for name, rows in (
            ("transfer", transfer),
            ("stalled", stalled),
            ("starved", (valid == 0) & (ready == 1)),
            ("idle", (valid == 0) & (ready == 0)),
        ):
            counts[name] = int(lasts[rows].sum())
        counts["unknown"] = len(edges) - sum(counts[name] for name in ("transfer", "stalled", "starved", "idle"))
        if transfer.any():
            row = int(np.flatnonzero(transfer)[-1])
            after = at[row] + lasts[row] - 1  # the last edge at which it holds
            first, final = int(edges[at[row]]), int(edges[after])
            last_ns = int(time_ns[row])
            if final != first:  # same scale as between the other samples
                span = int(sampled.time[-1]) - first
                if span:
                    last_ns += (int(time_ns[-1]) - last_ns) * (final - first) // span
    elif sampled.level is None:
        return Link(layer.src, layer.layer, len(edges), unknown=len(edges))
    else:
        counts = {"unknown": before + int(lasts[sampled.level < 0].sum())}
        counts["idle"] = len(edges) - counts["unknown"]
    if sampled.level is None:
        return Link(layer.src, layer.layer, len(edges), last_ns=last_ns, **counts)
    level = sampled.level
    known = level >= 0
    high = int(level[known].max()) if known.any() else None
    full = int(lasts[level >= layer.depth].sum())
    least, most = _depths(layer.depth, level, stalled, lasts, high, handshakes=valid is not None)
    return Link(
        layer.src, layer.layer, len(edges), last_ns=last_ns, depth=layer.depth, high=high, full=full,
        least=least, most=most, **counts,
    )  # fmt: skip


def _depths(
    depth: int, level: I8, stalled: npt.NDArray[np.bool_], lasts: I8, high: int | None, *, handshakes: bool
) -> tuple[int | None, int | None]:
    """(least, most) depth: what was needed, and what surely would have been enough."""
    if high is None or (level < 0).any():
        return None, None
    if not handshakes:
        return (high, high) if high < depth else (depth, None)
    if not stalled.any():
        return high, high
    if stalled[-1]:  # still held up at the end: what came behind is not recorded
        return depth + 1, None
    extra = np.cumsum(np.where(stalled, lasts, 0))  # words that can have come earlier
    return depth + 1, int((level + extra).max())
