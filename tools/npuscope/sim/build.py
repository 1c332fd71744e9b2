"""Compile a design once for a simulator; the same design again, from any process, reuses the result.

The folder is named by a hash over everything that can change the result: text of sources and include files, top,
parameters, defines, arguments, tool versions. A lock makes parallel test workers wait for the one that builds.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from npuscope.errors import NpuscopeError
from npuscope.sim import tools
from npuscope.sim.job import run_job

__all__ = ["Build", "BuildFailure", "Design", "Patch", "build", "locked"]

BUILD_LIMIT_S = 540.0

# Every run of Verilator starts its registers at random values, so that a missing reset shows there too.
_ARGUMENTS = {
    "icarus": ("-g2005-sv", "-Wall", "-Wno-timescale"),
    "verilator": ("--x-initial", "unique", "--x-assign", "unique", "-Wno-fatal", "--output-split", "0"),
}
# Compiling takes longer than most runs: no optimisation, one file, Verilator's header read once for all.
_OPTIMISE = "-O0"
_SWITCHES = "VERILATOR=1 VM_COVERAGE=0 VM_SC=0 VM_TIMING=0 VM_TRACE=0 VM_TRACE_FST=0 VM_TRACE_VCD=0 VM_TRACE_SAIF=0"


@dataclass(frozen=True)
class Design:
    """A top module with all that makes it: absolute paths of sources and include folders, integer parameters."""

    top: str
    sources: tuple[Path, ...]
    includes: tuple[Path, ...] = ()
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Patch:
    """A planted bug: in the source file named ``file``, ``old`` (found exactly once) becomes ``new``."""

    file: str
    old: str
    new: str

    def apply(self, design: Design, folder: Path) -> Design:
        """The design with a patched copy of the file in ``folder``; the tree itself is not touched.

        Raises:
            NpuscopeError: no such source, or ``old`` does not occur exactly once in it.
        """
        hits = [path for path in design.sources if path.name == self.file]
        if len(hits) != 1:
            raise NpuscopeError("patch names no source of the design", file=self.file, found=f"{len(hits)} such files")
        text = hits[0].read_text()
        if (count := text.count(self.old)) != 1:
            raise NpuscopeError(
                "text to patch must occur exactly once", file=self.file, found=f"{count} times: {self.old!r}"
            )
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / self.file
        copy.write_text(text.replace(self.old, self.new))
        sources = tuple(copy if path == hits[0] else path for path in design.sources)
        return Design(design.top, sources, design.includes, design.parameters, design.defines)


class BuildFailure(NpuscopeError):
    """The simulator refused the design; ``log`` is its output."""

    def __init__(self, design: Design, sim: str, log: str, log_file: Path) -> None:
        self.log = log
        shown = next((line for line in log.splitlines() if "error" in line.lower()), log.strip().partition("\n")[0])
        super().__init__(f"BUILD_FAIL {design.top} on {sim}", file=str(log_file), found=shown.strip() or "no output")


@dataclass(frozen=True)
class Build:
    """A compiled design: where it is, for which simulator, with a waveform writer or not."""

    design: Design
    sim: str
    folder: Path
    waves: bool


def build(
    design: Design,
    sim: str,
    root: Path,
    *,
    patch: Patch | None = None,
    waves: bool = False,
    arguments: tuple[str, ...] = (),
    limit_s: float = BUILD_LIMIT_S,
) -> Build:
    """Compile ``design`` for ``sim`` under ``root`` unless that was done before.

    arguments: more simulator arguments, part of the hash. limit_s: wall clock seconds.

    Raises:
        BuildFailure: the simulator refused the design or needed too long.
        NpuscopeError: a missing tool, or a patch that does not apply.
    """
    tools.need_simulator(sim)
    all_arguments = (*_ARGUMENTS[sim], *arguments)
    env = tools.environment()
    if sim == "verilator":
        env["MAKEFLAGS"] += f" OPT_FAST={_OPTIMISE}"
        all_arguments += ("-CFLAGS", f"-include {_header(root, env, limit_s)}")
    key = _key(design, sim, patch, waves, all_arguments)
    folder = root / sim / f"{design.top}-{key[:16]}"
    with locked(folder):
        if (folder / "built").exists():
            return Build(design, sim, folder, waves)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        compiled = patch.apply(design, folder / "patched") if patch else design
        log_file = folder / "build.log"
        job = {
            "action": "build",
            "sim": sim,
            "arguments": {
                "sources": [str(path) for path in compiled.sources],
                "includes": [str(path) for path in compiled.includes],
                "defines": dict(compiled.defines),
                "parameters": {name: _literal(value) for name, value in compiled.parameters.items()},
                "build_args": list(all_arguments),
                "hdl_toplevel": compiled.top,
                "build_dir": str(folder),
                "always": True,
                "waves": waves,
                "timescale": ["1ns", "1ps"],
            },
        }
        started = time.monotonic()
        code = run_job(job, folder, log_file, env, limit_s)
        log = log_file.read_text(errors="replace")
        if code != 0:
            raise BuildFailure(design, sim, log if code is not None else f"error: not built in {limit_s} s", log_file)
        (folder / "built").write_text(f"{time.monotonic() - started:.1f} s\n")
    return Build(design, sim, folder, waves)


def _header(root: Path, env: Mapping[str, str], limit_s: float) -> Path:
    """A header that the compiler has read beforehand; where its other options differ it reads the text instead.

    Raises:
        NpuscopeError: the compiler refused it.
    """
    include = Path(env["VERILATOR_ROOT"]) / "include"
    compiler = tools.tool("c++")
    switches = [f"-I{include}", f"-I{include / 'vltstd'}", *(f"-D{switch}" for switch in _SWITCHES.split())]
    command = [str(compiler.path), _OPTIMISE, *switches, "-x", "c++-header"]
    key = hashlib.sha256(repr((command, compiler.version, tools.tool("verilator").version)).encode()).hexdigest()
    header = root / "verilator" / f"header-{key[:16]}" / "first.h"
    with locked(header.parent):
        if not header.with_suffix(".h.gch").exists():
            header.parent.mkdir(exist_ok=True)
            header.write_text('#include "verilated.h"\n')
            made = header.with_suffix(".new")
            done = subprocess.run(
                [*command, str(header), "-o", str(made)],
                capture_output=True, text=True, check=False, env=env, timeout=limit_s,
            )  # fmt: skip
            if done.returncode != 0:
                raise NpuscopeError("the compiler refused Verilator's header", found=done.stderr.strip()[-300:])
            header.with_suffix(".h.gch.sum").write_text(key)  # for ccache, which would read its 70 MB each time
            made.rename(header.with_suffix(".h.gch"))
    return header


def _literal(value: int | str) -> str:
    """A parameter for the command line: text as it is, a number as Verilog (sized if it needs more than 31 bits).

    Raises:
        NpuscopeError: a negative number that does not fit 32 bits.
    """
    if isinstance(value, str) or -(1 << 31) <= value < 1 << 31:
        return str(value)
    if value < 0:
        raise NpuscopeError("parameter too negative", found=str(value), expected="at least -2**31")
    return f"{value.bit_length()}'h{value:x}"


def _key(design: Design, sim: str, patch: Patch | None, waves: bool, arguments: tuple[str, ...]) -> str:
    """Hash over everything that can change what the simulator makes of the design."""
    digest = hashlib.sha256()
    settings = [design.top, sim, tools.tool(sim).version, tools.tool("cocotb").version, waves, arguments]
    settings += [dict(design.parameters), dict(design.defines), (patch.file, patch.old, patch.new) if patch else None]
    digest.update(json.dumps(settings, sort_keys=True).encode())
    headers = [path for folder in design.includes for path in sorted(folder.glob("*.vh"))]
    for path in (*design.sources, *headers):
        try:
            text = path.read_bytes()
        except OSError as error:
            raise NpuscopeError("cannot read source", file=str(path), found=str(error.strerror)) from error
        digest.update(f"\0{path}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock beside ``folder``; the kernel frees it if this process dies."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
