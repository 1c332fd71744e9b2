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
    from npuscope.cli.judge import complain, judge, judge_survey
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import prepare, start, tell, tell_notes
    from npuscope.survey import survey
    from npuscope.views.info import info_json, info_text, survey_text
    from npuscope.views.trust import survey_trust

    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True)
        if not deep and capture.native and (capture.size or 0) > FULL_BYTES:
            seen = survey(capture.names, capture.swap)
            title = capture.description.title if capture.description else ""
            trust = survey_trust(seen, capture.description)
            fact = info_json(capture.names, title, seen, trust, seen.full_pass_s)
            text = survey_text(capture.names, title, seen, trust)
            findings = judge_survey(seen, options)
            tell_notes(capture.notes, options)
        else:
            begun = time.monotonic()
            timeline = capture.timeline
            seconds = time.monotonic() - begun
            title, ledger, trust = timeline.description.title, capture.ledger, capture.trust()
            fact = info_json(capture.names, title, ledger, trust, seconds)
            text = info_text(capture.names, title, ledger, timeline.end_ns - timeline.start_ns, trust, seconds)
            findings = judge(ledger, timeline, options)
            tell(capture, options)
    with open_output(options.output, options.force) as sink:
        sink.write((json_module.dumps(fact, indent=1) if options.json else text) + "\n")
    return complain(findings, options)
