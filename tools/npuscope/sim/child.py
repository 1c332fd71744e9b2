"""The process behind ``run_job``: ``python -m npuscope.sim.child JOB.json`` runs one recorded build or test."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from npuscope.sim.job import INFRA_CODE, SIGNALLED

__all__ = ["main"]


def main(job_file: str) -> int:
    """Do the job with cocotb's public runner; returns the simulator's exit code, 128 + n for signal n."""
    from cocotb_tools.runner import get_runner

    job = json.loads(Path(job_file).read_text())
    sys.path[:0] = job.get("pythonpath", [])
    arguments = job["arguments"]
    if "timescale" in arguments:
        arguments["timescale"] = tuple(arguments["timescale"])
    runner = get_runner(job["sim"])
    try:
        getattr(runner, job["action"])(**arguments)
    except RuntimeError as error:
        # The only way cocotb's runner tells the simulator's exit code.
        code = re.fullmatch(r"Command failed with return code: (-?\d+)", str(error))
        if code is None:
            raise
        return int(code[1]) if int(code[1]) >= 0 else SIGNALLED - int(code[1])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Exception as error:
        print(f"npuscope.sim.child: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(INFRA_CODE)
