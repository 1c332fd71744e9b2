"""Outcomes of simulations that need no second run: the same build, the same environment, the same files read.

Beside a run's results lies ``kept.json``: a hash of the build (itself a hash of all Verilog, parameters and tools), the
request, the variables, the runner and the versions of Python packages, and one of each file below the watched folders
that the bench read, its modules too (``npuscope.sim.watch`` notes them). If one changed meanwhile, the run is not kept.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

from npuscope.sim import watch
from npuscope.sim.verdict import Outcome, Verdict

__all__ = ["Kept"]

_FILE = "kept.json"
_READ = "read.txt"
_PACKAGES = ("cocotb", "pyuvm", "cocotbext-axi", "numpy", "zlib-ng")
_NO_MATTER = ("PYTEST_", "MAKE", "MFLAGS", "CCACHE_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "_")
_KEPT = (Verdict.PASS, Verdict.FAIL, Verdict.TIMEOUT, Verdict.HDL_ERROR)  # what the design and the bench alone decide
_FOLDERS = (str(Path(__file__).resolve().parents[1]),)
_RUNNER = sorted(str(path) for path in Path(__file__).resolve().parent.glob("*.py"))


class Kept:
    """What a run in ``folder`` stands on: ``of`` is anything that JSON can say. folders: where files are noted."""

    def __init__(self, folder: Path, of: object, env: Mapping[str, str], folders: Iterable[Path]) -> None:
        self._folder = folder
        self._folders = tuple(dict.fromkeys((*_FOLDERS, *map(str, folders))))
        variables = sorted(item for item in env.items() if not item[0].startswith(_NO_MATTER))
        text = json.dumps([of, variables, sys.version, _versions(), [_hash(path) for path in _RUNNER]], sort_keys=True)
        self._key = hashlib.sha256(text.encode()).hexdigest()

    def variables(self) -> dict[str, str]:
        """For the simulation."""
        return {watch.VARIABLE: json.dumps({"folders": self._folders, "to": str(self._folder / _READ)})}

    def load(self) -> Outcome | None:
        """The outcome of the run before, if nothing that it stood on has changed."""
        try:
            found = json.loads((self._folder / _FILE).read_text())
        except (OSError, ValueError):
            return None
        if found["key"] != self._key or any(_hash(path) != text for path, text in found["read"].items()):
            return None
        said = found["outcome"]
        tests, failed, lasted = (tuple(said[name]) for name in ("tests", "failed", "lasted_ns"))
        return Outcome(Verdict(said["verdict"]), said["reason"], tests, failed, lasted, said["failed_ns"])

    def save(self, outcome: Outcome, started: float) -> None:
        """Keep ``outcome`` of a run that began at ``started``, unless a file that it read is younger."""
        noted = self._folder / _READ
        if outcome.verdict not in _KEPT or not noted.exists():
            return
        paths = sorted({_source(path) for path in noted.read_text().split("\n")[:-1]})
        read = {path: _hash(path) for path in paths if not path.startswith(str(self._folder))}
        if all(text is not None and os.stat(path).st_mtime < started for path, text in read.items()):
            body = {"key": self._key, "read": read, "outcome": asdict(outcome)}
            (self._folder / _FILE).write_text(json.dumps(body, indent=1) + "\n")


def _source(path: str) -> str:
    """The Python file of a compiled one, also of one that pytest compiled; others as they are."""
    folder, _, name = path.rpartition("/")
    if not folder.endswith("/__pycache__"):
        return path
    return f"{folder.removesuffix('__pycache__')}{name.partition('.')[0]}.py"


_hashes: dict[str, tuple[tuple[int, int, int], str]] = {}


def _hash(path: str) -> str | None:
    """Of the content of a file, None without one; read again only if it looks changed."""
    try:
        found = os.stat(path)
        looks = (found.st_mtime_ns, found.st_size, found.st_ino)
        if path not in _hashes or _hashes[path][0] != looks:
            _hashes[path] = looks, hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None
    return _hashes[path][1]


@cache
def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} none")
    return found
