"""Loaded into a simulation before the bench: notes each file that is read below the folders of ``NPUSCOPE_WATCH``.

The variable is JSON: ``folders``, and the file ``to`` which a line is added for each.
"""

from __future__ import annotations

import json
import os
import sys

__all__ = ["VARIABLE"]

VARIABLE = "NPUSCOPE_WATCH"


def _watch(folders: tuple[str, ...], to: str) -> None:
    sink = open(to, "a", buffering=1)  # noqa: SIM115  # until the simulator ends
    seen: set[str] = set()

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        mode, flags = arguments[1], arguments[2]
        if not (mode.startswith("r") if isinstance(mode, str) else isinstance(flags, int) and not flags & os.O_WRONLY):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if path not in seen and path.startswith(folders) and "/site-packages/" not in path:
            seen.add(path)
            sink.write(path + "\n")

    sys.addaudithook(note)


if VARIABLE in os.environ:
    _asked = json.loads(os.environ[VARIABLE])
    _watch(tuple(_asked["folders"]), _asked["to"])
