"""What identifies the inputs of a report."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable

from npuscope.views.report import FileFact

__all__ = ["file_facts"]


def file_facts(names: Iterable[str]) -> list[FileFact]:
    """Size and SHA-256 of each regular file; a pipe has neither."""
    return [_fact(name) for name in names]


def _fact(name: str) -> FileFact:
    if not (os.path.exists(name) and stat.S_ISREG(os.stat(name).st_mode)):
        return FileFact(name, 0, None)
    with open(name, "rb") as file:
        return FileFact(name, os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())
