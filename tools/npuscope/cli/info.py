"""``npuscope info``: what a capture is, and whether it can be trusted."""

from __future__ import annotations

import json as json_module
import time
from typing import Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]

FULL_BYTES: Final = 64_000_000
"""Up to this size ``info`` reads everything, which takes less than a second."""


@click.command("info", short_help="what a dump is and whether it can be trusted")
@input_options
@output_options()
@click.option("--deep", is_flag=True, help="Read everything, also of a big dump.")
def command(options: Options, deep: bool) -> Exit:
    """Say what a dump is, what is lost or damaged, its clock, its limits, and how long a full pass takes.

    Of a dump over 64 MB only samples are read, in under 2 s, and the answer says so; --deep reads all of it.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import check_output, open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import start, tell
    from npuscope.views.info import info_json, info_text

    check_output(options.output, options.force, options.files)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        begun = time.monotonic()
        timeline = capture.timeline
        seconds = time.monotonic() - begun
    ledger, trust = capture.ledger, capture.trust()
    facts = (capture.names, timeline.description.title, ledger, trust, seconds)
    text = json_module.dumps(info_json(*facts), indent=1) if options.json else info_text(*facts)
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(ledger, options)
    return complain(judge(ledger, timeline, options), options)
