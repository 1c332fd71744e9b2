"""Summaries of captures: of a dump just read, or kept as a baseline in a folder of small files for git."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from npuscope.analysis.summary import Summary, summarise
from npuscope.cli.options import Options
from npuscope.cli.progress import ProgressLine
from npuscope.cli.session import start, window
from npuscope.errors import NpuscopeError

if TYPE_CHECKING:
    from npuscope.capture import Capture

__all__ = ["FOLDER", "Baseline", "base_summary", "baseline_path", "read_baseline", "summary_of"]

FOLDER: Final = "baselines"
SCHEMA: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")

Baseline = dict[str, Any]
"""``schema``, ``npuscope`` version, ``history`` of {reason, sha256 of the input} and ``summary``."""


def summary_of(options: Options) -> tuple[Capture, Summary]:
    """Read the capture that the options name; its window counts."""
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=True)
        timeline = capture.timeline
    span = window(capture, options)
    arrivals = capture.arrivals["time"]
    number = int(((arrivals >= span[0]) & (arrivals < span[1])).sum())
    tokens = (number, None if capture.tables.gaps else number) if len(arrivals) else None
    return capture, summarise(timeline, capture.stalls(span), tokens, capture.ledger.time_unit)


def baseline_path(folder: str, name: str) -> Path:
    """The file of the baseline ``name``; raises NpuscopeError for a name that is no file name."""
    if not _NAME.fullmatch(name):
        raise NpuscopeError("not a name of a baseline", found=repr(name), expected="letters, digits, - _ .")
    return Path(folder) / f"{name}.json"


def read_baseline(path: Path) -> Baseline:
    """The content of a baseline file; raises NpuscopeError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NpuscopeError(f"cannot read the baseline: {error.strerror}", file=str(path)) from error
    except ValueError as error:
        raise NpuscopeError("the baseline is no JSON", file=str(path), hint="save it again") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("history"), list):
        raise NpuscopeError("no baseline of npuscope", file=str(path), expected=f"schema {SCHEMA}")
    return data


def base_summary(base: str, folder: str, options: Options) -> Summary:
    """What ``--base`` names: a baseline file, the name of one in ``folder``, or a capture read like the new one."""
    named = Path(folder) / f"{base}.json"
    path = named if not Path(base).exists() and named.exists() else Path(base)
    if path.suffix == ".json":
        return Summary.from_json(read_baseline(path).get("summary"), str(path))
    if not path.exists():
        raise NpuscopeError(
            "no such baseline", file=base, hint=f"give a dump, or a name that npuscope baseline list {folder} prints"
        )
    return summary_of(replace(options, files=(base,), window=None))[1]


def new_baseline(summary: Summary, files: list[str], reason: str, history: list[Any]) -> str:
    """The text of a baseline file, one line per number so that git shows what changed."""
    import npuscope

    entry = {"reason": reason, "sha256": [_digest(name) for name in files]}
    data = {
        "schema": SCHEMA,
        "npuscope": npuscope.__version__,
        "history": [entry, *history],
        "summary": summary.to_json(),
    }
    return json.dumps(data, indent=1) + "\n"


def _digest(name: str) -> str | None:
    if not Path(name).is_file():
        return None
    with open(name, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
