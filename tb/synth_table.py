# SPDX-License-Identifier: Apache-2.0
"""Measures the table of area and clock: ``python tb/synth_table.py [--check] [--all] [NAME]...``

Rows whose sources have changed since they were measured are measured again and kept in ``rtl/synthesis.json``, from
which ``make gen`` writes the tables. ``--check`` only names such rows, and exits 1 if there are any.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from npuscope.errors import Exit, NpuscopeError, leave
from npuscope.sim import Design
from npuscope.sim.yosys import run_script
from npuscope.synthesis import DATA
from tb.runner import TREE, design
from tb.synth import measure

TOPS: dict[str, tuple[str, dict[str, int]]] = {
    "nps_top": ("nps_top", {}),
    "nps_top trace ports only": ("nps_top", {"JITTER": 0, "RAS": 0, "TOKEN": 0, "REGS": 0}),
    "nps_top REGS=0": ("nps_top", {"REGS": 0}),
}
"""Configurations with a row of their own, by name."""

PARTS = ("probe", "monitor", "ptp", "token", "regs", "source", "ras", "common", "trace")
"""Folders of rtl/ in the order of the table."""

PLACED = {
    "nps_bp_probe", "nps_bus8", "nps_csr", "nps_fifo_async", "nps_interval_mon", "nps_jitter", "nps_ptp_cdc",
    "nps_ptp_clock", "nps_ras_map", "nps_ras_words", "nps_sched_timer", "nps_skid", "nps_token_inject",
    "nps_token_irq", "nps_trace_fabric", *TOPS,
}  # fmt: skip
"""Rows with a clock: what a user may instantiate. The rest are measured within these."""

# cells of a family: those of logic, what each costs in LUTs besides, flip-flops, block RAM, multipliers
_FAMILIES: dict[str, tuple[str, str, dict[str, int], str, str, str]] = {
    "ecp5": ("synth_ecp5", r"LUT4", {"CCU2C": 2, "TRELLIS_DPR16X4": 4}, r"TRELLIS_FF", r"DP16KD", r"MULT18X18D"),
    "ice40": ("synth_ice40", r"SB_LUT4", {}, r"SB_DFF\w*", r"SB_RAM40\w*", r"SB_MAC16"),
    "xc7": ("synth_xilinx -family xc7 -noiopad -noclkbuf", r"LUT[1-6]|INV", {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2,
            "RAM64X1D": 2, "RAM128X1D": 4, "RAM32X1S": 1, "RAM64X1S": 1, "RAM16X1D": 2, "SRL16E": 1, "SRLC32E": 1},
            r"FD[A-Z]+", r"RAMB\w*", r"DSP48E1"),
}  # fmt: skip


def rows() -> dict[str, Design]:
    """The designs of the table by name."""
    found = {name: design(top, parameters) for name, (top, parameters) in TOPS.items()}
    for part in PARTS:
        found |= {path.stem: design(path.stem) for path in sorted((TREE / "rtl" / part).glob("nps_*.v"))}
    return found


def digest(made: Design) -> str:
    """Of all that the figures depend on in this tree."""
    texts = [path.read_text() for path in made.sources]
    names = {name for text in texts for name in re.findall(r'`include "(\w+\.vh)"', text)}
    texts += [
        (folder / name).read_text() for folder in made.includes for name in sorted(names) if (folder / name).exists()
    ]
    return hashlib.sha256("\0".join([*texts, repr(sorted(made.parameters.items()))]).encode()).hexdigest()[:16]


def cells(made: Design, family: str) -> dict[str, int]:
    """What ``made`` takes in one family, mapped by Yosys.

    Raises:
        NpuscopeError: Yosys refuses the design.
    """
    synth, logic, extra, ff, ram, dsp = _FAMILIES[family]
    includes = " ".join(f"-I{folder}" for folder in made.includes)
    parameters = " ".join(f"-chparam {name} {value}" for name, value in made.parameters.items())
    reads = [f"read_verilog -DNO_ICE40_DEFAULT_ASSIGNMENTS {includes} {path}" for path in made.sources]
    commands = [*reads, f"hierarchy -check -top {made.top} {parameters}", f"{synth} -flatten", "stat -json"]
    if family == "ecp5":
        commands[-2] = synth
    if family == "ice40":  # has no RAM in LUTs
        commands[-2:-2] = ["proc", "setattr -unset ram_style */m:*"]
    code, log = run_script(commands)
    if code:
        raise NpuscopeError(f"{synth} fails", found=log[-500:])
    counted = {name: int(count) for name, count in re.findall(r'"(\w+)":\s+(\d+)', log[log.rindex('"design":') :])}

    def total(pattern: str) -> int:
        return sum(count for name, count in counted.items() if re.fullmatch(pattern, name))

    used = total(logic)
    return {
        "lut": used + sum(cost * counted.get(name, 0) for name, cost in extra.items()),
        "logic": used,
        "ff": total(ff),
        "ram": total(ram),
        "dsp": total(dsp),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these rows")
    parser.add_argument("--check", action="store_true", help="only name the rows that are out of date")
    parser.add_argument("--all", action="store_true", help="measure the others too")
    options = parser.parse_args()
    wanted = rows()
    if unknown := sorted(set(options.names) - wanted.keys()):
        raise NpuscopeError("no such row", found=", ".join(unknown), expected="a module of rtl/, or " + ", ".join(TOPS))
    data = TREE / DATA
    kept: dict[str, Any] = json.loads(data.read_text()) if data.exists() else {}
    digests = {name: digest(made) for name, made in wanted.items()}
    stale = [name for name, value in digests.items() if options.all or kept.get(name, {}).get("digest") != value]
    stale = [name for name in stale if not options.names or name in options.names]
    if options.check:
        for name in stale:
            print(f"{name}: not measured since it changed; run `make synth`", file=sys.stderr)
        return Exit.CHECK_FAILED if stale else Exit.OK
    for name in stale:
        made = wanted[name]
        row: dict[str, Any] = {family: cells(made, family) for family in _FAMILIES}
        row["mhz"] = round(min(measure(made).mhz), 1) if name in PLACED else None
        kept[name] = row | {"digest": digests[name]}
        ordered = {key: kept[key] for key in wanted if key in kept}
        data.write_text(json.dumps(ordered, indent=1) + "\n")
        print(f"{name}: {row}", flush=True)
    return Exit.OK


if __name__ == "__main__":
    leave(main)
