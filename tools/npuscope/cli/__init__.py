"""The ``npuscope`` command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main", "run"]

INTERRUPTED = 130
"""128 + SIGINT: what a shell reports for a program that Ctrl-C ended."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: those of the process) and return its exit code; never raises."""
    try:
        from npuscope.cli.guard import guarded

        return guarded(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def main() -> None:
    """Entry point of the installed ``npuscope``."""
    sys.exit(run())
