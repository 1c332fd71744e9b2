"""Plan and run a regression: every bench is pytest, one process for each of its files and simulators.

A job that passes its wall-clock limit is killed with all its processes: the test it was in is HANG, those behind it
MISSING. One that dies is CRASH. Nothing planned is ever left out of the result.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from npuscope.dv.plan import STAGES, plans
from npuscope.dv.results import Node, Results, Row, read
from npuscope.dv.tree import Tree
from npuscope.errors import Exit, NpuscopeError
from npuscope.sim.runner import RUNS_VARIABLE, SEED_VARIABLE, SEEDS_VARIABLE
from npuscope.sim.verdict import Verdict

__all__ = ["Choice", "plan", "run"]

LIMIT_S: Final = 1800.0
RESULTS: Final = "regress.jsonl"
_PYTEST: Final = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "pytest_timeout")
_NO_PLUGINS: Final = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # but that one: half the start-up time


@dataclass(frozen=True)
class Choice:
    """What to run. only: bench names, none = all. keyword: as for ``pytest -k``."""

    sims: tuple[str, ...] = ("icarus", "verilator")
    seed: int = 1
    seeds: int = 1
    stage: str = "V3"
    only: tuple[str, ...] = ()
    keyword: str = ""
    mutant_sims: tuple[str, ...] = ("icarus",)

    def options(self) -> list[str]:
        """For pytest."""
        return ["--sim", ",".join(self.sims), "--mutant-sim", ",".join(self.mutant_sims)]

    def variables(self) -> dict[str, str]:
        """For its environment."""
        return {SEED_VARIABLE: str(self.seed), SEEDS_VARIABLE: str(self.seeds), **_NO_PLUGINS}


def _rooted(tree: Tree) -> list[str]:
    """Names of tests are relative to the tree, and nothing above it has a say."""
    return [f"--rootdir={tree.root}", f"--confcutdir={tree.root}"]


def plan(tree: Tree, choice: Choice) -> Results:
    """The tests that ``choice`` means, without results.

    Raises:
        NpuscopeError: a bench that there is not, tests that cannot be collected, or none at all.
    """
    if unknown := sorted(set(choice.only) - tree.benches.keys()):
        raise NpuscopeError("no such bench", found=", ".join(unknown), hint="npuscope dv list")
    folders = [tree.name(tree.benches[name]) for name in choice.only] or ["tb"]
    command = [*_PYTEST, *_rooted(tree), "--collect-only", "-q", *choice.options(), *folders]
    command += ["-k", choice.keyword] if choice.keyword else []
    done = subprocess.run(
        command, cwd=tree.root, capture_output=True, text=True, check=False, env=os.environ | choice.variables()
    )
    nodes = [line for line in done.stdout.split("\n") if "::" in line and not line.startswith("ERROR")]
    if (done.returncode and nodes) or done.returncode not in (0, 5):
        lines = [line for line in (done.stdout + done.stderr).split("\n") if line.strip()]
        reason = next((line for line in lines if line.startswith(("E  ", "ERROR"))), lines[-1] if lines else "")
        raise NpuscopeError("tests cannot be collected", found=reason.strip(), exit_code=Exit.CANNOT_TEST)
    by_name = plans(tree)
    if choice.stage != STAGES[-1]:
        wanted = {(name, test) for name, p in by_name.items() for point in p.at(choice.stage) for test in point.tests}
        nodes = [node for node in nodes if (Node.of(node).bench, Node.of(node).test) in wanted]
    if not nodes:
        raise NpuscopeError(f"{Verdict.ZERO_TESTS}: nothing to run", found=str(choice), exit_code=Exit.CHECK_FAILED)
    benches = sorted({Node.of(node).bench for node in nodes})
    return Results(sorted(nodes), {name: tree.hash(name) for name in benches}, choice.seed)


def run(
    tree: Tree,
    planned: Results,
    choice: Choice,
    target: Path,
    *,
    jobs: int,
    first: Sequence[str] = (),
    limit_s: float = LIMIT_S,
    told: Callable[[Row], None] = lambda row: None,
    keep: bool = False,
) -> Results:
    """Run the tests of the shard of ``planned`` and write their rows to ``target`` as they end.

    first: tests whose jobs come first. told: called with each row. keep: keep what ``target`` says of other benches.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    others = read(target).without(planned.hashes.keys()) if keep and target.exists() else None
    groups: dict[tuple[str, str | None], list[str]] = {}
    for node in planned.own:
        groups.setdefault((node.partition("::")[0], Node.of(node).sim), []).append(node)
    queue = sorted(groups.values(), key=lambda nodes: (not set(nodes) & set(first), -len(nodes)))
    lock = threading.Lock()
    with open(target, "w") as sink:
        head = planned.header()
        if others is not None:
            head["planned"] = sorted({*planned.planned, *others.planned})
            head["hashes"] = others.hashes | planned.hashes
        sink.writelines(json.dumps(line) + "\n" for line in (head, *(others.lines() if others is not None else ())))
        sink.flush()

        def one(number: int, nodes: list[str]) -> None:
            rows, runs = _job(tree, choice, nodes, target.with_suffix(f".{number}.part"), limit_s)
            with lock:
                for line in [*runs, *(row.line() for row in rows)]:
                    sink.write(json.dumps(line) + "\n")
                sink.flush()
                planned.runs += [{k: v for k, v in line.items() if k != "run"} for line in runs]
                for row in rows:
                    planned.rows[row.node] = row
                    told(row)

        with ThreadPoolExecutor(jobs) as pool:
            try:
                for job in [pool.submit(one, number, nodes) for number, nodes in enumerate(queue)]:
                    job.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                _CHILDREN.stop()
                raise
    return planned


class _Children(set[subprocess.Popen[bytes]]):
    """The pytest processes that run; once stopped, what they had not ended has no row."""

    stopped = False

    def stop(self) -> None:
        self.stopped = True
        for child in list(self):
            _kill(child)


_CHILDREN = _Children()


def _kill(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _job(
    tree: Tree, choice: Choice, nodes: list[str], part: Path, limit_s: float
) -> tuple[list[Row], list[dict[str, Any]]]:
    """Run some tests in one pytest process: a row for each, and the simulations behind them."""
    part.write_text("")
    command = [*_PYTEST, *_rooted(tree), "-q", "-p", "npuscope.dv.reporter", *choice.options(), *nodes]
    env = os.environ | choice.variables() | {RUNS_VARIABLE: str(part)}
    log = part.with_suffix(".log")
    with open(log, "wb") as output:
        child = subprocess.Popen(
            command, cwd=tree.root, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        _CHILDREN.add(child)
        try:
            child.wait(timeout=limit_s)
            ended = f"pytest exited with {child.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"killed after {limit_s:g} s of wall clock"
        finally:
            _kill(child)
            child.wait()
            _CHILDREN.discard(child)
    killed = ended.startswith("killed")
    rows: dict[str, Row] = {}
    runs, started = [], set()
    for line in part.read_text().split("\n")[:-1]:
        row = json.loads(line)
        if "start" in row:
            started.add(row["start"])
        elif "run" in row:
            runs.append(row)
        else:
            rows[row["node"]] = Row(**row)
    for node in nodes:
        if node not in rows and not _CHILDREN.stopped:
            if node in started:
                rows[node] = Row(node, Verdict.HANG if killed else Verdict.CRASH, f"{ended}; log {log}")
            elif started:
                rows[node] = Row(node, Verdict.MISSING, f"not reached: {ended}; log {log}")
            else:
                rows[node] = Row(node, Verdict.INFRA, f"no test started: {ended}; log {log}")
    part.unlink()
    if all(row.ok for row in rows.values()):
        log.unlink()
    return [rows[node] for node in nodes if node in rows], runs
