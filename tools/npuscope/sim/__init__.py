"""Run simulations and proofs so that nothing passes silently.

``tools`` finds the programs, ``build`` compiles a design once, ``runner`` runs a cocotb bench on it and raises with one
replay line unless the verdict is PASS, ``prove`` runs the formal proofs. Needs the extras ``dv`` and ``formal``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from npuscope.sim.build import Design, Patch
    from npuscope.sim.runner import Result, SimulationFailure, expect_caught, expect_killed, expect_refused, run, seed
    from npuscope.sim.tools import SIMULATORS, Tool, check
    from npuscope.sim.verdict import Verdict

__all__ = [
    "SIMULATORS",
    "Design",
    "Patch",
    "Result",
    "SimulationFailure",
    "Tool",
    "Verdict",
    "check",
    "expect_caught",
    "expect_killed",
    "expect_refused",
    "run",
    "seed",
]

_MODULES = {
    "build": ("Design", "Patch"),
    "runner": ("Result", "SimulationFailure", "expect_caught", "expect_killed", "expect_refused", "run", "seed"),
    "tools": ("SIMULATORS", "Tool", "check"),
    "verdict": ("Verdict",),
}


def __getattr__(name: str) -> Any:
    """Imported when first used: the processes that do a job or serve as Yosys start in half the time."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"npuscope.sim.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
