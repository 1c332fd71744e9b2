"""``npuscope report``: one offline HTML file."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]


@click.command("report", short_help="one offline HTML file with verdict, tables and picture")
@input_options
@output_options(json=False)
@click.option("--title", metavar="TEXT", help="Headline.  [default: title of the description, else the file name]")
def command(options: Options, title: str | None) -> Exit:
    """Write verdict, trust, tables, heat map, evidence and ledger into one HTML file that needs no network.

    The file is named after the input, FILE.html beside it, unless -o says otherwise; -o - is stdout.
    """
    import npuscope
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import paths, prepare, start, tell, window
    from npuscope.views.event_report import event_report
    from npuscope.views.files import file_facts
    from npuscope.views.picture import picture
    from npuscope.views.report import ReportData, render

    names, _ = paths(options)
    if options.output is None and names != ["-"]:
        options = dataclasses.replace(options, output=f"{names[0].rstrip('/')}.html")
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=True, summarise=True)
        timeline = capture.timeline
    span = window(capture, options)
    edges = picture(timeline, (), *span).cells.edges
    text = render(
        ReportData(
            title=title or timeline.description.title or Path(names[0]).name,
            stalls=capture.stalls(span),
            timeline=timeline,
            trust=capture.trust(),
            losses=capture.losses,
            ledger=capture.ledger,
            places=capture.places,
            files=file_facts(capture.names),
            version=npuscope.__version__,
            propagation=capture.propagation,
            events=event_report(capture.tables, capture.ledger, edges, timeline.start_ns),
        )
    )
    with open_output(options.output, options.force, utf8=True) as sink:
        sink.write(text)
    tell(capture, options)
    if options.output not in (None, "-") and not options.quiet:
        click.echo(f"npuscope: wrote {options.output}", err=True)
    return complain(judge(capture.ledger, timeline, options), options)
