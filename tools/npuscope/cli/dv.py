"""``npuscope dv``: regression, evidence and sign-off of the RTL in the tree that one stands in."""

from __future__ import annotations

import json as json_module
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from npuscope.cli.dv_adopt import adopt
from npuscope.cli.dv_evidence import cover, mutate, prove, signoff, waivers
from npuscope.cli.options import output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.dv.regress import Choice
    from npuscope.dv.results import Results

__all__ = ["command"]

SCHEMA: Final = 1
SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"


@click.group("dv", short_help="regression, coverage, mutants, proofs, sign-off", no_args_is_help=False)
def command() -> None:
    """Verify the RTL of this tree: nothing planned is left out, nothing passes silently."""


for _verb in (adopt, cover, mutate, prove, signoff, waivers):
    command.add_command(_verb)


def _selection(function: Any) -> Any:
    """The options that choose tests."""
    for option in reversed(
        (
            click.argument("benches", metavar="[BENCH]...", nargs=-1),
            click.option("--sim", default="icarus,verilator", show_default=True, help="Simulators."),
            click.option("--seeds", type=click.IntRange(1), default=1, help="Seeds: NPUSCOPE_SEED and those after it."),
            click.option(
                "--stage", type=click.Choice(["V1", "V2", "V3"]), default="V3", help="Points up to this stage."
            ),
            click.option("-k", "keyword", default="", metavar="TEXT", help="Tests whose name has it, as of pytest."),
        )
    ):
        function = option(function)
    return function


def _choice(benches: tuple[str, ...], sim: str, seeds: int, stage: str, keyword: str) -> Choice:
    from npuscope.dv.regress import Choice
    from npuscope.sim import SIMULATORS, seed

    sims = tuple(sim.split(","))
    if unknown := sorted(set(sims) - set(SIMULATORS)):
        raise NpuscopeError("unknown simulator", found=", ".join(unknown), expected=" or ".join(SIMULATORS))
    return Choice(sims, seed(), seeds, stage, benches, keyword)


@command.command("list", short_help="what is planned")
@_selection
@output_options()
def list_(output: str | None, force: bool, json: bool, **selection: Any) -> Exit:
    """List the tests of the plans. With --json the file that ``merge --expect`` takes."""
    from npuscope.cli.output import check_output, open_output
    from npuscope.dv.regress import plan
    from npuscope.dv.tree import Tree

    check_output(output, force)
    found = plan(Tree.find(Path.cwd()), _choice(**selection))
    text = (
        json_module.dumps({"schema": SCHEMA, "planned": found.planned}, indent=1) if json else "\n".join(found.planned)
    )
    with open_output(output, force) as sink:
        sink.write(text + "\n")
    return Exit.OK


def _reporting(function: Any) -> Any:
    """The options of what is written about a result."""
    for option in reversed(
        (
            click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="JUnit XML."),
            click.option("--summary", metavar="FILE", type=click.Path(path_type=Path), help="Markdown summary."),
            click.option("--ci", type=click.Choice(["github"]), help="Annotations and summary as that service wants."),
            click.option("--expect", metavar="JSON", type=click.Path(path_type=Path), help="Tests that must be in it."),
        )
    ):
        function = option(function)
    return function


@command.command("run", short_help="run the benches of the plans")
@_selection
@_reporting
@click.option("--shard", metavar="I/N", default="1/1", help="Only part I of N, for several machines.")
@click.option("--failed-first", is_flag=True, help="Begin with what failed last time.")
@click.option("-j", "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes.  [default: cores]")
@click.option("--limit", type=click.FloatRange(1), default=1800.0, show_default=True, help="Seconds of one process.")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Results.  [build/dv/regress.jsonl]"
)
@click.option("--keep", is_flag=True, help="Keep what the results say of other benches.")
@click.option("-q", "--quiet", is_flag=True, help="Only the end.")
def run(
    keep: bool,
    shard: str, failed_first: bool, jobs: int, limit: float, output: Path | None, quiet: bool,
    junit: Path | None, summary: Path | None, ci: str | None, expect: Path | None, **selection: Any,
) -> Exit:  # fmt: skip
    """Run planned tests on both simulators and compare them. Exit 1 unless every planned test passed.

    A run that is stopped still tells what it has; what it had not reached is MISSING.
    """
    from npuscope.dv import regress
    from npuscope.dv.results import read
    from npuscope.dv.tree import Tree

    if not re.fullmatch(r"[1-9]\d*/[1-9]\d*", shard) or int(shard.split("/")[0]) > int(shard.split("/")[1]):
        raise NpuscopeError("no such shard", found=shard, expected="I/N with I from 1 to N")
    tree, choice = Tree.find(Path.cwd()), _choice(**selection)
    target = (output or tree.evidence / regress.RESULTS).absolute()
    before = [row.node for row in read(target).rows.values() if not row.ok] if failed_first and target.exists() else []
    planned = regress.plan(tree, choice)
    planned.shard = shard
    done = 0

    def told(row: Any) -> None:
        nonlocal done
        done += 1
        if not quiet:
            click.echo(f"[{done}/{len(planned.own)}] {row.verdict} {row.node} {row.seconds:.1f} s", err=True)

    try:
        regress.run(tree, planned, choice, target, jobs=jobs, first=before, limit_s=limit, told=told, keep=keep)
    except KeyboardInterrupt:
        click.echo("npuscope: stopped; what had not ended is MISSING", err=True)
    return _tell(planned, junit, summary, ci, expect)


@command.command("merge", short_help="several shards as one result")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@_reporting
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The merged results.")
def merge(
    files: tuple[Path, ...], output: Path | None, junit: Path | None, summary: Path | None, ci: str | None,
    expect: Path | None,
) -> Exit:  # fmt: skip
    """Put the results of shards together; what was planned and is in none is MISSING."""
    from npuscope.dv.results import merge as merged
    from npuscope.dv.results import read, write

    whole = merged([read(path) for path in files])
    if output is not None:
        write(whole, output)
    return _tell(whole, junit, summary, ci, expect)


@command.command("replay", short_help="a failure again, with waves")
@click.argument("test", metavar="[TEST]", required=False)
@click.option("--results", metavar="FILE", type=click.Path(path_type=Path), help="[default: build/dv/regress.jsonl]")
def replay(test: str | None, results: Path | None) -> Exit:
    """Run one failing test again (without TEST the first of the fullest bucket), with its waveform."""
    import subprocess

    from npuscope.dv import regress
    from npuscope.dv.results import buckets, read
    from npuscope.dv.tree import Tree

    tree = Tree.find(Path.cwd())
    found = read(results or tree.evidence / regress.RESULTS)
    failing = [row for row in found.complete() if not row.ok and (test is None or test in row.node)]
    if not failing:
        raise NpuscopeError("no failing test to replay", found=test or "no failure", hint="npuscope dv run")
    line = buckets(failing)[0].replay(found.seed)
    click.echo(line, err=True)
    return (
        Exit.OK if subprocess.run(line, shell=True, cwd=tree.root, check=False).returncode == 0 else Exit.CHECK_FAILED
    )


def _tell(results: Results, junit: Path | None, summary: Path | None, ci: str | None, expect: Path | None) -> Exit:
    """Write the reports, print the text; 1 unless all passed."""
    from npuscope.dv import reports

    if expect is not None:
        results.expect(_expected(expect))
    if junit is not None:
        junit.write_text(reports.junit(results))
    if summary is not None:
        summary.write_text(reports.summary(results))
    if ci == "github":
        for line in reports.github(results):
            click.echo(line)
        if SUMMARY_VARIABLE in os.environ:
            with open(os.environ[SUMMARY_VARIABLE], "a") as sink:
                sink.write(reports.summary(results))
    click.echo(reports.text(results))
    sys.stdout.flush()
    return Exit.OK if all(row.ok for row in results.complete()) else Exit.CHECK_FAILED


def _expected(path: Path) -> list[str]:
    """The tests of a ``dv list --json`` file."""
    try:
        planned = json_module.loads(path.read_text())["planned"]
    except OSError as error:
        raise NpuscopeError("cannot be read", file=str(path), found=str(error.strerror)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise NpuscopeError("not a list of tests", file=str(path), expected="of 'dv list --json'") from error
    return [str(node) for node in planned]
