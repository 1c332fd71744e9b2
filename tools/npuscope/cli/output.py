"""Where results go: stdout, or a file that appears whole or not at all and never replaces another by accident."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from npuscope.errors import NpuscopeError

__all__ = ["check_output", "open_output"]


def check_output(path: str | None, force: bool, inputs: Sequence[str] = ()) -> None:
    """Refuse, before any work is done, an output that is an input, a folder, or exists already without ``force``."""
    if path is None or path == "-":
        return
    target = Path(path)
    for name in inputs:
        if name != "-" and os.path.exists(name) and target.exists() and os.path.samefile(name, target):
            raise NpuscopeError("output is one of the inputs", file=path, hint="give -o another name")
    if target.is_dir():
        raise NpuscopeError("output is a folder", file=path, hint="give -o a file name")
    if not target.parent.is_dir():
        raise NpuscopeError("the folder of the output does not exist", file=path, hint=f"mkdir -p {target.parent}")
    if not os.access(target if target.exists() and not _is_regular(target) else target.parent, os.W_OK):
        raise NpuscopeError("no permission to write there", file=path, hint="give -o a place of your own")
    if _is_regular(target) and not force:
        raise NpuscopeError("output exists", file=path, hint="use --force to replace it")


def _is_regular(path: Path) -> bool:
    """Whether something is there that writing would destroy: a pipe or /dev/null is not."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return path.is_symlink()


@contextlib.contextmanager
def open_output(path: str | None, force: bool, *, utf8: bool = False) -> Iterator[TextIO]:
    """UTF-8 text sink; a file is written beside its place, flushed to disk and then moved in one step.

    path: None or ``-`` = stdout, in the encoding of the terminal unless ``utf8``. Raises NpuscopeError when it cannot
    be written, or came to exist meanwhile and ``force`` is off. A reader of stdout that leaves is BrokenPipeError.
    """
    try:
        if path is None or path == "-":
            if sys.stdout is None:
                raise NpuscopeError("stdout is closed", hint="use -o FILE")
            sink = _buffered(sys.stdout, utf8)
            yield sink
            sink.flush()
        elif Path(path).exists() and not _is_regular(Path(path)):
            with open(path, "w", encoding="utf-8", newline="") as sink:
                yield sink
        else:
            with _beside(Path(path), force) as sink:
                yield sink
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "stdout" if path is None or path == "-" else path
        raise NpuscopeError(f"cannot be written: {error.strerror or error}", file=name) from error


def _buffered(stdout: TextIO, utf8: bool) -> TextIO:
    """``stdout`` as UTF-8, or with escapes for what its encoding lacks.

    With PYTHONUNBUFFERED a buffered one, as Python's own drops what a full disk did not take.
    """
    if isinstance(getattr(stdout, "buffer", None), io.RawIOBase):
        stdout = open(stdout.fileno(), "w", encoding=stdout.encoding, closefd=False)  # noqa: SIM115, the caller's
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(encoding="utf-8" if utf8 else stdout.encoding, errors="backslashreplace")
    return stdout


@contextlib.contextmanager
def _beside(target: Path, force: bool) -> Iterator[TextIO]:
    """A file in the folder of ``target`` that takes its place when all of it is on disk, and never stays behind."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".npuscope-", suffix=".part")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        os.chmod(name, 0o666 & ~_umask())
        if force:
            os.replace(name, target)
        else:
            _link(name, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _link(name: str, target: Path) -> None:
    """Put the finished file in place, atomically failing if another took the name since ``check_output``."""
    try:
        os.link(name, target)
    except FileExistsError:
        raise NpuscopeError("output exists", file=str(target), hint="use --force to replace it") from None
    except OSError:  # a file system without hard links
        if target.exists():
            raise NpuscopeError("output exists", file=str(target), hint="use --force to replace it") from None
        os.replace(name, target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
