"""From options to an opened capture and its window, the same for every verb."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

import click

from npuscope.capture import TEXT, TILES, Capture, Progress, Text
from npuscope.capture import open as open_capture
from npuscope.cli.inputs import Bound, Window, parse_bound, parse_window, split_window
from npuscope.cli.options import Options
from npuscope.cli.output import check_output
from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.formats import WAVES
from npuscope.source import expand, foreign
from npuscope.units import in_counts, parse_duration, parse_percent, parse_picoseconds, safe, use_time_unit
from npuscope.views.ledger import ledger_text

__all__ = ["around", "command_line", "paths", "prepare", "resolve", "start", "tell", "tell_notes", "window"]

AROUND: Final = 2
"""``--around`` takes the episode and this many times its length before and after it."""
AROUND_NS: Final = 10_000
"""... or this many ns before and after a time."""
NOTES: Final = 3
"""Notes of the reader printed without ``-v``."""


def paths(options: Options) -> tuple[list[str], Window | None]:
    """The files without their ``@A..B``, and the one window asked for by it or by ``--window``."""
    if not options.files:
        raise click.UsageError(
            "no input: give files, folders or globs, or - for stdin", click.get_current_context(True)
        )
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
    for flag, text in _times(options):
        if text is not None and (parse_duration if flag == "--sample-period" else parse_picoseconds)(text) <= 0:
            raise NpuscopeError(f"{flag} must be more than 0", found=text)


def start(
    options: Options,
    progress: Progress | None = None,
    *,
    blame_only: bool = False,
    with_tables: bool = False,
    summarise: bool = False,
) -> Capture:
    """The capture that the options name; nothing but its head is read. The flags: see ``npuscope.open``."""
    if options.graph and options.desc:
        raise NpuscopeError("--graph and --desc say the same thing", hint="give one of them")
    names, _ = paths(options)
    capture = open_capture(
        names,
        graph=options.desc or options.graph,
        force_desc=options.force_desc,
        text=Text(
            time_unit_ps=None if options.time_unit is None else parse_picoseconds(options.time_unit),
            clock_period_ps=None if options.clock_period is None else parse_picoseconds(options.clock_period),
            sample_period_ns=None if options.sample_period is None else parse_duration(options.sample_period),
            allow_backwards=options.allow_backwards,
            refuse=options.format == "npt1",
            map=options.map,
            backend=options.backend,
        ),
        blame_only=blame_only,
        with_tables=with_tables,
        summarise=summarise,
        progress=progress,
        jobs=options.jobs,
        cache=not options.no_cache,
    )
    capture.on_time_unit = use_time_unit
    wanted = {"text": TEXT, "npt1": capture.kind, "auto": capture.kind}.get(options.format, options.format)
    if wanted != capture.kind:
        hint = f"it looks like {foreign(capture.kind)}; leave --format out"
        raise NpuscopeError(f"not {foreign(wanted)}", file=names[0], hint=hint, exit_code=Exit.NOT_RECOGNISED)
    if capture.kind == TEXT and options.sample_period and in_counts(options.sample_period) == bool(options.time_unit):
        found = f"--sample-period {options.sample_period}{' with --time-unit' * bool(options.time_unit)}"
        expected = "a time with its unit" if options.time_unit else "ticks, such as 10ticks, or --time-unit as well"
        raise NpuscopeError("not the recording's unit of time", found=found, expected=expected)
    given = {
        **dict(_times(options)),
        "--allow-backwards": options.allow_backwards,
        "--map": options.map,
        "--backend": options.backend,
    }
    used = {
        TEXT: {"--time-unit", "--sample-period", "--allow-backwards"},
        TILES: {"--map", "--clock-period"},
    }.get(capture.kind, {"--map", "--time-unit", "--clock-period", "--backend"} if capture.kind in WAVES else set())
    used |= {"--allow-backwards"} if capture.kind == "vcd" and options.backend in (None, "own") else set()
    if aside := [flag for flag, value in given.items() if value and flag not in used]:
        capture.notes.append(f"{' and '.join(aside)} left aside: not for {foreign(capture.kind)}")
    return capture


def _times(options: Options) -> tuple[tuple[str, str | None], ...]:
    """The options that are a length of time."""
    return (
        ("--time-unit", options.time_unit),
        ("--clock-period", options.clock_period),
        ("--sample-period", options.sample_period),
    )


def window(capture: Capture, options: Options) -> tuple[int, int]:
    """[from, to) ns on the axis: the window asked for, cut to the recording; raises NpuscopeError when outside it."""
    _, wanted = paths(options)
    timeline = capture.timeline
    low, high = timeline.start_ns, max(timeline.end_ns, timeline.start_ns + 1)
    if wanted is None:
        return low, high
    first = resolve(capture, wanted.low, "start", low)
    last = resolve(capture, wanted.high, "end", high)
    if last <= first:
        raise NpuscopeError("the window is empty", found=options.window or "FILE@A..B")
    if first >= high or last <= low:
        raise NpuscopeError(
            "the window is outside the recording",
            found=f"{first - low} .. {last - low} ns",
            expected=f"0 .. {high - low} ns after the first record",
        )
    return max(first, low), min(last, high)


def resolve(capture: Capture, bound: Bound | None, side: str, default: int) -> int:
    """One bound as ns on the axis; side ``start`` or ``end`` of an episode. A token may take a pass of its own."""
    if bound is None:
        return default
    if bound.token is not None:
        arrived = capture.arrivals["time"][capture.arrivals["token"] == bound.token]
        if not len(arrived):
            number = len(capture.arrivals)
            raise NpuscopeError(f"no token {bound.token}", found=f"{number} tokens, none of that id")
        return int(arrived[0])
    timeline = capture.timeline
    if bound.episode is not None:
        number = len(timeline.episodes)
        if bound.episode >= number:
            found = f"ep:0 to ep:{number - 1}" if number else "none"
            raise NpuscopeError(
                f"no episode ep:{bound.episode}", found=found, hint="npuscope export --to csv lists them"
            )
        return int(timeline.episodes[bound.episode][side])
    if bound.counts is not None:
        _same_unit(capture, bound.counts, f"{bound.ns:,} {'counts' if bound.counts else 'ns'}")
    return bound.ns if bound.tai else timeline.start_ns + bound.ns


def _same_unit(capture: Capture, counts: bool, found: str) -> None:
    """Raise NpuscopeError if a time is given in counts and the recording's is not, or the other way round."""
    unit = capture.ledger.time_unit
    if counts != (unit != "ns"):
        expected = (
            "a time with its unit" if unit == "ns" else f"{unit}s, such as 100{unit}s: how long one is is not known"
        )
        raise NpuscopeError("not the recording's unit of time", found=found, expected=expected)


def around(capture: Capture, text: str, pad_ns: int | None = None) -> tuple[int, int]:
    """[from, to) ns: an episode, a token or a time with a margin on both sides, cut to the recording.

    pad_ns: the margin; None: AROUND lengths of the episode, or AROUND_NS around a time.
    """
    bound = parse_bound(text)
    timeline = capture.timeline
    first, last = resolve(capture, bound, "start", 0), resolve(capture, bound, "end", 0)
    margin = pad_ns if pad_ns is not None else AROUND * (last - first) if last > first else AROUND_NS
    low, high = timeline.start_ns, max(timeline.end_ns, timeline.start_ns + 1)
    if not low <= first <= high:
        raise NpuscopeError("the time is outside the recording", found=text, expected=f"0 .. {high - low} ns")
    return max(low, first - margin), min(high, max(last + margin, first + 1))


def command_line(verb: str, options: Options) -> str:
    """``npuscope VERB FILE...`` that reads the same input in the same way, to be pasted into a shell."""
    words = ["npuscope", verb, *paths(options)[0]]
    for flag, value in (
        ("--graph", options.graph),
        ("--desc", options.desc),
        ("--map", options.map),
        ("--backend", options.backend),
    ):
        words += [flag, value] if value else []
    for flag, value in _times(options):
        words += [flag, value] if value else []
    words += ["--force-desc"] if options.force_desc else []
    words += ["--allow-backwards"] if options.allow_backwards else []
    return shlex.join(words)


def tell_notes(notes: Sequence[str], options: Options) -> None:
    """The first notes on stderr, with ``-v`` all of them, unless quiet."""
    if options.quiet:
        return
    for note in notes[: None if options.verbose else NOTES]:
        click.echo(f"npuscope: note: {safe(note)}", err=True)
    if len(notes) > NOTES and not options.verbose:
        click.echo(f"npuscope: note: {len(notes) - NOTES} more notes, see -v", err=True)


def tell(capture: Capture, options: Options, *, windows_placed: bool = True) -> None:
    """Notes of the reader, and with ``-v`` the ledger, on stderr.

    windows_placed: put the windows on the axis of the timeline, which takes a pass if there was none.
    """
    ledger = capture.ledger
    tell_notes(ledger.notes, options)
    if options.verbose:
        places, origin = [(w.from_ns, w.to_ns) for w in ledger.windows], ledger.first_ts or 0
        if windows_placed:
            places, origin = capture.places, capture.timeline.start_ns
        click.echo(ledger_text(ledger, places, origin), err=True)
