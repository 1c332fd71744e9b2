"""How far an answer can be believed: the same statements in every view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from npuscope.description import Description
from npuscope.layout import PAYLOAD, SRC_JITTER, SRC_RAS, Cfg, Field, Kind, TimeQuality
from npuscope.ledger import Cause, Ledger
from npuscope.survey import Survey
from npuscope.timeline import Timeline
from npuscope.units import count, duration, lower_percent, percent, size
from npuscope.views.quantity import ras_limits, sync_limits

__all__ = [
    "Mood",
    "Trust",
    "clock",
    "counts",
    "coverage",
    "damage",
    "ending",
    "graph",
    "limits",
    "loss",
    "lost",
    "source_trust",
    "survey_trust",
    "trust",
]

WELL_KNOWN: Final = 99
"""% of known time from which on coverage is no reason to mind: start and end are never known to the clock."""

Mood = Literal["ok", "warn", "bad", "plain"]


@dataclass(frozen=True)
class Trust:
    """``name: text``, and whether that is good news."""

    name: str
    text: str
    mood: Mood = "plain"


def trust(ledger: Ledger, timeline: Timeline) -> list[Trust]:
    """All statements about a capture that was read in full."""
    found = [loss(ledger), damage(ledger), coverage(timeline), ending(ledger)]
    if len(ledger.files) > 1:
        found.insert(0, files(ledger.files))
    if ledger.conflict_count:
        found.insert(0, conflicts(ledger))
    if ledger.importer:
        return [*found, *counts(ledger), graph(timeline.description)]
    found.append(clock(ledger.clock, [step.step_ns for step in ledger.steps]))
    return [*found, graph(timeline.description, ledger.hash), *limits(ledger.config)]


def source_trust(ledger: Ledger) -> list[Trust]:
    """The statements about a pass that looked at no buffer: loss, damage, end, clock."""
    found = [conflicts(ledger)] if ledger.conflict_count else []
    found += [loss(ledger), damage(ledger), ending(ledger)]
    return (
        [*found, *counts(ledger)]
        if ledger.importer
        else [*found, clock(ledger.clock, [step.step_ns for step in ledger.steps])]
    )


def counts(ledger: Ledger) -> list[Trust]:
    """That times are counts of unknown length, if they are."""
    option = {"tick": "--time-unit", "cycle": "--clock-period"}.get(ledger.time_unit)
    return (
        [Trust("times", f"in {ledger.time_unit}s: how long one is was not told; see {option}", "warn")]
        if option
        else []
    )


def survey_trust(seen: Survey, description: Description | None) -> list[Trust]:
    """The statements that a survey can make."""
    dropped, accepted = sum(seen.dropped.values()), sum(seen.accepted.values())
    told = f"{count(dropped)} of {count(accepted + dropped)} records ({percent(dropped, accepted + dropped)} %)"
    places = f"of {seen.places} places looked at"
    damaged = f"in {seen.bad_places} {places}" if seen.bad_places else f"none in any {places}"
    if seen.blank_tail:
        damaged += f"; the last {size(seen.blank_tail)} are blank"
    return [
        Trust(
            "loss",
            f"{told}, as the last counters tell" if dropped else "none told by the last counters",
            "bad" if dropped else "ok",
        ),
        Trust("damage", damaged, "bad" if seen.bad_places else "ok"),
        Trust("end", "END seen", "ok")
        if seen.end
        else Trust("end", "no END: cut short, or still being written", "bad"),
        clock(seen.clock),
        graph(description) if description else Trust("graph", "none given: the chain will be assumed", "warn"),
        *limits(seen.config),
    ]


def lost(ledger: Ledger) -> tuple[int, int, bool]:
    """(records lost, records offered, whether more may be lost than is known)."""
    open_ended = any(w.count is None and w.cause is not Cause.STOPPED for w in ledger.windows) or not ledger.exact
    missing = ledger.missing + ledger.dropped
    return missing, sum(s.accepted + s.dropped for s in ledger.sources.values()), open_ended and not _whole(ledger)


def _whole(ledger: Ledger) -> bool:
    """Nothing is missing and nothing hints that something might be."""
    return not any(w.cause is not Cause.STOPPED for w in ledger.windows) and not ledger.missing


def loss(ledger: Ledger) -> Trust:
    """Records lost, of how many, in how many windows, why."""
    missing, offered, more = lost(ledger)
    windows = [w for w in ledger.windows if w.cause is not Cause.STOPPED]
    if not missing and not windows:
        return Trust("loss", "none", "ok")
    known = f"{'at least ' if more else ''}{count(missing)} of {count(offered)} records ({percent(missing, offered)} %)"
    if more and not missing:
        known = "how many records is not known"
    where = sum(w.merged for w in windows)
    causes = ", ".join(dict.fromkeys(w.cause.value for w in windows))
    return Trust("loss", f"{known}, {count(where)} window{'s' * (where != 1)}: {causes}" if where else known, "bad")


def damage(ledger: Ledger) -> Trust:
    """Bytes that are no record, and what was saved among them."""
    parts = []
    if ledger.bad:
        parts.append(f"{size(ledger.bad)} are no record")
    if ledger.behind_end:
        parts.append(f"{size(ledger.behind_end)} stand behind END and belong to nothing")
    if ledger.blank:
        parts.append(f"{size(ledger.blank)} are blank")
    if ledger.tail and not ledger.end_seen:
        parts.append(f"the last record is cut after {ledger.tail} bytes")
    if ledger.salvaged - ledger.open_records > 0:
        parts.append(f"{count(ledger.salvaged - ledger.open_records)} records salvaged from bad frames")
    if ledger.possible:
        parts.append(f"{count(ledger.possible)} doubtful ones left out")
    if ledger.importer:
        parts += [f"{count(number)} x {what}" for what, number in ledger.unknown.items()]
    elif ledger.unknown:
        parts.append(f"{count(sum(ledger.unknown.values()))} records of kinds this version does not know")
    if not parts:
        return Trust("damage", "none", "ok")
    return Trust("damage", ", ".join(parts), "bad" if ledger.damaged else "warn")


def files(names: Sequence[str]) -> Trust:
    """Several files are read as one capture, in this order."""
    return Trust("input", f"{len(names)} files read as one capture: {names[0]} .. {names[-1]}")


def conflicts(ledger: Ledger) -> Trust:
    """Parts of the stream that contradict each other."""
    return Trust("conflict", f"{count(ledger.conflict_count)}, the first: {ledger.conflicts[0]}", "bad")


def coverage(timeline: Timeline) -> Trust:
    """The least known buffer's share of known time."""
    known, whole = timeline.coverage(), timeline.end_ns - timeline.start_ns
    if not known or whole <= 0:
        return Trust("coverage", "nothing recorded", "bad")
    part = min(known)
    if part == whole:
        return Trust("coverage", "100.0 % of the time, every buffer", "ok")
    name = timeline.description.buffers[known.index(part)].name
    least = "under 0.1" if 1000 * part < whole else f"at least {lower_percent(part, whole)}"
    text = f"{least} % of the time known, {name} the least"
    return Trust("coverage", text, "ok" if part * 100 >= WELL_KNOWN * whole else "warn")


def ending(ledger: Ledger) -> Trust:
    """Whether the recording is whole: END, restarts."""
    runs = f", {ledger.runs} runs" if ledger.runs > 1 else ""
    if ledger.restarts:
        runs += f", {ledger.restarts} restart{'s' * (ledger.restarts > 1)} without END"
    if ledger.importer:
        text = f"{ledger.importer} has no END; its last line is " + ("whole" if ledger.end_seen else "cut")
        return Trust("end", text + runs, "ok" if ledger.end_seen else "bad")
    if ledger.end_seen:
        return Trust("end", f"END seen{runs}", "warn" if ledger.restarts else "ok")
    return Trust("end", f"no END: cut short, or still being written{runs}", "bad")


def clock(quality: dict[int, int], steps: Sequence[int] = ()) -> Trust:
    """Time quality -> records, and the clock steps in ns."""
    total = sum(quality.values())
    names = {int(q): q.name.lower().replace("_", "-") for q in TimeQuality}
    shares = [f"{names[q]} {percent(n, total)} %" for q, n in sorted(quality.items(), reverse=True) if n]
    moved = f"; {len(steps)} step{'s' * (len(steps) > 1)}, the first of {duration(steps[0])}" if steps else ""
    if {q for q, n in quality.items() if n} == {int(TimeQuality.LOCKED)}:
        return Trust("clock", f"locked throughout{moved}", "warn" if moved else "ok")
    return Trust("clock", (", ".join(shares) or "not told") + moved, "warn")


def graph(description: Description, told: int | None = None) -> Trust:
    """Where the graph comes from. told: the hash in the stream, 0 = none, None = not seen."""
    number = f"{len(description.buffers)} buffers"
    if description.assumed:
        return Trust("graph", f"ASSUMED {description.assumed_as} of {number} (no description)", "warn")
    given = f"{number}, {len(description.stages)} stages, hash {description.hash:016x}"
    if told and told != description.hash:
        return Trust("graph", f"FORCED: {given}, but that of the stream is {told:016x}", "bad")
    checked = "as in the stream" if told else "none in the stream"
    return Trust("graph", f"given, {given}, {checked}", "ok")


def limits(config: dict[int, dict[int, int]]) -> list[Trust]:
    """Limits in force at the end, sources that agree on one line."""
    groups: dict[str, list[int]] = {}
    for src, words in sorted(config.items()):
        if text := _limits(words):
            groups.setdefault(text, []).append(src)
    single = len(groups) == 1
    found = [Trust("limits" if single else f"limits {_ranges(sources)}", text) for text, sources in groups.items()]
    if text := sync_limits(config.get(SRC_JITTER, {})):
        found.append(Trust("sync", text))
    if text := ras_limits(config.get(SRC_RAS, {})):
        found.append(Trust("RAS limits", text))
    return found


def _limits(words: dict[int, int]) -> str:
    parts = []
    if Cfg.BP_LIMITS in words:
        of = {f.name: f.get(words[Cfg.BP_LIMITS]) for f in fields_of(Cfg.BP_LIMITS)}
        parts.append(f"full from {of['th_on']}/64, free below {of['th_off']}/64, not empty from {of['th_wet']}/64")
        if of["level_step"]:
            parts.append(f"level step {of['level_step']}/64")
        if of["raw"]:
            parts.append("RAW on")
    if Cfg.STALE in words:
        stale = words[Cfg.STALE]
        parts.append(f"stale after {duration(stale)}" if stale else "stale never")
    return ", ".join(parts)


def fields_of(word: Cfg) -> tuple[Field, ...]:
    """Fields of a CFG word."""
    return PAYLOAD[Kind.CFG, int(word)]


def _ranges(numbers: Iterable[int]) -> str:
    """``0-3,7`` of 0, 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{low}-{high}" if low != high else str(low) for low, high in runs)
