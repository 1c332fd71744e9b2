"""Exit codes of a job; apart, so that the process that runs it imports nothing else."""

from __future__ import annotations

__all__ = ["INFRA_CODE", "SIGNALLED"]

INFRA_CODE = 70  # EX_SOFTWARE: the step itself broke, not the simulator
SIGNALLED = 128  # exit codes above are 128 + signal, as in a shell
