"""What a capture is, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from npuscope.layout import FORMAT_NAME, SRC_FRAMER, Cfg
from npuscope.ledger import Ledger
from npuscope.survey import Survey
from npuscope.tables import CLOCK_EPOCH, clock_epochs
from npuscope.units import count, duration, size, tai
from npuscope.views.quantity import SOURCES
from npuscope.views.table import fields
from npuscope.views.trust import Trust

__all__ = ["SCHEMA", "info_json", "info_text", "survey_text"]

SCHEMA: Final = 1
EPOCHS: Final = 8
"""Clock epochs printed."""


def info_text(
    names: Sequence[str], title: str, ledger: Ledger, span_ns: int, trust: Sequence[Trust], seconds: float
) -> str:
    """``name  value`` lines after a full pass that took ``seconds``; span_ns: length of the recording."""
    lines = [("input", f"{_named(names)}, {size(ledger.total)}")]
    lines += [("title", title)] if title else []
    swap = f", bytes of each {ledger.swap}-bit word swapped" if ledger.swap else ""
    lines.append(("format", ledger.importer or _format(ledger.version, ledger.config) + swap))
    lines += _times(ledger.first_ts, span_ns)[1 if ledger.importer else 0 :]
    lines.append(("records", _records(ledger)))
    lines += _sources(ledger)
    lines += [(item.name, item.text) for item in trust if item.name != "input"]  # that is the first line
    lines += _epochs(ledger)
    lines.append(("full pass", f"{seconds:.1f} s" if seconds >= 0.1 else "under 0.1 s"))
    return fields(lines)


def survey_text(names: Sequence[str], title: str, seen: Survey, trust: Sequence[Trust]) -> str:
    """The same after a survey."""
    lines = [("input", f"{_named(names)}, {size(seen.size)}")]
    lines += [("title", title)] if title else []
    lines.append(("format", _format(seen.version, seen.config)))
    lines += _times(seen.first_ts, (seen.last_ts or 0) - (seen.first_ts or 0))
    lines += [(item.name, item.text) for item in trust]
    lines.append(("full pass", f"about {max(seen.full_pass_s, 0.1):.1f} s"))
    lines.append(("read", f"only {size(seen.read)} in {seen.places} places; --deep reads all"))
    return fields(lines)


def info_json(
    names: Sequence[str], title: str, seen: Ledger | Survey, trust: Sequence[Trust], seconds: float
) -> dict[str, Any]:
    """The same with stable keys: times are integer ns, sizes bytes; of ``ledger`` and ``survey`` one is null."""
    full = seen if isinstance(seen, Ledger) else None
    part = seen if isinstance(seen, Survey) else None
    return {
        "schema": SCHEMA,
        "files": list(names),
        "title": title,
        "format": (full.importer if full else "") or FORMAT_NAME,
        "version": list(seen.version) if seen.version else None,
        "bytes": full.total if full else part.size if part else 0,
        "first_tai_ns": seen.first_ts,
        "last_tai_ns": seen.last_ts,
        "full_pass_ms": round(1000 * seconds),
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in trust],
        "ledger": full.to_json() if full else None,
        "survey": asdict(part) if part else None,
        "clock_epochs": [dict(zip(CLOCK_EPOCH.names or (), row, strict=True)) for row in clock_epochs(full).tolist()]
        if full
        else None,
        "time_unit": full.time_unit if full else "ns",
    }


def _epochs(ledger: Ledger) -> list[tuple[str, str]]:
    """The stretches of time between clock steps, when there is a step."""
    rows = clock_epochs(ledger).tolist() if ledger.steps else []
    found = []
    for number, begin, end, step, src in rows[:EPOCHS]:
        stepped = f"step of {'+' * (step > 0)}{duration(step)} told by source {src}, " if number else ""
        lasts = f"lasts {duration(end - begin)}" if end >= begin else "ends before it begins"
        found.append((f"epoch {number}", f"{stepped}from {tai(begin)}, {lasts}"))
    if len(rows) > EPOCHS:
        found.append(("epoch ...", f"{count(ledger.epochs - EPOCHS)} more, see --json"))
    return found


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} files read as one capture: {names[0]} .. {names[-1]}"


def _format(version: tuple[int, int] | None, config: dict[int, dict[int, int]]) -> str:
    told = f" {version[0]}.{version[1]}" if version else ", version not told"
    period = config.get(SRC_FRAMER, {}).get(Cfg.CLK_PERIOD)
    return f"{FORMAT_NAME}{told}" + (f", clock period {period / 1000:g} ns" if period else "")


def _times(first: int | None, span_ns: int) -> list[tuple[str, str]]:
    return [] if first is None else [("begins", tai(first)), ("lasts", duration(span_ns))]


def _records(ledger: Ledger) -> str:
    if ledger.importer:
        return f"{count(ledger.lines)} samples"
    total = ledger.ok + ledger.salvaged + ledger.sync + ledger.pad
    kinds = sorted(ledger.kinds.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count(n)}" for name, n in kinds if n)
    return f"{count(total)}: {shown}" if shown else count(total)


def _sources(ledger: Ledger) -> list[tuple[str, str]]:
    """Of each source its layers and records."""
    found = []
    for src, entry in sorted(ledger.sources.items()):
        mask = ledger.config.get(src, {}).get(Cfg.LAYERS)
        what = SOURCES.get(src, "")
        if mask is not None:
            what = f"{mask.bit_count()} layers"
        lost = f", {count(entry.missing + entry.dropped)} lost" if entry.missing + entry.dropped else ""
        found.append((f"src {src}", f"{what + ', ' if what else ''}{count(entry.decoded)} records{lost}"))
    if len(found) > 8:
        found = [*found[:7], ("src ...", f"{len(found) - 7} more, see --json")]
    return found
