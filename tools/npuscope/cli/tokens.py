"""``npuscope tokens``: is it true streaming, and what interrupted it."""

from __future__ import annotations

import json as json_module

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]


@click.command("tokens", short_help="token flow: true or pseudo streaming, interrupts")
@input_options
@output_options()
@click.option("--limit", metavar="TIME", help="Longest gap of true streaming, default 87ns; exit 1 when one is longer.")
@click.option(
    "--by", type=click.Choice(["interrupt", "token"]), default="interrupt", help="A row per interrupt or token."
)
@click.option("--top", metavar="N", type=click.IntRange(1), default=10, show_default=True, help="Rows at most.")
def command(options: Options, limit: str | None, by: str, top: int) -> Exit:
    """Say whether tokens come one by one (true streaming) or in bursts (pseudo streaming), with the evidence.

    Gaps in front of a sequence, around a freeze or across a loss are not measured. With --by token all tokens are
    held in memory.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, prepare, start, tell
    from npuscope.cli.streaming import coverage, read, span
    from npuscope.layout import SRC_TOKEN
    from npuscope.tables import Reader
    from npuscope.tables.tokens import GAP_LIMIT_NS, ArrivalRows, TokenMeter, joined
    from npuscope.units import parse_duration
    from npuscope.views.jitter import lost_of
    from npuscope.views.tokens import TokenData, tokens_json, tokens_text
    from npuscope.views.trust import source_trust

    longest = parse_duration(limit) if limit else GAP_LIMIT_NS
    prepare(options)
    arrived, kept = ArrivalRows(), []
    meter, reader = TokenMeter(longest), Reader(keep_gaps=True)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        window = span(capture, options)
        for chunks, _, _ in read(capture, window, reader):
            meter.window = window.ns
            meter.feed(chunks)
            if by == "token":
                kept += [rows for _, rows in arrived.feed(chunks)]
    meter.finish(reader.gaps)
    kept += [rows for _, rows in arrived.finish()]
    ledger = capture.ledger
    data = TokenData(
        capture.names,
        meter.flow,
        ledger.first_ts or 0,
        window.ns,
        lost_of(ledger).get(SRC_TOKEN, (0, False)),
        source_trust(ledger),
        joined(kept, window.ns) if by == "token" else None,
    )
    if options.json:
        text = json_module.dumps(tokens_json(data), indent=1)
    else:
        text = tokens_text(data, top=top, by=by, command=command_line("show", options))
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    found = judge(ledger, None, options) + coverage(ledger, [src for src in (SRC_TOKEN,) if meter.flow.tokens], options)
    if limit and not meter.flow.gaps.count:
        found.append((Exit.CHECK_FAILED, "no gap between tokens to hold against --limit"))
    elif limit and meter.flow.late:
        over = f"{meter.flow.late:,} of {meter.flow.gaps.count:,}"
        found.append((Exit.CHECK_FAILED, f"{over} gaps between tokens over the limit of {longest} ns"))
    return complain(found, options)
