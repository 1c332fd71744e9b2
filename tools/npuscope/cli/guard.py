"""From any exception to one line on stderr and an exit code: no traceback reaches a user."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

import click

from npuscope.errors import INTERRUPTED, SIGPIPE_EXIT, Exit, NpuscopeError, drop_stdout

__all__ = ["guarded"]

COMPLETION_VARIABLE: Final = "_NPUSCOPE_COMPLETE"
DEBUG_VARIABLE: Final = "NPUSCOPE_DEBUG"


def guarded(arguments: Sequence[str] | None) -> int:
    """Run the click program; its return value or the exit code of what went wrong."""
    from npuscope.cli.app import program

    try:
        code = program.main(
            args=None if arguments is None else list(arguments), prog_name="npuscope", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
        return int(code or 0)
    except SystemExit as left:
        if COMPLETION_VARIABLE in os.environ:
            return int(left.code or 0)
        drop_stdout()
        return SIGPIPE_EXIT  # click turns a broken pipe into exit 1, which is a failed check here
    except BrokenPipeError:
        drop_stdout()
        return SIGPIPE_EXIT
    except (KeyboardInterrupt, click.Abort):
        drop_stdout()
        return INTERRUPTED
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exc()
        code = _report(error)
        if isinstance(error, OSError):
            drop_stdout()
        return code


def _report(error: Exception) -> int:
    """Print ``error`` as one line and return its exit code."""
    line, code = _describe(error)
    text = line.replace("\n", " ").replace("\r", " ")
    with contextlib.suppress(OSError):  # stderr itself is closed or full: only the exit code is left
        click.echo(f"npuscope: {text}", err=True)
    return int(code)


def _describe(error: Exception) -> tuple[str, Exit]:
    if isinstance(error, NpuscopeError):
        return error.line(), error.exit_code
    if isinstance(error, click.ClickException):
        text = error.format_message().removesuffix(".")
        context = getattr(error, "ctx", None)
        return (f"{text}; see '{context.command_path} --help'" if context else text), Exit.USAGE
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        return (f"{error.filename}: {reason}" if error.filename is not None else reason), Exit.USAGE
    if isinstance(error, MemoryError):
        return "out of memory; try a smaller --window", Exit.USAGE
    if isinstance(error, UnicodeError):
        return f"text that is not UTF-8: {error}", Exit.USAGE
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    hint = f"this is a defect of npuscope, please report it; {DEBUG_VARIABLE}=1 prints the traceback"
    return f"internal error: {type(error).__name__}: {error} at {place}; {hint}", Exit.CANNOT_TEST
