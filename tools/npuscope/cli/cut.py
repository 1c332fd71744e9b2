"""``npuscope cut``: a part of a dump as a smaller or repaired dump."""

from __future__ import annotations

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]


@click.command("cut", short_help="a smaller or repaired dump that decodes clean")
@input_options
@output_options(json=False)
@click.option("--around", metavar="ep:N|token:N|TIME", help="Instead of --window: what to have in the middle.")
@click.option("--pad", metavar="TIME", help="Time before and after the window or --around.")
@click.option("--repair", is_flag=True, help="Put a LOSS where records are missing, instead of refusing.")
def command(options: Options, around: str | None, pad: str | None, repair: bool) -> Exit:
    """Write the window as a dump of its own: the state at its start, all events, told losses, counters and END.

    The answers of the part are those of the whole; where it was damaged, --repair writes a loss that lasts to the next
    keyframe. Without a window it is all of the dump. Some 50,000 records a second.
    """
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import around as around_window
    from npuscope.cli.session import paths, prepare, start, tell, window
    from npuscope.encode.cut import Cutter, settings
    from npuscope.source import header_page
    from npuscope.units import count, parse_duration

    if around and paths(options)[1] is not None:
        raise NpuscopeError("--around and a window say the same thing", hint="give one of them")
    if options.output is None:
        raise NpuscopeError("a dump is not for the screen", hint="give -o FILE, or -o - for a pipe")
    margin = None if pad is None else parse_duration(pad)
    if margin is not None and margin < 0:
        raise NpuscopeError("--pad must not be negative", found=pad)
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True)
        if not capture.native:
            raise NpuscopeError("only a trace of npuscope can be cut", file=capture.names[0])
        timeline = capture.timeline
        if timeline.steps:
            raise NpuscopeError("the clock steps in this capture", hint="times would be ambiguous; it cannot be cut")
        low, high = around_window(capture, around, margin) if around else window(capture, options)
        if not around and margin:
            low, high = max(timeline.start_ns, low - margin), min(timeline.end_ns, high + margin)
        masks: dict[int, int] = {}
        for buffer in timeline.description.buffers:
            masks[buffer.src] = masks.get(buffer.src, 0) | 1 << buffer.layer
        header = b"" if timeline.description.assumed else header_page(timeline.description.to_json().encode())
        cutter = Cutter(settings(capture.batches(), low), (low, high), layers=masks, header=header, repair=repair)
        for batch in capture.batches():
            cutter.feed(batch)
            if cutter.done:
                break
        data = cutter.finish()
    with open_output(options.output, options.force, utf8=True) as sink:
        sink.buffer.write(data)
    tell(capture, options)
    if not options.quiet:
        click.echo(f"npuscope: wrote {options.output}, {count(len(data) // 16)} records of {high - low:,} ns", err=True)
    return Exit.OK
