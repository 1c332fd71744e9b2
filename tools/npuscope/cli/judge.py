"""The exit code of a capture that was read in full: loss, missing END, conflicts, coverage."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

import click

from npuscope.cli.options import Options
from npuscope.errors import Exit
from npuscope.ledger import Ledger
from npuscope.survey import Survey
from npuscope.timeline import Timeline
from npuscope.units import count, lower_percent, parse_percent, percent, safe
from npuscope.views.trust import lost

__all__ = ["complain", "judge", "judge_survey", "worst"]

PRECEDENCE: Final = (Exit.USAGE, Exit.NOT_RECOGNISED, Exit.CONFLICT, Exit.LOSS, Exit.CHECK_FAILED)

NO_END: Final = "no END: cut short or still being written; --allow-open accepts it"

Finding = tuple[Exit, str]


def judge(ledger: Ledger, timeline: Timeline | None, options: Options) -> list[Finding]:
    """What is wrong with a capture beyond what the options allow; empty = exit 0. timeline None: not looked at."""
    found: list[Finding] = []
    if ledger.conflict_count:
        text = f"{count(ledger.conflict_count)} conflicts in the stream, the first: {safe(ledger.conflicts[0])}"
        found.append((Exit.CONFLICT, text))
    found += _loss(ledger, options)
    if not ledger.end_seen and not options.allow_open:
        found.append((Exit.LOSS, NO_END))
    behind = max(ledger.behind_end, ledger.tail) if ledger.end_seen else 0
    if behind and not options.allow_open:
        text = f"{count(behind)} bytes behind END belong to no trace: something was appended"
        found.append((Exit.LOSS, f"{text}; --allow-open accepts it"))
    if timeline is not None and options.min_coverage is not None:
        found += _coverage(timeline, options.min_coverage)
    return found


def _loss(ledger: Ledger, options: Options) -> list[Finding]:
    allowed = parse_percent(options.allow_loss or "0")
    missing, offered, more = lost(ledger)
    if allowed >= 100 or (not more and 100 * missing <= allowed * offered):
        return []
    text = f"{count(missing)} of {count(offered)} records lost ({percent(missing, offered)} %)"
    if more:
        text = f"at least {text}" if missing else "some records lost, how many is not known"
    return [(Exit.LOSS, f"{text}, allowed are {allowed:g} %; see --allow-loss")]


def judge_survey(seen: Survey, options: Options) -> list[Finding]:
    """The same for what a survey saw."""
    found: list[Finding] = []
    dropped, accepted = sum(seen.dropped.values()), sum(seen.accepted.values())
    allowed = parse_percent(options.allow_loss or "0")
    if 100 * dropped > allowed * (accepted + dropped):
        text = (
            f"{count(dropped)} of {count(accepted + dropped)} records lost ({percent(dropped, accepted + dropped)} %)"
        )
        found.append((Exit.LOSS, f"{text}, allowed are {allowed:g} %; see --allow-loss"))
    if seen.bad_places and allowed < 100:
        text = f"{seen.bad_places} of {seen.places} places looked at are damaged, so records are missing"
        found.append((Exit.LOSS, f"{text}; --deep counts them"))
    if not seen.end and not options.allow_open:
        found.append((Exit.LOSS, NO_END))
    return found


def _coverage(timeline: Timeline, least: str) -> list[Finding]:
    wanted = Fraction(parse_percent(least)).limit_denominator(10**6)
    whole = timeline.end_ns - timeline.start_ns
    low = [
        f"{safe(buffer.name)} {lower_percent(known, whole)} %"
        for buffer, known in zip(timeline.description.buffers, timeline.coverage(), strict=True)
        if 100 * known < wanted * whole
    ]
    if not low:
        return []
    more = f" and {len(low) - 3} more" if len(low) > 3 else ""
    return [(Exit.CHECK_FAILED, f"coverage below {float(wanted):g} %: {', '.join(low[:3])}{more}")]


def worst(findings: Iterable[Finding]) -> Exit:
    """The exit code that wins among ``findings``."""
    codes = {code for code, _ in findings}
    return next((code for code in PRECEDENCE if code in codes), Exit.OK)


def complain(findings: Iterable[Finding], options: Options) -> Exit:
    """Print each finding as one line on stderr, unless quiet, and return the exit code that wins."""
    found = list(findings)
    if not options.quiet:
        for _, text in found:
            click.echo(f"npuscope: {text}", err=True)
    return worst(found)
