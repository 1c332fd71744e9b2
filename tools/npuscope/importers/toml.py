"""The small TOML files that say how to read a foreign dump."""

from __future__ import annotations

import tomllib
from typing import Any

from npuscope.errors import NpuscopeError

__all__ = ["integer", "load", "refuse_unknown"]


def load(path: str, what: str) -> dict[str, Any]:
    """The table in ``path``, which is the ``what`` (such as "mapping"); raises NpuscopeError."""
    try:
        with open(path, "rb") as file:
            return tomllib.loads(file.read().decode("utf-8-sig"))
    except OSError as error:
        raise NpuscopeError(f"cannot read the {what}: {error.strerror}", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NpuscopeError(f"the {what} is no TOML: {error}", file=path) from error


def refuse_unknown(entry: Any, keys: tuple[str, ...], what: str, path: str) -> None:
    """Raise NpuscopeError unless ``entry`` is a table with no key but ``keys``."""
    if not isinstance(entry, dict) or set(entry) - set(keys):
        found = min(set(entry) - set(keys)) if isinstance(entry, dict) else entry
        raise NpuscopeError(f"{what} is wrong", file=path, found=repr(found), expected=", ".join(keys))


def integer(entry: dict[str, Any], key: str, low: int, high: int, path: str, default: int | None = None) -> int:
    """An integer of a table; raises NpuscopeError for anything else."""
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise NpuscopeError(f"{key} is wrong", file=path, found=repr(value), expected=f"an integer {low}..{high}")
    return value
