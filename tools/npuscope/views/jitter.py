"""Jitter statistics as text and as JSON: the verdict, the spread, the limits, the samples to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from npuscope.layout import JitterSub
from npuscope.ledger import Ledger
from npuscope.tables.jitter import FRACTION, JitterMeter, Limit, Sample, Stretch, reason
from npuscope.tables.spread import PERCENTILES
from npuscope.tables.wander import WanderPoint
from npuscope.units import count, duration
from npuscope.views.quantity import fine
from npuscope.views.table import fields, table
from npuscope.views.trust import Trust

__all__ = [
    "SCHEMA",
    "JitterData",
    "Table",
    "jitter_facts",
    "jitter_json",
    "jitter_text",
    "jitter_verdict",
    "limit_table",
    "lost_of",
    "spread_tables",
]

SCHEMA: Final = 1
UNIT: Final = "256ns"
STRETCHES: Final = 24
"""Stretches printed; the JSON has all that were kept."""
SAMPLES: Final = 5


Table = tuple[list[str], list[list[str]]]
"""Titles and rows."""


@dataclass(frozen=True)
class JitterData:
    """What is shown: one meter per source. origin: ns of the first record. window: [from, to) ns on the axis asked for.

    lost: records of each source that are missing or were dropped, and whether there may be more.
    """

    files: Sequence[str]
    meters: Sequence[JitterMeter]
    origin: int
    window: tuple[int, int] | None
    lost: dict[int, tuple[int, bool]]
    trust: Sequence[Trust]


def lost_of(ledger: Ledger) -> dict[int, tuple[int, bool]]:
    """Of each source the records that are known to be lost, and whether there may be more."""
    return {src: (entry.missing + entry.dropped, not entry.exact) for src, entry in ledger.sources.items()}


def jitter_text(data: JitterData, *, segments: bool = False, command: str = "npuscope show FILE") -> str:
    """The text of ``npuscope jitter``, without a final newline. command: what shows a time, added as --around TIME."""
    if not data.meters:
        return "No jitter records: this dump has no sync source.\n\n" + fields([(t.name, t.text) for t in data.trust])
    parts = []
    for meter in data.meters:
        parts.append(jitter_verdict(data, meter))
        parts.append(fields([*((t.name, t.text) for t in data.trust), *jitter_facts(data, meter)]))
        if meter.period.count:
            parts += [table(*each) for each in spread_tables(meter)]
        if meter.limits and meter.period.count:
            parts.append(table(*limit_table(meter)))
        if meter.wander is not None:
            parts.append(_wander(meter.wander.points(), meter.nominal))
        if segments:
            parts.append(_stretches(data, meter))
        parts.append(_samples(data, meter, command))
    return "\n\n".join(filter(None, parts))


def jitter_verdict(data: JitterData, meter: JitterMeter) -> str:
    """The sentence to paste."""
    taken, stretches = meter.period.count, meter.stretches
    lost, more = data.lost.get(meter.src, (0, False))
    text = f"Source {meter.src}: " if len(data.meters) > 1 else ""
    if not taken:
        return f"{text}{count(meter.samples)} sync pulses, none a valid sample."
    text += f"{count(taken)} valid samples in {count(stretches)} segment{'s' * (stretches != 1)}"
    worst = max(-(meter.period.low or 0), meter.period.high or 0)
    text += f", rms {fine(meter.period.rms)}, worst {'beyond ' * bool(meter.saturated)}{fine(worst)}"
    judged = [limit for limit in meter.limits.values() if limit.value is not None]
    least = "at least " if lost or more else ""
    over = [f"{least}{count(limit.over)} over {limit.name}" for limit in judged if limit.over]
    if over:
        text += ": " + ", ".join(over)
    elif judged:
        text += f": none{' seen' * bool(least)} over {' or '.join(limit.name for limit in judged)}"
    near = sum(limit.marginal for limit in judged)
    return f"{text}{f', {count(near)} marginal' if near else ''}."


def jitter_facts(data: JitterData, meter: JitterMeter) -> list[tuple[str, str]]:
    """Invalid samples, odd pulses, loss of this source, nominal interval."""
    shown: list[tuple[str, str]] = []
    invalid = [
        f"{count(int(meter.subs[sub]))} {sub.name.lower().replace('_', ' ')}"
        for sub in JitterSub
        if meter.subs[sub] and sub not in (JitterSub.OK, JitterSub.MISSED, JitterSub.EARLY)
    ]
    shown.append(("invalid", ", ".join(invalid) or "none"))
    odd = [
        f"{count(int(meter.subs[sub]))} {sub.name.lower()}"
        for sub in (JitterSub.MISSED, JitterSub.EARLY)
        if meter.subs[sub]
    ]
    if odd:
        how = "taken literally; see --without-missed" if meter.missed else "left out, a segment ends there"
        shown.append(("pulses", f"{', '.join(odd)}, {how}"))
    if meter.saturated:
        shown.append(("saturated", f"{count(meter.saturated)} out of range: extremes are lower bounds"))
    lost, more = data.lost.get(meter.src, (0, False))
    if lost or more:
        shown.append(("lost", f"{'at least ' * more}{count(lost)} records of this source"))
    nominal = "not told" if meter.nominal is None else fine(meter.nominal)
    if meter.nominal_changes:
        nominal += f" at the end, changed {count(meter.nominal_changes)} times"
    shown.append(("nominal", nominal))
    return shown


_ROWS: Final = ("period", "cycle to cycle", "TIE")


def spread_tables(meter: JitterMeter) -> list[Table]:
    """Extremes and rms, then percentiles of the magnitude."""
    spreads = (meter.period, meter.cycle, meter.tie)
    rows = []
    for name, spread in zip(_ROWS, spreads, strict=True):
        wide = meter.tie_range if spread is meter.tie else spread.peak_to_peak
        rows.append([name, *map(fine, (spread.low, spread.high, wide, spread.rms))])
    names = ("50", "90", "99", "99_9")
    levels = [
        [name, *(fine(spread.percentile(PERCENTILES[n])) for n in names)]
        for name, spread in zip(_ROWS, spreads, strict=True)
    ]
    titles = ["magnitude", *(f">p{name.replace('_', '.')}" for name in names)]
    return [(["", ">min", ">max", ">peak to peak", ">rms"], rows), (titles, levels)]


def limit_table(meter: JitterMeter) -> Table:
    """Each limit with the samples over it and those next to it."""
    rows = []
    for limit in meter.limits.values():
        if limit.value is None:
            rows.append([limit.name, "not told", "-", "-", ""])
            continue
        changed = f"the last of {limit.changes + 1}" if limit.changes else ""
        rows.append([limit.name, fine(limit.value), count(limit.over), count(limit.marginal), changed])
    return ["limit", ">in force", ">over", ">marginal", ""], rows


def _wander(points: Sequence[WanderPoint], nominal: int | None) -> str:
    rows = [[count(p.intervals), _tau(p, nominal), fine(p.mtie), fine(p.tdev), count(p.windows)] for p in points]
    return table([">intervals", ">tau", ">MTIE", ">TDEV", ">windows"], rows)


def _tau(point: WanderPoint, nominal: int | None) -> str:
    return "-" if nominal is None else duration((2 * point.intervals * nominal + FRACTION) // (2 * FRACTION))


def _stretches(data: JitterData, meter: JitterMeter) -> str:
    rows = [
        [
            duration(one.start_ns - data.origin),
            duration(one.end_ns - one.start_ns),
            count(one.count),
            fine(max(-one.low, one.high)),
            fine(one.tie_high - one.tie_low),
            reason(one.why),
        ]
        for one in meter.table[:STRETCHES]
    ]
    text = table([">from", ">lasts", ">samples", ">worst", ">TIE", "behind"], rows)
    left = meter.stretches - len(rows)
    return text + (f"\n{count(left)} more segments, see --json" if left > 0 else "")


def _samples(data: JitterData, meter: JitterMeter, command: str) -> str:
    """Marginal samples by name, and the largest ones."""
    near = sorted(meter.marginal, key=lambda sample: sample.time_ns)
    lines = [
        f"marginal: {duration(sample.time_ns - data.origin)}  {fine(sample.jitter)}, "
        f"{_exact(abs(sample.jitter) - sample.value)} limit {sample.limit}"
        for sample in near[:SAMPLES]
    ]
    total = sum(limit.marginal for limit in meter.limits.values())
    lines += [f"marginal: {count(total - SAMPLES)} more, see --json"] if total > SAMPLES else []
    lines += [f"worst: {duration(s.time_ns - data.origin)}  {fine(s.jitter)}" for s in meter.worst[:SAMPLES]]
    if meter.worst:
        lines.append(f"look: {command} --around {meter.worst[0].time_ns - data.origin}ns")
    return "\n".join(lines)


def _exact(distance: int) -> str:
    return "exactly at" if not distance else f"1/256 ns {'above' if distance > 0 else 'below'}"


def jitter_json(data: JitterData) -> dict[str, Any]:
    """The same with stable keys: times are integer ns after the first record or TAI, jitter integer 1/256 ns."""
    return {
        "schema": SCHEMA,
        "files": list(data.files),
        "origin_tai_ns": data.origin,
        "window_ns": None if data.window is None else [bound - data.origin for bound in data.window],
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in data.trust],
        "sources": [_source_json(data, meter) for meter in data.meters],
    }


def _source_json(data: JitterData, meter: JitterMeter) -> dict[str, Any]:
    lost, more = data.lost.get(meter.src, (0, False))
    points = None if meter.wander is None else meter.wander.points()
    return {
        "src": meter.src,
        "samples": meter.samples,
        "valid": meter.period.count,
        "by_sub": {sub.name.lower(): int(meter.subs[sub]) for sub in JitterSub},
        "without_missed": not meter.missed,
        "saturated": meter.saturated,
        "lost": lost,
        "lost_is_lower_bound": more,
        f"nominal_{UNIT}": meter.nominal,
        "nominal_changes": meter.nominal_changes,
        "period": meter.period.to_json(UNIT),
        "cycle_to_cycle": meter.cycle.to_json(UNIT),
        "tie": meter.tie.to_json(UNIT) | {f"peak_to_peak_{UNIT}": meter.tie_range if meter.tie.count else None},
        "limits": [_limit_json(limit) for limit in meter.limits.values()],
        "marginal": [
            _sample_json(data, s) | {"limit": s.limit, f"limit_{UNIT}": s.value}
            for s in sorted(meter.marginal, key=lambda sample: (sample.time_ns, sample.limit))
        ],
        "worst": [_sample_json(data, s) for s in meter.worst],
        "segments": {
            "count": meter.stretches,
            "behind": {reason(why): number for why, number in sorted(meter.reasons.items())},
            "listed": [_stretch_json(data, one) for one in meter.table] if meter.listed else None,
        },
        "wander": None
        if points is None
        else [
            {
                "intervals": p.intervals,
                f"mtie_{UNIT}": p.mtie,
                "windows": p.windows,
                f"tdev_{UNIT}": p.tdev,
                "terms": p.terms,
            }
            for p in points
        ],
    }


def _limit_json(limit: Limit) -> dict[str, Any]:
    found = {name: getattr(limit, name) for name in ("changes", "judged", "over", "marginal")}
    return {"name": limit.name, f"limit_{UNIT}": limit.value} | found


def _sample_json(data: JitterData, sample: Sample) -> dict[str, Any]:
    return {"at_ns": sample.time_ns - data.origin, "tai_ns": sample.tai_ns, f"jitter_{UNIT}": sample.jitter}


def _stretch_json(data: JitterData, one: Stretch) -> dict[str, Any]:
    return {
        "from_ns": one.start_ns - data.origin,
        "to_ns": one.end_ns - data.origin,
        "samples": one.count,
        "behind": reason(one.why),
        f"min_{UNIT}": one.low,
        f"max_{UNIT}": one.high,
        f"tie_peak_to_peak_{UNIT}": one.tie_high - one.tie_low,
        f"tie_end_{UNIT}": one.tie_end,
    }
