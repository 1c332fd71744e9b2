"""The design tree that the ``book`` and ``dv`` verbs work on: where it is, its modules, and a hash over what they are.

A hash covers all that can change what a module's bench finds: its sources, all headers, the limits of the book, its
bench folder, the shared bench code and the golden model. Evidence of another hash is stale.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from npuscope.errors import NpuscopeError

__all__ = ["COMMENT", "Tree", "load_json", "load_toml"]

BOOK: Final = "rtl/spec/thresholds.toml"
COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LIMIT = ("id", "operator", "value", "min", "max")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SHARED = ("tb/vip/*", "tb/*.py", "tb/gen/*", "tools/npuscope/encode/*.py", "tools/npuscope/layout.py")


def load_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        NpuscopeError: it cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise NpuscopeError("cannot be read", file=str(path), found=str(error.strerror)) from error
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise NpuscopeError("not TOML", file=str(path), found=str(error)) from error


def load_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        NpuscopeError: it cannot be read, or is no JSON object.
    """
    try:
        found = json.loads(path.read_text())
    except OSError as error:
        raise NpuscopeError("cannot be read", file=str(path), found=str(error.strerror)) from error
    except ValueError as error:
        raise NpuscopeError("not JSON", file=str(path), found=str(error)) from error
    if not isinstance(found, dict):
        raise NpuscopeError("not a JSON object", file=str(path), found=type(found).__name__)
    return found


@dataclass(frozen=True)
class Tree:
    """A folder with ``rtl/``, ``tb/`` and a threshold book."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Tree:
        """The tree that ``start`` is in.

        Raises:
            NpuscopeError: no folder from ``start`` upwards has a threshold book.
        """
        for folder in (start.resolve(), *start.resolve().parents):
            if (folder / BOOK).is_file():
                return cls(folder)
        raise NpuscopeError("no design tree", file=str(start), expected=BOOK, hint="run it inside the tree")

    @property
    def evidence(self) -> Path:
        """Where runs leave what they found."""
        return self.root / "build" / "dv"

    @cached_property
    def modules(self) -> dict[str, Path]:
        """RTL modules by name (one a file, of the file's name), generated ones too."""
        return {path.stem: path for path in sorted((self.root / "rtl").rglob("*.v"))}

    @cached_property
    def benches(self) -> dict[str, Path]:
        """Bench folders, those with a plan, by name."""
        return {path.parent.name: path.parent for path in sorted((self.root / "tb").glob("*/plan.toml"))}

    @cached_property
    def code(self) -> dict[str, str]:
        """Text of every RTL module without comments."""
        return {name: COMMENT.sub(" ", path.read_text()) for name, path in self.modules.items()}

    def needs(self, module: str) -> list[str]:
        """``module`` and every RTL module that it instantiates, directly or not."""
        found: dict[str, None] = {}

        def visit(name: str) -> None:
            found[name] = None
            for other in sorted(set(_WORD.findall(self.code[name])) & self.modules.keys() - found.keys()):
                visit(other)

        if module in self.modules:
            visit(module)
        return list(found)

    @cached_property
    def _shared(self) -> bytes:
        digest = hashlib.sha256()
        files = [path for pattern in _SHARED for path in sorted(self.root.glob(pattern))]
        for path in (*files, *sorted((self.root / "rtl").rglob("*.vh"))):
            if path.is_file():
                digest.update(self.name(path).encode() + b"\0" + path.read_bytes())
        limits = load_toml(self.root / BOOK).get("threshold", [])
        digest.update(repr([[entry.get(key) for key in _LIMIT] for entry in limits]).encode())
        return digest.digest()

    def hash(self, bench: str) -> str:
        """What the evidence of this bench stands on."""
        digest = hashlib.sha256(self._shared)
        files = [self.modules[name] for name in self.needs(bench)]
        files += [path for path in sorted((self.root / "tb" / bench).rglob("*")) if path.suffix != ".pyc"]
        for path in files:
            if path.is_file():
                digest.update(self.name(path).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]

    def name(self, path: Path) -> str:
        """``path`` relative to the tree."""
        return str(path.relative_to(self.root))
