"""Lines to records: those that belong together are joined, all others kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Final

from npuscope.hostlog.formats import BDF, FORMATS, LEVELS, kind_of
from npuscope.hostlog.pcie import aer_agent, aer_layer
from npuscope.hostlog.record import Coverage, HostEvent
from npuscope.hostlog.times import own_time, stamp

__all__ = ["parse_log"]

_STATUS: Final = re.compile(
    rf"\S+ {BDF}: +(?:AER: +)?device \[\S+\] error status/mask=(?P<status>[0-9a-f]+)/(?P<mask>[0-9a-f]+)"
)
_BIT: Final = re.compile(rf"\S+ {BDF}: +(?:AER: +)?\[ *(?P<bit>\d+)\] (?P<name>\S+)")
_HEADER: Final = re.compile(rf"\S+ {BDF}: +(?:AER: +)?TLP Header: (?P<words>[0-9a-fx ]+)")
_GHES: Final = re.compile(r"\{(?P<number>\d+)\}\[Hardware Error\]: (?P<text>.*)")
_GHES_LEVEL: Final = re.compile(r"event severity: (?P<level>\w+)")
_GHES_SECTION: Final = re.compile(r"section_type: (?P<section>.+)")


def parse_log(lines: Iterable[str], source: str) -> tuple[list[HostEvent], Coverage, list[str]]:
    """Events of one log, in its order, what it covers, and the other lines; ``source``: its name in the records."""
    coverage = Coverage(source)
    others: list[str] = []
    drafts: list[dict[str, Any]] = []
    open_aer: dict[str, dict[str, Any]] = {}
    open_ghes: dict[str, dict[str, Any]] = {}
    for line in lines:
        line = line.rstrip("\r\n")
        if not line.strip():
            continue
        coverage.lines += 1
        domain, time, body = stamp(line)
        if time is not None:
            first, last = coverage.times.get(domain, time)
            coverage.times[domain] = min(first, time[0]), max(last, time[1])
        draft = _follow(body, line, open_aer, open_ghes, drafts, (domain, time))
        if draft is None:
            coverage.other += 1
            others.append(line)
        else:
            coverage.understood += 1
    return [_finish(draft, source) for draft in drafts], coverage, others


def _follow(
    body: str,
    line: str,
    open_aer: dict[str, dict[str, Any]],
    open_ghes: dict[str, dict[str, Any]],
    drafts: list[dict[str, Any]],
    when: tuple[str, tuple[int, int] | None],
) -> dict[str, Any] | None:
    """The record that a line begins or goes on with; None: not understood."""
    for pattern in (_STATUS, _BIT, _HEADER):
        match = pattern.search(body)
        if match and match["bdf"] in open_aer:
            draft = open_aer[match["bdf"]]
            draft["raw"] += "\n" + line
            _add_registers(draft, match)
            return draft
    if match := _GHES.search(body):
        draft = open_ghes.get(match["number"], {})
        if not draft or "Hardware error from APEI" in match["text"]:
            told = match["text"].strip()
            draft = _draft(line, when, "ghes", severity="unknown", kind="A", component="platform", what=told)
            open_ghes[match["number"]] = draft
            drafts.append(draft)
        else:
            draft["raw"] += "\n" + line
        if level := _GHES_LEVEL.search(match["text"]):
            draft["severity"] = LEVELS.get(level["level"].lower(), "unknown")
            draft["kind"] = kind_of(draft["severity"])
        if section := _GHES_SECTION.search(match["text"]):
            draft["component"] = section["section"].strip()
        return draft
    for name, pattern, make in FORMATS:
        if match := pattern.search(body):
            draft = _draft(line, own_time(name, match, body, when), name, **make(match))
            if name == "aer" and draft.get("layer"):
                open_aer[match["bdf"]] = draft
            drafts.append(draft)
            return draft
    return None


def _draft(line: str, when: tuple[str, tuple[int, int] | None], name: str, **told: Any) -> dict[str, Any]:
    return {"raw": line, "domain": when[0], "time_ns": when[1], "format": name, **told}


def _add_registers(draft: dict[str, Any], match: re.Match[str]) -> None:
    registers = draft.setdefault("registers", {})
    names = match.groupdict()
    if "status" in names:
        status, mask = int(match["status"], 16), int(match["mask"], 16)
        registers |= {"status": status, "mask": mask}
        live = status & ~mask
        layer, agent = aer_layer(live, draft["severity"]), aer_agent(live, draft["severity"])
        draft["consistent"] = (layer, agent) == (draft["layer"], draft["agent"])
    elif "bit" in names:
        draft["what"] = f"PCIe bus error: {match['name']}"
    else:
        registers |= {f"tlp{i}": int(word, 16) for i, word in enumerate(match["words"].split()[:4])}


def _finish(draft: dict[str, Any], source: str) -> HostEvent:
    draft.pop("format")
    digest = hashlib.sha256(f"{source}\n{draft['raw']}".encode(errors="surrogateescape")).hexdigest()[:16]
    return HostEvent(id=digest, source=source, **draft)
