"""``npuscope ras``: what the RAS mapper told, and whether the rules say the same."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.cli.ras_host import import_logs, near
from npuscope.errors import Exit

if TYPE_CHECKING:
    from npuscope.capture import Capture
    from npuscope.tables import Chunk, Reader, Setting

__all__ = ["command"]


@click.group("ras", short_help="RAS events of the device, recomputed by the rules", no_args_is_help=False)
def command() -> None:
    """RAS events: the device's timeline and a check against the rules; host logs, and what is near what."""


@command.command("show", short_help="timeline of the events, and what was monitored")
@input_options
@output_options()
@click.option(
    "--severity",
    type=click.Choice(["informational", "corrected", "recoverable", "fatal"]),
    default="informational",
    help="List events of this severity or worse.",
)
@click.option("--top", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Events at most.")
def show(options: Options, severity: str, top: int) -> Exit:
    """List the RAS records, and say when the mapper was watching: silence is no proof when it was not."""
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, prepare, start, tell
    from npuscope.cli.streaming import span
    from npuscope.layout import SRC_RAS, Severity
    from npuscope.tables import Reader
    from npuscope.tables.ras import RasMeter, coverage
    from npuscope.views.jitter import lost_of
    from npuscope.views.ras import ShowData, show_json, show_text
    from npuscope.views.trust import source_trust

    prepare(options)
    meter, reader = RasMeter(least=Severity[severity.upper()]), Reader(keep_gaps=True)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        window = span(capture, options)
        for run, chunks, settings in _parts(capture, reader):
            window.settle(capture.first_ts)
            meter.window = window.ns
            meter.feed(run, chunks, settings)
    ledger = capture.ledger
    data = ShowData(
        capture.names,
        meter,
        coverage(meter, reader.gaps),
        ledger.first_ts or 0,
        lost_of(ledger).get(SRC_RAS, (0, False)),
        source_trust(ledger),
    )
    if options.json:
        text = json_module.dumps(show_json(data), indent=1)
    else:
        text = show_text(data, top=top, command=command_line("show", options))
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    return complain(judge(ledger, None, options), options)


@command.command("check", short_help="decisions recomputed: agree, disagree, not comparable")
@input_options
@output_options()
@click.option(
    "--top", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Disagreements at most."
)
def check(options: Options, top: int) -> Exit:
    """Recompute the decisions of the RAS mapper from the samples and limits in the dump. Reads it twice.

    Exit 1 when one disagrees, 125 when there is nothing to compare. Behind a start or a loss a decision is not
    comparable until the state of the mapper is known again.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, paths, prepare, start, tell
    from npuscope.errors import NpuscopeError
    from npuscope.records.decoder import MAX_DISORDER_NS
    from npuscope.tables import Reader
    from npuscope.tables.recheck import Recheck
    from npuscope.views.ras import CheckData, check_json, check_text
    from npuscope.views.trust import source_trust

    if paths(options)[1] is not None:
        raise NpuscopeError("the rules are recomputed from the start", hint="leave the window out")
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        before = Reader(keep_gaps=True)
        for _ in _parts(capture, before):
            pass
        disorder = capture.description.max_disorder_ns if capture.description else MAX_DISORDER_NS
        found = Recheck(before, disorder)
        for run, chunks, settings in _parts(capture, Reader()):
            found.feed(run, chunks, settings)
        found.finish()
    ledger = capture.ledger
    data = CheckData(capture.names, found, ledger.first_ts or 0, source_trust(ledger))
    if options.json:
        text = json_module.dumps(check_json(data), indent=1)
    else:
        text = check_text(data, top=top, command=command_line("show", options))
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    findings = judge(ledger, None, options)
    if found.disagreements:
        findings.append(
            (Exit.CHECK_FAILED, f"{found.disagreements:,} decisions of the RAS mapper disagree with the rules")
        )
    if not findings and not (found.samples and found.configured):
        return Exit.CANNOT_TEST
    return complain(findings, options)


command.add_command(import_logs)
command.add_command(near)


def _parts(capture: Capture, reader: Reader) -> Iterator[tuple[int, list[Chunk], list[Setting]]]:
    """Chunks and CFG words of each run in each batch."""
    from npuscope.tables import TABLE_KINDSUBS

    for batch in capture.batches(TABLE_KINDSUBS):
        yield from reader.parts(batch)
