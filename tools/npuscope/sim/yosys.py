"""Yosys out of the ``pyosys`` wheel: elaboration of a design, and a ``yosys`` command as sby expects one.

``python -m npuscope.sim.yosys`` takes the options that sby, smtbmc and witness use:
``[-q] [-Q] [-T] [-l LOG | -L LOG] [-p COMMANDS]... [-s SCRIPT] [-D NAME]... [-r TOP] [-V] [FILE...]``.
It is native code; the WebAssembly Yosys that sby would call by itself first compiles for a minute.
"""

from __future__ import annotations

import getopt
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

from npuscope.errors import NpuscopeError
from npuscope.sim import tools
from npuscope.sim.build import Design

__all__ = ["elaborate", "main", "read_commands", "run_script"]

_READERS = {
    ".ys": "script",
    ".sv": "read_verilog -sv",
    ".v": "read_verilog",
    ".il": "read_rtlil",
    ".json": "read_json",
}


def elaborate(design: Design) -> str | None:
    """Elaborate ``design`` in Yosys: None if it is accepted, else the log that says why not.

    Raises:
        NpuscopeError: Yosys is not installed.
    """
    code, log = run_script(read_commands(design))
    return None if code == 0 else log


def read_commands(design: Design) -> list[str]:
    """Yosys commands that read and elaborate ``design``."""
    defines = " ".join(f"-D{name}={value}" for name, value in design.defines.items())
    includes = " ".join(f"-I{folder}" for folder in design.includes)
    parameters = " ".join(f"-chparam {name} {_verilog(value)}" for name, value in design.parameters.items())
    commands = [f"read_verilog {defines} {includes} {path}" for path in design.sources]
    return [*commands, f"hierarchy -check -top {design.top} {parameters}"]


def _verilog(value: int | str) -> str:
    """A parameter's value as Yosys reads it: a negative number in hexadecimal, it knows no sign."""
    return f"32'sh{value & 0xFFFFFFFF:x}" if isinstance(value, int) and value < 0 else str(value)


def run_script(commands: list[str], cwd: Path | None = None) -> tuple[int, str]:
    """Run Yosys commands in a process of their own (an error in Yosys ends its process): exit code and log.

    Raises:
        NpuscopeError: Yosys is not installed.
    """
    tools.need("yosys")
    with tempfile.NamedTemporaryFile("w", suffix=".ys") as script:
        script.write("\n".join(commands) + "\n")
        script.flush()
        line = [sys.executable, "-m", "npuscope.sim.yosys", "-s", script.name]
        done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False, env=tools.environment())
    return done.returncode, done.stdout + done.stderr


def main(arguments: list[str]) -> int:
    """The ``yosys`` command; returns its exit code."""
    options, files = getopt.gnu_getopt(arguments, "qQTVl:L:p:s:D:r:")
    libyosys = importlib.import_module("pyosys.libyosys")

    tee, commands = "", []
    for option, value in options:
        if option == "-V":
            print(libyosys.yosys_maybe_version())
            return 0
        tee += {"-q": " -q", "-l": f" -o {value}", "-L": f" -o {value}"}.get(option, "")
        commands += {"-p": [value], "-s": [f"script {value}"], "-r": [f"hierarchy -top {value}"]}.get(option, [])
    reads = [f"verilog_defines -D{value}" for option, value in options if option == "-D"]
    for name in files:
        reader = _READERS.get(Path(name).suffix)
        if reader is None:
            raise NpuscopeError("no Yosys reader for file", file=name, expected=", ".join(_READERS))
        reads.append(f"{reader} {name}")
    with tempfile.NamedTemporaryFile("w", suffix=".ys") as script:
        script.write("\n".join(reads + commands) + "\n")
        script.flush()
        run = f"script {script.name}"
        libyosys.run_pass(f"tee{tee} {run}" if tee else run, libyosys.Design())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
