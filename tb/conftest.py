# SPDX-License-Identifier: Apache-2.0
"""pytest for benches: a test with an argument ``sim`` runs once per simulator, with ``any_tool`` in Yosys too.

A test with the argument ``mutant`` runs once per named mutant of the book, on the simulators of ``--mutant-sim``.

NPUSCOPE_SEEDS=n (``make regress``): each test that simulates runs with n seeds, NPUSCOPE_SEED and those after it. It
simulates if it has the argument ``sim`` or the mark ``seeds``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from npuscope.sim import SIMULATORS
from npuscope.sim import seed as session_seed
from tb.runner import mutants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sim", default=",".join(SIMULATORS), help="simulators to run the benches on, default all: %(default)s"
    )
    parser.addoption("--mutant-sim", default="icarus", help="simulators to run named mutants on, default %(default)s")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "seeds: simulates, and so runs once per seed")
    session_seed()  # a random one is chosen here, before there are workers that must agree on it


def seeds() -> range:
    """The seeds of this session; more than one only if NPUSCOPE_SEEDS says so."""
    text = os.environ.get("NPUSCOPE_SEEDS", "1")
    if not text.isdecimal() or not int(text):
        raise pytest.UsageError(f"NPUSCOPE_SEEDS is {text!r}, expected a number from 1")
    return range(session_seed(), session_seed() + int(text))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sim" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--sim").split(",")
        if unknown := set(chosen) - set(SIMULATORS):
            raise pytest.UsageError(f"--sim: unknown {', '.join(sorted(unknown))}, known {', '.join(SIMULATORS)}")
        metafunc.parametrize("sim", chosen)
    if "mutant" in metafunc.fixturenames:
        metafunc.parametrize("mutant", mutants(Path(metafunc.definition.path).parent.name))
        metafunc.parametrize("mutant_sim", metafunc.config.getoption("--mutant-sim").split(","))
    if "any_tool" in metafunc.fixturenames:
        metafunc.parametrize("any_tool", [*SIMULATORS, "yosys"])
    simulates = "sim" in metafunc.fixturenames or metafunc.definition.get_closest_marker("seeds")
    if simulates and len(seeds()) > 1:
        metafunc.parametrize("_seed", seeds(), indirect=True, ids=lambda value: f"seed{value}")


def pytest_report_header() -> str:
    return f"NPUSCOPE_SEED={session_seed()}"


@pytest.fixture(autouse=True)
def _seed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test its seed of several."""
    if hasattr(request, "param"):
        monkeypatch.setenv("NPUSCOPE_SEED", str(request.param))


@pytest.fixture(scope="session")
def seed() -> int:
    """The session's seed; set NPUSCOPE_SEED to replay."""
    return session_seed()
