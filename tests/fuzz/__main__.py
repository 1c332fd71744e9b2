"""Coverage-guided fuzzing of every reader (atheris), each for a while, from the corpus beside this file.

    python -m tests.fuzz --seconds 20 [READER...]

What breaks a reader is kept as ``fuzz-READER-...``; put it into the corpus with its mend. Inputs that reach new code
are thrown away with the working copy of the corpus, unless ``--keep`` is given.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.readers import READERS

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 1 << 14
"""Bytes of an input at most."""
HANGS_S = 60
MEMORY_MB = 2000


def main() -> int:
    """1 if a reader breaks, hangs or eats memory."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20, help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="put what reaches new code into the corpus")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"{', '.join(READERS)}; all if left out")
    options = parser.parse_args()
    if strange := set(options.readers) - READERS.keys():
        parser.error(f"no reader {', '.join(sorted(strange))}")
    broken = []
    for name in options.readers or READERS:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "corpus"
            shutil.copytree(CORPUS / name, work)
            command = [sys.executable, "-m", "tests.fuzz.one", name, str(work), f"-seed={options.seed}"]
            limits = [f"-max_len={LONGEST}", f"-timeout={HANGS_S}", f"-rss_limit_mb={MEMORY_MB}", "-verbosity=0"]
            limits += [f"-max_total_time={options.seconds}", f"-artifact_prefix=fuzz-{name}-", "-print_final_stats=1"]
            done = subprocess.run(command + limits, check=False, capture_output=True, text=True)
            told = dict(
                line.removeprefix("stat::").split(": ") for line in done.stderr.splitlines() if "stat::" in line
            )
            runs = told.get("number_of_executed_units", "0").strip()
            fresh = told.get("new_units_added", "0").strip()
            print(f"{name:12} {runs:>8} inputs, {fresh:>5} of them new ways: {'BROKEN' if done.returncode else 'fine'}")
            if done.returncode:
                print(done.stdout + done.stderr, file=sys.stderr)
                broken.append(name)
            elif options.keep:
                shutil.copytree(work, CORPUS / name, dirs_exist_ok=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
