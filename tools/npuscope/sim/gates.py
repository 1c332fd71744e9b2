"""The netlist of a design as a design: the same bench runs on the cells that synthesis for ice40 made of it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from npuscope.errors import Exit, NpuscopeError
from npuscope.sim import tools
from npuscope.sim.build import Design, locked
from npuscope.sim.yosys import read_commands, run_script

__all__ = ["named", "netlist"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFINES = {"NO_ICE40_DEFAULT_ASSIGNMENTS": 1}  # of inputs left open, in a way that Icarus does not read


def netlist(design: Design, root: Path) -> Design:
    """Synthesise ``design`` below ``root``, once for the same text and parameters.

    The parameters stay readable by their names, for the bench; they no longer change anything.

    Raises:
        NpuscopeError: Yosys is missing or refused the design.
    """
    share = tools.tool("yosys").path
    tools.need("yosys")
    assert share is not None
    commands = [*read_commands(design), f"prep -flatten -top {design.top}", "memory_map"]  # it has no small memories
    commands.append(f"synth_ice40 -top {design.top}")
    headers = [path for folder in design.includes for path in sorted(folder.glob("*.vh"))]
    texts = [path.read_text() for path in (*design.sources, *headers)]
    key = hashlib.sha256(repr((commands, texts, tools.tool("yosys").version)).encode()).hexdigest()[:16]
    folder = root / f"{design.top}-{key}"
    made = folder / f"{design.top}.v"
    with locked(folder):
        if not made.exists():
            folder.mkdir(parents=True, exist_ok=True)
            mapped = folder / "mapped.v"
            code, log = run_script([*commands, f"write_verilog -noattr {mapped}"])
            if code != 0:
                raise NpuscopeError(
                    f"no netlist of {design.top}", found=log.strip()[-200:], exit_code=Exit.CHECK_FAILED
                )
            made.write_text(named(mapped.read_text(), design))
    return Design(design.top, (made, share / "share" / "ice40" / "cells_sim.v"), (), {}, _DEFINES)


def named(text: str, design: Design) -> str:
    """The netlist with the parameters of the top: those that it was made with, else their defaults."""
    source = _COMMENT.sub("", next(path for path in design.sources if path.stem == design.top).read_text())
    head = re.search(rf"module\s+{design.top}\s*#\s*\((.*?)\)\s*\(\s*(?:in|out)put", source, re.DOTALL)
    declared = re.split(r"\bparameter\b", head[1])[1:] if head else []
    lines = []
    for one in declared:
        name, _, default = one.strip().rstrip(",").partition("=")
        value = design.parameters.get(name.split()[-1], default.strip())
        lines.append(f"  parameter {name.strip()} = {value};")
    ports = re.search(rf"module {design.top}\(.*?\);", text, re.DOTALL)
    assert ports is not None, "Yosys writes the top like this"
    return "\n".join([text[: ports.end()], *lines, text[ports.end() :]])
