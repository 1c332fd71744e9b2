"""Windows as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest

from npuscope.cli.inputs import Bound, Window, parse_window, split_window
from npuscope.errors import NpuscopeError


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("10us..2ms", Window(Bound(10_000), Bound(2_000_000))),
        ("..5ns", Window(None, Bound(5))),
        ("1.5us..", Window(Bound(1500), None)),
        ("ep:3", Window(Bound(episode=3), Bound(episode=3))),
        ("ep:3..ep:9", Window(Bound(episode=3), Bound(episode=9))),
        ("tai:1700..tai:1800", Window(Bound(1700, tai=True), Bound(1800, tai=True))),
        ("ep:3..1ms", Window(Bound(episode=3), Bound(1_000_000))),
    ],
)
def test_windows(text: str, window: Window) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["", "..", "10us", "5us..5us", "2ms..1ms", "ep:x..", "a..b"])
def test_bad_windows_are_refused(text: str) -> None:
    with pytest.raises(NpuscopeError, match=r"not a window|the window is empty|not a time"):
        parse_window(text)


def test_window_behind_a_file_name(tmp_path: Path) -> None:
    assert split_window("run.npt@1us..2us") == ("run.npt", "1us..2us")
    assert split_window("run.npt@ep:4") == ("run.npt", "ep:4")
    assert split_window("me@host.npt") == ("me@host.npt", None)
    assert split_window("-@1us..") == ("-", "1us..")
    odd = tmp_path / "odd@1..2"
    odd.touch()
    assert split_window(str(odd)) == (str(odd), None)
