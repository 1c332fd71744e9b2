"""``npuscope diff``: worse, better, same or undecided against another capture or a baseline."""

from __future__ import annotations

import json as json_module
from typing import cast

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit

__all__ = ["command"]


@click.command("diff", short_help="worse, better, same or undecided against a base")
@input_options
@output_options()
@click.option("--base", metavar="OLD", required=True, help="A dump, a baseline file, or the name of a baseline.")
@click.option("--dir", "folder", metavar="DIR", default="baselines", show_default=True, help="Where baselines are.")
@click.option(
    "--per",
    type=click.Choice(["time", "token", "run"]),
    default="time",
    show_default=True,
    help="Shares of the time, amounts per token, or sums.",
)
@click.option(
    "--match", type=click.Choice(["name", "id"]), default="name", show_default=True, help="Which layers are the same."
)
@click.option("--gate", metavar="PCT", help="Exit 1 if anything is worse by more than PCT %, 125 if undecided.")
@click.option("--top", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Rows at most.")
def command(options: Options, base: str, folder: str, per: str, match: str, gate: str | None, top: int) -> Exit:
    """Compare how long each layer is full, its longest stall, and how much stall time each stage causes.

    Changes up to 1 % of the base, or PCT, or 0.1 % of the time or 1 us, are the same. A verdict holds whatever
    was lost: where loss leaves it open it is undecided.
    """
    from npuscope.analysis.compare import Per, Verdict, compare
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.session import prepare, tell
    from npuscope.cli.summaries import base_summary, summary_of
    from npuscope.units import count, parse_percent
    from npuscope.views.compare import compare_json, compare_text

    prepare(options)
    percent = 1.0 if gate is None else parse_percent(gate)
    old = base_summary(base, folder, options)
    capture, new = summary_of(options)
    kind = cast(Per, per)
    found = compare(old, new, per=kind, match="id" if match == "id" else "name", percent=percent)
    text = (
        json_module.dumps(compare_json(found, kind), indent=1)
        if options.json
        else compare_text(found, kind, percent, top=top)
    )
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    if old.graph != new.graph:
        capture.ledger.note("the base was made with another graph: only what matches is compared")
    tell(capture, options)
    findings = judge(capture.ledger, capture.timeline, options)
    worse = sum(d.verdict is Verdict.WORSE for d in found)
    open_ = sum(d.verdict is Verdict.UNDECIDED for d in found)
    if gate is not None and worse:
        findings.append((Exit.CHECK_FAILED, f"{count(worse)} values are worse by more than {percent:g} %"))
    if gate is not None and open_ and not findings:
        complain(
            [(Exit.CANNOT_TEST, f"{count(open_)} values are undecided: loss hides whether they are worse")], options
        )
        return Exit.CANNOT_TEST
    return complain(findings, options)
