"""What the screen can show: block characters, colour, its width."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Final

import click

from npuscope.views.strip import ASCII, UNICODE, Glyphs

__all__ = ["Screen"]

COLOURS: Final = {"hot": "red", "unknown": "magenta", "dry": "blue", "loss": "magenta"}
DEFAULT_WIDTH: Final = 80


class Screen:
    """Where a text goes. output: as ``-o``; width: as asked for, None = the terminal's.

    terminal: it is one. columns, glyphs, style: for ``views.strip``.
    """

    def __init__(self, output: str | None, width: int | None = None) -> None:
        to_screen = output in (None, "-")
        self.terminal = to_screen and sys.stdout is not None and sys.stdout.isatty()
        wide = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if self.terminal else DEFAULT_WIDTH
        self.columns = width or wide
        self.glyphs: Glyphs = ASCII if to_screen and not _unicode() else UNICODE
        self.style: Callable[[str, str], str] = _style if self.terminal and _colour() else _plain


def _unicode() -> bool:
    """Whether stdout can take the block characters."""
    try:
        "░█·".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _style(state: str, text: str) -> str:
    colour = COLOURS.get(state)
    return click.style(text, fg=colour) if colour else text


def _plain(_state: str, text: str) -> str:
    return text
