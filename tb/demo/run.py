# SPDX-License-Identifier: Apache-2.0
"""``make demo``: simulate the pipeline under nps_top, read its dump with npuscope, and check who is named.

Options, on the command line or as variables (``make demo SIM=icarus STALL=1``): SIM, CLOCKS, STALL.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # run as a file: import tb as a package

from npuscope.errors import Exit, NpuscopeError, leave  # noqa: E402
from npuscope.pipeline import Pipeline, load  # noqa: E402
from npuscope.pipeline.truth import worst_window  # noqa: E402
from npuscope.sim import SIMULATORS  # noqa: E402
from tb.demo.simulate import record  # noqa: E402

PIPELINE = ROOT / "tb" / "vip" / "pipelines" / "transformer_block.toml"
CLOCKS = 1_000_000
MAX_CLOCKS = 1_000_000_000
STALL = (430_000, 560_000)
"""Clocks, of CLOCKS, in which STALL=1 stalls the trace sink: amid the slow window, long enough to lose records."""


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line, with the defaults of the environment."""
    env = os.environ
    parser = argparse.ArgumentParser(prog="tb/demo/run.py", description=__doc__.split("\n")[0])
    parser.add_argument("--sim", choices=SIMULATORS, default=env.get("SIM") or "verilator")
    parser.add_argument("--clocks", type=_clocks, default=env.get("CLOCKS") or str(CLOCKS), help="default: %(default)s")
    parser.add_argument("--pipeline", type=Path, default=PIPELINE, help="TOML file (tb/npu_pipeline/README.md)")
    parser.add_argument(
        "--stall", action="store_true", default=env.get("STALL", "0") not in ("", "0"), help="stall the trace sink"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "demo", help="folder, default: build/demo")
    return parser.parse_args(arguments)


def _clocks(text: str) -> int:
    if not text.replace("_", "").isdecimal() or not 0 < int(text) <= MAX_CLOCKS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of clocks, 1 to {MAX_CLOCKS:,}")
    return int(text)


def say(text: str) -> None:
    print(f"demo: {text}", flush=True)


def npuscope(*arguments: str, allow: int = 0) -> None:
    """Run a verb of the command line and show it; exit codes 0 and ``allow`` are as expected."""
    print(f"\n$ npuscope {' '.join(arguments)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "npuscope", *arguments], check=False)
    if done.returncode not in (0, allow):
        raise NpuscopeError(
            f"npuscope {arguments[0]} failed", found=f"exit code {done.returncode}", exit_code=Exit.CHECK_FAILED
        )


def culprit(dump: str, allow: int) -> tuple[str | None, str]:
    """The stage that ``npuscope stalls`` ranks first with a certain share (None: nobody), and the verdict."""
    command = [sys.executable, "-m", "npuscope", "stalls", "--json", dump]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, allow):
        raise NpuscopeError("npuscope stalls --json failed", found=done.stderr.strip(), exit_code=Exit.CHECK_FAILED)
    answer = json.loads(done.stdout)
    rows = [row for row in answer["rows"] if row["min_ns"] > 0]
    return (rows[0]["culprit"] if rows else None), answer["verdict"]


def demo(arguments: list[str] | None = None) -> Exit:
    """Everything ``make demo`` does; OK if the verdict names the slowed stage."""
    given = options(arguments)
    pipeline: Pipeline = load(given.pipeline)
    period_ns = pipeline.clock_period_ps / 1000
    say(f"{pipeline.title}: {len(pipeline.stages) - 2} stages, {len(pipeline.buffers)} buffers")
    patience = "a few minutes" if given.sim == "icarus" else "seconds, once the design is compiled"
    say(f"simulating {given.clocks:,} clocks of {period_ns:g} ns on {given.sim}: {patience}")
    dump = given.out / "demo.npt"
    stall = tuple(edge * given.clocks // CLOCKS if given.stall else 0 for edge in STALL)
    done = record(pipeline, given.clocks, dump, given.sim, stall=(stall[0], stall[1]))
    say(
        f"built in {done.build_s:.1f} s, ran in {done.run_s:.1f} s ({given.clocks / done.run_s:,.0f} clocks/s), "
        f"{done.records:,} records"
    )
    if given.stall:
        say(f"the trace sink was stalled in clocks {stall[0]:,} to {stall[1]:,}: records are lost, and counted")
    name = os.path.relpath(dump)
    report = os.path.relpath(given.out / "report.html")
    allow = Exit.LOSS if given.stall else Exit.OK
    npuscope("info", name, allow=allow)
    npuscope("stalls", name, allow=allow)
    npuscope("show", name, allow=allow)
    npuscope("jitter", name, allow=allow)
    npuscope("ras", "show", name, allow=allow)
    npuscope("ras", "check", name, allow=allow)
    npuscope("tokens", name, allow=allow)
    npuscope("report", name, "-o", report, "--force", allow=allow)

    truth = worst_window(pipeline, given.clocks)
    stage, verdict = culprit(name, allow)
    print()
    say(f"dump {name}, report {report}")
    say(f"truth of the model: {truth.text}")
    guilty = truth.stage if truth.without_it < truth.with_it else None
    if stage == guilty:
        say(f"OK: the trace names {stage or 'nobody'}")
        return Exit.OK
    if stage is None and given.stall:
        say(f"OK: with these records lost the trace names nobody, rather than a wrong one ({verdict})")
        return Exit.OK
    say(f"FAIL: the trace names {stage or 'nobody'} ({verdict})")
    return Exit.CHECK_FAILED


if __name__ == "__main__":
    leave(demo)
