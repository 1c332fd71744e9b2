# SPDX-License-Identifier: Apache-2.0
"""The module benches on gate level: ``python tb/gate.py [BENCH...]`` runs them on Icarus with their ice40 netlists.

The same tests with the same seed; planted bugs and refused parameters are left out, they are about the text. Default:
``MODULES``, whose benches look at ports and parameters only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from npuscope.errors import NpuscopeError, leave
from tb.runner import GATE, TREE

__all__ = ["MODULES"]

MODULES = (
    "nps_bus8", "nps_fifo", "nps_mark", "nps_orderq", "nps_skid", "nps_trace_pack",
)  # fmt: skip
_LEFT_OUT = "not planted and not mutant and not illegal and not sees and not caught"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="BENCH", default=MODULES, help="folders of tb/")
    options = parser.parse_args()
    if unknown := [name for name in options.benches if not (TREE / "tb" / name / "plan.toml").exists()]:
        raise NpuscopeError("no such bench", found=", ".join(unknown), hint="npuscope dv list")
    folders = [f"tb/{name}" for name in options.benches]
    command = [sys.executable, "-m", "pytest", "-q", "--sim", "icarus", "-k", _LEFT_OUT, *folders]
    return subprocess.run(command, cwd=TREE, env=os.environ | {GATE: "1"}, check=False).returncode


if __name__ == "__main__":
    leave(main)
