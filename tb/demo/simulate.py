# SPDX-License-Identifier: Apache-2.0
"""Builds npu_demo_tb and runs it at full speed, without a testbench language on top: a pipeline in, a dump out."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.errors import Exit, NpuscopeError
from npuscope.pipeline import Pipeline, describe, hdl_parameters, probe_masks, write_hdl
from npuscope.sim import tools
from npuscope.source import header_page
from tb.runner import BUILD, INCLUDES, sources

__all__ = ["Recording", "build", "record"]

TOP = "npu_demo_tb"
BUILD_ID = "npu_demo"
BUILD_LIMIT_S = 300
RUN_LIMIT_S = 600
WIDTHS = {"LAYERS": 32, "DRY_MASK": 32, "DESC_HASH": 64}
"""Parameters that need a sized literal: bits, per source for the masks."""


@dataclass(frozen=True)
class Recording:
    """One simulation: the dump with its header page, records in it, seconds of wall clock to build and to run."""

    dump: Path
    records: int
    build_s: float
    run_s: float


def build(pipeline: Pipeline, sim: str, fifo_depth: int = 64) -> tuple[list[str], dict[str, int]]:
    """Compile npu_demo_tb for ``pipeline`` unless that was done before; gives the command that runs it and its size.

    Raises NpuscopeError for a missing tool or a build that fails (its last line says where the log is).
    """
    tools.need_simulator(sim)
    layers, dry = probe_masks(pipeline)
    size = hdl_parameters(pipeline)
    parameters = {
        **size,
        "LAYERS": sum(mask << 32 * i for i, mask in enumerate(layers)),
        "DRY_MASK": sum(mask << 32 * i for i, mask in enumerate(dry)),
        "DESC_HASH": describe(pipeline).hash,
        "CLK_PERIOD_PS": pipeline.clock_period_ps,
        "FIFO_DEPTH": fifo_depth,
    }
    files = sources(TOP, sorted(Path(__file__).parent.glob("*.v")))
    texts = [p.read_text() for p in (*files, *(h for folder in INCLUDES for h in sorted(folder.glob("*.vh"))))]
    key = hashlib.sha256(json.dumps([sim, tools.tool(sim).version, parameters, texts]).encode()).hexdigest()[:16]
    folder = BUILD / "demo" / f"{sim}-{key}"
    program = folder / TOP
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:  # parallel test workers: one builds, the others wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            command = _compiler(sim, folder, program.with_suffix(".new"), parameters, pipeline.sources, files)
            _checked(command, folder / "build.log", BUILD_LIMIT_S)
            program.with_suffix(".new").rename(program)
    return (["vvp", "-n", str(program)] if sim == "icarus" else [str(program)]), size


def _compiler(
    sim: str, folder: Path, program: Path, parameters: dict[str, int], sources_: int, files: Sequence[Path]
) -> list[str]:
    def literal(name: str, value: int) -> str:
        bits = WIDTHS.get(name, 0) * (1 if name == "DESC_HASH" else sources_)
        return f"{bits}'h{value:x}" if bits else str(value)

    values = {name: literal(name, value) for name, value in parameters.items()}
    includes = [f"-I{path}" for path in INCLUDES]
    names = [str(path) for path in files]
    if sim == "icarus":
        given = [f"-P{TOP}.{name}={value}" for name, value in values.items()]
        return ["iverilog", "-g2005", "-o", str(program), "-s", TOP, *given, *includes, *names]
    given = [f"-G{name}={value}" for name, value in values.items()]
    # plain header instead of a precompiled one: g++ now and then refuses those that ccache brings back
    plain = [f"VK_PCH_I_{speed}=-include\\ V{TOP}__pch.h" for speed in ("FAST", "SLOW")]
    given += [word for text in plain for word in ("-MAKEFLAGS", text)]
    options = ["--binary", "-O3", "-Wno-fatal", "--default-language", "1364-2005", "--x-assign", "0", "-j", "2"]
    place = ["--Mdir", str(folder / "obj"), "-o", str(program), "--top-module", TOP]
    return ["verilator", *options, *place, *given, *includes, *names]


def record(
    pipeline: Pipeline,
    clocks: int,
    dump: Path,
    sim: str = "verilator",
    *,
    stall: tuple[int, int] = (0, 0),
    fifo_depth: int = 64,
) -> Recording:
    """Simulate ``clocks`` clocks of ``pipeline`` under nps_top and write the dump, header page first.

    stall: clocks [first, end) in which the trace sink takes nothing. fifo_depth: entries of each source's FIFO.
    Raises NpuscopeError for a missing tool, a build that fails, or a run that does not end with its END record.
    """
    started = time.monotonic()
    command, size = build(pipeline, sim, fifo_depth)
    built = time.monotonic()
    dump.parent.mkdir(parents=True, exist_ok=True)
    memory = dump.with_suffix(".pipeline")
    write_hdl(pipeline, memory, size)
    raw = dump.with_suffix(".raw")
    stalled = [f"+STALL_FIRST={stall[0]}", f"+STALL_END={stall[1]}"]
    log = dump.with_suffix(".log")
    _checked([*command, f"+PIPELINE={memory}", f"+DUMP={raw}", f"+CLOCKS={clocks}", *stalled], log, RUN_LIMIT_S)
    ran = time.monotonic()
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("npu_demo: ")]
    if len(lines) != 1 or not lines[0].startswith("npu_demo: ok, "):
        raise NpuscopeError("the simulation failed", file=str(log), found="; ".join(lines) or "no verdict")
    records = int(lines[0].split()[2])
    body = raw.read_bytes()
    if len(body) != 16 * records:
        raise NpuscopeError("the dump is short", file=str(raw), found=f"{len(body)} bytes", expected=str(16 * records))
    dump.write_bytes(header_page(describe(pipeline, build_id=BUILD_ID).to_json().encode()) + body)
    raw.unlink()
    return Recording(dump, records, built - started, ran - built)


def _checked(command: list[str], log: Path, limit_s: float) -> None:
    """Run a command, output into ``log``; raises NpuscopeError unless it exits 0 within ``limit_s`` seconds."""
    with log.open("w") as out:
        try:
            done = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, env=tools.environment(), timeout=limit_s
            )
        except subprocess.TimeoutExpired:
            raise NpuscopeError(
                f"{Path(command[0]).name} did not end", file=str(log), found=f"{limit_s} s", exit_code=Exit.CHECK_FAILED
            ) from None
    if done.returncode:
        lines = log.read_text(errors="replace").strip().splitlines() or ["no output"]
        told = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise NpuscopeError(f"{Path(command[0]).name} failed", file=str(log), found=told, exit_code=Exit.CHECK_FAILED)
