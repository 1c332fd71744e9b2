"""Run one step of cocotb's runner in a process group of its own, so that a wall-clock limit can end all of it.

cocotb's runner waits for the simulator without a limit; an endless loop in a bench would hang the caller for good.
The process is ``npuscope.sim.child``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["INFRA_CODE", "SIGNALLED", "run_job"]

INFRA_CODE = 70  # EX_SOFTWARE: the step itself broke, not the simulator
SIGNALLED = 128  # exit codes above are 128 + signal, as in a shell


def run_job(job: Mapping[str, Any], folder: Path, log: Path, env: Mapping[str, str], limit_s: float) -> int | None:
    """Write ``job`` into ``folder``, run it with all output in ``log``.

    Returns the simulator's exit code (128 + n for signal n, 70 if the step itself broke), None if the limit passed.
    """
    job_file = folder / "job.json"
    job_file.write_text(json.dumps(job, indent=1))
    # pytest's own variables would make cocotb's runner judge results by itself.
    clean = {key: value for key, value in env.items() if key not in ("PYTEST_CURRENT_TEST", "WAVES", "GUI")}
    with open(log, "wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "npuscope.sim.child", str(job_file)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=clean,
            cwd=folder,
            start_new_session=True,
        )
        try:
            code = child.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_group(child)
    return code if code >= 0 else SIGNALLED - code


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child's process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        child.wait()
