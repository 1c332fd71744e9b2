"""Run simulations and proofs so that nothing passes silently.

``tools`` finds the programs, ``build`` compiles a design once, ``runner`` runs a cocotb bench on it and raises with one
replay line unless the verdict is PASS, ``prove`` runs the formal proofs. Needs the extras ``dv`` and ``formal``.
"""

from npuscope.sim.build import Design, Patch, build
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
    "build",
    "check",
    "expect_caught",
    "expect_killed",
    "expect_refused",
    "run",
    "seed",
]
