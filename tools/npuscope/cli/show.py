"""``npuscope show``: the layers x time strip."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]

COLOURS: Final = {"hot": "red", "unknown": "magenta", "dry": "blue", "loss": "magenta"}
DEFAULT_WIDTH: Final = 80


@click.command("show", short_help="layers x time strip in the terminal")
@input_options
@output_options(json=False)
@click.option("--around", metavar="ep:N|token:N|TIME", help="An episode, a token or a time in the middle.")
@click.option("--width", metavar="N", type=click.IntRange(40, 1000), help="Columns.  [default: terminal, else 80]")
@click.option(
    "--top", metavar="N", type=click.IntRange(1), default=64, show_default=True, help="Buffers at most, the fullest."
)
@click.option("--lanes", metavar="A,B", help="Of jitter, ras, tokens those to draw; none draws none.  [default: all]")
def command(options: Options, around: str | None, width: int | None, top: int, lanes: str | None) -> Exit:
    """Draw every buffer over time, one line each, in plain characters.

    Unknown and lost time is drawn as such, never as calm. Colour only on a terminal without NO_COLOR.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import around as around_window
    from npuscope.cli.session import prepare, start, tell, window
    from npuscope.units import count
    from npuscope.views.events import event_cells, strip_lanes, strip_legend
    from npuscope.views.lanes import grid
    from npuscope.views.picture import fullest, tracks
    from npuscope.views.strip import ASCII, UNICODE, cells_for, legend, strip

    wanted = _lanes(lanes)
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True, with_tables=bool(wanted))
        timeline = capture.timeline
    low, high = around_window(capture, around) if around else window(capture, options)
    to_screen = options.output in (None, "-")
    terminal = to_screen and sys.stdout is not None and sys.stdout.isatty()
    columns = width or (shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH)
    rows = tracks(timeline, fullest(timeline, low, high, top))
    rest = len(timeline.hot) - len(rows)
    omitted = f"{count(rest)} more buffers are full for less of the time: --top {len(timeline.hot)}" if rest else ""
    glyphs = ASCII if to_screen and not _unicode() else UNICODE
    losses = [(a, b) for a, b in capture.losses if b >= low and a < high]
    there = wanted if wanted and capture.tables.any else ()
    cells = grid(rows, low, high, cells_for(columns, [*(row.name for row in rows), *there]))
    more = strip_lanes(event_cells(capture.tables, cells.edges), there, glyphs.cool, glyphs.unknown) if there else []
    text = strip(
        cells,
        losses,
        origin=timeline.start_ns,
        columns=columns,
        glyphs=glyphs,
        style=_style if terminal and _colour() else _plain,
        lanes=more,
    )
    with open_output(options.output, options.force) as sink:
        explained = "\n".join(filter(None, (omitted, legend(glyphs), strip_legend(more, glyphs.cool))))
        sink.write(f"{text}\n\n{explained}\n")
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)


def _lanes(text: str | None) -> tuple[str, ...]:
    """The lanes of ``--lanes``; raises NpuscopeError for one that there is not."""
    from npuscope.views.events import LANES

    if text is None:
        return LANES
    names = [name.strip() for name in text.split(",") if name.strip() and name.strip() != "none"]
    for name in names:
        if name not in LANES:
            raise NpuscopeError("no such lane", found=repr(name), expected=f"{', '.join(LANES)}, or none")
    return tuple(names)


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
