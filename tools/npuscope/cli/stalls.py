"""``npuscope stalls``: who stalls whom."""

from __future__ import annotations

import json as json_module
from typing import cast

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]


@click.command("stalls", short_help="who stalls whom: the verdict, with bounds and evidence")
@input_options
@output_options()
@click.option(
    "--by",
    type=click.Choice(["stage", "layer", "episode", "chain"]),
    default="stage",
    show_default=True,
    help="A row per culprit, victim, episode that others follow, or path of buffers.",
)
@click.option("--top", metavar="N", type=click.IntRange(1), default=10, show_default=True, help="Rows at most.")
@click.option(
    "--evidence", metavar="N", type=click.IntRange(0), default=3, show_default=True, help="Episodes to look at."
)
@click.option("--preview", is_flag=True, help="Only samples, in seconds: how full each buffer is, with 95 % intervals.")
@click.option("--samples", metavar="N", type=click.IntRange(8), default=400, show_default=True, help="Of --preview.")
def command(options: Options, by: str, top: int, evidence: int, preview: bool, samples: int) -> Exit:
    """Name the stage that holds up the others, and how sure that is.

    The first line is the verdict, to be pasted. A range such as 61.2..63.0 holds for everything that loss may hide.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import command_line, prepare, start, tell, window
    from npuscope.views.links import links_json, links_text
    from npuscope.views.propagation import propagation_json
    from npuscope.views.stalls import By, stalls_text
    from npuscope.views.trust import trust

    prepare(options)
    if preview:
        return _preview(options, samples, top)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, blame_only=True)
        timeline = capture.timeline
    found = capture.stalls(window(capture, options))
    if options.json:
        data = found.to_json()
        if by in ("episode", "chain"):
            span = found.from_ns, found.to_ns
            data |= {f"{by}s": propagation_json(capture.propagation, span, by, top)}
        if links := capture.links:
            data |= links_json(links, timeline)
        text = json_module.dumps(data, indent=1)
    else:
        text = stalls_text(
            found,
            timeline,
            trust(capture.ledger, timeline),
            by=cast(By, by),
            top=top,
            evidence=evidence,
            command=command_line("show", options),
        )
        if more := links_text(capture.links, timeline):
            text += f"\n\n{more}"
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)


def _preview(options: Options, samples: int, top: int) -> Exit:
    """Samples of a dump that a full pass would take long for."""
    from npuscope.analysis.preview import preview
    from npuscope.cli.judge import complain, judge_survey
    from npuscope.cli.output import open_output
    from npuscope.cli.session import paths, start
    from npuscope.description import Description
    from npuscope.layout import SRC_TOKEN, Cfg
    from npuscope.sampling import Sampler
    from npuscope.survey import survey
    from npuscope.views.preview import preview_json, preview_text

    if paths(options)[1] is not None:
        raise NpuscopeError("--preview is of the whole dump", hint="leave the window out")
    capture = start(options)
    if not capture.native or capture.size is None:
        raise NpuscopeError("--preview needs a plain dump in a file", file=capture.names[0], hint="leave it out")
    seen = survey(capture.names, capture.swap)
    told = {src: words for src, words in sorted(seen.config.items()) if src < SRC_TOKEN and Cfg.LAYERS in words}
    layers = {src: words[Cfg.LAYERS] for src, words in told.items()}
    description = capture.description or Description.chain(
        (src, layer) for src, mask in layers.items() for layer in range(32) if mask >> layer & 1
    )
    sampler = Sampler(capture.names, capture.swap, description, layers)
    span = sampler.first_ns, sampler.last_ns
    found, number = preview(sampler.shares, span, samples)
    names, length = [buffer.name for buffer in description.buffers], span[1] - span[0]
    if options.json:
        text = json_module.dumps(preview_json(names, found, number, length, sampler.read), indent=1)
    else:
        text = preview_text(names, found, number, length, sampler.read, capture.size, top)
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    return complain(judge_survey(seen, options), options)
