"""The ``npuscope`` command line; imports little, as a Ctrl-C before ``main`` ends in ``start``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextvars import copy_context
from types import FrameType
from typing import NoReturn

from npuscope.errors import INTERRUPTED

__all__ = ["main", "run"]

IMPORTLIB = "<frozen importlib"
RETRY_S = 0.005


class _Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: cleaned up after as after Ctrl-C."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: those of the process) and return its exit code; never raises."""
    try:
        from npuscope.cli.guard import guarded

        return copy_context().run(guarded, arguments)  # the unit of time that is printed is this run's own
    except KeyboardInterrupt:
        return INTERRUPTED


def _interrupted(_number: int, frame: FrameType | None) -> None:
    """Ctrl-C: an import that is under way is waited for, as it would print the exception and go on without it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTLIB):
            signal.setitimer(signal.ITIMER_REAL, RETRY_S)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _terminated(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _Terminated


def main() -> None:
    """Entry point of the installed ``npuscope``."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminated)
    for number in (signal.SIGINT, signal.SIGALRM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupted)
    code = run()
    for number in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # all is done; the interpreter's own end must not be cut into
    sys.exit(code)
