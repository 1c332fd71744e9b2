"""From options to an opened capture and its window, the same for every verb."""

from __future__ import annotations

import shlex
from typing import Final

import click

from npuscope.capture import Capture, Progress
from npuscope.capture import open as open_capture
from npuscope.cli.inputs import Bound, Window, parse_window, split_window
from npuscope.cli.options import Options
from npuscope.cli.output import check_output
from npuscope.errors import NpuscopeError
from npuscope.ledger import Ledger
from npuscope.source import expand
from npuscope.timeline import Timeline
from npuscope.units import parse_duration, parse_percent, safe
from npuscope.views.table import fields

__all__ = ["command_line", "paths", "prepare", "resolve", "start", "tell", "window"]

NOTES: Final = 3
"""Notes of the reader printed without ``-v``."""


def paths(options: Options) -> tuple[list[str], Window | None]:
    """The files without their ``@A..B``, and the one window asked for by it or by ``--window``."""
    names, windows = [], [options.window] if options.window else []
    for argument in options.files:
        name, text = split_window(argument)
        names.append(name)
        if text:
            windows.append(text)
    if len(set(windows)) > 1:
        raise NpuscopeError("more than one window", found=" and ".join(windows), hint="give --window once")
    return names, parse_window(windows[0]) if windows else None


def prepare(options: Options) -> None:
    """Find out, before any work is done, what is wrong with the options; raises NpuscopeError."""
    names, _ = paths(options)
    check_output(options.output, options.force, expand(names))
    for percent in (options.allow_loss, options.min_coverage):
        if percent is not None:
            parse_percent(percent)


def start(options: Options, progress: Progress | None = None, *, blame_only: bool = False) -> Capture:
    """The capture that the options name; nothing but its head is read. blame_only: see ``npuscope.open``."""
    if options.graph and options.desc:
        raise NpuscopeError("--graph and --desc say the same thing", hint="give one of them")
    names, _ = paths(options)
    return open_capture(
        names,
        graph=options.desc or options.graph,
        force_desc=options.force_desc,
        sample_period_ns=parse_duration(options.sample_period) if options.sample_period else None,
        blame_only=blame_only,
        progress=progress,
    )


def window(timeline: Timeline, options: Options) -> tuple[int, int]:
    """[from, to) ns on the axis: the window asked for, cut to the recording; raises NpuscopeError when outside it."""
    _, wanted = paths(options)
    low, high = timeline.start_ns, max(timeline.end_ns, timeline.start_ns + 1)
    if wanted is None:
        return low, high
    first = resolve(timeline, wanted.low, "start", low)
    last = resolve(timeline, wanted.high, "end", high)
    if last <= first:
        raise NpuscopeError("the window is empty", found=options.window or "FILE@A..B")
    if first >= high or last <= low:
        raise NpuscopeError(
            "the window is outside the recording",
            found=f"{first - low} .. {last - low} ns",
            expected=f"0 .. {high - low} ns after the first record",
        )
    return max(first, low), min(last, high)


def resolve(timeline: Timeline, bound: Bound | None, side: str, default: int) -> int:
    """One bound as ns on the axis; side ``start`` or ``end`` of an episode."""
    if bound is None:
        return default
    if bound.episode is not None:
        number = len(timeline.episodes)
        if bound.episode >= number:
            found = f"ep:0 to ep:{number - 1}" if number else "none"
            raise NpuscopeError(
                f"no episode ep:{bound.episode}", found=found, hint="npuscope export --to csv lists them"
            )
        return int(timeline.episodes[bound.episode][side])
    return bound.ns if bound.tai else timeline.start_ns + bound.ns


def command_line(verb: str, options: Options) -> str:
    """``npuscope VERB FILE...`` that reads the same input in the same way, to be pasted into a shell."""
    words = ["npuscope", verb, *paths(options)[0]]
    for flag, value in (("--graph", options.graph), ("--desc", options.desc)):
        words += [flag, value] if value else []
    words += ["--force-desc"] if options.force_desc else []
    return shlex.join(words)


def tell(ledger: Ledger, options: Options) -> None:
    """Notes of the reader, and with ``-v`` the whole ledger, on stderr."""
    if not options.quiet:
        for note in ledger.notes[: None if options.verbose else NOTES]:
            click.echo(f"npuscope: note: {safe(note)}", err=True)
        if len(ledger.notes) > NOTES and not options.verbose:
            click.echo(f"npuscope: note: {len(ledger.notes) - NOTES} more notes, see -v", err=True)
    if options.verbose:
        click.echo(fields((key, str(value)) for key, value in ledger.to_json().items()), err=True)
