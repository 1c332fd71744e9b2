"""``npuscope dv prove, mutate, cover, waivers, signoff``: evidence beside the regression, and the verdict over all."""

from __future__ import annotations

import datetime
import json as json_module
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from npuscope.cli.options import output_options
from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.dv.tree import Tree

__all__ = ["cover", "mutate", "prove", "signoff", "waivers", "write"]

SCHEMA: Final = 1
_JOBS = click.option(
    "-j", "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes.  [default: cores]"
)
_BENCHES = click.argument("benches", metavar="[BENCH]...", nargs=-1)


def _tree() -> Tree:
    from npuscope.dv.tree import Tree

    return Tree.find(Path.cwd())


def write(text: str, body: dict[str, Any], output: str | None, force: bool, json: bool) -> None:
    """Put the text, or with ``json`` the body, where it was asked for."""
    from npuscope.cli.output import open_output

    with open_output(output, force) as sink:
        sink.write((json_module.dumps({"schema": SCHEMA, **body}, indent=1) if json else text) + "\n")


@click.command("prove", short_help="what is proved, how deep, on what assumptions")
@_BENCHES
@click.option("--run", is_flag=True, help="Prove them now; minutes.")
@_JOBS
@output_options()
def prove(benches: tuple[str, ...], run: bool, jobs: int, output: str | None, force: bool, json: bool) -> Exit:
    """List every proof: properties, proved for any number of clocks or to a depth, covers, assumptions, result.

    Exit 1 when one failed. A proof without a result is GAP, one of other sources STALE.
    """
    from npuscope.cli.output import check_output
    from npuscope.dv import proofs as proofs_module
    from npuscope.dv.evidence import Evidence, State

    check_output(output, force)
    tree = _tree()
    chosen = proofs_module.select(tree, benches)
    if run:
        proofs_module.run(tree, chosen, jobs)
    rows = proofs_module.rows(chosen, Evidence(tree, tree.evidence))
    write(proofs_module.text(rows), {"proofs": rows}, output, force, json)
    return Exit.CHECK_FAILED if any(row["state"] == State.FAILED for row in rows) else Exit.OK


@click.command("mutate", short_help="named mutants of the book and who kills them")
@_BENCHES
@click.option("--sim", default="icarus,verilator", show_default=True, help="Simulators.")
@click.option("--list", "only_list", is_flag=True, help="Only what is known, run nothing.")
@_JOBS
@output_options()
def mutate(
    benches: tuple[str, ...], sim: str, only_list: bool, jobs: int, output: str | None,
    force: bool, json: bool,
) -> Exit:  # fmt: skip
    """Run every named mutant against its detectors: each must fail, on each simulator. Exit 1 when a mutant lives."""
    from npuscope.cli.output import check_output
    from npuscope.dv import mutants as mutants_module

    check_output(output, force)
    tree = _tree()
    if not only_list:
        mutants_module.run(tree, benches, tuple(sim.split(",")), jobs, told=lambda line: click.echo(line, err=True))
    rows = mutants_module.rows(tree, benches, tuple(sim.split(",")))
    write(mutants_module.text(rows), {"mutants": rows}, output, force, json)
    return Exit.OK if all(row["state"] == "VERIFIED" for row in rows) else Exit.CHECK_FAILED


@click.command("cover", short_help="code coverage of each module by its own bench")
@_BENCHES
@click.option("--run", is_flag=True, help="Run the benches on Verilator with counters first.")
@click.option("--unhit", is_flag=True, help="What was never hit, a line each.")
@click.option("--diff-base", metavar="REF", help="Only what was not hit on lines changed since this git revision.")
@click.option("--rank", is_flag=True, help="Runs in the order in which each adds most.")
@click.option("--lcov", metavar="FILE", type=click.Path(path_type=Path), help="Write LCOV.")
@click.option("--cobertura", metavar="FILE", type=click.Path(path_type=Path), help="Write Cobertura XML.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write one HTML page.")
@_JOBS
@output_options()
def cover(
    benches: tuple[str, ...], run: bool, unhit: bool, diff_base: str | None, rank: bool, lcov: Path | None,
    cobertura: Path | None, html: Path | None, jobs: int, output: str | None, force: bool, json: bool,
) -> Exit:  # fmt: skip
    """Tell line, branch, expression and toggle coverage as Verilator counts it. Exit 1 when something was never hit."""
    from npuscope.cli.output import check_output
    from npuscope.dv import cover as cover_module
    from npuscope.dv.coverage import Coverage

    check_output(output, force)
    tree = _tree()
    found = Coverage(tree)
    if run:
        found.run(benches, jobs, told=lambda line: click.echo(line, err=True))
    chosen = found.modules(benches)
    points = found.points(chosen)
    for target, text in ((lcov, cover_module.lcov), (cobertura, cover_module.cobertura)):
        if target is not None:
            target.write_text(text(points, tree.root))
    if html is not None:
        html.write_text(cover_module.page(points, tree.root))
    changed = found.changed(diff_base) if diff_base else None
    missed = {name: cover_module.holes(found.points([name]), changed) for name in chosen}
    lines = cover_module.table(chosen)
    if unhit or diff_base:
        lines += [line for name in chosen for line in missed[name]]
    ranked = cover_module.rank(found.by_run(chosen)) if rank else []
    lines += [f"{adds:8,} {so_far:8,} {name}" for name, adds, so_far in ranked]
    body = {"modules": {name: {**chosen[name], "holes": missed[name]} for name in chosen}, "rank": ranked}
    write("\n".join(lines), body, output, force, json)
    return Exit.CHECK_FAILED if any(missed.values()) else Exit.OK


@click.command("waivers", short_help="what is accepted, by whom, until when")
@output_options()
def waivers(output: str | None, force: bool, json: bool) -> Exit:
    """List the waivers. Exit 1 when one does not hold: expired, matching nothing, or about RTL that has changed."""
    from npuscope.cli.output import check_output
    from npuscope.dv.signoff import SignOff
    from npuscope.views.table import table

    check_output(output, force)
    report = SignOff(_tree(), "V3", datetime.date.today())
    rows = [{**vars(w), "expires": str(w.expires), "fault": w.fault(report.today)} for w in report.waivers]
    titles = ("item", "owner", "expires", "hash now", "state")
    text = table(
        titles, [(r["item"], r["owner"], r["expires"], r["actual"], r["fault"] or "holds") for r in rows], columns=120
    )
    write(
        "\n".join([text, *report.waiver_faults]), {"waivers": rows, "faults": report.waiver_faults}, output, force, json
    )
    return Exit.CHECK_FAILED if report.waiver_faults else Exit.OK


@click.command("signoff", short_help="GO or NO-GO, with what is open")
@click.option("--stage", type=click.Choice(["V1", "V2", "V3"]), default="V3", show_default=True, help="What must hold.")
@click.option("--freeze", metavar="DIR", type=click.Path(path_type=Path), help="Write report, evidence and hashes.")
@click.option("--verify", metavar="DIR", type=click.Path(path_type=Path), help="Compute a frozen one again.")
@click.option("--top", metavar="N", type=click.IntRange(0), default=20, show_default=True, help="Blockers at most.")
@click.option("--readme", metavar="FILE", type=click.Path(path_type=Path), help="Write the status table into FILE.")
@output_options()
def signoff(
    stage: str, freeze: Path | None, verify: Path | None, top: int, readme: Path | None, output: str | None,
    force: bool, json: bool,
) -> Exit:  # fmt: skip
    """Compute the verdict from book, plans and all evidence; exit 0 is GO, 1 is NO-GO.

    Nothing is run here: what has no result, or one of other sources, is open.
    """
    from npuscope.cli.output import check_output
    from npuscope.dv import freeze as freeze_module
    from npuscope.dv import status
    from npuscope.dv.signoff import SignOff

    check_output(output, force)
    if verify is not None and freeze is not None:
        raise NpuscopeError("--freeze or --verify, not both")
    tree, today = _tree(), datetime.date.today()
    if verify is not None:
        lines = freeze_module.verify(tree, verify, today)
        write("\n".join([*lines, f"{len(lines)} differences"]), {"differences": lines}, output, force, json)
        return Exit.CHECK_FAILED if lines else Exit.OK
    report = SignOff(tree, stage, today)
    if freeze is not None:
        freeze_module.freeze(report, freeze)
    if readme is not None:
        status.write(report, readme)
    write(status.text(report, top), report.to_json(), output, force, json)
    return Exit.CHECK_FAILED if report.blockers else Exit.OK
