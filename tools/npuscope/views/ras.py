"""RAS events of the device as a timeline with its coverage, and the comparison with the rules, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from npuscope.encode.ras_check import Verdict
from npuscope.layout import Cfg, RasClass, Severity
from npuscope.tables.events import Break
from npuscope.tables.ras import DECISIONS, NOTES, Coverage, RasMeter
from npuscope.tables.recheck import Finding, Recheck
from npuscope.units import count, duration, percent
from npuscope.views.jitter import Table
from npuscope.views.quantity import fine, ras_limits
from npuscope.views.table import fields, table
from npuscope.views.trust import Trust

__all__ = [
    "SCHEMA",
    "CheckData",
    "ShowData",
    "check_json",
    "check_text",
    "class_name",
    "coverage_facts",
    "event_table",
    "headline",
    "show_json",
    "show_text",
]

SCHEMA: Final = 1
SYNDROME_NS: Final = 256
_SHORT: Final = {int(Severity.INFORMATIONAL): "info"}
MEANING: Final = {
    RasClass.R: "reliability",
    RasClass.A: "availability",
    RasClass.S: "serviceability",
}


@dataclass(frozen=True)
class ShowData:
    """What ``ras show`` prints. origin: ns of the first record. lost: RAS records lost, and whether more may be."""

    files: Sequence[str]
    meter: RasMeter
    covered: Coverage
    origin: int
    lost: tuple[int, bool]
    trust: Sequence[Trust]


@dataclass(frozen=True)
class CheckData:
    """What ``ras check`` prints."""

    files: Sequence[str]
    found: Recheck
    origin: int
    trust: Sequence[Trust]


def class_name(code: int) -> str:
    """``A availability``, ``sync lost``; a number where this version has no name."""
    if code not in set(RasClass):
        return f"class {code}"
    kind = RasClass(code)
    return f"{kind.name} {MEANING[kind]}" if kind in MEANING else kind.name.lower().replace("_", " ")


def show_text(data: ShowData, *, top: int = 20, command: str = "npuscope show FILE") -> str:
    """The text of ``npuscope ras show``, without a final newline. command: what shows a time, as --around TIME."""
    meter = data.meter
    parts = [headline(data), fields([*((t.name, t.text) for t in data.trust), *coverage_facts(data)])]
    if meter.counts:
        parts.append(_classes(meter))
        events = event_table(data, top)
        left = meter.shown - len(events[1])
        parts.append(table(*events) + (f"\n{count(left)} more records, see --top and --json" if left else ""))
        first = next((row for part in meter.rows for row in part if int(row["class"]) in DECISIONS), None)
        if first is not None:
            parts.append(f"look: {command} --around {int(first['time']) - data.origin}ns")
    return "\n\n".join(filter(None, parts))


def headline(data: ShowData) -> str:
    """The sentence to paste."""
    meter, covered = data.meter, data.covered
    whole = covered.watched + covered.off + covered.unknown
    faults = {RasClass(kind): 0 for kind, _ in meter.counts if kind in DECISIONS}
    for (kind, _), number in meter.counts.items():
        if kind in DECISIONS:
            faults[RasClass(kind)] += number
    least = "at least " if any(data.lost) else ""
    if faults:
        told = ", ".join(f"{least}{count(faults[kind])} {class_name(kind)}" for kind in DECISIONS if kind in faults)
        more = f", {count(meter.injected)} of them injected" if meter.injected else ""
        return f"RAS: {told}{more}."
    if not meter.counts and not meter.limits:
        return "No RAS records: this dump has no RAS mapper; that is not the same as no errors."
    if covered.watched == whole and whole:
        return "RAS: no fault, and the mapper was watching all the time."
    share = percent(covered.watched, whole)
    return f"RAS: no fault told; the mapper is known to have been watching {share} % of the time."


def coverage_facts(data: ShowData) -> list[tuple[str, str]]:
    """What was monitored, and what was not."""
    meter, covered = data.meter, data.covered
    whole = covered.watched + covered.off + covered.unknown
    if not whole:
        return []
    shown = [
        ("watching", f"{percent(covered.watched, whole)} % of {duration(whole)}"),
        ("disabled", f"{percent(covered.off, whole)} %"),
        ("not known", f"{percent(covered.unknown, whole)} %, of it {duration(covered.holes)} with records missing"),
    ]
    if any(data.lost):
        shown.append(("lost", f"{'at least ' * data.lost[1]}{count(data.lost[0])} RAS records"))
    if meter.samples:
        share = percent(meter.good, meter.samples)
        shown.append(("samples", f"{share} % of {count(meter.samples)} sync pulses valid; only those are judged"))
    else:
        shown.append(("samples", "no sync pulse in the dump: nothing could be judged"))
    shown.append(("limits", ras_limits(meter.limits) or "not told"))
    shown.append(("beside it", "not monitored here: host logs, links, memory errors"))
    return shown


def _classes(meter: RasMeter) -> str:
    rows = [
        [class_name(kind), Severity(level).name.lower(), count(number)]
        for (kind, level), number in sorted(meter.counts.items(), key=lambda item: (-item[0][1], item[0][0]))
    ]
    return table(["class", "severity", ">records"], rows)


def event_table(data: ShowData, top: int) -> Table:
    """The first records that are asked for."""
    rows: list[list[str]] = []
    for row in (row for part in data.meter.rows for row in part):
        if len(rows) == top:
            break
        rows.append(
            [
                duration(int(row["time"]) - data.origin),
                class_name(int(row["class"])).removeprefix("redundancy "),
                _SHORT.get(int(row["severity"]), "") or Severity(int(row["severity"])).name.lower(),
                _latched(row),
                _syndrome(row),
                _remarks(row),
            ]
        )
    return [">at", "class", "severity", ">count", ">jitter", ""], rows


def _latched(row: Any) -> str:
    if int(row["class"]) in NOTES and not row["count"]:
        return ""
    return f"{'>=' if row['overflow'] else ''}{row['count']}"


def _syndrome(row: Any) -> str:
    """The jitter that a fault was decided by, rounded down to 256 ns in the record."""
    if int(row["class"]) not in DECISIONS or int(row["class"]) == RasClass.SYNC_LOST:
        return ""
    return duration(int(row["syndrome"]) * SYNDROME_NS)


def _remarks(row: Any) -> str:
    found = ["gap before"] if row["broken"] >= Break.LOSS else []
    found += ["injected"] if row["injected"] else []
    if int(row["class"]) in (RasClass.ACK, RasClass.REQ_TIMEOUT):
        found.append("phy switch" if row["syndrome"] & 1 else "crc renegotiation")
    return ", ".join(found)


def show_json(data: ShowData) -> dict[str, Any]:
    """The same with stable keys; times are integer ns, at_ns after the first record."""
    meter, covered = data.meter, data.covered
    return {
        "schema": SCHEMA,
        "files": list(data.files),
        "origin_tai_ns": data.origin,
        "window_ns": None if meter.window is None else [bound - data.origin for bound in meter.window],
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in data.trust],
        "coverage": {
            "watched_ns": covered.watched,
            "disabled_ns": covered.off,
            "unknown_ns": covered.unknown,
            "holes_ns": covered.holes,
            "samples": meter.samples,
            "samples_valid": meter.good,
            "lost": data.lost[0],
            "lost_is_lower_bound": data.lost[1],
            "not_monitored": ["host logs", "links", "memory errors"],
        },
        "limits": {Cfg(word).name.lower(): value for word, value in sorted(meter.limits.items())},
        "counts": [
            {"class": _key(kind), "severity": Severity(level).name.lower(), "records": number}
            for (kind, level), number in sorted(meter.counts.items())
        ],
        "injected": meter.injected,
        "events": [_event_json(data, row) for part in meter.rows for row in part],
        "events_not_listed": meter.shown - sum(map(len, meter.rows)),
    }


def _key(code: int) -> str:
    return RasClass(code).name.lower() if code in set(RasClass) else str(code)


def _event_json(data: ShowData, row: Any) -> dict[str, Any]:
    code = int(row["class"])
    jitter = code in DECISIONS and code != RasClass.SYNC_LOST
    return {
        "at_ns": int(row["time"]) - data.origin,
        "tai_ns": int(row["ts"]),
        "class": _key(code),
        "severity": Severity(int(row["severity"])).name.lower(),
        "count": int(row["count"]),
        "count_is_lower_bound": bool(row["overflow"]),
        "first": bool(row["first"]),
        "injected": bool(row["injected"]),
        "unit": int(row["unit"]),
        "syndrome": int(row["syndrome"]),
        "jitter_ns": int(row["syndrome"]) * SYNDROME_NS if jitter else None,
        "may_miss_before": bool(row["broken"] >= Break.LOSS),
    }


# ---------------------------------------------------------------- check
def check_text(data: CheckData, *, top: int = 20, command: str = "npuscope show FILE") -> str:
    """The text of ``npuscope ras check``, without a final newline."""
    parts = [_outcome(data.found), fields([(t.name, t.text) for t in data.trust])]
    if data.found.verdicts:
        rows = [
            [class_name(kind), *(count(data.found.verdicts[kind][verdict]) for verdict in Verdict)]
            for kind in sorted(data.found.verdicts)
        ]
        parts.append(table(["decision", ">agree", ">disagree", ">not comparable"], rows))
    if data.found.findings:
        lines = [_finding(data, one) for one in data.found.findings[:top]]
        left = data.found.disagreements - len(lines)
        lines += [f"{count(left)} more disagreements, see --top and --json"] if left else []
        first = data.found.findings[0]
        lines.append(f"look: {command} --around {first.time_ns - data.origin}ns")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _outcome(found: Recheck) -> str:
    totals = {verdict: sum(each[verdict] for each in found.verdicts.values()) for verdict in Verdict}
    samples = f"{count(found.judged)} of {count(found.samples)} samples judged"
    if not found.samples or not found.configured:
        missing = "sync pulses" if not found.samples else "limits"
        return f"RAS check: nothing to compare, no {missing} in the dump."
    doubt = totals[Verdict.NOT_COMPARABLE]
    text = f"{count(totals[Verdict.AGREE])} decisions agree, " + (
        f"{count(found.disagreements)} disagree" if found.disagreements else "none disagrees"
    )
    text += f", {count(doubt)} not comparable" if doubt else ""
    text += f", {count(found.injected)} injected left out" if found.injected else ""
    return f"RAS check: {text}; {samples}."


def _finding(data: CheckData, one: Finding) -> str:
    jitter = "" if one.jitter is None else f" (jitter {fine(one.jitter)})"
    return f"disagree: {duration(one.time_ns - data.origin)}  {class_name(one.kind)}: {one.what}{jitter}"


def check_json(data: CheckData) -> dict[str, Any]:
    """The same with stable keys; times are integer ns, jitter integer 1/256 ns."""
    found = data.found
    return {
        "schema": SCHEMA,
        "files": list(data.files),
        "origin_tai_ns": data.origin,
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in data.trust],
        "samples": found.samples,
        "judged": found.judged,
        "injected": found.injected,
        "decisions": {
            kind.name.lower(): {verdict.value.replace(" ", "_"): found.verdicts[kind][verdict] for verdict in Verdict}
            for kind in sorted(found.verdicts)
        },
        "disagreements": found.disagreements,
        "listed": [
            {
                "at_ns": one.time_ns - data.origin,
                "tai_ns": one.tai_ns,
                "class": one.kind.name.lower(),
                "what": one.what,
                "jitter_256ns": one.jitter,
            }
            for one in found.findings
        ],
    }
