"""The pytest plugin of ``dv run``: a line of JSON when a test starts and one when it ends, in the file NPUSCOPE_RUNS.

A test that started and did not end was killed with its process; that is how a crash or a hang is told from a failure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from npuscope.errors import Exit, NpuscopeError
from npuscope.sim.build import BuildFailure
from npuscope.sim.runner import RUNS_VARIABLE, SimulationFailure, record
from npuscope.sim.verdict import Verdict

_ROWS: dict[str, dict[str, Any]] = {}


def _write(row: dict[str, Any]) -> None:
    record(Path(os.environ[RUNS_VARIABLE]), row)


def pytest_runtest_logstart(nodeid: str) -> None:
    """The test begins."""
    _ROWS[nodeid] = {"verdict": Verdict.MISSING, "reason": "did not run", "seconds": 0.0}
    _write({"start": nodeid})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """What one phase (set-up, call, tear-down) says; a failure of any stays."""
    report = yield
    row = _ROWS[item.nodeid]
    row["seconds"] += call.duration
    if report.outcome == "skipped":
        row.update(verdict=Verdict.MISSING, reason=f"skipped: {report.longrepr}"[:400])
    elif report.failed and call.excinfo is not None:
        row.update(_judge(call.excinfo.value))
    elif report.when == "call":
        row.update(verdict=Verdict.PASS, reason="")
    return report


def pytest_runtest_logfinish(nodeid: str) -> None:
    """The test has ended, torn down."""
    _write({"node": nodeid, **_ROWS.pop(nodeid)})


def _judge(error: BaseException) -> dict[str, Any]:
    """Verdict, reason and where to look."""
    if isinstance(error, SimulationFailure):
        row = error.result.row()
        return {key: row[key] for key in ("verdict", "reason", "folder", "waveform", "view")}
    text = " ".join(str(error).split())[:400] or type(error).__name__
    if isinstance(error, BuildFailure):
        return {"verdict": Verdict.BUILD_FAIL, "reason": text}
    if isinstance(error, NpuscopeError) and error.exit_code == Exit.CANNOT_TEST:
        return {"verdict": Verdict.INFRA, "reason": text}
    if text.startswith("Timeout"):
        return {"verdict": Verdict.HANG, "reason": text}
    return {"verdict": Verdict.FAIL, "reason": text}
