"""What identifies the inputs of a report."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import Final

from npuscope.views.report import FileFact

__all__ = ["file_facts"]


HASHED_BYTES: Final = 1_000_000_000
"""Up to this size a file is hashed: more takes longer than to decode what a sparse one holds."""


def file_facts(names: Iterable[str]) -> list[FileFact]:
    """Size of each regular file, and SHA-256 up to ``HASHED_BYTES``; a pipe has neither."""
    return [_fact(name) for name in names]


def _fact(name: str) -> FileFact:
    if not (os.path.exists(name) and stat.S_ISREG(os.stat(name).st_mode)):
        return FileFact(name, 0, None)
    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > HASHED_BYTES:
            return FileFact(name, size, None)
        return FileFact(name, size, hashlib.file_digest(file, "sha256").hexdigest())
