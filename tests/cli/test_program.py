"""The program as a whole: help, verbs, mistakes in one line, and nothing heavy before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import npuscope
from npuscope.cli import guard, run
from npuscope.cli.app import VERBS, program
from npuscope.errors import Exit, NpuscopeError


def npuscope_process(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    code = "import sys; from npuscope.cli import main; sys.argv[0] = 'npuscope'; main()"
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False, **settings
    )


def one_line(text: str) -> str:
    """The one line of ``text``, which must start with the program's name."""
    assert text.startswith("npuscope: ")
    assert text.count("\n") == 1
    assert text.endswith("\n")
    return text


def test_help_lists_every_verb_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for verb in VERBS:
        assert f"  {verb} " in text
    for code in Exit:
        assert str(int(code)) in text
    assert max(map(len, text.split("\n"))) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_and_is_readable_at_80_columns(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"Usage: npuscope {verb}")
    assert err == ""
    assert max(map(len, out.split("\n"))) <= 88


def test_no_arguments_print_the_help_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: npuscope")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["stals"], "no verb 'stals'; did you mean 'stalls'"),
        (
            ["xyzzy"],
            f"no verb 'xyzzy'; verbs are {', '.join(VERBS)}",
        ),
        (["stalls"], "no input: give files, folders or globs, or - for stdin"),
        (["stalls", "--tpo", "3", "x"], "No such option '--tpo'"),
        (["stalls", "--top", "0", "x"], "Invalid value for '--top'"),
        (["export", "x"], "Missing option '--to'"),
    ],
)
def test_usage_mistakes_are_one_line(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert text in one_line(err)
    assert "--help'" in err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"npuscope {npuscope.__version__}\n"


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (NpuscopeError("bad", exit_code=Exit.CONFLICT), 4, "npuscope: bad\n"),
        (PermissionError(13, "Permission denied", "x.npt"), 2, "npuscope: x.npt: Permission denied\n"),
        (OSError(28, "No space left on device"), 2, "npuscope: No space left on device\n"),
        (MemoryError(), 2, "npuscope: out of memory; try a smaller --window\n"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), 2, "npuscope: text that is not UTF-8: "),
        (ValueError("two\nlines"), 125, "npuscope: internal error: ValueError: two lines at "),
        (RecursionError("deep"), 125, "npuscope: internal error: RecursionError: deep at "),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), guard.SIGPIPE_EXIT, ""),
    ],
)
def test_no_exception_reaches_the_user(
    error: BaseException, code: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(program, "main", fail)
    monkeypatch.delenv(guard.DEBUG_VARIABLE, raising=False)
    assert run(["info"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(text)
    assert err.count("\n") == (1 if text else 0)


def test_import_and_help_load_no_numpy() -> None:
    code = "import sys, npuscope; from npuscope.cli import run; run(['--help']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0


def test_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from npuscope.cli import main; main()", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == Exit.USAGE
    assert "No space left on device" in one_line(done.stderr)


def test_closed_stdout_and_stderr_leave_the_exit_code() -> None:
    code = "from npuscope.cli import main; main()"
    shell = f'"{sys.executable}" -c "{code}" stals 2>&- >&-'
    assert subprocess.run(shell, shell=True, check=False, timeout=60).returncode == Exit.USAGE


def test_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    code = "from npuscope.cli import main; main()"
    shell = f'"{sys.executable}" -c "{code}" --help 2>"{tmp_path}/err" | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() in ("0", str(guard.SIGPIPE_EXIT))
    assert (tmp_path / "err").read_text() == ""


def test_config_mistake_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "npuscope.toml").write_text("[stalls]\ntpo = 1\n")
    done = npuscope_process("doctor", cwd=tmp_path)
    assert done.returncode == Exit.USAGE
    assert "unknown key 'stalls.tpo'; did you mean 'top'" in one_line(done.stderr)
    assert done.stdout == ""


def test_completion_script(tmp_path: Path) -> None:
    done = npuscope_process(env=os.environ | {"_NPUSCOPE_COMPLETE": "bash_source"}, cwd=tmp_path)
    assert done.returncode == 0
    assert "_npuscope_completion" in done.stdout


def test_public_names_are_there() -> None:
    for name in npuscope.__all__:
        assert getattr(npuscope, name) is not None
    assert set(npuscope.__all__) <= set(dir(npuscope))
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = npuscope.opne  # type: ignore[attr-defined]
