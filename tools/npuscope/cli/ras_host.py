"""``npuscope ras import`` and ``ras near``: host logs beside the device's own events."""

from __future__ import annotations

import json as json_module
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npuscope.hostlog import HostEvent

__all__ = ["import_logs", "near"]

TAI_UTC: Final = 37
"""TAI - UTC since 2017, s."""
RANKS: Final = ("informational", "unknown", "corrected", "recoverable", "fatal")


@click.command("import", short_help="host logs to events of one schema")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="Where the events go, a line of JSON each.")
@click.option("--add", is_flag=True, help="Add to FILE; what it has already is not added again.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def import_logs(logs: Sequence[str], output: str, add: bool, force: bool) -> Exit:
    """Read kernel AER, APEI/GHES, Xid, EDAC, MCE, ptp4l/phc2sys/ts2phc and ipmitool sel lines; - is stdin.

    Other lines are kept as text and counted, so that no errors and not monitored are different things.
    """
    from npuscope.cli.output import check_output, open_output
    from npuscope.hostlog import parse_log
    from npuscope.units import count

    check_output(output, force or add, logs)
    kept: dict[str, str] = {}
    if add and os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            kept = {_key(line, output): line.rstrip("\n") for line in file}
    for log in logs:
        events, coverage, others = parse_log(_lines(log), log)
        new = [event.to_json() for event in events]
        new += [{"schema": 1, "record": "text", "source": log, "raw": line} for line in others]
        for data in [*new, coverage.to_json()]:
            line = json_module.dumps(data)
            kept.setdefault(_key(line, output), line)
        levels = Counter(event.severity for event in events)
        told = ", ".join(f"{levels[one]} {one}" for one in reversed(RANKS) if levels[one]) or "no event"
        odd = sum(not event.consistent for event in events)
        more = f", {odd} whose text contradicts its status word" if odd else ""
        click.echo(f"{log}: {count(coverage.lines)} lines, {told}; {count(coverage.other)} lines kept as text{more}")
    with open_output(output, True, utf8=True) as sink:
        sink.writelines(line + "\n" for line in kept.values())
    return Exit.OK


def _key(line: str, file: str) -> str:
    """What makes two lines of a file of events the same."""
    try:
        data = json_module.loads(line)
        return str(data["id"]) if data["record"] == "event" else line.strip()
    except (ValueError, KeyError, TypeError) as error:
        raise NpuscopeError("no file of host events", file=file, hint="give -o another name") from error


def _lines(log: str) -> Iterator[str]:
    try:
        if log == "-":
            yield from sys.stdin
            return
        with open(log, encoding="utf-8", errors="backslashreplace") as file:
            yield from file
    except OSError as error:
        raise NpuscopeError(f"cannot be read: {error.strerror}", file=log) from error


@click.command("near", short_help="host events near the device's, and what chance would give")
@input_options
@output_options()
@click.option("--host", metavar="EVENTS", required=True, help="A file that npuscope ras import wrote.")
@click.option("--within", metavar="TIME", default="1ms", show_default=True, help="How near.")
@click.option("--severity", type=click.Choice(RANKS), default="corrected", show_default=True, help="Host events from.")
@click.option("--ignore", metavar="COMPONENT", multiple=True, help="Leave host events of this component out.")
@click.option("--tai-utc", metavar="S", type=int, default=TAI_UTC, show_default=True, help="TAI - UTC.")
@click.option("--boot", metavar="NS", type=int, help="TAI of the host's boot, for stamps in seconds since boot.")
@click.option("--top", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Pairs at most.")
def near(
    options: Options,
    host: str,
    within: str,
    severity: str,
    ignore: Sequence[str],
    tai_utc: int,
    boot: int | None,
    top: int,
) -> Exit:
    """Say which host events lie near RAS faults of the device, and how many would by chance alone.

    Only the time that both watched counts. Local stamps without a zone have no place on the axis and are left out.
    """
    import numpy as np

    from npuscope.analysis.coincidence import coincidence
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import prepare, start, tell
    from npuscope.encode.ras import LATCHED
    from npuscope.hostlog import read_events
    from npuscope.layout import RasClass
    from npuscope.units import count, duration, parse_duration, safe
    from npuscope.views.table import table

    distance = parse_duration(within)
    prepare(options)
    events, covered = read_events(_lines(host), host)
    shift = {"utc": tai_utc * 10**9} | ({} if boot is None else {"boot": boot})
    wanted = [e for e in events if RANKS.index(e.severity) >= RANKS.index(severity) and e.component not in ignore]
    placed = [(e, _moved(e, shift)) for e in wanted]
    usable = [(event, time) for event, time in placed if time is not None]
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=True)
        rows = capture.ras
    faults = np.isin(rows["class"], [int(one) for one in LATCHED]) & (rows["injected"] == 0)
    device = rows[faults]
    ledger = capture.ledger
    times = [(domain, time) for c in covered for domain, time in c.times.items() if domain in shift]
    watched = [(low + shift[domain], high + shift[domain] + 1) for domain, (low, high) in times]
    if not watched or ledger.first_ts is None or ledger.last_ts is None:
        hint = "stamps in UTC, or --boot for those since boot"
        raise NpuscopeError("the host log has no time that can be placed", file=host, hint=hint)
    span = max(ledger.first_ts, min(w[0] for w in watched)), min(ledger.last_ts + 1, max(w[1] for w in watched))
    if span[0] >= span[1]:
        apart = f"{duration(span[0] - span[1])} apart"
        raise NpuscopeError("host log and capture have no time in common", found=apart, hint="see --tai-utc, --boot")
    order = np.argsort(device["ts"], kind="stable")
    found = coincidence([time for _, time in usable], device["ts"][order].astype(np.int64), span, distance)
    left = len(wanted) - len(usable)
    head = (
        f"{count(len(found.pairs))} of {count(found.looked)} host events within {duration(distance)} of a RAS fault of "
        f"the device; by chance {found.expected:.2f} (probability of as many: {found.chance:.2g}).\n"
        f"Both watched for {duration(span[1] - span[0])}; {count(left)} host events have no time that can be placed."
    )
    inside = device[order][(device["ts"][order] >= span[0]) & (device["ts"][order] < span[1])]

    def name(row: np.void) -> str:
        return RasClass(int(row["class"])).name

    pairs = [(usable[i][0], inside[j], gap) for i, j, gap in found.pairs]
    if options.json:
        data = {
            "schema": 1,
            "pairs": [
                {"host": e.id, "what": e.what, "device": name(r), "tai_ns": int(r["ts"]), "apart_ns": gap}
                for e, r, gap in pairs
            ],
            "looked": found.looked,
            "expected": found.expected,
            "chance": found.chance,
            "span_ns": list(span),
            "not_placed": left,
        }
        text = json_module.dumps(data, indent=1)
    else:
        cells = [
            [duration(int(r["ts"]) - ledger.first_ts), name(r), duration(gap), e.severity, safe(e.what)]
            for e, r, gap in pairs[:top]
        ]
        text = head + ("\n\n" + table([">at", "device", ">apart", "severity", "host"], cells) if cells else "")
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options, windows_placed=False)
    return complain(judge(ledger, None, options), options)


def _moved(event: HostEvent, shift: dict[str, int]) -> tuple[int, int] | None:
    if event.time_ns is None or event.domain not in shift:
        return None
    low, high = event.time_ns
    return low + shift[event.domain], high + shift[event.domain]
