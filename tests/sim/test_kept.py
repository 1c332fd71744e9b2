# SPDX-License-Identifier: Apache-2.0
"""A simulation is not run again while nothing that it stood on has changed, and is run again when anything has."""

import os
import time

import pytest

from npuscope.sim import SimulationFailure

BENCH = """
import os
from pathlib import Path
import cocotb
from helper import WORD
@cocotb.test()
async def test_data(dut):
    with open(Path(__file__).with_name("count.txt"), "a") as ran:
        ran.write("x")
    assert WORD + Path(__file__).with_name("data.txt").read_text() + os.environ.get("KEPT_OTHER", "") == "abc"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A bench with a module and a file that it reads; ``count.txt`` has a letter for each run."""
    monkeypatch.delenv("NPUSCOPE_RUNS", raising=False)
    monkeypatch.delenv("NPUSCOPE_FRESH", raising=False)
    for name, text in (("kept_bench.py", BENCH), ("helper.py", "WORD = 'a'\n"), ("data.txt", "bc")):
        write(tmp_path / name, text)
    return tmp_path


def write(path, text):
    path.write_text(text)
    os.utime(path, (time.time() - 9, time.time() - 9))


def ran(folder):
    return len((folder / "count.txt").read_text())


@pytest.fixture
def again(tiny, folder):
    """Run it; whether the simulator ran, and the verdict."""

    def runs(**options):
        before = ran(folder) if (folder / "count.txt").exists() else 0
        result = tiny(module="kept_bench", pythonpath=(folder,), keep=True, **options)
        return ran(folder) > before, str(result.verdict)

    return runs


def test_nothing_changed(again):
    assert again() == (True, "PASS")
    assert again() == (False, "PASS")


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("helper.py", "WORD = 'b'\n", "FAIL"),
        ("data.txt", "bd", "FAIL"),
        ("kept_bench.py", BENCH + "\n", "PASS"),
    ],
)
def test_a_file_changed(again, folder, name, text, verdict):
    again()
    write(folder / name, text)
    assert again() == (True, verdict)
    assert again() == (False, verdict)


def test_the_environment_changed(again, monkeypatch):
    again()
    monkeypatch.setenv("KEPT_OTHER", "d")
    assert again() == (True, "FAIL")


@pytest.mark.parametrize("variable", ["NPUSCOPE_FRESH", "NPUSCOPE_RUNS"])
def test_evidence_is_always_fresh(again, folder, monkeypatch, variable):
    again()
    monkeypatch.setenv(variable, str(folder / "runs.jsonl"))
    assert again() == (True, "PASS")


def test_a_failure_that_stops_is_shown_anew(again, folder):
    write(folder / "data.txt", "no")
    again()
    with pytest.raises(SimulationFailure):
        again(raises=True)
    assert ran(folder) == 3, "once more for the waveform"


def test_a_file_that_changed_meanwhile(again, folder):
    (folder / "data.txt").write_text("bc")
    os.utime(folder / "data.txt", (time.time() + 99, time.time() + 99))
    again()
    assert again() == (True, "PASS")
