# SPDX-License-Identifier: Apache-2.0
"""The example of a design without trace port: its links watched by nps_link_probe, its stall named from the dump."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import npuscope
from npuscope.description import Description
from npuscope.sim import tools
from tb.runner import INCLUDES, sources

HERE, TOP = Path(__file__).parent, "axis_tb"
SLOW = ["+SLOW_FROM=1000", "+SLOW_TO=1600"]
CLOCK_NS = 5


def build(sim: str, folder: Path, *, watch: int = 1) -> list[str]:
    """Compile; gives the command that runs it."""
    tools.need_simulator(sim)
    program = folder / f"{TOP}{watch}"
    description = Description.from_toml(str(HERE / "graph.toml"))
    values = {"WATCH": str(watch), "DESC_HASH": f"64'h{description.hash:x}"}
    extra = sorted(HERE.glob("*.v"))
    files = [str(path) for path in (sources(TOP, extra) if watch else extra)]
    includes = [f"-I{path}" for path in INCLUDES]
    if sim == "icarus":
        given = [f"-P{TOP}.{name}={value}" for name, value in values.items()]
        command = ["iverilog", "-g2005", "-o", str(program), "-s", TOP, *given, *includes, *files]
    else:
        given = [f"-G{name}={value}" for name, value in values.items()]
        options = ["--binary", "-O0", "-Wno-fatal", "--default-language", "1364-2005", "--x-assign", "0"]
        make = ["-MAKEFLAGS", "OPT_FAST=-O0", "-MAKEFLAGS", "OPT_SLOW=-O0"]
        place = ["--Mdir", str(folder / f"obj{watch}"), "-o", str(program), "--top-module", TOP]
        command = ["verilator", *options, *make, *place, *given, *includes, *files]
    subprocess.run(command, check=True, capture_output=True, env=tools.environment(), timeout=300)
    return ["vvp", "-n", str(program)] if sim == "icarus" else [str(program)]


def run(command: list[str], dump: Path, *options: str) -> str:
    """What it says at its end."""
    done = subprocess.run(
        [*command, f"+DUMP={dump}", *options], check=True, capture_output=True, text=True, timeout=120
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("axis: ")]
    assert line.startswith("axis: ok, "), line
    return line


def test_the_slow_stage_is_named_and_nothing_is_disturbed(sim: str, tmp_path: Path) -> None:
    command = build(sim, tmp_path)
    said = run(command, tmp_path / "slow.npt", *SLOW)
    capture = npuscope.open(tmp_path / "slow.npt", graph=HERE / "graph.toml")
    assert capture.ledger.end_seen
    assert capture.ledger.missing == capture.ledger.dropped == 0
    stalls = capture.stalls()
    assert stalls.rows[0].culprit == "average"
    q0, q1, _ = stalls.hot_ns
    assert stalls.rows[0].min_ns >= q0 + q1 > 1000 * CLOCK_NS
    of_fifos = capture.episodes[capture.episodes["buffer"] < 2]
    assert len(of_fifos) == 2
    assert 1000 * CLOCK_NS < int(of_fifos["start"].min()) - capture.timeline.start_ns < 1600 * CLOCK_NS
    # truth: without the slow window only the sink holds anybody up, a clock in four
    run(command, tmp_path / "without.npt")
    without = npuscope.open(tmp_path / "without.npt", graph=HERE / "graph.toml").stalls()
    assert without.hot_ns[:2] == (0, 0)
    assert [row.culprit for row in without.rows if row.min_ns] == ["sink"]
    if sim == "icarus":  # the same words in the same clocks without the probe
        assert run(build(sim, tmp_path, watch=0), tmp_path / "none", *SLOW) == said


def test_the_graph_is_that_of_the_dump(tmp_path: Path) -> None:
    run(build("icarus", tmp_path), tmp_path / "run.npt", "+CLOCKS=100")
    other = tmp_path / "graph.toml"
    other.write_text((HERE / "graph.toml").read_text().replace("average", "mean"))
    with pytest.raises(npuscope.NpuscopeError, match="hash"):
        _ = npuscope.open(tmp_path / "run.npt", graph=other).timeline
