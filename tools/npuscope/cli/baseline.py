"""``npuscope baseline``: small versioned summaries for git, to compare with by ``npuscope diff``."""

from __future__ import annotations

from pathlib import Path

import click

from npuscope.cli.options import Options, input_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["command"]

_DIR = click.option("--dir", "folder", metavar="DIR", default="baselines", show_default=True, help="Where they are.")
_NAME = click.option("--name", metavar="NAME", required=True, help="Name of the baseline.")


@click.group("baseline", short_help="save, list, accept: summaries to compare with", no_args_is_help=False)
def command() -> None:
    """Keep what a good run looked like as a small file, and compare later runs: npuscope diff NEW --base NAME."""


@command.command("save", short_help="keep the summary of a capture")
@input_options
@_NAME
@_DIR
def save(options: Options, name: str, folder: str) -> Exit:
    """Write a new baseline; one that exists is replaced by accept only."""
    from npuscope.cli.summaries import baseline_path

    path = baseline_path(folder, name)
    if path.exists():
        raise NpuscopeError("the baseline exists", file=str(path), hint="npuscope baseline accept --reason replaces it")
    return _write(options, path, "first", [])


@command.command("accept", short_help="replace a baseline, with a reason")
@input_options
@_NAME
@_DIR
@click.option("--reason", metavar="TEXT", required=True, help="Why the new values are right; kept in the file.")
def accept(options: Options, name: str, folder: str, reason: str) -> Exit:
    """Replace a baseline by the summary of this capture; the reasons so far stay in the file."""
    from npuscope.cli.summaries import baseline_path, read_baseline

    path = baseline_path(folder, name)
    if not reason.strip():
        raise NpuscopeError("no reason given", hint="say in --reason why the new values are right")
    return _write(options, path, reason.strip(), read_baseline(path)["history"])


def _write(options: Options, path: Path, reason: str, history: list[object]) -> Exit:
    from npuscope.cli.judge import complain, judge
    from npuscope.cli.output import open_output
    from npuscope.cli.session import prepare, tell
    from npuscope.cli.summaries import new_baseline, summary_of

    prepare(options)
    path.parent.mkdir(parents=True, exist_ok=True)
    capture, summary = summary_of(options)
    with open_output(str(path), bool(history), utf8=True) as sink:
        sink.write(new_baseline(summary, capture.names, reason, history))
    tell(capture, options)
    if not options.quiet:
        click.echo(f"npuscope: wrote {path}", err=True)
    return complain(judge(capture.ledger, capture.timeline, options), options)


@command.command("list", short_help="the baselines of a folder")
@click.argument("folder", metavar="[DIR]", default="baselines")
def list_(folder: str) -> Exit:
    """Print name, number of layers, length and last reason of each baseline."""
    from npuscope.analysis.summary import Summary
    from npuscope.cli.summaries import read_baseline
    from npuscope.units import duration
    from npuscope.views.table import table

    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise NpuscopeError("no baselines there", file=folder, hint="npuscope baseline save makes one")
    rows = []
    for path in files:
        data = read_baseline(path)
        summary = Summary.from_json(data.get("summary"), str(path))
        last = data["history"][0]["reason"] if data["history"] else ""
        rows.append([path.stem, str(len(summary.layers)), duration(summary.span_ns), summary.graph or "assumed", last])
    click.echo(table(["name", ">layers", ">length", "graph", "reason"], rows))
    return Exit.OK
