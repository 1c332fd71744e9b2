# SPDX-License-Identifier: Apache-2.0
"""RTL against netlist: ``python tb/equiv.py [MODULE[:NAME=VALUE]...]`` proves that synthesis for ice40 changed nothing.

Yosys ``equiv_opt``: every register and output of the mapped netlist is the RTL's, by induction. What is beyond it, such
as a multiplier, is told as not proven; exit 1 then.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from npuscope.errors import Exit, leave
from npuscope.sim import Design
from npuscope.sim.yosys import read_commands, run_script
from tb.runner import TREE, design

__all__ = ["prove"]

FLOW = ("synth_ice40",)


def prove(made: Design, flow: tuple[str, ...] = FLOW) -> str | None:
    """None if what ``flow`` (Yosys commands) makes of the design is equivalent, else what is not proven."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "flow.ys"
        script.write_text("\n".join(flow) + "\n")
        code, log = run_script(
            [
                *read_commands(made),
                f"prep -flatten -top {made.top}",
                "memory_map",
                "opt_clean",
                f"equiv_opt -assert -map +/ice40/cells_sim.v script {script}",
            ]
        )
    if code == 0 and "Equivalence successfully proven" in log:
        return None
    lines = [line.strip() for line in log.splitlines() if "Unproven" in line or "ERROR" in line]
    return lines[-1] if lines else log.strip()[-200:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE[:NAME=VALUE]...", help="default: all but the top")
    options = parser.parse_args()
    every = sorted(path.stem for path in (TREE / "rtl").rglob("*.v") if "gen" not in path.parts)
    failed = 0
    for text in options.modules or [name for name in every if name != "nps_top"]:
        top, *pairs = text.split(":")
        parameters = {name: int(value, 0) for name, value in (pair.split("=") for pair in pairs)}
        found = prove(design(top, parameters))
        failed += found is not None
        print(
            f"{'equivalent' if found is None else 'NOT PROVEN'}  {text}" + (f": {found}" if found else ""), flush=True
        )
    return Exit.CHECK_FAILED if failed else Exit.OK


if __name__ == "__main__":
    leave(main)
