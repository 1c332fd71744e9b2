"""Patterns of the lines that begin a record, and what each says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

__all__ = ["BDF", "FORMATS", "LEVELS", "kind_of"]

BDF: Final = r"(?P<bdf>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
_WORD: Final = r"(?P<severity>Correctable|Corrected|Uncorrectable|Uncorrected)(?: \((?P<deadly>Fatal|Non-Fatal)\))?"
LEVELS: Final = {
    "corrected": "corrected",
    "correctable": "corrected",
    "recoverable": "recoverable",
    "info": "informational",
    "fatal": "fatal",
}
Maker = Callable[[re.Match[str]], dict[str, Any]]


def _deadly(match: re.Match[str]) -> str:
    if match["severity"].startswith("Correct"):
        return "corrected"
    return "fatal" if match["deadly"] == "Fatal" else "recoverable"


def kind_of(severity: str) -> str:
    return {"corrected": "R", "informational": "S"}.get(severity, "A")


def _aer(match: re.Match[str]) -> dict[str, Any]:
    severity = _deadly(match)
    return {
        "severity": severity,
        "kind": kind_of(severity),
        "component": "pcie",
        "what": "PCIe bus error",
        "locator": match["bdf"],
        "layer": match["layer"].strip(),
        "agent": match["agent"].strip(),
    }


def _received(match: re.Match[str]) -> dict[str, Any]:
    severity = _deadly(match)
    return {
        "severity": severity,
        "kind": kind_of(severity),
        "component": "pcie",
        "what": "AER message received",
        "reporter": match["bdf"],
        "locator": match["about"] or "",
        "count": 2 if match["multiple"] else 1,
        "count_is_lower_bound": bool(match["multiple"]),
    }


def _xid(match: re.Match[str]) -> dict[str, Any]:
    fatal = match["xid"] in ("48", "74", "79", "94", "95", "119", "120")
    return {
        "severity": "fatal" if fatal else "recoverable",
        "kind": "A",
        "component": "gpu",
        "what": f"Xid {match['xid']}: {match['text'].strip()}",
        "locator": match["where"],
        "observed": int(match["xid"]),
    }


def _edac(match: re.Match[str]) -> dict[str, Any]:
    severity = "corrected" if match["what"] == "CE" else "fatal"
    return {
        "severity": severity,
        "kind": "R" if severity == "corrected" else "A",
        "component": "memory",
        "what": match["text"].strip(),
        "locator": match["where"],
        "count": int(match["count"]),
    }


def _servo(match: re.Match[str]) -> dict[str, Any]:
    locked = match["state"] in ("s2", "s3")
    severity = "informational" if locked else "recoverable"
    what = f"{match['tool']} offset" + ("" if locked else ", not locked")
    return {"severity": severity, "kind": "S", "component": "clock", "what": what, "observed": int(match["offset"])}


def _port(match: re.Match[str]) -> dict[str, Any]:
    worse = match["to"] in ("FAULTY", "UNCALIBRATED", "LISTENING", "DISABLED")
    severity = "recoverable" if worse else "informational"
    what = f"{match['from']} to {match['to']}"
    return {"severity": severity, "kind": "A", "component": "clock", "what": what, "locator": f"port {match['port']}"}


def _spread(match: re.Match[str]) -> dict[str, Any]:
    what = f"{match['tool']} rms {match['rms']} ns"
    return {"severity": "informational", "kind": "S", "component": "clock", "what": what, "observed": int(match["max"])}


def _sel(match: re.Match[str]) -> dict[str, Any]:
    text = f"{match['sensor'].strip()}: {match['event'].strip()}"
    low = text.lower()
    severity = "corrected" if re.search(r"(?<!un)correctable|correctable ecc log", low) else "recoverable"
    severity = "fatal" if re.search(r"uncorrectable|non-recoverable|fatal", low) else severity
    return {
        "severity": severity,
        "kind": kind_of(severity),
        "component": "bmc",
        "what": text,
        "locator": match["sensor"].strip(),
    }


def _machine_check(match: re.Match[str]) -> dict[str, Any]:
    return {
        "severity": "unknown",
        "kind": "R",
        "component": "cpu",
        "what": match["text"].strip(),
        "locator": match["cpu"],
    }


FORMATS: Final[tuple[tuple[str, re.Pattern[str], Maker], ...]] = (
    (
        "aer",
        re.compile(
            rf"\S+ {BDF}: (?:AER: )?PCIe Bus Error: severity={_WORD}, type=(?P<layer>[A-Za-z ]+?), "
            r"(?:id=[0-9a-f]+)?\((?P<agent>[A-Za-z ]+)\)"
        ),
        _aer,
    ),
    (
        "aer",
        re.compile(
            rf"\S+ {BDF}: AER: (?P<multiple>Multiple )?{_WORD} error (?:message )?received(?:: | from )"
            r"(?:id=)?(?P<about>[0-9a-f:.]+)"
        ),
        _received,
    ),
    ("xid", re.compile(r"NVRM: Xid \((?P<where>[^)]+)\): (?P<xid>\d+),(?P<text>.*)"), _xid),
    ("edac", re.compile(r"EDAC (?P<where>MC\d+): (?P<count>\d+) (?P<what>CE|UE) (?P<text>.*)"), _edac),
    ("mce", re.compile(r"mce: \[Hardware Error\]: (?P<text>.*?(?P<cpu>CPU \d+).*)"), _machine_check),
    (
        "ptp",
        re.compile(r"(?P<tool>ptp4l|phc2sys|ts2phc)\b.*?offset +(?P<offset>-?\d+) (?P<state>s\d)"),
        _servo,
    ),
    (
        "ptp",
        re.compile(r"(?P<tool>ptp4l|phc2sys|ts2phc).*?rms +(?P<rms>\d+) max +(?P<max>\d+)"),
        _spread,
    ),
    ("ptp", re.compile(r"ptp4l.*?port (?P<port>\d+)[^:]*: (?P<from>[A-Z_]+) to (?P<to>[A-Z_]+) on "), _port),
    (
        "sel",
        re.compile(
            r" *[0-9a-f]+ \| (?P<date>\d\d/\d\d/\d{4}) \| (?P<clock>\d\d:\d\d:\d\d)(?: \S+)? \| (?P<sensor>[^|]+)"
            r"\| (?P<event>[^|]+)"
        ),
        _sel,
    ),
)
