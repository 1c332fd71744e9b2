"""The threshold monitors as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from npuscope.tables.monitors import CLASSES, MonitorMeter, Observed
from npuscope.views.table import fields, table

__all__ = ["monitors_json", "monitors_text"]


def _amount(value: Fraction | None, unit: str) -> str:
    """A limit or what was observed, as people read it."""
    if value is None:
        return "-"
    if unit == "pJ":
        return f"{float(value) / 1e9:.3f} mJ"
    return f"{float(value):.2f} {unit}" if unit else f"{100 * float(value):.2f} %"


def _row(row: Observed) -> list[str]:
    sign = "at least" if row.lowest else "at most"
    return [
        row.name.lower(),
        f"{sign} {_amount(row.limit, row.unit)}",
        _amount(row.worst, row.unit),
        f"{row.count:,}",
        f"{row.violations:,}" + (f" ({row.marginal:,} marginal)" if row.marginal else ""),
        _amount(row.margin, row.unit),
    ]


def monitors_text(meter: MonitorMeter, lost: tuple[int, bool]) -> str:
    """A row per limit, then what has no limit. lost: records of the source that are missing, whether more may be."""
    if not meter.any:
        return "No monitor told anything: no MON record in this dump."
    parts: list[str] = []
    bad = sum(row.violations for row in meter.observed)
    held = sum(row.count for row in meter.observed)
    if held:
        names = ", ".join(row.name.lower() for row in meter.observed if row.violations)
        parts.append(
            f"{bad:,} of {held:,} values violate their limit: {names}."
            if bad
            else f"All {held:,} values keep their limit."
        )
        titles = ["monitor", "limit", "worst", ">values", ">violations", ">margin"]
        parts.append(table(titles, [_row(row) for row in meter.observed]))
    notes = [*_notes(meter)]
    number, more = lost
    if number or more:
        notes.append(
            ("lost", f"{number:,} records" + (", more may be: their values are not in this table" if more else ""))
        )
    if notes:
        parts.append(fields(notes))
    return "\n\n".join(parts)


def _notes(meter: MonitorMeter) -> Sequence[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if meter.empty_windows or meter.full_windows:
        text = f"{meter.empty_windows:,} windows without access, no verdict; {meter.full_windows:,} with 65,535 or more"
        found.append(("hit rate", text))
    if util := meter.util if meter.util.samples else None:
        most = max(most for _, _, most in util.by_channel.values())
        text = f"mean {100 * util.mean:.1f} %, spread {100 * util.spread:.1f}, max {100 * most:.1f} %"
        found.append(("utilisation", f"{text}; {len(util.by_channel)} channels, {util.windows:,} windows"))
    if meter.register is not None:
        register, period = meter.register
        found.append(("scheduler", f"WARP_SCHED_CTRL 0x{register:04X}, {period} ns; told {meter.registers:,} times"))
    if meter.steps:
        (v0, f0), (v1, f1) = meter.steps
        found.append(
            ("governor", f"{meter.step_count:,} steps, {v0} mV {f0} MHz after the first, {v1} mV {f1} MHz at last")
        )
    if meter.requests:
        found.append(("prefetch", f"{meter.requests:,} windows asked for"))
    for link, clocks in sorted(meter.classes.items()):
        total = max(1, sum(clocks))
        shares = ", ".join(f"{name} {100 * part / total:.1f} %" for name, part in zip(CLASSES, clocks, strict=True))
        found.append((f"link {link}", shares))
    if meter.unknown:
        found.append(("unknown", f"{meter.unknown:,} MON records of a sub that this version does not know"))
    return found


def monitors_json(meter: MonitorMeter, lost: tuple[int, bool]) -> dict[str, Any]:
    """Schema 1. Exact values are [numerator, denominator] in the row's unit (a rate has none)."""

    def exact(value: Fraction | None) -> list[int] | None:
        return None if value is None else [value.numerator, value.denominator]

    return {
        "schema": 1,
        "limits": [
            {
                "threshold": row.name,
                "unit": row.unit,
                "limit": exact(row.limit),
                "worst": exact(row.worst),
                "margin": exact(row.margin),
                "values": row.count,
                "violations": row.violations,
                "marginal": row.marginal,
            }
            for row in meter.observed
        ],
        "hitrate_windows": {"empty": meter.empty_windows, "full": meter.full_windows},
        "utilisation": {
            "windows": meter.util.windows,
            "samples": meter.util.samples,
            "mean": meter.util.mean,
            "spread": meter.util.spread,
            "channels": [
                {"channel": channel, "mean": total / count, "max": most}
                for channel, (count, total, most) in sorted(meter.util.by_channel.items())
            ],
        },
        "scheduler": meter.register and {"register": meter.register[0], "period_ns": meter.register[1]},
        "governor": {"steps": meter.step_count, "last": (meter.steps and list(meter.steps[-1])) or None},
        "prefetch": meter.requests,
        "links": [
            {"link": link, **dict(zip(CLASSES, clocks, strict=True))} for link, clocks in sorted(meter.classes.items())
        ],
        "unknown": meter.unknown,
        "lost": {"records": lost[0], "more": lost[1]},
    }
