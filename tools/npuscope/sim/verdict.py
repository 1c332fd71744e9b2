"""What a finished run means. Everything that cocotb's stock runner lets pass silently has a failing verdict here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

from npuscope.sim.codes import INFRA_CODE

__all__ = ["Outcome", "Verdict", "base_name", "classify"]


class Verdict(StrEnum):
    """Outcome of a run; everything but PASS is a failure."""

    PASS = "PASS"
    FAIL = "FAIL"  # a test failed
    TIMEOUT = "TIMEOUT"  # a test passed its own limit of simulated time
    CRASH = "CRASH"  # the simulator died or exited with an error
    HANG = "HANG"  # the wall-clock limit passed; the process group was killed
    NO_RESULTS = "NO_RESULTS"  # the simulator ended well but left no readable results
    ZERO_TESTS = "ZERO_TESTS"  # no test was executed: wrong name, empty module, all skipped
    BUILD_FAIL = "BUILD_FAIL"  # the design does not compile or elaborate
    HDL_ERROR = "HDL_ERROR"  # the Verilog called $error or $fatal
    XPASS = "XPASS"  # a test that must fail passed
    MISSING = "MISSING"  # a test that was asked for did not run
    INFRA = "INFRA"  # the runner itself broke


# Icarus: "ERROR: f.v:12: text" in its own log. Verilator: "[100] %Error: f.v:12: text" between other output.
_HDL_ERROR = {
    "icarus": re.compile(r"^(?:ERROR|FATAL): .+:\d+:.*$", re.MULTILINE),
    "verilator": re.compile(r"%(?:Error|Fatal)[-A-Z]*: (?!Verilog called|.*Verilog \$stop).*"),
}
_XPASS = re.compile(r"passed but we expected (?:a failure|an error)")
_REASON_MAX = 400
_UNITS_NS = {"fs": 1e-6, "ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "sec": 1e9}
_TIMEOUT = re.compile(r"SimTimeoutError")


@dataclass(frozen=True)
class Outcome:
    """Verdict, one line of reason, and of the tests that were executed: full names, which failed, how long each took.

    failed_ns: simulated time at which the first of ``failed`` ended.
    """

    verdict: Verdict
    reason: str
    tests: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    lasted_ns: tuple[float, ...] = ()
    failed_ns: float = 0.0


def classify(
    code: int | None, sim: str, log: str, hdl_log: str, results: Path, wanted: tuple[str, ...], limit_s: float
) -> Outcome:
    """Judge a run.

    code: exit code as returned by ``run_job``. log: all output. hdl_log: what the Verilog itself printed, if the
    simulator can separate it, else the same as ``log``. results: cocotb's xUnit file. wanted: names of tests that
    must have run, empty for "at least one".
    """
    if code is None:
        return Outcome(Verdict.HANG, f"killed after {limit_s:g} s of wall clock")
    if code == INFRA_CODE:
        return Outcome(Verdict.INFRA, _last_line(log))
    if said := _HDL_ERROR[sim].search(hdl_log):
        return Outcome(Verdict.HDL_ERROR, said[0].strip())
    try:
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        if "No tests were discovered in any module" in log:
            return Outcome(Verdict.ZERO_TESTS, "the module has no tests")
        if code != 0:
            return Outcome(Verdict.CRASH, f"simulator exited with {code}: {_last_line(log)}")
        return Outcome(Verdict.NO_RESULTS, f"no results: {error}")
    executed = [case for case in cases if case.find("skipped") is None]
    names, lasted = tuple(map(_full_name, executed)), tuple(_ns(case, "duration") for case in executed)
    failed = [case for case in executed if case.find("failure") is not None or case.find("error") is not None]
    if failed:
        name, text = failed[0].get("name"), _failure_text(failed[0])
        verdict = Verdict.XPASS if _XPASS.search(text) else Verdict.TIMEOUT if _TIMEOUT.search(text) else Verdict.FAIL
        reason = f"{len(failed)} of {len(executed)} tests failed, first {name}: {text}"
        return Outcome(verdict, reason, names, tuple(map(_full_name, failed)), lasted, _ns(failed[0], "stop"))
    if code != 0:
        return Outcome(Verdict.CRASH, f"simulator exited with {code} after its results: {_last_line(log)}", names)
    if not executed:
        return Outcome(Verdict.ZERO_TESTS, "no test was executed")
    ran = {base_name(case.get("name", "")) for case in executed}
    if missing := [name for name in wanted if name not in ran]:
        return Outcome(Verdict.MISSING, f"did not run: {', '.join(missing)}", names)
    return Outcome(Verdict.PASS, f"{len(executed)} tests", names, (), lasted)


def _ns(case: ElementTree.Element, what: str) -> float:
    """cocotb's ``sim_time_<what>`` of a test; 0 if it has none."""
    found = {item.get("name"): item.get("value") or "" for item in case.iter("property")}
    return float(found.get(f"sim_time_{what}", "0")) * _UNITS_NS[found.get("sim_time_unit", "ns")]


def _full_name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}.{case.get('name')}"


def base_name(name: str) -> str:
    """A test's function name without cocotb's parameter suffix ``/x=1``."""
    return name.partition("/")[0]


def _failure_text(case: ElementTree.Element) -> str:
    """Type and message of a failed test, on one line."""
    found = case.find("failure")
    found = case.find("error") if found is None else found
    assert found is not None
    parts = [found.get("type") or "", found.get("message") or "", _last_line(found.text or "")]
    text = " ".join(dict.fromkeys(part.strip().replace("\n", " ") for part in parts if part.strip()))
    return text if len(text) <= _REASON_MAX else text[:_REASON_MAX] + " ..."


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no output"
