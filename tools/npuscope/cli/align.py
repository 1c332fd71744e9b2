"""``npuscope align``: the clock map between two captures."""

from __future__ import annotations

import json as json_module
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.capture import Capture

__all__ = ["command"]


@click.command("align", short_help="clock map between two captures, with its error")
@input_options
@output_options()
@click.option("--on", type=click.Choice(["token", "marker"]), default="token", show_default=True, help="What both saw.")
@click.option("--offset", metavar="NS", type=int, help="A known offset to check: exit 1 if it is outside the error.")
def command(options: Options, on: str, offset: int | None) -> Exit:
    """Find how the clock of the second FILE stands to that of the first, by tokens or markers that both saw.

    An id that comes more than once in a capture is left out. Times are those stamped, ns TAI.
    """
    from npuscope.analysis.align import align
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.session import paths, prepare, start, tell
    from npuscope.units import count

    names, window = paths(options)
    if len(names) != 2 or window is not None:
        raise NpuscopeError("align takes two captures, without a window", found=f"{len(names)} inputs")
    prepare(options)
    captures = [start(replace(options, files=(name,))) for name in names]
    found = align(*(_seen(capture, on) for capture in captures))
    if options.json:
        text = json_module.dumps(found.to_json() | {"first": names[0], "second": names[1]}, indent=1)
    else:
        drift = f", drifts by {found.drift_ppb:+.1f} ppb" if found.drift_ppb else ""
        text = (
            f"second = first {found.offset_ns:+,} ns within {count(found.error_ns)} ns{drift}; "
            f"{count(found.points)} {on}s that both saw"
        )
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    findings = [finding for capture in captures for finding in judge(capture.ledger, None, options)]
    for capture in captures:
        tell(capture, options, windows_placed=False)
    if offset is not None and abs(offset - found.offset_ns) > found.error_ns:
        findings.append((Exit.CHECK_FAILED, f"the offset is {found.offset_ns:+,} ns, not {offset:+,} ns"))
    return complain(findings, options)


def _seen(capture: Capture, on: str) -> dict[int, int]:
    """Time of each token or marker that comes once."""
    import numpy as np

    from npuscope.layout import Kind

    if on == "token":
        ids, times = capture.arrivals["token"].astype(np.int64), capture.arrivals["ts"].astype(np.int64)
    else:
        batches = [(b.payload[b.kind == Kind.MARK], b.ts[b.kind == Kind.MARK]) for b in capture.batches()]
        ids = np.concatenate([np.empty(0, np.int64), *(ids.astype(np.int64) for ids, _ in batches)])
        times = np.concatenate([np.empty(0, np.int64), *(times.astype(np.int64) for _, times in batches)])
    values, first, number = np.unique(ids, return_index=True, return_counts=True)
    return dict(zip(values[number == 1].tolist(), times[first[number == 1]].tolist(), strict=True))
