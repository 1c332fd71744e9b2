"""``npuscope signals``: what is in a waveform or an AIE trace, and a mapping or labels to start from."""

from __future__ import annotations

import fnmatch
import json as json_module
from typing import TYPE_CHECKING, Any, Final

import click

from npuscope.cli.options import BACKENDS
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.source import Source

__all__ = ["command"]

SCHEMA: Final = 1


@click.command("signals", short_help="names in a waveform, a mapping proposed")
@click.argument("file", metavar="FILE", type=click.Path(path_type=str))
@click.option("--match", metavar="GLOB", help="Only names that match, e.g. 'tb.*valid'.")
@click.option(
    "--propose", is_flag=True, help="Write a file for --map instead: layers of a waveform, labels of a trace."
)
@click.option("--values", is_flag=True, help="Also what they were: every change, every span of a slot.")
@click.option("--map", "map_", metavar="FILE", type=click.Path(path_type=str), help="AIE: labels, TOML or MLIR.")
@click.option("--backend", type=click.Choice(BACKENDS), help="Waveforms: another reader, see tools/README.md.")
@click.option("--allow-backwards", is_flag=True, help="VCD: a time that goes back begins another simulation.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=str), help="Write to FILE instead of stdout.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", is_flag=True, help="One JSON object with a schema number.")
def command(
    file: str,
    match: str | None,
    propose: bool,
    values: bool,
    map_: str | None,
    backend: str | None,
    allow_backwards: bool,
    output: str | None,
    force: bool,
    json: bool,
) -> Exit:
    """List the signals of a waveform with their bits, or the slots of an AIE2 trace.

    Of a waveform only the header is read, unless --values asks for every change. Times are counts of the file.

    \b
    npuscope signals run.vcd --propose -o map.toml    then look it over, and
    npuscope stalls run.vcd --map map.toml
    """
    from npuscope.cli.output import check_output, open_output
    from npuscope.importers.formats import WAVES
    from npuscope.source import not_recognised, open_source
    from npuscope.units import safe

    check_output(output, force, [file])
    with open_source(file, accept=("aie", *WAVES)) as source:
        if source.head_kind == "aie":
            text, found, notes, whole = _tiles(source, map_, propose, values)
        elif source.head_kind in WAVES:
            text, found, notes, whole = _wave(source, match, backend, propose, values, allow_backwards=allow_backwards)
        else:
            raise not_recognised(file, source.head_kind)
        notes, whole = list(dict.fromkeys([*notes, *source.notes])), whole and source.cut is None
    if json and not propose:
        text = json_module.dumps({"schema": SCHEMA, "file": file, **found}, indent=None if values else 1) + "\n"
    for note in notes:
        click.echo(f"npuscope: note: {safe(note)}", err=True)
    with open_output(output, force) as sink:
        sink.write(text)
    return Exit.OK if whole else Exit.LOSS


Found = tuple[str, dict[str, Any], list[str], bool]
"""Text, JSON, notes, and whether the file was whole."""


def _tiles(source: Source, labels: str | None, propose: bool, values: bool) -> Found:
    from npuscope.importers.aie.reader import AieReader
    from npuscope.views.tiles import proposal, tiles_json, tiles_text

    reader = AieReader(source, labels=labels)
    trace = reader.trace
    found = tiles_json(trace, reader.labels, values=values)
    text = proposal(trace) if propose else tiles_text(trace, reader.labels, values=values)
    return text, found, found["notes"], not (trace.full or any(tile.cut for tile in trace.tiles))


def _wave(
    source: Source, match: str | None, backend: str | None, propose: bool, values: bool, *, allow_backwards: bool
) -> Found:
    from npuscope.importers.formats import open_waveform
    from npuscope.importers.mapping import propose as proposal
    from npuscope.views.signals import changes_text, signals_json, signals_text

    wave = open_waveform(source, backend, allow_backwards=allow_backwards)
    chosen = [each for each in wave.variables.values() if match is None or fnmatch.fnmatchcase(each.name, match)]
    if not chosen:
        hint = "npuscope signals FILE lists all"
        raise NpuscopeError("no signal matches", file=source.names[0], found=match, hint=hint)
    if propose:
        text = proposal({each.name: each.width for each in chosen})
        if not text:
            hint = "name the signals in a mapping by hand, see tools/README.md"
            raise NpuscopeError("no pair *valid/*ready and no *level", file=source.names[0], hint=hint)
        return text, {}, wave.facts().notes, True
    notes = ["no time unit in it: what one count lasts is not known"] if wave.unit_ps is None else []
    if not values:
        return signals_text(chosen), signals_json(wave.unit_ps, chosen, None), notes + wave.facts().notes, True
    signals = wave.signals([each.name for each in chosen])
    facts = wave.facts()
    notes += [*facts.notes, *(f"{number} x {what}" for what, number in facts.unknown.items())]
    if facts.cut is not None:
        notes.append(f"byte {facts.cut[0]}: {facts.cut[1]}; everything before it was read")
    notes += [
        f"time goes back to {told}: another simulation, here from {begin} on" for _, begin, told in facts.restarts
    ]
    notes += [f"not recorded from {low} to {'the end' if high is None else high}" for low, high in facts.gaps]
    found = signals_json(wave.unit_ps, chosen, signals) | {"not_recorded": [list(gap) for gap in facts.gaps]}
    return changes_text(signals), found, notes, facts.whole
