"""Defaults from the nearest ``npuscope.toml``; the command line and NPUSCOPE_* variables win over it."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError

__all__ = ["NAME", "defaults", "find"]

NAME: Final = "npuscope.toml"

COMMON: Final = {
    "graph": str,
    "desc": str,
    "window": str,
    "allow_loss": (int, float),
    "allow_open": bool,
    "min_coverage": (int, float),
    "force_desc": bool,
    "format": str,
    "time_unit": str,
    "allow_backwards": bool,
    "sample_period": str,
    "quiet": bool,
}
"""Keys at the top of the file (with - or _), for every verb that has the option; the type each must have."""

PER_VERB: Final[dict[str, dict[str, Any]]] = {
    "info": {"deep": bool},
    "stalls": {"top": int, "evidence": int, "by": str},
    "show": {"width": int, "top": int, "lanes": str},
    "jitter": {"limit": list, "mtie": bool, "segments": bool, "without_missed": bool},
    "tokens": {"limit": str, "by": str, "top": int},
    "ras": {"severity": str, "top": int},
    "report": {"title": str},
    "export": {"to": str, "table": str},
    "doctor": {},
}
"""Keys of the table ``[verb]``, beside the common ones."""

GROUPS: Final = {"ras": ("show", "check")}
"""Verbs of verbs, which share one table."""

PATHS: Final = ("graph", "desc")


def find(start: Path | None = None) -> Path | None:
    """The file in ``start`` (default: the working directory) or the nearest folder above it that has one."""
    try:
        folder = (start or Path.cwd()).resolve()
    except OSError:
        return None  # the working directory was removed
    return next((p / NAME for p in (folder, *folder.parents) if (p / NAME).is_file()), None)


def defaults(path: Path | None = None) -> dict[str, dict[str, Any]]:
    """click's default map, verb to option to value; raises NpuscopeError for a key or a type that is not known."""
    path = path or find()
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NpuscopeError(f"not valid TOML: {error}", file=str(path)) from None
    common = _options(path, "", {k: v for k, v in content.items() if k not in PER_VERB}, COMMON, tuple(PER_VERB))
    result = {}
    for verb, own in PER_VERB.items():
        table = content.get(verb, {})
        if not isinstance(table, dict):
            raise NpuscopeError(f"'{verb}' must be a table", file=str(path), expected=f"[{verb}]")
        values = common | _options(path, f"{verb}.", table, COMMON | own)
        result[verb] = dict.fromkeys(GROUPS[verb], values) if verb in GROUPS else values
    return result


def _options(
    path: Path, prefix: str, table: dict[str, Any], known: dict[str, Any], also: tuple[str, ...] = ()
) -> dict[str, Any]:
    result = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in known:
            near = difflib.get_close_matches(name, (*known, *also), n=1)
            hint = f"did you mean '{near[0]}'" if near else f"keys are {', '.join((*known, *also))}"
            raise NpuscopeError(f"unknown key '{prefix}{key}'", file=str(path), hint=hint)
        if not isinstance(value, known[name]) or (isinstance(value, bool) and known[name] is not bool):
            raise NpuscopeError(f"'{prefix}{key}' has the wrong type", file=str(path), found=type(value).__name__)
        result[name] = str(path.parent / value) if name in PATHS else value
    return result
