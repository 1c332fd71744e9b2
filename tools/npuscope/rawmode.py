"""Layers that tell only RAW samples (legacy text: one line for each sample at or above TH_ON, and no leave event)."""

from __future__ import annotations

from typing import Final

import numpy as np

from npuscope.episodes import EPISODE, EpisodeFlag, Lane, LayerResult
from npuscope.intervals import EMPTY, complement, make
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.replay import SourceStream

__all__ = ["only_samples", "sampled_lanes"]

_LAYER, _OCC, _BP_EN = PAYLOAD[Kind.BP, None][:3]
_CENSORED: Final = EpisodeFlag.LEFT_CENSORED | EpisodeFlag.RIGHT_CENSORED | EpisodeFlag.PEAK_LOWER


def only_samples(stream: SourceStream) -> bool:
    """Whether the source told nothing but RAW samples; hardware in RAW mode also tells ENTER and EXIT."""
    return len(stream.bp_sub) > 0 and not stream.hot.any() and bool((stream.bp_sub == BpSub.RAW).all())


def sampled_lanes(stream: SourceStream, layer: int, start_ns: int, end_ns: int, period_ns: int | None) -> LayerResult:
    """Lanes of one layer over [start_ns, end_ns). A sample holds for ``period_ns``; no later sample = cool from there.

    Without a period nothing but the samples themselves is known: each one is an episode of no length, censored on both
    sides. backpressure_en is known where the layer is hot; dry never.
    """
    mine = (stream.bp_payload >> np.uint32(_LAYER.lsb)) & np.uint32((1 << _LAYER.width) - 1) == layer
    time, payload = stream.bp_ts[mine], stream.bp_payload[mine]
    occ = (payload >> np.uint32(_OCC.lsb)) & np.uint32((1 << _OCC.width) - 1)
    nothing = Lane(EMPTY, make([start_ns], [end_ns]))
    if period_ns is None:
        out = np.zeros(len(time), EPISODE)
        out["start"] = out["end"] = time
        out["peak"], out["flags"], out["dwell"] = occ, _CENSORED, -1
        return LayerResult(nothing, nothing, nothing, out, [])
    until = np.append(np.minimum(time[1:], time[:-1] + period_ns), time[-1:] + period_ns)
    new = np.concatenate([[True], time[1:] > time[:-1] + period_ns])
    first = np.flatnonzero(new)
    out = np.zeros(len(first), EPISODE)
    out["start"], out["dwell"] = time[first], -1
    out["end"] = np.minimum(until[np.append(first[1:], len(time)) - 1], end_ns)
    out["peak"] = np.maximum.reduceat(occ, first) if len(first) else 0
    left = out["start"] == start_ns
    out["flags"] = left * (EpisodeFlag.LEFT_CENSORED | EpisodeFlag.PEAK_LOWER)
    hot = make(out["start"], out["end"])
    asserted = payload >> np.uint32(_BP_EN.lsb) & np.uint32(1) > 0
    bp = Lane(make(time[asserted], np.minimum(until, end_ns)[asserted]), complement(hot, start_ns, end_ns))
    return LayerResult(Lane(hot, EMPTY), nothing, bp, out, [])
