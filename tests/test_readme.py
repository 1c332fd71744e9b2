"""What README shows is what comes: the demo's output, the commands, the Python."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from npuscope.cli import run
from npuscope.errors import Exit
from tb.demo import run as demo
from tb.demo.simulate import Recording

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
KEPT = ROOT / "traces/simulated/transformer_block.npt"


def block(holds: str) -> str:
    """The fenced block of README that holds this text."""
    found = [text for text in re.findall(r"^```\w*\n(.*?)^```", README, re.M | re.S) if holds in text]
    assert len(found) == 1, holds
    return found[0]


@pytest.mark.timeout(300)
def test_the_demo_prints_what_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """README is shortened: its lines are some of the demo's, in their order. The simulation is the kept one."""

    def kept(_pipeline: object, _clocks: int, dump: Path, _sim: str, **_: object) -> Recording:
        dump.parent.mkdir(parents=True)
        shutil.copy(KEPT, dump)
        return Recording(dump, 2189, 1.0, 1.0)

    monkeypatch.setattr(demo, "record", kept)
    monkeypatch.chdir(tmp_path)
    assert demo.demo(["--out", str(tmp_path / "build/demo")]) == Exit.OK
    printed = iter(capfd.readouterr().out.splitlines())
    for line in filter(None, block("$ npuscope stalls").splitlines()):
        assert line in printed, f"README shows this, or shows it in another order: {line}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory in which the readmes' relative names mean something."""
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    shutil.copy(ROOT / "traces/synthetic/events.npt", tmp_path / "run.npt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_of_readme_run(folder: Path) -> None:
    text = block("RUN=")
    lossy = re.search(r"^RUN=(\S+)$", text, re.M)
    assert lossy
    commands = re.findall(r"^npuscope (.*?)(?: +#.*)?$", text, re.M)
    assert len(commands) >= 5
    for command in commands:
        expected = (Exit.LOSS,) if "$RUN" in command else (Exit.OK, Exit.LOSS)
        assert run(shlex.split(command.replace("$RUN", lossy[1]))) in expected, command
    assert {"run.csv", "run.html"} <= {path.name for path in folder.iterdir()}


def test_the_python_of_the_readmes_runs(folder: Path) -> None:
    for text in (README, (ROOT / "tools/README.md").read_text()):
        names: dict[str, object] = {}
        for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
            exec(compile(code, "README", "exec"), names)
