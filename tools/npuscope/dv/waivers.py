"""Waivers, ``tb/waivers.toml``: open items that somebody accepts, for a reason, until a day, for this RTL and no other.

A table ``[[waiver]]``::

    item = "threshold STEADY: proof *"       # open items of the sign-off, * stands for anything
    reason = "..."
    owner = "name"
    expires = 2027-06-30                     # the last day on which it holds
    file = "rtl/probe/nps_bp_probe.v"        # the region it is about: from one text to the next, without: all of it
    from = "// ---- stage 1"
    to = "// ---- stage 4"
    hash = "0123456789abcdef"                # of the region; a wrong one is told with the right one

Expired, stale (the region has changed) or matching nothing: an error. A waiver accepts a gap, never a failure.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from npuscope.dv.tree import Tree, load_toml
from npuscope.errors import NpuscopeError

__all__ = ["FILE", "Waiver", "faults", "load_waivers"]

FILE: Final = "tb/waivers.toml"
_REQUIRED = {"item", "reason", "owner", "expires", "file", "hash"}


@dataclass(frozen=True)
class Waiver:
    """One accepted item. actual: hash of its region now."""

    item: str
    reason: str
    owner: str
    expires: datetime.date
    region: str
    hash: str
    actual: str

    def covers(self, item: str) -> bool:
        return fnmatchcase(item, self.item)

    def fault(self, today: datetime.date) -> str | None:
        """Why it does not hold, None if it does."""
        if self.expires < today:
            return f"expired on {self.expires}, owner {self.owner}"
        if self.actual != self.hash:
            return f"stale: {self.region} has changed, hash is {self.actual}, owner {self.owner}"
        return None


def load_waivers(tree: Tree) -> list[Waiver]:
    """All waivers of a tree, none if there is no file.

    Raises:
        NpuscopeError: a table that does not fit the schema, a region that there is not.
    """
    path = tree.root / FILE
    table: dict[str, Any] = load_toml(path) if path.exists() else {}
    found = []
    for number, entry in enumerate(table.get("waiver", []), 1):
        where = f"waiver {number}"
        if missing := sorted(key for key in _REQUIRED if not entry.get(key)):
            raise NpuscopeError(f"{where} lacks {', '.join(missing)}", file=FILE)
        if unknown := sorted(entry.keys() - _REQUIRED - {"from", "to"}):
            raise NpuscopeError(f"{where} has unknown keys", file=FILE, found=", ".join(unknown))
        if not isinstance(entry["expires"], datetime.date):
            raise NpuscopeError(f"{where}: expires is no date", file=FILE, found=str(entry["expires"]))
        region = _region(tree, entry, where)
        digest = hashlib.sha256(region.encode()).hexdigest()[:16]
        given = {key: entry[key] for key in ("item", "reason", "owner", "expires", "hash")}
        found.append(Waiver(**given, region=_name(entry), actual=digest))
    return found


def _name(entry: dict[str, Any]) -> str:
    return str(entry["file"]) + (f" from {entry['from']!r}" if "from" in entry else "")


def _region(tree: Tree, entry: dict[str, Any], where: str) -> str:
    path: Path = tree.root / entry["file"]
    if not path.is_file():
        raise NpuscopeError(f"{where}: no such file", file=FILE, found=entry["file"])
    text = path.read_text()
    for key in ("from", "to"):
        if key in entry and text.count(entry[key]) != 1:
            count = text.count(entry[key])
            raise NpuscopeError(f"{where}: '{key}' must occur once in {entry['file']}", file=FILE, found=str(count))
    start = text.index(entry["from"]) if "from" in entry else 0
    return text[start : text.index(entry["to"]) if "to" in entry else None]


def faults(waivers: Iterable[Waiver], items: Iterable[str], today: datetime.date) -> list[str]:
    """Waivers that do not hold, or that match no open item; each a line."""
    names, lines = list(items), []
    for waiver in waivers:
        fault = waiver.fault(today)
        if fault is None and not any(waiver.covers(name) for name in names):
            fault = "matches no open item"
        if fault is not None:
            lines.append(f"{waiver.item}: {fault}")
    return lines
