"""Freeze a sign-off: report, page, evidence and a manifest of hashes in one folder, which ``--verify`` recomputes."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from npuscope.dv.evidence import COVER, MUTANTS, PROOFS, REGRESS, REPLAY
from npuscope.dv.page import page
from npuscope.dv.signoff import SignOff
from npuscope.dv.tree import Tree, load_json
from npuscope.errors import NpuscopeError

__all__ = ["freeze", "verify"]

MANIFEST: Final = "manifest.json"
REPORT: Final = "signoff.json"
PAGE: Final = "signoff.html"
_FOLDERS: Final = ("rtl", "tb", "tools/npuscope/encode", "tools/npuscope/sim", "tools/npuscope/dv")
_LEFT_OUT: Final = ("__pycache__", "build")


def _sources(tree: Tree) -> Iterator[Path]:
    for folder in _FOLDERS:
        for path in sorted((tree.root / folder).rglob("*")):
            if path.is_file() and not set(path.relative_to(tree.root).parts) & set(_LEFT_OUT):
                yield path


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(report: SignOff, folder: Path) -> None:
    """Write the frozen sign-off into an empty or new folder.

    Raises:
        NpuscopeError: the folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise NpuscopeError("the folder is not empty", file=str(folder), hint="freeze into a new one")
    (folder / "evidence").mkdir(parents=True)
    body = report.to_json()
    (folder / REPORT).write_text(json.dumps(body, indent=1) + "\n")
    (folder / PAGE).write_text(page(body))
    for name in (REGRESS, MUTANTS, PROOFS, COVER, REPLAY):
        if (report.evidence.folder / name).exists():
            shutil.copyfile(report.evidence.folder / name, folder / "evidence" / name)
    manifest = {
        "schema": 1,
        "verdict": report.verdict,
        "stage": report.stage,
        "date": str(report.today),
        "sources": {report.tree.name(path): _hash(path) for path in _sources(report.tree)},
        "files": {str(path.relative_to(folder)): _hash(path) for path in sorted(folder.rglob("*")) if path.is_file()},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def verify(tree: Tree, folder: Path, today: datetime.date) -> list[str]:
    """What no longer is as it was frozen, each a line; empty when the verdict stands."""
    manifest = load_json(folder / MANIFEST)
    lines = list(_changed(manifest["files"], {name: folder / name for name in manifest["files"]}))
    now = {tree.name(path): path for path in _sources(tree)}
    lines += _changed(manifest["sources"], now)
    lines += [f"{name}: new since it was frozen" for name in sorted(now.keys() - manifest["sources"].keys())]
    again = SignOff(tree, manifest["stage"], today, folder / "evidence")
    if again.verdict != manifest["verdict"]:
        lines.append(f"verdict: was {manifest['verdict']}, is {again.verdict}")
    before = set(load_json(folder / REPORT)["blockers"])
    return lines + [f"new blocker: {line}" for line in again.blockers if line not in before]


def _changed(hashes: dict[str, Any], paths: dict[str, Path]) -> Iterator[str]:
    for name, digest in hashes.items():
        path = paths.get(name)
        if path is None or not path.is_file():
            yield f"{name}: gone since it was frozen"
        elif _hash(path) != digest:
            yield f"{name}: changed since it was frozen"
