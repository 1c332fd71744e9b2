# SPDX-License-Identifier: Apache-2.0
"""NPUSCOPE_SEEDS, of which ``make regress SEEDS=n`` is made, runs each simulation with n seeds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]


def collected(**variables: str) -> subprocess.CompletedProcess[str]:
    """What pytest would run of one bench."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NPUSCOPE_SEED")}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tb/nps_top"]
    return subprocess.run(command, cwd=TREE, env=env | variables, capture_output=True, text=True, check=False)


def seeds(text: str, test: str) -> list[int]:
    return [int(n) for line in text.splitlines() if f"::{test}[" in line for n in re.findall(r"\bseed(\d+)\b", line)]


def test_each_simulation_runs_with_every_seed():
    done = collected(NPUSCOPE_SEEDS="3", NPUSCOPE_SEED="7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(seeds(done.stdout, "test_random")) == [7] * 4 + [8] * 4 + [9] * 4, "four builds"
    assert sorted(seeds(done.stdout, "test_rate")) == [7, 7, 8, 8, 9, 9], "two simulators"
    assert not seeds(done.stdout, "test_illegal_parameters_are_refused"), "nothing random"


def test_one_seed_leaves_the_names_alone():
    assert "seed" not in collected().stdout


@pytest.mark.parametrize("text", ["0", "many"])
def test_a_bad_number_is_refused(text):
    done = collected(NPUSCOPE_SEEDS=text)
    assert done.returncode != 0
    assert f"NPUSCOPE_SEEDS is '{text}'" in done.stdout + done.stderr
