"""Run a cocotb bench on a design and raise, with one replay line and a waveform, unless the verdict is PASS."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npuscope.encode import bins
from npuscope.errors import Exit, NpuscopeError
from npuscope.sim import gtkwave, tools
from npuscope.sim.build import Build, BuildFailure, Design, Patch, build, locked
from npuscope.sim.job import run_job
from npuscope.sim.kept import Kept
from npuscope.sim.verdict import Outcome, Verdict, base_name, classify

__all__ = [
    "COVER_VARIABLE",
    "RUNS_VARIABLE",
    "Result",
    "SimulationFailure",
    "expect_caught",
    "expect_killed",
    "expect_refused",
    "record",
    "run",
    "seed",
]

SEED_VARIABLE = "NPUSCOPE_SEED"
RUNS_VARIABLE = "NPUSCOPE_RUNS"  # file to which each finished run adds a line of JSON
COVER_VARIABLE = "NPUSCOPE_COVER"  # set: runs on Verilator without a planted bug write coverage.dat
SEEDS_VARIABLE = "NPUSCOPE_SEEDS"  # more than one: a test's name ends in its seed
RUN_LIMIT_S = 300.0
DEFAULT_SEED = 1
_SEED_BITS = 31
_FRESH = "NPUSCOPE_FRESH"  # set: no outcome of an earlier run is taken
_BINS = "bins.txt"
_WATCH = "npuscope.sim.watch"
_COVER = ("--coverage-line", "--coverage-toggle", "--coverage-expr", "--coverage-user")  # --coverage crashes it
# cocotb lets pytest rewrite the assertions of all that is imported, with all its plugins: half of a short run's time.
_QUICK = {"COCOTB_REWRITE_ASSERTION_FILES": "bench*.py tb/*.py", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_WAVES_LIMIT_S = 60.0  # enough to see where it hangs
_SHOWN_IN_WAVES = (Verdict.FAIL, Verdict.TIMEOUT, Verdict.CRASH, Verdict.HANG, Verdict.HDL_ERROR)


def seed() -> int:
    """The seed of this session: NPUSCOPE_SEED, a number or ``random``; 1 if unset.

    A random choice is written back into the environment, so that the whole session and its children agree.

    Raises:
        NpuscopeError: the variable is neither a whole number >= 0 nor ``random``.
    """
    text = os.environ.get(SEED_VARIABLE, str(DEFAULT_SEED))
    if text == "random":
        text = os.environ[SEED_VARIABLE] = str(secrets.randbits(_SEED_BITS))
    if not text.isdecimal() or int(text) >> _SEED_BITS:
        raise NpuscopeError(f"bad {SEED_VARIABLE}", found=repr(text), expected=f"0..{(1 << _SEED_BITS) - 1} or random")
    return int(text)


@dataclass(frozen=True)
class Result:
    """One finished run. ``folder`` holds run.log, results.xml and, after a failure, the waveform.

    failed: of ``tests``. lasted_ns: simulated time of each. bins: boundary bins of the book that were met. bug: the
    planted one, ``file: old -> new``. view: file that opens the waveform in GTKWave where the first test failed.
    """

    verdict: Verdict
    reason: str
    tests: tuple[str, ...]
    top: str
    sim: str
    seed: int
    seconds: float
    folder: Path
    replay: str
    waveform: Path | None = None
    failed: tuple[str, ...] = ()
    lasted_ns: tuple[float, ...] = ()
    bins: tuple[str, ...] = ()
    bug: str | None = None
    view: Path | None = None

    def row(self) -> dict[str, object]:
        """The run as JSON: what ``NPUSCOPE_RUNS`` collects. ``node``: the pytest test that made it."""
        paths = {key: str(value) if value else None for key, value in vars(self).items() if isinstance(value, Path)}
        return {"run": 1, "node": _node(), **vars(self), **paths}

    def text(self) -> str:
        """Verdict, reason, log, waveform and replay line, one per line."""
        lines = [f"{self.verdict} {self.top} on {self.sim}, seed {self.seed}: {self.reason}"]
        lines.append(f"log:      {self.folder / 'run.log'}")
        if self.waveform is not None:
            lines.append(f"waveform: {self.waveform}")
        if self.view is not None:
            lines.append(f"view:     gtkwave {self.view}")
        lines.append(f"replay:   {self.replay}")
        return "\n".join(lines)


class SimulationFailure(NpuscopeError):
    """A run whose verdict is not PASS; ``result`` has the details."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(result.text(), exit_code=Exit.CHECK_FAILED)

    def __str__(self) -> str:
        return self.result.text()


def run(
    design: Design,
    sim: str,
    module: str,
    root: Path,
    *,
    tests: Sequence[str] = (),
    seed_value: int | None = None,
    patch: Patch | None = None,
    env: Mapping[str, str] | None = None,
    plusargs: Sequence[str] = (),
    pythonpath: Sequence[Path] = (),
    arguments: tuple[str, ...] = (),
    limit_s: float = RUN_LIMIT_S,
    waves: bool = False,
    raises: bool = True,
    keep: bool = False,
) -> Result:
    """Build if needed, run the cocotb tests of ``module`` once, and judge.

    design, sim, patch, arguments: as for ``build``. root: folder for builds and runs.
    tests: names of test functions, each of which must run; none = all of the module, at least one.
    seed_value: seeds cocotb, ``random`` and Verilator's registers; default ``seed()``.
    env: more variables for the bench. pythonpath: folders from which ``module`` is imported.
    limit_s: wall clock seconds. waves: write a waveform; a failing run is repeated with it in any case.
    keep: take the outcome of an earlier run that stands on the same (``npuscope.sim.kept``); never for evidence, with
        plusargs (the Verilog may read a file that they name), or if NPUSCOPE_FRESH is set.

    Raises:
        SimulationFailure: the verdict is not PASS (with ``raises=False`` the result is returned instead).
        NpuscopeError: a missing tool or a patch that does not apply.
    """
    __tracebackhide__ = True  # pytest: the failure text says it all
    chosen = seed() if seed_value is None else seed_value
    bug = (patch.file, patch.old, patch.new) if patch else None
    request: dict[str, object] = {
        "top": design.top,
        "parameters": dict(design.parameters),
        "defines": dict(design.defines),
    }
    request |= {"module": module, "tests": list(tests), "seed": chosen, "bug": bug, "env": dict(env or {})}
    request |= {"plusargs": list(plusargs), "waves": waves}
    covers = sim == "verilator" and patch is None and COVER_VARIABLE in os.environ
    if covers:
        arguments = (*arguments, *_COVER)
        request["covers"] = True
    label = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:12]
    folder = root / "runs" / f"{design.top}-{sim}-{label}"
    started = time.monotonic()
    waveform: Path | None = None
    view: Path | None = None
    with locked(folder):
        try:
            built = build(design, sim, root, patch=patch, waves=waves, arguments=arguments)
        except BuildFailure as failure:
            _empty(folder)
            (folder / "run.log").write_text(failure.log)
            outcome, before = Outcome(Verdict.BUILD_FAIL, failure.found or ""), None
        else:
            if covers:
                plusargs = [*plusargs, f"+verilator+coverage+file+{folder / 'coverage.dat'}"]
            keep = keep and not (plusargs or waves or covers or RUNS_VARIABLE in os.environ or _FRESH in os.environ)
            kept = Kept(folder, [request, built.folder.name, list(map(str, pythonpath))], os.environ, pythonpath)
            before = kept.load() if keep else None
            if before is not None and before.verdict is not Verdict.PASS and raises:
                before = None
            told = {bins.VARIABLE: str(folder / _BINS)} | dict(env or {}) | (kept.variables() if keep else {})
            modules = f"{_WATCH},{module}" if keep else module
            simulate = _Simulation(modules, tuple(tests), chosen, told, tuple(plusargs), tuple(pythonpath))
            if before is None:
                _empty(folder)
                began = time.time()
                outcome = simulate.once(built, folder, limit_s)
                if keep:
                    kept.save(outcome, began)
            else:
                outcome = before
            waveform = _waveform(built, folder) if waves else None
            if outcome.verdict in _SHOWN_IN_WAVES and raises and not waves:
                again = build(design, sim, root, patch=patch, waves=True, arguments=arguments)
                (folder / "waves").mkdir()
                simulate.once(again, folder / "waves", min(limit_s, _WAVES_LIMIT_S))
                waveform = _waveform(again, folder / "waves")
            if waveform is not None and outcome.failed:
                view = gtkwave.save(waveform, design, outcome.failed_ns)
    seconds = time.monotonic() - started
    replay = _replay(chosen, sim, module, folder)
    result = Result(
        outcome.verdict, outcome.reason, outcome.tests, design.top, sim, chosen, seconds, folder, replay, waveform,
        outcome.failed, outcome.lasted_ns, _met(folder / _BINS),
        f"{patch.file}: {patch.old} -> {patch.new}" if patch else None, view,
    )  # fmt: skip
    if RUNS_VARIABLE in os.environ:
        record(Path(os.environ[RUNS_VARIABLE]), result.row())
    said = f"{seconds:.1f} s" if before is None else "as before"
    print(f"{result.verdict} {design.top} on {sim}, {SEED_VARIABLE}={chosen}, {said}: {result.reason}")
    if raises and result.verdict is not Verdict.PASS:
        raise SimulationFailure(result)
    return result


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _met(file: Path) -> tuple[str, ...]:
    return tuple(sorted(file.read_text().split("\n")[:-1])) if file.exists() else ()


def record(file: Path, row: Mapping[str, object]) -> None:
    """Add a line to a file that others add to at the same time."""
    with open(file, "a") as sink:
        fcntl.flock(sink, fcntl.LOCK_EX)
        sink.write(json.dumps(row) + "\n")
        sink.flush()


@dataclass(frozen=True)
class _Simulation:
    """What to run on a build; can be repeated."""

    module: str
    tests: tuple[str, ...]
    seed: int
    env: dict[str, str]
    plusargs: tuple[str, ...]
    pythonpath: tuple[Path, ...]

    def once(self, built: Build, folder: Path, limit_s: float) -> Outcome:
        results, log, hdl_log = folder / "results.xml", folder / "run.log", folder / "hdl.log"
        plusargs, test_args = list(self.plusargs), []
        if built.sim == "icarus":
            # -n: $stop ends the run instead of waiting for a person; -l: the Verilog's own output apart from cocotb's.
            test_args = ["-n", "-l", str(hdl_log)]
            plusargs.append(f"+dumpfile_path={folder / 'waves.fst'}")
        else:
            # A two-state simulator: start the registers at random values instead of x.
            plusargs += ["+verilator+rand+reset+2", f"+verilator+seed+{self.seed % ((1 << 31) - 1) + 1}"]
        names = "|".join(re.escape(name) for name in self.tests)
        job = {
            "action": "test",
            "sim": built.sim,
            "pythonpath": [str(path) for path in self.pythonpath],
            "arguments": {
                "test_module": self.module,
                "hdl_toplevel": built.design.top,
                "hdl_toplevel_lang": "verilog",
                "build_dir": str(built.folder),
                "test_dir": str(folder),
                "results_xml": str(results),
                "seed": self.seed,
                "plusargs": plusargs,
                "test_args": test_args,
                "waves": built.waves,
                "timescale": ["1ns", "1ps"],
                "extra_env": self.env,
                "test_filter": rf"\.(?:{names})(?:$|/)" if names else None,
            },
        }
        env = tools.environment()
        env |= _QUICK | self.env | {SEED_VARIABLE: str(self.seed), "PYTHONHASHSEED": "0", "NO_COLOR": "1"}
        code = run_job(job, folder, log, env, limit_s)
        text = log.read_text(errors="replace")
        hdl = hdl_log.read_text(errors="replace") if hdl_log.exists() else text
        return classify(code, built.sim, text, hdl, results, self.tests, limit_s)


def expect_refused(design: Design, error: str, sim: str, root: Path) -> None:
    """Show that the parameters of ``design`` are refused at elaboration with the reason ``nps_error__...``.

    sim: "icarus", "verilator" or "yosys".

    Raises:
        NpuscopeError: the design is accepted, or refused without that reason.
    """
    __tracebackhide__ = True
    where = f"{design.top} {dict(design.parameters)} on {sim}"
    if sim == "yosys":
        from npuscope.sim.yosys import elaborate

        log = elaborate(design)
    else:
        try:
            build(design, sim, root)
        except BuildFailure as failure:
            log = failure.log
        else:
            log = None
    if log is None:
        raise NpuscopeError(f"illegal parameters accepted: {where}", expected=error, exit_code=Exit.CHECK_FAILED)
    if not re.search(rf"\b{re.escape(error)}\b", log):
        raise NpuscopeError(
            f"refused for another reason: {where}",
            found=log.strip()[-300:],
            expected=error,
            exit_code=Exit.CHECK_FAILED,
        )


def expect_caught(
    design: Design,
    sim: str,
    module: str,
    root: Path,
    patch: Patch,
    *,
    by: str | None = None,
    tests: Sequence[str] = (),
    seed_value: int | None = None,
    env: Mapping[str, str] | None = None,
    pythonpath: Sequence[Path] = (),
    limit_s: float = RUN_LIMIT_S,
    keep: bool = False,
) -> Result:
    """Show that the bench fails on the design with the planted bug ``patch``.

    Only a bench that looked and disagreed counts: FAIL, TIMEOUT or HDL_ERROR, not a crash or a build that broke.
    by: text that the reason must contain, to see that it failed for the right cause.

    Raises:
        NpuscopeError: the bug is not caught, or the run broke in another way.
    """
    __tracebackhide__ = True
    result = run(
        design,
        sim,
        module,
        root,
        tests=tests,
        seed_value=seed_value,
        patch=patch,
        env=env,
        pythonpath=pythonpath,
        limit_s=limit_s,
        raises=False,
        keep=keep,
    )
    if result.verdict not in (Verdict.FAIL, Verdict.TIMEOUT, Verdict.HDL_ERROR) or (by and by not in result.reason):
        raise NpuscopeError(
            f"planted bug not caught by {module}: {patch.file}: {patch.old!r} -> {patch.new!r}",
            found=result.text(),
            expected=f"a failing test{f' that says {by!r}' if by else ''}",
            exit_code=Exit.CHECK_FAILED,
        )
    return result


def expect_killed(
    design: Design, sim: str, module: str, root: Path, patch: Patch, *, by: Sequence[str] = (), **options: Any
) -> Result:
    """Show that each detector named in ``by`` (none: any test of ``module``) fails on the mutant ``patch``.

    options: as for ``expect_caught``.

    Raises:
        NpuscopeError: a detector that passes or did not run.
    """
    __tracebackhide__ = True
    result = expect_caught(design, sim, module, root, patch, tests=by, **options)
    failed = {base_name(name.rpartition(".")[2]) for name in result.failed}
    if passed := [name for name in by if name not in failed]:
        raise NpuscopeError(
            f"mutant {patch.file}: {patch.old!r} -> {patch.new!r} not seen by {', '.join(passed)}",
            found=result.text(),
            exit_code=Exit.CHECK_FAILED,
        )
    return result


def _waveform(built: Build, folder: Path) -> Path | None:
    found = folder / ("waves.fst" if built.sim == "icarus" else "dump.vcd")
    return found if found.exists() else None


def _node() -> str:
    """The pytest test that is running, empty outside pytest."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


def _replay(chosen: int, sim: str, module: str, folder: Path) -> str:
    """One line to copy: the pytest test that is running, else the recorded job."""
    node = _node()
    python = shlex.quote(sys.executable)
    if node:
        several = f"{SEEDS_VARIABLE}=2 " if re.search(rf"\bseed{chosen}\b", node.partition("[")[2]) else ""
        return f"{SEED_VARIABLE}={chosen} {several}{python} -m pytest {shlex.quote(node)}"
    return f"{SEED_VARIABLE}={chosen} {python} -m npuscope.sim.child {shlex.quote(str(folder / 'job.json'))}"
