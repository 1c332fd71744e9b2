"""Small pieces of HTML; every text that comes from a dump or a description goes through ``text``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from npuscope.units import safe

__all__ = ["asset", "command", "embedded", "page", "table", "text"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"
"""The page asks for nothing from outside, and the browser holds it to that."""


def text(content: str) -> str:
    """``content`` as text or attribute value: markup and unprintable characters escaped."""
    return escape(safe(content))


def asset(name: str) -> str:
    """A file of this package, as text."""
    return files("npuscope.views").joinpath(name).read_text(encoding="utf-8")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], style: str = "") -> str:
    """A table of ready-made HTML cells; a title that starts with ``>`` aligns its column to the right."""
    right = [title.startswith(">") for title in titles]

    def cells(tag: str, line: Sequence[str]) -> str:
        return "".join(
            f'<{tag} class="n">{c}</{tag}>' if r else f"<{tag}>{c}</{tag}>" for c, r in zip(line, right, strict=True)
        )

    head = cells("th", [text(title.removeprefix(">")) for title in titles])
    body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    return (
        f'<div class="wide"><table class="{style}"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'
    )


def command(line: str, name: str = "") -> str:
    """A command to copy; without JavaScript one click selects it."""
    mark = f' id="{name}"' if name else ""
    return f'<div class="command"><code{mark}>{text(line)}</code><button type="button">copy</button></div>'


def embedded(name: str, data: Any) -> str:
    """``data`` as JSON in the page; no text in it can end the element."""
    content = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        content = content.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{name}">{content}</script>'


def page(title: str, body: str, script: str) -> str:
    """The whole document."""
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<style>\n{asset('report.css')}</style></head>\n<body>\n{body}\n<script>\n{script}</script>\n</body></html>\n"
    )
