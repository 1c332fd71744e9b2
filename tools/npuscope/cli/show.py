"""``npuscope show``: the layers x time strip."""

from __future__ import annotations

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]


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
    from npuscope.cli.screen import Screen
    from npuscope.cli.session import around as around_window
    from npuscope.cli.session import prepare, start, tell, window
    from npuscope.units import count
    from npuscope.views.events import event_cells, strip_lanes, strip_legend
    from npuscope.views.lanes import grid
    from npuscope.views.picture import fullest, tracks
    from npuscope.views.strip import cells_for, legend, strip

    wanted = _lanes(lanes)
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True, with_tables=bool(wanted))
        timeline = capture.timeline
    low, high = around_window(capture, around) if around else window(capture, options)
    screen = Screen(options.output, width)
    rows = tracks(timeline, fullest(timeline, low, high, top))
    rest = len(timeline.hot) - len(rows)
    omitted = f"{count(rest)} more buffers are full for less of the time: --top {len(timeline.hot)}" if rest else ""
    losses = [(a, b) for a, b in capture.losses if b >= low and a < high]
    there = wanted if wanted and capture.tables.any else ()
    cells = grid(rows, low, high, cells_for(screen.columns, [*(row.name for row in rows), *there]))
    more = (
        strip_lanes(event_cells(capture.tables, cells.edges), there, screen.glyphs.cool, screen.glyphs.unknown)
        if there
        else []
    )
    text = strip(
        cells,
        losses,
        origin=timeline.start_ns,
        columns=screen.columns,
        glyphs=screen.glyphs,
        style=screen.style,
        lanes=more,
    )
    with open_output(options.output, options.force) as sink:
        explained = "\n".join(filter(None, (omitted, legend(screen.glyphs), strip_legend(more, screen.glyphs.cool))))
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
