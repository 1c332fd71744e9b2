"""The one error family: what was found where, what was expected, what to try, and the exit code."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit", "NpuscopeError"]


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
        text = f"{self.file}: " if self.file is not None else ""
        text += f"byte {self.offset}: " if self.offset is not None else ""
        text += f"record {self.record}: " if self.record is not None else ""
        text += self.what
        details = [f"found {self.found}" if self.found is not None else ""]
        details.append(f"expected {self.expected}" if self.expected is not None else "")
        joined = ", ".join(filter(None, details))
        text += f": {joined}" if joined else ""
        text += f"; {self.hint}" if self.hint is not None else ""
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
