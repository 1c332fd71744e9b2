"""The ``npuscope`` command line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from npuscope.errors import INTERRUPTED

__all__ = ["main", "run"]


class _Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: cleaned up after as after Ctrl-C."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: those of the process) and return its exit code; never raises."""
    try:
        from npuscope.cli.guard import guarded

        return guarded(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminated(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _Terminated


def main() -> None:
    """Entry point of the installed ``npuscope``."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminated)
    code = run()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # all is done; the interpreter's own end must not be cut into
    sys.exit(code)
