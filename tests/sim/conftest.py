# SPDX-License-Identifier: Apache-2.0
"""Every test here builds in one folder that stays, so that a second run is quick."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npuscope.sim import Design, Result, run

FIXTURES = Path(__file__).parent / "fixtures"
BUILD = Path(__file__).resolve().parents[2] / "build" / "sim-tests"
TINY = Design("nps_tiny", (FIXTURES / "nps_tiny.v",), (FIXTURES,))


def simulate(design: Design, sim: str = "icarus", **options: Any) -> Result:
    """Run tests of fixtures/cases.py on ``design``."""
    settings: dict[str, Any] = {"module": "cases", "pythonpath": (FIXTURES,)} | options
    return run(design, sim, settings.pop("module"), BUILD, **settings)


@pytest.fixture
def tiny() -> Callable[..., Result]:
    """Runs named tests of fixtures/cases.py on the tiny design; returns the result instead of raising."""

    def runs(*tests: str, sim: str = "icarus", design: Design = TINY, **options: Any) -> Result:
        return simulate(design, sim, tests=tests, **{"raises": False, **options})

    return runs
