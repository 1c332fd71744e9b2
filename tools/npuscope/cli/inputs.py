"""What FILE... and --window mean: files, folders and globs; times after the first record and episodes."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.views.units import parse_duration

__all__ = ["Bound", "Window", "expand", "parse_window", "split_window"]

_EPISODE: Final = re.compile(r"ep:(\d+)")
_TAI: Final = re.compile(r"tai:(\d+)")
STDIN: Final = "-"


@dataclass(frozen=True)
class Bound:
    """One end of a window: ``ns`` after the first record, or absolute (``tai``), or an ``episode`` number."""

    ns: int = 0
    tai: bool = False
    episode: int | None = None


@dataclass(frozen=True)
class Window:
    """Half-open [low, high); None = the start or the end of the recording."""

    low: Bound | None
    high: Bound | None


def parse_window(text: str) -> Window:
    """``A..B``, ``A..``, ``..B`` with bounds as ``10us``, ``tai:NS`` or ``ep:N``; or ``ep:N`` alone = that episode."""
    if _EPISODE.fullmatch(text):
        bound = _bound(text)
        return Window(bound, bound)
    low, dots, high = text.partition("..")
    if not dots or not (low or high):
        raise NpuscopeError("not a window", found=repr(text), expected="A..B with times or episodes, such as 10us..2ms")
    window = Window(_bound(low) if low else None, _bound(high) if high else None)
    a, b = window.low, window.high
    if a and b and a.episode is None and b.episode is None and a.tai == b.tai and a.ns >= b.ns:
        raise NpuscopeError("the window is empty", found=repr(text), expected="an end after the start")
    return window


def _bound(text: str) -> Bound:
    if match := _EPISODE.fullmatch(text.strip()):
        return Bound(episode=int(match[1]))
    if match := _TAI.fullmatch(text.strip()):
        return Bound(int(match[1]), tai=True)
    return Bound(parse_duration(text))


def split_window(argument: str) -> tuple[str, str | None]:
    """``run.npt@1ms..2ms`` as (``run.npt``, ``1ms..2ms``); a file that has this very name is taken as it is."""
    path, at, window = argument.rpartition("@")
    if at and path and (".." in window or _EPISODE.fullmatch(window)) and not os.path.lexists(argument):
        return path, window
    return argument, None


def expand(arguments: Sequence[str]) -> list[str]:
    """Files of ``arguments`` in the order given, those of a folder or glob sorted by name; ``-`` stays.

    Raises NpuscopeError when one of them stands for no file at all.
    """
    found: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if argument == STDIN:
            found.append(argument)
        elif path.is_dir():
            inside = sorted(str(p) for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise NpuscopeError("no dump in this folder", file=argument, found="no files")
            found += inside
        elif not os.path.lexists(path) and glob.has_magic(argument):
            matches = sorted(p for p in glob.glob(argument, recursive=True) if os.path.isfile(p))
            if not matches:
                raise NpuscopeError("no file matches", file=argument)
            found += matches
        else:
            found.append(argument)
    if found.count(STDIN) > 1 or (STDIN in found and len(found) > 1):
        raise NpuscopeError("stdin can only be the one input", found=" ".join(arguments))
    return found
