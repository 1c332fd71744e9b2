"""``npuscope whatif``: other limits on what was recorded."""

from __future__ import annotations

import difflib
import json as json_module
import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final

import click

from npuscope.cli.options import Options, input_options, output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npuscope.capture import Capture
    from npuscope.occupancy import Level
    from npuscope.views.whatif import Answer

__all__ = ["command"]

MOST: Final = 200
"""Answers in one run."""
_SWEEP: Final = re.compile(r"(\d+)\.\.(\d+)(?::(\d+))?")


@click.command("whatif", short_help="other limits on what was recorded")
@input_options
@output_options()
@click.option("--set", "sets", metavar="NAME=VALUE", multiple=True, help="A limit and its other value.")
@click.option("--sweep", "sweeps", metavar="NAME=A..B[:STEP]", multiple=True, help="Every value from A to B.")
def command(options: Options, sets: Sequence[str], sweeps: Sequence[str]) -> Exit:
    """Say what other limits would have told: TH_ON from the one in force up, TOKEN_INTERVAL, those of the RAS rules.

    Values are in units of the threshold book (R_LIMIT 1/256 ns, TOKEN_INTERVAL ns, TH_ON 1/64). What the recording
    cannot decide comes out as a range; a lower TH_ON was not recorded.
    """
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.progress import ProgressLine
    from npuscope.cli.session import prepare, start, tell, window
    from npuscope.views.whatif import whatif_json, whatif_text

    values = [_values(text, "--set") for text in sets] + [_values(text, "--sweep") for text in sweeps]
    if not values:
        raise NpuscopeError("nothing to ask", hint="give --set TH_ON=60 or --sweep TOKEN_INTERVAL=80..200:20")
    names = [name for name, _ in values]
    if len(set(names)) < len(names):
        raise NpuscopeError("a limit is given twice", found=", ".join(names))
    cases = [dict(zip(names, case, strict=True)) for case in product(*(given for _, given in values))]
    if len(cases) > MOST:
        raise NpuscopeError(
            "too many answers", found=f"{len(cases)}", expected=f"{MOST} at most", hint="widen the step"
        )
    prepare(options)
    with ProgressLine(options.quiet) as line:
        capture = start(options, line, with_tables=True)
        timeline = capture.timeline
        span = window(capture, options)
        levels = capture.occupancy() if "TH_ON" in names else []
    found = [_answer(capture, levels, case, span) for case in cases]
    text = json_module.dumps(whatif_json(found), indent=1) if options.json else whatif_text(found)
    with open_output(options.output, options.force) as sink:
        sink.write(text + "\n")
    tell(capture, options)
    return complain(judge(capture.ledger, timeline, options), options)


def _values(text: str, option: str) -> tuple[str, list[int]]:
    """Name and values of one option; raises NpuscopeError for what is no limit or out of its range."""
    from npuscope.analysis.whatif import SUPPORTED
    from npuscope.layout import THRESHOLDS

    name, _, value = text.partition("=")
    name = name.strip().upper()
    if name not in SUPPORTED:
        near = difflib.get_close_matches(name, SUPPORTED, n=1)
        hint = f"did you mean {near[0]}" if near else f"these can be: {', '.join(SUPPORTED)}"
        raise NpuscopeError("not a limit that a recording can decide", found=repr(name), hint=hint)
    match = _SWEEP.fullmatch(value.strip())
    if option == "--set" and value.strip().isdigit():
        values = [int(value)]
    elif option == "--sweep" and match and int(match[1]) <= int(match[2]) and match[3] != "0":
        values = list(range(int(match[1]), int(match[2]) + 1, int(match[3] or 1)))[: MOST + 1]
    else:
        wanted = "NAME=VALUE" if option == "--set" else "NAME=A..B or NAME=A..B:STEP"
        raise NpuscopeError(f"{option} is wrong", found=repr(text), expected=wanted)
    limit = THRESHOLDS[name]
    if not limit.min <= values[0] <= values[-1] <= limit.max:
        raise NpuscopeError(f"{name} is out of range", found=value, expected=f"{limit.min} .. {limit.max} {limit.unit}")
    return name, values


def _answer(capture: Capture, levels: list[Level], limits: dict[str, int], span: tuple[int, int]) -> Answer:
    import numpy as np

    from npuscope.analysis import stalls
    from npuscope.analysis.whatif import RAS_LIMITS, late_gaps, raised, ras_decisions
    from npuscope.views.whatif import Answer

    answer = Answer(limits)
    if "TH_ON" in limits:
        line = raised(capture.timeline, levels, limits["TH_ON"], _in_force(capture))
        inside = (line.episodes["end"] > span[0]) & (line.episodes["start"] < span[1])
        number = np.bincount(line.episodes["buffer"][inside], minlength=len(line.hot))
        answer = replace(answer, stalls=stalls(line, None, span), episodes=tuple(number.tolist()))
    if "TOKEN_INTERVAL" in limits:
        if not len(capture.arrivals):
            raise NpuscopeError("no tokens in it", file=capture.names[0], hint="TOKEN_INTERVAL needs TOKEN records")
        answer = replace(answer, late=late_gaps(capture.tables, limits["TOKEN_INTERVAL"], span))
    if of_ras := {name: value for name, value in limits.items() if name in RAS_LIMITS}:
        if not len(capture.jitter):
            raise NpuscopeError("no jitter samples in it", file=capture.names[0], hint="the RAS limits need them")
        decisions, holes = ras_decisions(capture.tables, of_ras, span)
        answer = replace(answer, decisions=decisions, holes=holes)
    return answer


def _in_force(capture: Capture) -> int:
    """The highest TH_ON that a source told; that of the book if none did."""
    from npuscope.layout import PAYLOAD, SRC_TOKEN, THRESHOLDS, Cfg, Kind

    field = next(field for field in PAYLOAD[Kind.CFG, int(Cfg.BP_LIMITS)] if field.name == "th_on")
    words = [
        words[Cfg.BP_LIMITS]
        for src, words in capture.ledger.config.items()
        if Cfg.BP_LIMITS in words and src < SRC_TOKEN
    ]
    return max((field.get(word) for word in words), default=THRESHOLDS["TH_ON"].value)
