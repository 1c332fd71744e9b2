"""Layers that tell only RAW samples (legacy text: one line for each sample at or above TH_ON, and no leave event)."""

from __future__ import annotations

from typing import Final

import numpy as np

from npuscope.episodes import EPISODE, EpisodeFlag, Lane, LayerResult
from npuscope.intervals import EMPTY, complement, make, subtract
from npuscope.layout import PAYLOAD, BpSub, Kind
from npuscope.replay import LOST, SourceStream

__all__ = ["only_samples", "sampled_lanes"]

_LAYER, _OCC, _BP_EN = PAYLOAD[Kind.BP, None][:3]
_CENSORED: Final = EpisodeFlag.LEFT_CENSORED | EpisodeFlag.RIGHT_CENSORED | EpisodeFlag.PEAK_LOWER


def only_samples(stream: SourceStream) -> bool:
    """Whether the source told nothing but RAW samples; hardware in RAW mode also tells ENTER, EXIT and keyframes."""
    told_more = bool((stream.common_op != LOST).any())
    return len(stream.bp_sub) > 0 and not told_more and bool((stream.bp_sub == BpSub.RAW).all())


def sampled_lanes(stream: SourceStream, layer: int, start_ns: int, end_ns: int, period_ns: int | None) -> LayerResult:
    """Lanes of one layer over [start_ns, end_ns). A sample holds for ``period_ns``; no later sample = cool from there.

    From a hole to the layer's next sample it is unknown, and no episode goes across. Without a period nothing but the
    samples themselves is known: each one is an episode of no length, censored on both sides. backpressure_en is known
    where the layer is hot; dry never.
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
    new = np.concatenate([[True], time[1:] > time[:-1] + period_ns])[: len(time)]
    # LOST behind the last record of the source is only the end of the text, not a hole
    holes = (stream.common_op == LOST) & (stream.common_pos < stream.bp_pos[-1])
    resumed = np.searchsorted(stream.bp_pos[mine], stream.common_pos[holes])  # the layer's first sample after each hole
    gaps = make(stream.common_ts[holes], np.append(time, end_ns)[resumed])
    censored_left = np.zeros(len(time) + 1, np.bool_)
    censored_left[resumed] = True
    new |= censored_left[:-1]
    censored_right = np.zeros(len(time) + 1, np.bool_)
    censored_right[resumed] = stream.common_ts[holes] < np.append(start_ns, time + period_ns)[resumed]
    first = np.flatnonzero(new)
    out = np.zeros(len(first), EPISODE)
    out["start"], out["dwell"] = time[first], -1
    out["end"] = np.minimum(until[np.append(first[1:], len(time)) - 1], end_ns)
    out["peak"] = np.maximum.reduceat(occ, first) if len(first) else 0
    left = (out["start"] == start_ns) | censored_left[:-1][first]
    right = censored_right[np.append(first[1:], len(time))] if len(first) else left
    out["flags"] = (
        left * EpisodeFlag.LEFT_CENSORED + right * EpisodeFlag.RIGHT_CENSORED + (left | right) * EpisodeFlag.PEAK_LOWER
    )
    hot = make(out["start"], out["end"])
    unknown = subtract(gaps, hot)
    asserted = payload >> np.uint32(_BP_EN.lsb) & np.uint32(1) > 0
    bp = Lane(make(time[asserted], np.minimum(until, end_ns)[asserted]), complement(hot, start_ns, end_ns))
    return LayerResult(Lane(hot, unknown), nothing, bp, out, [])
