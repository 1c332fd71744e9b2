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


@pytest.fixture
def tiny() -> Callable[..., Result]:
    """Runs named tests of fixtures/cases.py on the tiny design; returns the result instead of raising."""

    def runs(*tests: str, sim: str = "icarus", **options: Any) -> Result:
        settings: dict[str, Any] = {"raises": False, "pythonpath": (FIXTURES,)} | options
        module = settings.pop("module", "cases")
        design = settings.pop("design", TINY)
        return run(design, sim, module, BUILD, tests=tests, **settings)

    return runs
