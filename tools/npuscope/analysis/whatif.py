"""Other limits on what was recorded, as far as the recording can decide them.

A full limit (TH_ON) above the one in force: the buffer is full from the record that tells the limit reached, at the
earliest from the record before it, to the recorded end, since TH_OFF stays. An episode whose peak stays below was not
one. Below the limit in force nothing is recorded. Gaps between tokens decide any TOKEN_INTERVAL, jitter samples any
limit of the RAS rules, by the golden model, where none is missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.encode.ras import RasConfig, RasMapper
from npuscope.episodes import EPISODE, EpisodeFlag, Lane
from npuscope.errors import NpuscopeError
from npuscope.intervals import make, union
from npuscope.layout import PAYLOAD, THRESHOLDS, Cfg, JitterSub, Kind, RasClass
from npuscope.occupancy import Level
from npuscope.tables import Break, Tables
from npuscope.tables.rows import valid
from npuscope.tables.tokens import Why
from npuscope.timeline import Timeline

__all__ = ["RAS_LIMITS", "SUPPORTED", "late_gaps", "raised", "ras_decisions"]

I8 = npt.NDArray[np.int64]
RAS_LIMITS: Final = tuple(name for name in THRESHOLDS if name.lower() in RasConfig.__dataclass_fields__)
SUPPORTED: Final = ("TH_ON", "TOKEN_INTERVAL", *RAS_LIMITS)
"""Limits that can be set to something else."""
_OPTIONS: Final = {field.name: field for field in PAYLOAD[Kind.CFG, int(Cfg.T_NOMINAL_HI)]}


def raised(timeline: Timeline, levels: list[Level], th_on: int, in_force: int) -> Timeline:
    """The timeline as the probe would have told it with TH_ON = ``th_on``; raises NpuscopeError for a lower one.

    levels: occupancy per buffer. What lies between two records is unknown. Episodes are those that certainly are; one
    whose beginning is not certain is left-censored.
    """
    if th_on < in_force:
        raise NpuscopeError(
            f"TH_ON={th_on} was not recorded", expected=f"{in_force} or more", hint="record with LEVEL_STEP, or lower"
        )
    hot, episodes = [], []
    for u, lane in enumerate(timeline.hot):
        mine = timeline.episodes[timeline.episodes["buffer"] == u]
        found, certain, open_ = _reached(mine, levels[u], th_on) if th_on > in_force else (mine, lane.true, ())
        hot.append(Lane(certain, union(lane.unknown, *open_)))
        episodes.append(found)
    table = np.concatenate([np.empty(0, EPISODE), *episodes])
    table = table[np.lexsort((table["buffer"], table["start"]))]
    return replace(timeline, hot=tuple(hot), episodes=table)


def _reached(mine: npt.NDArray[np.void], level: Level, th_on: int) -> tuple[npt.NDArray[np.void], I8, tuple[I8, ...]]:
    """Of the episodes ``mine`` of one buffer those that reach ``th_on``, their certain time, and the unknown time."""
    time, code = level.time, np.maximum(level.occ, level.peak)
    start, end = mine["start"].astype(np.int64), mine["end"].astype(np.int64)
    low, high = np.searchsorted(time, start), np.searchsorted(time, end)
    above = np.append(np.flatnonzero(code >= th_on), len(time))
    first = above[np.searchsorted(above, low)]
    seen = first < high
    begins = np.append(time, 0)[first]  # of those seen
    before = np.where(first > low, np.append(time, 0)[first - 1], np.minimum(begins, start))
    last = np.where(high > low, np.append(time, 0)[high - 1], start)
    peak = ~seen & (mine["peak"] >= th_on)
    may = ~seen & ~peak & (mine["flags"] & (EpisodeFlag.PEAK_LOWER | EpisodeFlag.RIGHT_CENSORED) > 0)
    certain = make(begins[seen], end[seen])
    unknown = (make(before[seen], begins[seen]), make(last[peak], end[peak]), make(start[may], end[may]))
    found = mine[seen | peak].copy()
    begin = np.where(seen, begins, last)[seen | peak]
    unsure = np.where(seen, before < begins, True)[seen | peak]
    found["flags"][unsure] |= np.uint8(EpisodeFlag.LEFT_CENSORED)
    found["start"] = begin
    return found, certain, unknown


def late_gaps(tables: Tables, limit_ns: int, window: tuple[int, int]) -> tuple[int, int | None]:
    """Least and most gaps between tokens over ``limit_ns``; most is None when a gap is not known for loss."""
    rows = tables.arrivals
    rows = rows[(rows["time"] >= window[0]) & (rows["time"] < window[1])]
    late = int(np.count_nonzero(rows["gap"] > limit_ns))
    hidden = (rows["why"] == Why.UNKNOWN).any()
    return late, None if hidden else late


def ras_decisions(tables: Tables, limits: dict[str, int], window: tuple[int, int]) -> tuple[Counter[RasClass], int]:
    """What the RAS mapper would have decided with the recorded configuration but for ``limits``, and the places in
    which samples are missing: with any, the counts are only those of what is there.

    Before it told to be enabled or disabled the mapper counts as enabled. Raises NpuscopeError for illegal limits.
    """
    samples, events = tables.jitter, tables.ras
    holes = int(np.count_nonzero(samples["broken"] > Break.START))
    mapper, words, found = RasMapper(), {}, Counter[RasClass]()
    mapper.enabled = not len(events) or events["class"][0] != RasClass.ENABLED
    told = {RasClass.RENEG_DONE, RasClass.PHY_CHANGED, RasClass.ENABLED, RasClass.DISABLED, RasClass.FLUSHED}
    feed: list[tuple[int, int, int, object]] = [(s.time, 0, s.at, s) for s in tables.settings]
    notes = events[np.isin(events["class"], [int(one) for one in told]) & (events["injected"] == 0)]
    feed += [(int(row["time"]), 1, int(row["at"]), row) for row in notes]
    feed += [(int(row["time"]), 2, int(row["at"]), row) for row in samples]
    mapper.config = _changed(RasConfig(), limits)
    for time, kind, _, what in sorted(feed, key=lambda item: item[:3]):
        if kind == 0:
            words[what.word] = what.value  # type: ignore[attr-defined]
            if set(RasConfig().words()) <= words.keys():
                mapper.config = _changed(RasConfig.from_words(words), limits)
        elif kind == 1:
            mapper.note(RasClass(int(what["class"])), time)  # type: ignore[index]
        else:
            fired = _sample(mapper, time, what, words.get(Cfg.T_NOMINAL_HI, 0))  # type: ignore[arg-type]
            found.update(fired if window[0] <= time < window[1] else ())
    return found, holes


def _changed(config: RasConfig, limits: dict[str, int]) -> RasConfig:
    changed = replace(config, **{name.lower(): value for name, value in limits.items()})
    if not changed.legal:
        text = ", ".join(f"{name}={value}" for name, value in limits.items())
        raise NpuscopeError("limits that the mapper would refuse", found=text, expected="R_LIMIT <= A_LIMIT <= S_LIMIT")
    return changed


def _sample(mapper: RasMapper, time: int, row: np.void, options: int) -> list[RasClass]:
    sub = int(row["sub"])
    if sub == JitterSub.SYNC_LOST:
        return mapper.sync_lost(time, bool(_OPTIONS["sync_lost_a"].get(options)))
    if sub in (JitterSub.MISSED, JitterSub.EARLY) and _OPTIONS["exclude"].get(options):
        return []
    return mapper.sample(time, int(row["jitter"]), ok=bool(valid(np.array([sub], np.uint8))[0]))
