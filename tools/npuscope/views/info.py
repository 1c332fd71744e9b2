"""What a capture is, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from npuscope.layout import FORMAT_NAME, SRC_FRAMER, SRC_MARK, Cfg
from npuscope.ledger import Ledger
from npuscope.units import count, duration, size, tai
from npuscope.views.table import fields
from npuscope.views.trust import Trust

__all__ = ["SCHEMA", "info_json", "info_text"]

SCHEMA: Final = 1


def info_text(
    names: Sequence[str], title: str, ledger: Ledger, trust: Sequence[Trust], seconds: float, surveyed: str = ""
) -> str:
    """``name  value`` lines. seconds: what one full pass takes. surveyed: said when this was none."""
    lines = [("input", f"{_named(names)}, {size(ledger.total)}")]
    if title:
        lines.append(("title", title))
    lines.append(("format", _format(ledger)))
    if ledger.first_ts is not None and ledger.last_ts is not None:
        lines.append(("begins", tai(ledger.first_ts)))
        lines.append(("lasts", _lasts(ledger)))
    lines.append(("records", _records(ledger)))
    lines += [(f"src {src}", text) for src, text in _sources(ledger)]
    lines += [(item.name, item.text) for item in trust]
    lines.append(("full pass", f"{seconds:.1f} s" if seconds >= 0.1 else "under 0.1 s"))
    if surveyed:
        lines.append(("read", surveyed))
    return fields(lines)


def info_json(
    names: Sequence[str], title: str, ledger: Ledger, trust: Sequence[Trust], seconds: float, surveyed: str = ""
) -> dict[str, Any]:
    """The same with stable keys; ``read`` is ``full`` or ``survey``; times are integer ns, sizes bytes."""
    return {
        "schema": SCHEMA,
        "files": list(names),
        "title": title,
        "format": FORMAT_NAME,
        "version": list(ledger.version) if ledger.version else None,
        "first_tai_ns": ledger.first_ts,
        "last_tai_ns": ledger.last_ts,
        "read": "survey" if surveyed else "full",
        "full_pass_ms": round(1000 * seconds),
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in trust],
        "ledger": ledger.to_json(),
    }


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]} ({len(names)} files)"


def _format(ledger: Ledger) -> str:
    version = f" {ledger.version[0]}.{ledger.version[1]}" if ledger.version else ", version not told"
    swap = f", bytes of each {ledger.swap}-bit word swapped" if ledger.swap else ""
    header = f", header page of {size(ledger.header)}" if ledger.header else ""
    period = ledger.config.get(SRC_FRAMER, {}).get(Cfg.CLK_PERIOD)
    clock = f", clock period {period / 1000:g} ns" if period else ""
    return f"{FORMAT_NAME}{version}{swap}{header}{clock}"


def _lasts(ledger: Ledger) -> str:
    first, last = ledger.first_ts or 0, ledger.last_ts or 0
    steps = f" by the recorded clock, which stepped {ledger.step_count} times" if ledger.step_count else ""
    return f"{duration(last - first)}{steps}"


def _records(ledger: Ledger) -> str:
    total = ledger.ok + ledger.salvaged + ledger.sync + ledger.pad
    kinds = sorted(ledger.kinds.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count(n)}" for name, n in kinds if n)
    return f"{count(total)}: {shown}" if shown else count(total)


def _sources(ledger: Ledger) -> list[tuple[str, str]]:
    """Of each source its layers and records."""
    found = []
    for src, entry in sorted(ledger.sources.items()):
        mask = ledger.config.get(src, {}).get(Cfg.LAYERS)
        what = "marks" if src == SRC_MARK else "framer" if src == SRC_FRAMER else ""
        if mask is not None:
            what = f"{mask.bit_count()} layers"
        lost = f", {count(entry.missing + entry.dropped)} lost" if entry.missing + entry.dropped else ""
        found.append((str(src), f"{what + ', ' if what else ''}{count(entry.decoded)} records{lost}"))
    if len(found) > 8:
        found = [*found[:7], (f"+{len(found) - 7}", "more sources, see --json")]
    return found
