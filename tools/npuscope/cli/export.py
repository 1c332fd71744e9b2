"""``npuscope export``: other people's formats."""

from __future__ import annotations

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]


@click.command("export", short_help="other formats: csv")
@input_options
@output_options(json=False)
@click.option("--to", type=click.Choice(["csv"]), required=True, help="Format.")
@click.option(
    "--table",
    type=click.Choice(["episodes", "records", "stalls", "jitter", "ras", "tokens", "interrupts"]),
    default="episodes",
    show_default=True,
    help="Which table.",
)
def command(options: Options, to: str, table: str) -> Exit:
    """Write one table: episodes, every record as it stands in the stream, victims by culprits, or events.

    Times are integer ns; a cell is empty where nothing is known. Episodes are listed whole, not cut by a window.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import paths, prepare, start, tell, window
    from npuscope.errors import NpuscopeError
    from npuscope.views import csv, event_csv

    if table == "records" and paths(options)[1] is not None:
        raise NpuscopeError("records are exported whole", hint="leave the window out, or filter tai_ns")
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=table in event_csv.TABLES)
        if table == "records":
            with open_output(options.output, options.force, utf8=True) as sink:
                sink.writelines(csv.record_lines(capture.batches()))
            tell(capture, options, windows_placed=False)
            return complain(judge(capture.ledger, None, options), options)
        timeline = capture.timeline
    span = window(capture, options)
    if table in event_csv.TABLES:
        rows = event_csv.event_rows(capture.tables, table, timeline.start_ns, span)
        lines = csv.rows_to_lines(event_csv.titles(table), rows)
    elif table == "episodes":
        lines = csv.rows_to_lines(csv.EPISODES, csv.episode_rows(timeline, span))
    else:
        lines = csv.rows_to_lines(csv.STALLS, csv.stall_rows(capture.stalls(span)))
    with open_output(options.output, options.force, utf8=True) as sink:
        sink.writelines(lines)
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)
