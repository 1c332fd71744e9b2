"""A progress line on stderr, for passes over a second and only on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, Self

from npuscope.units import size

__all__ = ["ProgressLine"]

FIRST_S: Final = 1.0
EVERY_S: Final = 0.2
BAR: Final = 24


class ProgressLine:
    """Call it with bytes done and bytes in all (None: not known); at the end of its ``with`` the line vanishes."""

    def __init__(self, quiet: bool) -> None:
        self._on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start = time.monotonic()
        self._next = self._start + FIRST_S
        self._drawn = False

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if not self._on or now < self._next:
            return
        self._next = now + EVERY_S
        rate = done / max(now - self._start, 1e-9)
        text = f"{size(done)} at {size(int(rate))}/s"
        if total:
            part = min(done, total)
            filled = BAR * part // total
            left = (total - part) / max(rate, 1.0)
            bar = "#" * filled + "." * (BAR - filled)
            text = f"[{bar}] {100 * part // total:3d} %  {text}  {left:.0f} s left"
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._drawn = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
