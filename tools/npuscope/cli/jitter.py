"""``npuscope jitter``: how regular the sync pulses are, against the limits."""

from __future__ import annotations

import json as json_module
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npuscope.cli.judge import Finding
    from npuscope.tables.jitter import JitterMeter

__all__ = ["command", "parse_limit"]

LARGEST: Final = 1 << 31
"""Limits are below this, 1/256 ns: samples saturate there."""


@click.command("jitter", short_help="sync jitter: spread, limits, MTIE and TDEV")
@input_options
@output_options()
@click.option(
    "--limit",
    metavar="[NAME=]TIME",
    multiple=True,
    help="Judge by this limit instead of those in the dump, such as R=12.5us; exit 1 when one is exceeded.",
)
@click.option("--mtie", is_flag=True, help="MTIE and TDEV at 1, 2, 4, .. intervals too.")
@click.option("--segments", is_flag=True, help="Each stretch between invalid samples on its own.")
@click.option(
    "--without-missed", is_flag=True, help="Leave MISSED and EARLY samples out instead of taking them as told."
)
def command(options: Options, limit: tuple[str, ...], mtie: bool, segments: bool, without_missed: bool) -> Exit:
    """Say how far sync intervals are from their nominal length: period, cycle to cycle, time error (TIE).

    Nothing is measured across an invalid sample or a loss. A sample within 1/256 ns of a limit is named marginal.
    The limits are those that the dump tells, each sample against the one in force at its time.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, prepare, start, tell
    from npuscope.cli.streaming import coverage, read, span
    from npuscope.tables import Reader
    from npuscope.tables.jitter import JitterMeter
    from npuscope.tables.wander import Wander
    from npuscope.views.jitter import JitterData, jitter_json, jitter_text, lost_of
    from npuscope.views.trust import source_trust

    given = dict(map(parse_limit, limit)) or None
    prepare(options)
    meters: dict[int, JitterMeter] = {}
    with ProgressLine(options.quiet) as line:
        capture = start(options, line)
        window = span(capture, options)
        for chunks, settings, early in read(capture, window, Reader()):
            for src in dict.fromkeys(chunk.src for chunk in chunks if chunk.has_jitter):
                if src not in meters:
                    wander = Wander() if mtie else None
                    meters[src] = JitterMeter(src, given, not without_missed, wander, segments, window.ns)
                    meters[src].feed([], early)
            for meter in meters.values():
                meter.feed(chunks, settings)
    for meter in meters.values():
        meter.finish()
    ledger = capture.ledger
    data = JitterData(
        capture.names, list(meters.values()), ledger.first_ts or 0, window.ns, lost_of(ledger), source_trust(ledger)
    )
    if options.json:
        text = json_module.dumps(jitter_json(data), indent=1)
    else:
        text = jitter_text(data, segments=segments, command=command_line("show", options))
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    found = judge(ledger, None, options) + coverage(ledger, list(meters), options)
    return complain(found + (_gate(meters.values()) if given else []), options)


def parse_limit(text: str) -> tuple[str, int]:
    """Name and 1/256 ns, rounded down, of ``R=12.5us`` or ``12.5us``; raises NpuscopeError for anything else."""
    from npuscope.tables.jitter import FRACTION
    from npuscope.units import parse_duration

    name, equals, time = text.rpartition("=")
    if equals and not name.isidentifier():
        raise NpuscopeError("not a limit", found=repr(text), expected="NAME=TIME or TIME, such as R=12.5us")
    number = time.strip().removesuffix("ns") if time.strip().endswith("ns") else ""
    try:
        fine = int(Decimal(number) * FRACTION) if number.replace(".", "", 1).isdigit() else None
    except ArithmeticError:
        fine = None
    value = parse_duration(time) * FRACTION if fine is None else fine
    if not 0 <= value < LARGEST:
        raise NpuscopeError("a limit that no sample can reach", found=text, expected="0 to 8.38 ms")
    return name or "limit", value


def _gate(meters: Iterable[JitterMeter]) -> list[Finding]:
    limits = [(meter.src, limit) for meter in meters for limit in meter.limits.values()]
    found = [
        (Exit.CHECK_FAILED, f"source {src}: {limit.over:,} of {limit.judged:,} samples over the limit {limit.name}")
        for src, limit in limits
        if limit.over
    ]
    if not any(limit.judged for _, limit in limits):
        found.append((Exit.CHECK_FAILED, "no valid sample to hold against --limit"))
    return found
