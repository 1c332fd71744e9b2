"""What ``--window`` and FILE@A..B mean: times after the first record, absolute times, episodes, tokens."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.units import in_counts, parse_duration

__all__ = ["Bound", "Window", "parse_bound", "parse_window", "split_window"]

_EPISODE: Final = re.compile(r"ep:(\d+)")
_TOKEN: Final = re.compile(r"token:(\d+)")
_TAI: Final = re.compile(r"tai:(\d+)")


@dataclass(frozen=True)
class Bound:
    """One end of a window: ``ns`` after the first record, or absolute (``tai``), or an ``episode`` number.

    token: the first arrival of the token with this id. counts: whether it was given in ticks or cycles; None: a 0.
    """

    ns: int = 0
    tai: bool = False
    episode: int | None = None
    token: int | None = None
    counts: bool | None = field(default=None, compare=False)

    @property
    def is_time(self) -> bool:
        """Whether it is a time as it stands."""
        return self.episode is None and self.token is None


@dataclass(frozen=True)
class Window:
    """Half-open [low, high); None = the start or the end of the recording."""

    low: Bound | None
    high: Bound | None


def parse_window(text: str) -> Window:
    """``A..B``, ``A..``, ``..B`` with bounds as ``parse_bound`` reads them; or ``ep:N`` alone = that episode."""
    if _EPISODE.fullmatch(text):
        bound = parse_bound(text)
        return Window(bound, bound)
    low, dots, high = text.partition("..")
    if not dots or not (low or high):
        raise NpuscopeError("not a window", found=repr(text), expected="A..B with times or episodes, such as 10us..2ms")
    window = Window(parse_bound(low) if low else None, parse_bound(high) if high else None)
    a, b = window.low, window.high
    if a and b and a.is_time and b.is_time and a.tai == b.tai and a.ns >= b.ns:
        raise NpuscopeError("the window is empty", found=repr(text), expected="an end after the start")
    return window


def parse_bound(text: str) -> Bound:
    """``10us``, ``tai:NS``, ``ep:N`` or ``token:N``; raises NpuscopeError for anything else."""
    if match := _EPISODE.fullmatch(text.strip()):
        return Bound(episode=int(match[1]))
    if match := _TOKEN.fullmatch(text.strip()):
        return Bound(token=int(match[1]))
    if match := _TAI.fullmatch(text.strip()):
        return Bound(int(match[1]), tai=True)
    try:
        return Bound(parse_duration(text), counts=in_counts(text))
    except NpuscopeError as error:
        raise NpuscopeError(
            error.what, found=error.found, expected=f"{error.expected}, tai:NS, ep:N or token:N"
        ) from None


def split_window(argument: str) -> tuple[str, str | None]:
    """``run.npt@1ms..2ms`` as (``run.npt``, ``1ms..2ms``); a file that has this very name is taken as it is."""
    path, at, window = argument.rpartition("@")
    if at and path and (".." in window or _EPISODE.fullmatch(window)) and not os.path.lexists(argument):
        return path, window
    return argument, None
