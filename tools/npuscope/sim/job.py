"""Run one step of cocotb's runner in a process group of its own, so that a wall-clock limit can end all of it.

cocotb's runner waits for the simulator without a limit; an endless loop in a bench would hang the caller for good.
The process is a fork of ``npuscope.sim.child``, which stays and has imported the runner: 0.4 CPU-s a step less.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from npuscope.sim.codes import INFRA_CODE, SIGNALLED

__all__ = ["run_job"]

_idle: list[_Server] = []


def run_job(job: Mapping[str, Any], folder: Path, log: Path, env: Mapping[str, str], limit_s: float) -> int | None:
    """Write ``job`` into ``folder``, run it with all output in ``log``.

    Returns the simulator's exit code (128 + n for signal n, 70 if the step itself broke), None if the limit passed.
    """
    job_file = folder / "job.json"
    job_file.write_text(json.dumps(job, indent=1))
    # pytest's own variables would make cocotb's runner judge results by itself.
    clean = {key: value for key, value in env.items() if key not in ("PYTEST_CURRENT_TEST", "WAVES", "GUI")}
    server = _Server.idle()
    try:
        code = server.run({"job": str(job_file), "log": str(log), "env": clean, "folder": str(folder)}, limit_s)
    except BaseException:
        server.close(kill=True)
        raise
    if code == INFRA_CODE and not log.exists():
        log.write_text("npuscope.sim.child died before it began\n")
    if server.alive:
        _idle.append(server)
    else:
        server.close()
    return code


class _Server:
    """One ``npuscope.sim.child`` that forks for each job; one job at a time."""

    def __init__(self) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "npuscope.sim.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is for the caller, which ends the job's group
        )
        self._owner = os.getpid()

    @staticmethod
    def idle() -> _Server:
        """One that lives and has nothing to do."""
        while _idle:
            server = _idle.pop()
            if server.alive:
                return server
            server.close()
        return _Server()

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def run(self, request: Mapping[str, Any], limit_s: float) -> int | None:
        """Exit code of the job, 70 if the server died, None if the limit passed."""
        assert self._child.stdin is not None
        until = time.monotonic() + limit_s
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            return INFRA_CODE
        group = self._answer(None)
        if group is None:
            return INFRA_CODE
        ended = False
        try:
            code = self._answer(until - time.monotonic())
            ended = code is not None or not self.alive
        finally:
            _end_group(group)
            if not ended:
                self._answer(None)
        if code is None:
            return None if not ended else INFRA_CODE
        return code if code >= 0 else SIGNALLED - code

    def _answer(self, limit_s: float | None) -> int | None:
        """The next number that the server tells; None if the limit passed or it is dead."""
        assert self._child.stdout is not None
        if limit_s is not None and not select.select([self._child.stdout], [], [], max(0.0, limit_s))[0]:
            return None
        line = self._child.stdout.readline()
        return int(line) if line else None

    def close(self, *, kill: bool = False) -> None:
        """End the server, unless this is a fork of the process that started it."""
        if os.getpid() == self._owner:
            if kill:
                self._child.kill()
            assert self._child.stdin is not None
            assert self._child.stdout is not None
            with suppress(BrokenPipeError):  # it died with a request unread
                self._child.stdin.close()
            self._child.stdout.close()
            self._child.wait()


def _end_group(group: int) -> None:
    """Kill what is left of a job's process group."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


@atexit.register
def _close() -> None:
    while _idle:
        _idle.pop().close()
