"""The one schema of host events, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from npuscope.errors import NpuscopeError

__all__ = ["SCHEMA", "Coverage", "HostEvent", "read_events"]

SCHEMA: Final = 1
SEVERITIES: Final = ("informational", "corrected", "recoverable", "fatal", "unknown")


@dataclass(frozen=True)
class HostEvent:
    """One event. time_ns: earliest and latest, in ``domain``: utc, local or boot (ns since boot), None: no stamp.

    severity: of SEVERITIES. kind: R reliability, A availability, S serviceability. reporter: who told it; locator: what
    it is about. layer, agent: of a PCIe error; ``consistent`` False when the status word says otherwise. registers: raw
    words. count: events it stands for, a lower bound if ``count_is_lower_bound``. observed, threshold: numbers told.
    """

    id: str
    source: str
    raw: str
    domain: str
    time_ns: tuple[int, int] | None
    severity: str
    kind: str
    component: str
    what: str
    locator: str = ""
    reporter: str = ""
    layer: str = ""
    agent: str = ""
    consistent: bool = True
    registers: dict[str, int] = field(default_factory=dict)
    count: int = 1
    count_is_lower_bound: bool = False
    observed: int | None = None
    threshold: int | None = None
    recovery: str = ""
    injected: bool = False

    def to_json(self) -> dict[str, Any]:
        """One line of a file of events."""
        return {"schema": SCHEMA, "record": "event", **asdict(self)}


@dataclass
class Coverage:
    """What was looked at: without it no events and not monitored look alike. times: first and last stamp by domain."""

    source: str
    lines: int = 0
    understood: int = 0
    other: int = 0
    times: dict[str, tuple[int, int]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """One line of a file of events."""
        return {"schema": SCHEMA, "record": "coverage", **asdict(self)}


def read_events(lines: Iterable[str], file: str) -> tuple[list[HostEvent], list[Coverage]]:
    """Events and coverage of a file that ``ras import`` wrote, each event once; raises NpuscopeError."""
    events: dict[str, HostEvent] = {}
    covered = []
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            kind, schema = data.pop("record"), data.pop("schema")
            if schema != SCHEMA:
                raise ValueError(f"schema {schema}")
            if kind == "event":
                time = data.pop("time_ns")
                found = HostEvent(**data, time_ns=None if time is None else (int(time[0]), int(time[1])))
                events.setdefault(found.id, found)
            elif kind == "coverage":
                times = {name: (int(a), int(b)) for name, (a, b) in data.pop("times").items()}
                covered.append(Coverage(**data, times=times))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            hint = "give a file that npuscope ras import wrote"
            raise NpuscopeError(f"line {number} is no host event: {error}", file=file, hint=hint) from error
    return list(events.values()), covered
