# SPDX-License-Identifier: Apache-2.0
"""Each way in which a simulation can end is provoked, and the runner names it."""

import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from npuscope.errors import NpuscopeError
from npuscope.sim import SIMULATORS, Patch, SimulationFailure, Verdict, expect_caught, expect_refused, job, seed
from tests.sim.conftest import BUILD, FIXTURES, TINY

both = pytest.mark.parametrize("sim", SIMULATORS)


@both
@pytest.mark.parametrize(
    ("test", "verdict", "reason"),
    [
        ("ends_well", Verdict.PASS, "1 tests"),
        ("fails", Verdict.FAIL, "count is not 99"),
        ("waits_for_ever", Verdict.TIMEOUT, "SimTimeoutError"),
        ("dies", Verdict.CRASH, "139"),
        ("leaves", Verdict.NO_RESULTS, "no results"),
        ("should_fail", Verdict.XPASS, "passed but we expected a failure"),
        ("hears_complaint", Verdict.HDL_ERROR, "the hardware complains"),
        ("is_cut_short", Verdict.FAIL, "ended prematurely"),
    ],
)
def test_verdict(tiny, sim, test, verdict, reason):
    result = tiny(test, sim=sim)
    assert result.verdict is verdict, result.text()
    assert reason in result.reason


def runs(pid: int) -> bool:
    """Whether the process still runs; one that its new parent has not reaped yet (a zombie) does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_hang_is_killed_with_its_processes(tiny):
    result = tiny("loops", limit_s=15)
    assert result.verdict is Verdict.HANG, result.text()
    pid, patience = int((result.folder / "pid").read_text()), time.monotonic() + 30
    while runs(pid) and time.monotonic() < patience:  # killed, but a busy machine takes its time
        time.sleep(0.1)
    assert not runs(pid)


def test_the_process_that_forks_may_die(tiny):
    assert tiny("ends_well").verdict is Verdict.PASS
    for server in job._idle:
        os.kill(server._child.pid, signal.SIGKILL)
    assert tiny("ends_well").verdict in (Verdict.PASS, Verdict.INFRA)  # INFRA: not seen to be dead in time
    assert tiny("ends_well").verdict is Verdict.PASS


def test_a_filter_that_matches_nothing_is_no_pass(tiny):
    assert tiny("absent").verdict is Verdict.ZERO_TESTS


def test_a_module_without_tests_is_no_pass(tiny):
    assert tiny(module="no_cases").verdict is Verdict.ZERO_TESTS


def test_a_module_that_does_not_exist_is_no_pass(tiny):
    assert tiny(module="nowhere").verdict in (Verdict.CRASH, Verdict.NO_RESULTS)


def test_a_wanted_test_that_did_not_run(tiny):
    result = tiny("ends_well", "absent")
    assert (result.verdict, result.reason) == (Verdict.MISSING, "did not run: absent")


@both
def test_a_design_that_does_not_compile(tiny, sim):
    result = tiny("ends_well", sim=sim, patch=Patch("nps_tiny.v", "endmodule", "endmodul"))
    assert result.verdict is Verdict.BUILD_FAIL
    assert "rror" in (result.folder / "run.log").read_text()


@both
def test_changed_parameters_source_and_header_are_built_anew(tiny, sim, tmp_path):
    """Icarus under the stock runner goes on with the stale build when only parameters change."""
    for step in (1, 3):
        assert tiny("ends_well", sim=sim, design=replace(TINY, parameters={"STEP": step})).verdict is Verdict.PASS
    if sim == "icarus":
        for name in ("nps_tiny.v", "nps_tiny.vh"):
            (tmp_path / name).write_text((FIXTURES / name).read_text())
        copy = replace(TINY, sources=(tmp_path / "nps_tiny.v",), includes=(tmp_path,))
        assert tiny("fails", design=copy).verdict is Verdict.FAIL
        (tmp_path / "nps_tiny.vh").write_text("`define NPS_TINY_FIRST 8'd94\n")
        assert tiny("fails", design=copy).verdict is Verdict.PASS


def test_failure_text_has_one_replay_line_and_a_waveform(tiny):
    with pytest.raises(SimulationFailure) as caught:
        tiny("fails", raises=True, seed_value=7)
    result, lines = caught.value.result, str(caught.value).splitlines()
    assert lines[0].startswith("FAIL nps_tiny on icarus, seed 7: 1 of 1 tests failed, first fails: AssertionError")
    assert result.waveform is not None
    assert result.waveform.stat().st_size > 100
    assert lines[2] == f"waveform: {result.waveform}"
    assert lines[3] == f"view:     gtkwave {result.view}"
    assert lines[4].startswith("replay:   NPUSCOPE_SEED=7 ")
    assert "test_runner.py::test_failure_text_has_one_replay_line_and_a_waveform" in lines[4]


@pytest.mark.parametrize("number", [7], ids="seed{}".format)
def test_replay_line_of_one_seed_of_several_finds_its_test(tiny, number):
    assert "replay:   NPUSCOPE_SEED=7 NPUSCOPE_SEEDS=2 " in tiny("fails", seed_value=number).text()


def test_replay_line_outside_pytest_fails_again(tiny, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    result = tiny("fails", seed_value=8)
    done = subprocess.run(result.replay, shell=True, capture_output=True, text=True, check=False)
    assert "count is not 99" in done.stdout + done.stderr


def test_the_seed_decides_and_both_simulators_agree(tiny):
    def told(sim, value):
        result = tiny("tells_random", sim=sim, seed_value=value)
        assert result.verdict is Verdict.PASS
        return (result.folder / "random.txt").read_text()

    assert told("icarus", 5) == told("verilator", 5)
    assert told("icarus", 5) != told("icarus", 6)


def test_a_register_without_reset_is_not_quietly_zero(tiny):
    def told(sim, value):
        return (tiny("tells_never_set", sim=sim, seed_value=value).folder / "never_set.txt").read_text()

    assert set(told("icarus", 1)) == {"X"}
    assert len({told("verilator", value) for value in (1, 2, 3, 4)}) > 1


@pytest.mark.parametrize(("text", "value"), [(None, 1), ("0", 0), ("123", 123)])
def test_seed_variable(monkeypatch, text, value):
    monkeypatch.delenv("NPUSCOPE_SEED", raising=False)
    if text is not None:
        monkeypatch.setenv("NPUSCOPE_SEED", text)
    assert seed() == value


def test_a_random_seed_stays_for_the_session(monkeypatch):
    monkeypatch.setenv("NPUSCOPE_SEED", "random")
    assert seed() == seed() == int(os.environ["NPUSCOPE_SEED"])


@pytest.mark.parametrize("text", ["", "-1", "1.5", "99999999999", "x"])
def test_a_bad_seed_is_refused(monkeypatch, text):
    monkeypatch.setenv("NPUSCOPE_SEED", text)
    with pytest.raises(NpuscopeError, match="bad NPUSCOPE_SEED"):
        seed()


BUG = Patch("nps_tiny.v", "count + STEP[7:0]", "count + 8'd2")


def test_a_planted_bug_is_caught():
    result = expect_caught(TINY, "icarus", "cases", BUILD, BUG, tests=["ends_well"], pythonpath=(FIXTURES,))
    assert result.verdict is Verdict.FAIL
    assert "8'd2" not in (FIXTURES / "nps_tiny.v").read_text()


@pytest.mark.parametrize(
    ("patch", "by", "what"),
    [
        (Patch("nps_tiny.v", "count + STEP[7:0]", "STEP[7:0] + count"), None, "not caught"),
        (Patch("nps_tiny.v", "endmodule", "endmodul"), None, "not caught"),
        (BUG, "another reason", "not caught"),
        (Patch("nps_tiny.v", "not in the file", ""), None, "exactly once"),
        (Patch("nps_tiny.v", "count", ""), None, "exactly once"),
        (Patch("other.v", "x", "y"), None, "no source"),
    ],
    ids=["harmless", "broken", "other_reason", "never", "often", "no_file"],
)
def test_a_planted_bug_that_shows_nothing_is_an_error(patch, by, what):
    with pytest.raises(NpuscopeError, match=what):
        expect_caught(TINY, "icarus", "cases", BUILD, patch, by=by, tests=["ends_well"], pythonpath=(FIXTURES,))


@pytest.mark.parametrize("any_tool", [*SIMULATORS, "yosys"])
def test_refusal(any_tool, tmp_path):
    refuse = FIXTURES.parents[2] / "rtl" / "common"
    source = tmp_path / "picky.v"
    source.write_text(
        '`include "nps_refuse.vh"\nmodule picky #(parameter A = 1) (input wire clk);\n'
        "`NPS_REFUSE(A > 3, nps_error__A_must_be_at_most_3)\nendmodule\n"
    )
    picky = replace(TINY, top="picky", sources=(source,), includes=(refuse,))
    expect_refused(replace(picky, parameters={"A": 4}), "nps_error__A_must_be_at_most_3", any_tool, BUILD)
    with pytest.raises(NpuscopeError, match="illegal parameters accepted"):
        expect_refused(replace(picky, parameters={"A": 3}), "nps_error__A_must_be_at_most_3", any_tool, BUILD)
    with pytest.raises(NpuscopeError, match="another reason"):
        expect_refused(replace(picky, parameters={"A": 4}), "nps_error__A_must_be_odd", any_tool, BUILD)
