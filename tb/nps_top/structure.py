# SPDX-License-Identifier: Apache-2.0
"""What the sink can reach: cones of the flattened netlist, so that the answer holds for every stimulus.

A cone is everything that a signal can depend on, over any number of clocks, registers and memories included. The only
way back from the sink to the probes that the format allows is ``active``: a start waits until END has been taken
(FORMAT.md, rule 25). So the cones are taken with that one register cut out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npuscope.errors import Exit, NpuscopeError
from npuscope.sim.yosys import run_script
from tb.runner import design

__all__ = ["EVENTS", "EXIT", "WATCHED", "depend"]

SINK = "i:m_axis_tready"
WATCHED = (
    "cfg_error",
    "sampling",
    "sync_lost",
    "crc_reneg_req",
    "phy_switch_req",
    "tok_ready",
    "pipe_valid",
    "pipe_freeze",
    "ins_error",
)
"""Outputs of nps_top that show what becomes of its inputs."""
EXIT = ("m_axis_tdata", "m_axis_tvalid", "m_axis_tlast", "active")
"""Its other outputs towards the sink."""
REGISTERS = (
    *(f"s_axil_{name}" for name in ("awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid")),
    "irq",
)
"""Those of the register port. There is no more: none that could hold a trace port up."""
EVENTS = tuple(
    f"ev_{name}" for name in ("valid", "kind", "sub", "tq", "ts", "payload", "bp_samples", "step", "step_ns")
)
"""What the probes say, before the queues."""


def depend(signals: Sequence[str], parameters: dict[str, int], *, cut: bool = True, rtl: Path | None = None) -> bool:
    """Whether any of the signals can depend on m_axis_tready.

    signals: outputs of nps_top, or EVENTS of its sources. cut: without the way over ``active``. rtl: a changed
    nps_top.v.

    Raises:
        NpuscopeError: Yosys refuses the design, a signal is not in the netlist, or an output is not listed above.
    """
    made = design("nps_top", parameters)
    includes = " ".join(f"-I{folder}" for folder in made.includes)
    sources = [rtl if rtl is not None and path.name == "nps_top.v" else path for path in made.sources]
    values = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    wires = [f"o:{name}" if name in WATCHED else f"w:gen_bp[*].{name} w:gen_mark.{name}" for name in signals]
    script = [f"read_verilog {includes} {path}" for path in sources]
    script += [f"hierarchy -check -top nps_top {values}", "proc", "flatten", "opt_clean"]
    script += [f"select -assert-min 1 {wire}" for wire in wires]
    script += [f"select -assert-count 1 {SINK}"]
    script += [f"select -assert-none o:* {' '.join(f'o:{name} %d' for name in (*WATCHED, *EXIT, *REGISTERS))}"]
    if cut:
        script += ["delete -output w:active", "cutpoint w:active"]  # an output is cut behind its port otherwise
    script += [f"select -set goal {' '.join(wires)}", "select -set cone @goal %ci*"]
    script += [f"tee -o /dev/stdout select -count @cone {SINK} %i"]
    code, log = run_script(script)
    counts = [line.split()[0] for line in log.splitlines() if line.endswith(" objects.")]
    if code or not counts:
        raise NpuscopeError("no cone of nps_top", found=log.strip()[-500:], exit_code=Exit.CHECK_FAILED)
    return counts[-1] != "0"
