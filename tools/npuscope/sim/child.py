"""The process behind ``run_job``; ``python -m npuscope.sim.child JOB.json`` runs one recorded build or test.

Without an argument it serves: one request a line of stdin, JSON with ``job``, ``log``, ``env``, ``folder``; a fork in
a process group of its own does it. Answers are two lines on stdout: the process id of the fork, then its exit code.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from npuscope.sim.codes import INFRA_CODE, SIGNALLED

__all__ = ["main", "serve"]


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


def serve() -> None:
    """Fork for each request until stdin ends."""
    import cocotb_tools.runner  # noqa: F401  # once, for all forks

    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.chdir(request["folder"])
            os.environ.clear()
            os.environ.update(request["env"])
            _leave(request["job"])
        with suppress(PermissionError, ProcessLookupError):  # it was quicker
            os.setpgid(pid, pid)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _leave(job_file: str) -> None:
    """Do the job and end this process with its code."""
    try:
        code = main(job_file)
    except SystemExit as error:
        if not isinstance(error.code, int):
            print(f"npuscope.sim.child: {error}", file=sys.stderr)
        code = error.code if isinstance(error.code, int) else INFRA_CODE
    except Exception as error:
        print(f"npuscope.sim.child: {type(error).__name__}: {error}", file=sys.stderr)
        code = INFRA_CODE
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _leave(sys.argv[1])
    serve()
