"""Programs of this tree that print: a reader who leaves, Ctrl-C and a mistake are no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from npuscope.errors import Exit, NpuscopeError, leave

ROOT = Path(__file__).resolve().parents[1]
PRINTING = ("tools/npuscope/sim/child.py", "tools/npuscope/sim/yosys.py", "traces/synthetic/make.py")
"""Programs that print nothing but what a person started them for, or are read by ours."""


@pytest.mark.parametrize(
    "program",
    [
        "-m npuscope.sim.prove --list",
        "-m npuscope.sim.prove --help",
        "-m npuscope.bench --help",
        "tb/demo/run.py --help",
    ],
)
def test_a_reader_who_leaves_is_no_traceback(program: str) -> None:
    shell = f'"{sys.executable}" {program} | sh -c "exit 0"; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.returncode in (0, 141)


def test_every_program_leaves_that_way() -> None:
    for folder in ("tools", "tb", "tests/analysis", "traces"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            if '__name__ == "__main__"' in text and str(path.relative_to(ROOT)) not in PRINTING:
                assert "    leave(" in text, path


def test_what_ends_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    def raised(what: BaseException) -> None:
        raise what

    for error, code, said in (
        (NpuscopeError("no tool", hint="install it", exit_code=Exit.CANNOT_TEST), 125, "error: no tool; install it\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (SystemExit(2), 2, ""),
    ):
        with pytest.raises(SystemExit) as left:
            leave(lambda error=error: raised(error))  # type: ignore[misc]
        assert left.value.code == code
        assert capsys.readouterr().err == said
    with pytest.raises(SystemExit) as left:
        leave(lambda: 3)
    assert left.value.code == 3
