"""``npuscope watch``: a live view of a capture that is being written."""

from __future__ import annotations

import json as json_module
import tempfile
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.capture import Capture
    from npuscope.cli.feed import Feed
    from npuscope.cli.screen import Screen

__all__ = ["command"]

NEWEST: Final = 8_000_000
"""Bytes looked at in each view: some 500,000 records, read in a tenth of a second."""
FEW: Final = 1 << 16
"""Bytes that may come before the first whole frame."""
TOP: Final = 16
CLEAR: Final = "\x1b[H\x1b[2J"


@click.command("watch", short_help="live view of a growing file, a pipe or a socket")
@input_options
@output_options()
@click.option("--every", metavar="TIME", default="1s", show_default=True, help="Time between two views.")
@click.option("--once", is_flag=True, help="One view: of the file as it is, of a pipe at its end or after --every.")
@click.option("--last", metavar="TIME", help="Look at so much of the newest time only.")
def command(options: Options, every: str, once: bool, last: str | None) -> Exit:
    """Show who stalls whom in the newest 8 MB of FILE, -, a named pipe or tcp://HOST:PORT, until its END.

    It reads behind the writer and never holds it back. With --json a line per view.
    """
    from npuscope.cli.feed import open_feed
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.screen import Screen
    from npuscope.cli.session import paths
    from npuscope.units import parse_duration

    if options.output is not None:
        raise NpuscopeError("watch writes to the screen", hint="leave -o out; --once --json can be redirected")
    pause, span = parse_duration(every) / 1e9, None if last is None else parse_duration(last)
    if pause <= 0 or (span is not None and span <= 0):
        raise NpuscopeError("the time must be more than 0", found=every if pause <= 0 else str(last))
    names, window = paths(options)
    if len(names) > 1 or window is not None:
        raise NpuscopeError("watch takes one input, without a window", hint="give --last for the newest time")
    feed, screen = open_feed(names[0], NEWEST), Screen(None)
    try:
        if once:
            _wait(feed, pause)
        seen = -1
        while True:
            over, page_and_data = feed.ended, feed.newest(NEWEST)
            capture = None
            if feed.total != seen and (once or feed.total):
                seen = feed.total
                capture = _look(page_and_data, options, names[0], patient=not once)
            if capture is not None:
                _show(capture, feed, options, screen, span)
            if once or over or (capture is not None and capture.ledger.end_seen):
                allowed = replace(options, allow_open=True)
                return Exit.OK if capture is None else complain(judge(capture.ledger, None, allowed), options)
            time.sleep(pause)
    finally:
        feed.close()


def _wait(feed: Feed, longest: float) -> None:
    """For a pipe or socket: until its end, or ``longest`` s."""
    from npuscope.cli.feed import Growing

    deadline = time.monotonic() + longest
    while not isinstance(feed, Growing) and not feed.ended and time.monotonic() < deadline:
        time.sleep(0.02)


def _look(newest: tuple[bytes, bytes], options: Options, name: str, *, patient: bool) -> Capture | None:
    """The newest bytes, read in full. patient: None while there are few that hold no record yet."""
    from npuscope.capture import open as open_capture

    with tempfile.NamedTemporaryFile(suffix=".npt") as file:
        file.write(b"".join(newest))
        file.flush()
        try:
            graph = options.desc or options.graph
            capture = open_capture(file.name, graph=graph, force_desc=options.force_desc, blame_only=True)
            _ = capture.timeline
        except NpuscopeError as error:
            if patient and len(newest[1]) < FEW:
                return None
            raise NpuscopeError(
                error.what,
                file=name,
                found=error.found,
                expected=error.expected,
                hint=error.hint,
                exit_code=error.exit_code,
            ) from error
    return capture


def _show(capture: Capture, feed: Feed, options: Options, screen: Screen, span: int | None) -> None:
    timeline = capture.timeline
    end = max(timeline.end_ns, timeline.start_ns + 1)
    low = timeline.start_ns if span is None else max(timeline.start_ns, end - span)
    text = json_module.dumps(_json(capture, feed, low, end)) if options.json else _text(capture, feed, screen, low, end)
    clear = CLEAR if screen.terminal and not options.json else ""
    click.echo(clear + text)


def _json(capture: Capture, feed: Feed, low: int, high: int) -> dict[str, Any]:
    ledger = capture.ledger
    return {
        "schema": 1,
        "bytes": feed.total,
        "from_ns": low,
        "to_ns": high,
        "dropped": sum(source.dropped for source in ledger.sources.values()),
        "end_seen": ledger.end_seen,
        "stalls": capture.stalls((low, high)).to_json(),
    }


def _text(capture: Capture, feed: Feed, screen: Screen, low: int, high: int) -> str:
    from npuscope.units import duration, size, tai
    from npuscope.views.lanes import grid
    from npuscope.views.picture import fullest, tracks
    from npuscope.views.strip import cells_for, strip
    from npuscope.views.trust import trust

    timeline = capture.timeline
    rows = tracks(timeline, fullest(timeline, low, high, TOP))
    cells = grid(rows, low, high, cells_for(screen.columns, [row.name for row in rows]))
    losses = [(a, b) for a, b in capture.losses if b >= low and a < high]
    told = next(t.text for t in trust(capture.ledger, timeline) if t.name == "loss")
    state = "ended" if feed.ended or capture.ledger.end_seen else "growing"
    return "\n".join(
        [
            f"{size(feed.total)} {state}, the last {duration(high - low)} up to {tai(high)}; loss: {told}",
            capture.stalls((low, high)).verdict,
            "",
            strip(cells, losses, origin=low, columns=screen.columns, glyphs=screen.glyphs, style=screen.style),
        ]
    )
