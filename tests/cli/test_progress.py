"""The progress line: only on a terminal, only after a second, and gone at the end."""

from __future__ import annotations

import io
import sys
import time

import pytest

from npuscope.cli.progress import FIRST_S, ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def drawn(monkeypatch: pytest.MonkeyPatch, clock: list[float], *, quiet: bool = False, screen: io.StringIO) -> str:
    monkeypatch.setattr(sys, "stderr", screen)
    with ProgressLine(quiet) as line:
        line(10, 1000)
        clock[0] += FIRST_S
        line(250_000_000, 1_000_000_000)
        line(300_000_000, 1_000_000_000)
    return screen.getvalue()


def test_drawn_once_and_wiped(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    text = drawn(monkeypatch, clock, screen=Terminal())
    assert text == "\r\x1b[K[######..................]  25 %  250.0 MB at 250.0 MB/s  3 s left\r\x1b[K"


def test_not_when_quiet_nor_into_a_file(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    assert drawn(monkeypatch, clock, quiet=True, screen=Terminal()) == ""
    assert drawn(monkeypatch, clock, screen=io.StringIO()) == ""


def test_without_a_known_end(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with ProgressLine(False) as line:
        clock[0] += 2
        line(5_000_000, None)
    assert "5.0 MB at 2.5 MB/s" in screen.getvalue()
