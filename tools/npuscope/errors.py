"""The one error family: what was found where, what was expected, what to try, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import NoReturn

__all__ = ["INTERRUPTED", "SIGPIPE_EXIT", "Exit", "NpuscopeError", "drop_stdout", "leave"]

SIGPIPE_EXIT = 141
INTERRUPTED = 130
"""What a shell reports for programs that a broken pipe or Ctrl-C ended."""


class Exit(IntEnum):
    """Exit codes of the command line; where several apply the order is 2, 5, 4, 3, 1."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    LOSS = 3
    CONFLICT = 4
    NOT_RECOGNISED = 5
    CANNOT_TEST = 125


class NpuscopeError(Exception):
    """An error a user can act on; its text is one line.

    what: what is wrong, without a full stop. file, offset (bytes), record (index): where.
    found, expected: the value met and the one wanted. hint: what to try.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        offset: int | None = None,
        record: int | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
        exit_code: Exit = Exit.USAGE,
    ) -> None:
        self.what, self.file, self.offset, self.record = what, file, offset, record
        self.found, self.expected, self.hint, self.exit_code = found, expected, hint, exit_code
        super().__init__(self.line())

    def line(self) -> str:
        """The error as one line: ``file: offset: what: found X, expected Y; hint``."""
        text = f"{self.file or repr(self.file)}: " if self.file is not None else ""
        text += f"byte {self.offset}: " if self.offset is not None else ""
        text += f"record {self.record}: " if self.record is not None else ""
        text += self.what
        details = [f"found {self.found}" if self.found is not None else ""]
        details.append(f"expected {self.expected}" if self.expected is not None else "")
        joined = ", ".join(filter(None, details))
        text += f": {joined}" if joined else ""
        text += f"; {self.hint}" if self.hint is not None else ""
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def drop_stdout() -> None:
    """Nobody reads on: keep the interpreter's own flush at exit from complaining."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)
    except (OSError, ValueError, AttributeError):
        pass  # no real descriptor behind stdout (closed, or a test's buffer): nothing to protect


def leave(main: Callable[[], int | None]) -> NoReturn:
    """End the process with the code of ``main``: a mistake is one line, a reader or a user who leaves no traceback."""
    code: int | str | None
    try:
        try:
            code = main()
        except SystemExit as left:  # argparse
            code = left.code
        sys.stdout.flush()
    except NpuscopeError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:
        drop_stdout()
        code = SIGPIPE_EXIT
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)
