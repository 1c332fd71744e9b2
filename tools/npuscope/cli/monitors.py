"""``npuscope monitors``: what the threshold monitors told, each against its limit."""

from __future__ import annotations

import json as json_module

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]


@click.command("monitors", short_help="threshold monitors: limit, observed, violations, margin")
@input_options
@output_options()
@click.option(
    "--limit",
    "limits",
    metavar="ID=VALUE",
    multiple=True,
    help="Another limit than the book's, in its unit; repeatable.",
)
@click.option("--check", is_flag=True, help="Exit 1 when a value violates its limit, or none was held against one.")
def command(options: Options, limits: tuple[str, ...], check: bool) -> Exit:
    """Say for each threshold monitor its limit, the worst value, how many violate it and the margin.

    Stages of a link and saturation are judged by the device, so --limit does not change them.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import prepare, start, tell
    from npuscope.cli.streaming import coverage, span
    from npuscope.layout import SRC_MONITOR
    from npuscope.tables.monitors import MON_KINDSUBS, MonitorMeter
    from npuscope.views.jitter import lost_of
    from npuscope.views.monitors import monitors_json, monitors_text

    meter = MonitorMeter(_given(limits))
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        window = span(capture, options)
        for batch in capture.batches(MON_KINDSUBS):
            window.settle(capture.first_ts)
            meter.window = window.ns
            meter.feed(batch)
    ledger = capture.ledger
    lost = lost_of(ledger).get(SRC_MONITOR, (0, False))
    text = json_module.dumps(monitors_json(meter, lost), indent=1) if options.json else monitors_text(meter, lost)
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    found = judge(ledger, None, options) + coverage(ledger, [src for src in (SRC_MONITOR,) if meter.any], options)
    bad = [row for row in meter.observed if row.violations]
    if check and not meter.observed:
        found.append((Exit.CHECK_FAILED, "no value to hold against a limit"))
    elif check and bad:
        found.append((Exit.CHECK_FAILED, "limits violated: " + ", ".join(row.name for row in bad)))
    return complain(found, options)


def _given(texts: tuple[str, ...]) -> dict[str, int]:
    """Thresholds given by hand.

    Raises:
        NpuscopeError: no such threshold, or no whole number in its range.
    """
    from npuscope.layout import THRESHOLDS

    judged = ("TOKEN_INTERVAL", "HITRATE_LIMIT", "ENERGY_LIMIT")
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        name = name.strip().upper()
        if name not in judged:
            raise NpuscopeError("--limit: no limit that is judged here", found=text, expected=", ".join(judged))
        book = THRESHOLDS[name]
        if not value.strip().isdigit() or not book.min <= int(value) <= book.max:
            raise NpuscopeError(
                f"--limit: {name} in {book.unit or 'units'} expected", found=text, expected=f"{book.min}..{book.max}"
            )
        found[name] = int(value)
    return found
