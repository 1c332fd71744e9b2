"""Inputs that look right and are not: endless ones, things appended, files named twice, options without a meaning."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from npuscope.cli import run
from npuscope.errors import Exit
from npuscope.records import framing
from npuscope.source import header_page
from tests.cli.dumps import dump, graph, toml
from tests.cli.test_bad_input import VERBS, put

Captured = pytest.CaptureFixture[str]


def said(arguments: list[str], capsys: Captured, code: int) -> tuple[str, str]:
    assert run(arguments) == code
    found = capsys.readouterr()
    return found.out, found.err


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("device", ["zero", "urandom"])
def test_a_stream_of_nothing_is_given_up(
    device: str, verb: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(framing, "NOTHING_BYTES", 1 << 22)
    endless, keep = os.open(f"/dev/{device}", os.O_RDONLY), os.dup(0)
    try:
        os.dup2(endless, 0)
        out, err = said([*verb, "-"], capsys, Exit.NOT_RECOGNISED)
    finally:
        os.dup2(keep, 0)
    assert out == ""
    assert err.startswith("npuscope: stdin: no frame of a trace in its first ")
    assert err.count("\n") == 1


def test_a_file_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "NOTHING_BYTES", 1 << 20)
    assert run(["stalls", put(tmp_path, os.urandom(3 << 20) + dump())]) == Exit.LOSS


APPENDED = {
    "text": (b"done\n" * 8, "40 bytes behind END belong to no trace"),
    "seven bytes": (b"\r\ndone\n", "7 bytes behind END belong to no trace"),
    "a second END": (dump()[-16:], "16 bytes behind END belong to no trace"),
    "garbage and a second capture": (b"?" * 100 + dump(), "100 bytes behind END belong to no trace"),
    "a header page": (header_page(b"{}"), "no END"),
    "half a header page": (header_page(b"{}")[:40], "40 bytes behind END belong to no trace"),
}


@pytest.mark.parametrize("what", APPENDED)
def test_what_stands_behind_end_is_told(what: str, tmp_path: Path, capsys: Captured) -> None:
    more, text = APPENDED[what]
    path = put(tmp_path, dump(header=True) + more)
    for verb in VERBS:
        assert text in said([*verb, path], capsys, Exit.LOSS)[1]
        assert text not in said([*verb, "--allow-open", path], capsys, Exit.OK)[1]


@pytest.mark.parametrize("header", [True, False])
def test_a_second_capture_behind_end_is_a_second_run(header: bool, tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump(header=header) * 2)
    out, err = said(["info", path], capsys, Exit.OK)
    assert "END seen, 2 runs" in out
    assert "damage     none" in out
    assert ("note: a header page behind END was passed over" in err) == header


# ---------------------------------------------------------------- several files
def test_a_file_named_twice_is_read_once_and_said(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump(), "a.npt")
    link, hard = tmp_path / "b.npt", tmp_path / "c.npt"
    link.symlink_to(path)
    os.link(path, hard)
    once = said(["stalls", path], capsys, Exit.OK)[0]
    for names, note in (
        ([path, path], f"{path} is named twice, read once"),
        ([path, str(link)], f"{link} is {path}, read once"),
        ([path, str(hard)], f"{hard} is {path}, read once"),
        ([path, f"{tmp_path}/*.npt"], f"{hard} is {path}, read once"),
        ([str(tmp_path)], f"{link} is {path}, read once"),
    ):
        out, err = said(["stalls", *names], capsys, Exit.OK)
        assert f"npuscope: note: {note}\n" in err
        assert out.splitlines()[:8] == once.splitlines()[:8]


def test_several_files_are_said_to_be_read_as_one(tmp_path: Path, capsys: Captured) -> None:
    first, second = put(tmp_path, dump(header=True), "a.npt"), put(tmp_path, dump(header=True), "b.npt")
    text = f"2 files read as one capture: {first} .. {second}"
    for verb in ("info", "stalls"):
        out = said([verb, str(tmp_path)], capsys, Exit.OK)[0]
        assert text in " ".join(out.split())
        assert out.count("2 files") == 1


def test_the_second_header_page_is_compared(tmp_path: Path, capsys: Captured) -> None:
    first, second = put(tmp_path, dump(header=True), "a.npt"), put(tmp_path, header_page(b"{}") + dump(), "b.npt")
    err = said(["stalls", first, second], capsys, Exit.OK)[1]
    assert f"npuscope: note: {second}: its header page differs from that of {first} and was not used\n" in err
    assert "npuscope: note: a run begins before the one in front of it ended: more than one capture\n" in err


def test_a_text_and_a_dump_are_no_one_capture(tmp_path: Path, capsys: Captured) -> None:
    text, other = put(tmp_path, b"0,0,1\n10,0,1\n", "a.txt"), put(tmp_path, dump(), "b.npt")
    for first, second in ((text, other), (other, text)):
        err = said(["stalls", first, second], capsys, Exit.USAGE)[1]
        assert err.startswith(f"npuscope: {second}: a trace dump and $fwrite text (time,layer_id,backpressure_en) are")
        assert err.endswith(f"; read it apart from {first}\n")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_recording_of_no_length(verb: list[str], tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, b"0,0,1\n0,1,1\n", "a.txt")
    said([*verb, path, "--time-unit", "1ps"], capsys, Exit.OK)


def test_an_empty_name_is_shown(capsys: Captured) -> None:
    assert said(["info", ""], capsys, Exit.USAGE)[1] == "npuscope: '': no such file\n"


# ---------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["show", "--around", "2"],
            "not a time: found '2', expected a number with its unit ns, us, ms or s, tai:NS, ep:N or tok",
        ),
        (["stalls", "--window", "1..2ms"], "not a time: found '1'"),
        (["info", "--time-unit", "0ns"], "--time-unit must be more than 0: found 0ns"),
        (["info", "--sample-period=-1us"], "--sample-period must be more than 0: found -1us"),
    ],
)
def test_numbers_that_mean_nothing(arguments: list[str], text: str, tmp_path: Path, capsys: Captured) -> None:
    err = said([*arguments, put(tmp_path, dump())], capsys, Exit.USAGE)[1]
    assert text in err
    assert err.count("\n") == 1


def test_options_for_text_are_told_to_have_no_meaning(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump())
    err = said(["stalls", "--time-unit", "1ns", "--allow-backwards", path], capsys, Exit.OK)[1]
    assert err == "npuscope: note: --time-unit and --allow-backwards left aside: not for a trace of npuscope\n"


def test_another_graph_says_what_to_try(tmp_path: Path, capsys: Captured) -> None:
    other = put(tmp_path, toml().replace("conv3", "conv7").encode(), "g.toml")
    for header, hint in ((True, "leave it out: the header page brings a graph"), (False, "give the right one")):
        path = put(tmp_path, dump(header=header, hashed=True))
        err = said(["stalls", path, "--graph", other], capsys, Exit.USAGE)[1]
        assert f"expected hash {graph().hash:016x}; {hint}, or force it with --force-desc\n" in err
    inner = put(tmp_path, header_page(toml_json()) + dump(hashed=True))
    assert "it stands in the header page; give the right one with --graph" in said(["info", inner], capsys, 2)[1]


def toml_json() -> bytes:
    return graph().to_json().replace("conv3", "conv7").encode()


def test_header_page_that_is_no_json(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, header_page(b"{oops") + dump())
    err = said(["stalls", path], capsys, Exit.USAGE)[1]
    assert err.startswith(f"npuscope: {path}: the header page is no JSON: ")
    assert err.endswith("; --graph FILE.toml is used instead of it\n")
    assert said(["stalls", path, "--graph", put(tmp_path, toml().encode(), "g.toml")], capsys, Exit.OK)[1] == ""


def test_no_input_and_closed_stdin_say_what_to_give() -> None:
    for text, shell in (
        ("npuscope: no input: give files, folders or globs, or - for stdin; see 'npuscope info --help'\n", ""),
        ("npuscope: stdin is closed; give a file, or pipe a dump into it\n", "- <&-"),
    ):
        done = subprocess.run(
            f'"{sys.executable}" -m npuscope info {shell}', shell=True, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (Exit.USAGE, text)
