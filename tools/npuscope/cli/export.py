"""``npuscope export``: other people's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from npuscope.capture import Capture
    from npuscope.occupancy import Level

__all__ = ["command"]

WHOLE: Final = ("perfetto", "vcd", "stimulus")
"""Formats that hold the whole capture, not one table."""
BINARY: Final = ("perfetto", "parquet", "stimulus")


@click.command("export", short_help="other formats: perfetto, parquet, csv, vcd, stimulus")
@input_options
@output_options(json=False)
@click.option(
    "--to", type=click.Choice(["perfetto", "parquet", "csv", "vcd", "stimulus"]), required=True, help="Format."
)
@click.option(
    "--table",
    type=click.Choice(["episodes", "records", "stalls", "jitter", "ras", "tokens", "interrupts"]),
    help="csv, parquet: which table.  [default: episodes]",
)
@click.option(
    "--source", metavar="N", type=click.IntRange(0, 62), default=0, help="stimulus: of which probe.  [default: 0]"
)
@click.option(
    "--period", metavar="NS", type=click.IntRange(1), default=5, help="stimulus: clock of the probe.  [default: 5]"
)
def command(options: Options, to: str, table: str | None, source: int, period: int) -> Exit:
    """Write the capture as a perfetto trace (ui.perfetto.dev) or a VCD waveform, or one of its tables.

    stimulus: the samples that make the RTL of a probe say the same again; ``tb/replay/replay.py FILE`` runs them.

    Tables: episodes, every record as it stands in the stream, victims by culprits, or events. Times are integer ns;
    a cell is empty where nothing is known. Episodes are listed whole, not cut by a window.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import paths, prepare, start, tell, window
    from npuscope.views import csv, event_csv

    if to in WHOLE and table is not None:
        raise NpuscopeError(f"{to} holds the whole capture", hint="leave --table out")
    table = table or ("" if to in WHOLE else "episodes")
    if (table == "records" or to in WHOLE) and paths(options)[1] is not None:
        what = "records are" if table == "records" else f"{to} is"
        raise NpuscopeError(f"{what} exported whole", hint="leave the window out, or use npuscope cut first")
    prepare(options)
    if to in BINARY:
        _check_binary(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=table in event_csv.TABLES or to == "perfetto")
        if to == "stimulus":
            from npuscope.views.stimulus import samples

            words = samples(capture.batches(), source, period)
            with open_output(options.output, options.force, utf8=True) as sink:
                sink.buffer.write(words.astype("<u2").tobytes())
            tell(capture, options, windows_placed=False)
            return complain(judge(capture.ledger, None, options), options)
        if table == "records":
            with open_output(options.output, options.force, utf8=True) as sink:
                if to == "parquet":
                    from npuscope.views.parquet import write_records

                    write_records(sink.buffer, capture.batches())
                else:
                    sink.writelines(csv.record_lines(capture.batches()))
            tell(capture, options, windows_placed=False)
            return complain(judge(capture.ledger, None, options), options)
        timeline = capture.timeline
        levels = _levels(capture) if to in WHOLE else []
    span = window(capture, options)
    rows: Iterable[Sequence[object]] = ()
    titles: Sequence[str] = ()
    if table in event_csv.TABLES:
        titles = event_csv.titles(table)
        rows = event_csv.event_rows(capture.tables, table, timeline.start_ns, span)
    elif table == "episodes":
        titles, rows = csv.EPISODES, csv.episode_rows(timeline, span)
    elif table == "stalls":
        titles, rows = csv.STALLS, csv.stall_rows(capture.stalls(span))
    with open_output(options.output, options.force, utf8=True) as sink:
        if to == "csv":
            sink.writelines(csv.rows_to_lines(titles, rows))
        elif to == "parquet":
            from npuscope.views.parquet import write_rows

            write_rows(sink.buffer, titles, rows)
        elif to == "vcd":
            from npuscope.views.vcd import vcd_lines

            sink.writelines(vcd_lines(timeline, levels, _title(capture)))
        else:
            from npuscope.views.perfetto import perfetto

            found, losses = capture.propagation, capture.losses_by_source
            sink.buffer.writelines(perfetto(timeline, found, levels, losses, capture.tables, _title(capture)))
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)


def _title(capture: Capture) -> str:
    title, unit = capture.timeline.description.title or capture.names[0], capture.ledger.time_unit
    return title if unit == "ns" else f"{title} (1 ns here is 1 {unit})"


def _levels(capture: Capture) -> list[Level]:
    """Occupancy takes a second pass, which a pipe does not have."""
    if not capture.readable_again:
        capture.ledger.note("no occupancy: a pipe can be read only once")
        return []
    return capture.occupancy()


def _check_binary(options: Options) -> None:
    """Refuse to write bytes to a screen."""
    import sys

    if options.output in (None, "-") and sys.stdout is not None and sys.stdout.isatty():
        raise NpuscopeError("not text, so not for the screen", hint="give -o FILE")
