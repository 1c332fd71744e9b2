"""One reader under libFuzzer; started by ``python -m tests.fuzz`` with libFuzzer's own options."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

import atheris


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["npuscope"]):
        readers = importlib.import_module("tests.fuzz.readers")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder) / "input"
        atheris.Setup(sys.argv, lambda data: readers.read(name, data, path))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
