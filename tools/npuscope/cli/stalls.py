"""``npuscope stalls``: who stalls whom."""

from __future__ import annotations

import json as json_module
from typing import cast

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]


@click.command("stalls", short_help="who stalls whom: the verdict, with bounds and evidence")
@input_options
@output_options()
@click.option(
    "--by",
    type=click.Choice(["stage", "layer", "episode", "chain"]),
    default="stage",
    show_default=True,
    help="A row per culprit, victim, episode that others follow, or path of buffers.",
)
@click.option("--top", metavar="N", type=click.IntRange(1), default=10, show_default=True, help="Rows at most.")
@click.option(
    "--evidence", metavar="N", type=click.IntRange(0), default=3, show_default=True, help="Episodes to look at."
)
def command(options: Options, by: str, top: int, evidence: int) -> Exit:
    """Name the stage that holds up the others, and how sure that is.

    The first line is the verdict, to be pasted. A range such as 61.2..63.0 holds for everything that loss may hide.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, prepare, start, tell, window
    from npuscope.views.links import links_json, links_text
    from npuscope.views.propagation import propagation_json
    from npuscope.views.stalls import By, stalls_text
    from npuscope.views.trust import trust

    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True)
        timeline = capture.timeline
    found = capture.stalls(window(capture, options))
    if options.json:
        data = found.to_json()
        if by in ("episode", "chain"):
            span = found.from_ns, found.to_ns
            data |= {f"{by}s": propagation_json(capture.propagation, span, by, top)}
        if links := capture.links:
            data |= links_json(links, timeline)
        text = json_module.dumps(data, indent=1)
    else:
        text = stalls_text(
            found,
            timeline,
            trust(capture.ledger, timeline),
            by=cast(By, by),
            top=top,
            evidence=evidence,
            command=command_line("show", options),
        )
        if more := links_text(capture.links, timeline):
            text += f"\n\n{more}"
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)
