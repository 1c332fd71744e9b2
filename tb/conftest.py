# SPDX-License-Identifier: Apache-2.0
"""pytest for benches: a test with an argument ``sim`` runs once per simulator, with ``any_tool`` in Yosys too."""

from __future__ import annotations

import pytest

from npuscope.sim import SIMULATORS
from npuscope.sim import seed as session_seed


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sim", default=",".join(SIMULATORS), help="simulators to run the benches on, default all: %(default)s"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sim" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--sim").split(",")
        if unknown := set(chosen) - set(SIMULATORS):
            raise pytest.UsageError(f"--sim: unknown {', '.join(sorted(unknown))}, known {', '.join(SIMULATORS)}")
        metafunc.parametrize("sim", chosen)
    if "any_tool" in metafunc.fixturenames:
        metafunc.parametrize("any_tool", [*SIMULATORS, "yosys"])


def pytest_report_header() -> str:
    return f"NPUSCOPE_SEED={session_seed()}"


@pytest.fixture(scope="session")
def seed() -> int:
    """The session's seed; set NPUSCOPE_SEED to replay."""
    return session_seed()
