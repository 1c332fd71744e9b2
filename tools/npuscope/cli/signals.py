"""``npuscope signals``: what is in a waveform, from its header alone, and a mapping to start from."""

from __future__ import annotations

import fnmatch
import json as json_module
from typing import Final

import click

from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]

SCHEMA: Final = 1


@click.command("signals", short_help="names in a waveform, a mapping proposed")
@click.argument("file", metavar="FILE", type=click.Path(path_type=str))
@click.option("--match", metavar="GLOB", help="Only names that match, e.g. 'tb.*valid'.")
@click.option("--propose", is_flag=True, help="Write a mapping for --map instead: valid/ready pairs and levels.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=str), help="Write to FILE instead of stdout.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", is_flag=True, help="One JSON object with a schema number.")
def command(file: str, match: str | None, propose: bool, output: str | None, force: bool, json: bool) -> Exit:
    """List the signals of a VCD waveform with their bits; the body is not read.

    \b
    npuscope signals run.vcd --propose -o map.toml    then look it over, and
    npuscope stalls run.vcd --map map.toml
    """
    from npuscope.cli.output import check_output, open_output
    from npuscope.importers.mapping import propose as proposal
    from npuscope.importers.vcd import VcdReader
    from npuscope.source import not_recognised, open_source
    from npuscope.units import safe
    from npuscope.views.table import table

    check_output(output, force, [file])
    with open_source(file, accept=("vcd",)) as source:
        if source.head_kind != "vcd":
            raise not_recognised(file, source.head_kind)
        header = VcdReader(source).header
    chosen = [each for each in header.variables if match is None or fnmatch.fnmatchcase(each.name, match)]
    if not chosen:
        raise NpuscopeError("no signal matches", file=file, found=match, hint="npuscope signals FILE lists all")
    if propose:
        text = proposal({each.name: each.width for each in chosen})
        if not text:
            hint = "name the signals in a mapping by hand, see tools/README.md"
            raise NpuscopeError("no pair *valid/*ready and no *level", file=file, hint=hint)
    elif json:
        unit = None if header.unit_ps is None else str(header.unit_ps)
        signals = [{"name": each.name, "kind": each.kind, "bits": each.width} for each in chosen]
        text = json_module.dumps({"schema": SCHEMA, "file": file, "unit_ps": unit, "signals": signals}, indent=1) + "\n"
    else:
        rows = [[safe(each.name), each.kind, str(each.width)] for each in chosen]
        text = table(["signal", "kind", ">bits"], rows, columns=max(80, *(len(row[0]) + 20 for row in rows))) + "\n"
    for note in header.notes:
        click.echo(f"npuscope: note: {safe(note)}", err=True)
    with open_output(output, force) as sink:
        sink.write(text)
    return Exit.OK
