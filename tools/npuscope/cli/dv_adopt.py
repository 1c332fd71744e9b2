"""``npuscope dv adopt``: a threshold module of one's own under the plan of a contract."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from npuscope.cli.dv_evidence import write
from npuscope.cli.options import output_options
from npuscope.errors import Exit, NpuscopeError

__all__ = ["adopt"]


@click.command("adopt", short_help="your own threshold module under our plan")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--as", "contract", type=click.Choice(["level", "level-hysteresis", "run", "window"]), required=True,
    help="What the module promises.",
)  # fmt: skip
@click.option("--map", "map_file", metavar="TOML", type=click.Path(path_type=Path), required=True, help="Its ports.")
@click.option("--top", metavar="NAME", help="Its name.  [default: that of the first FILE]")
@click.option(
    "--latency", type=click.IntRange(0, 64), default=1, show_default=True, help="Clocks from input to output."
)
@click.option("--param", metavar="NAME=N", multiple=True, help="A parameter.")
@click.option("--sim", default="icarus,verilator", show_default=True, help="Simulators.")
@output_options()
def adopt(
    files: tuple[Path, ...], contract: str, map_file: Path, top: str | None, latency: int, param: tuple[str, ...],
    sim: str, output: str | None, force: bool, json: bool,
) -> Exit:  # fmt: skip
    """Run a module of your own under the plan of a contract: bench, boundary bins, proof, operator mutants.

    level: out while level >= on. level-hysteresis: until level < off. run: count samples over on in a row. window:
    count of them within so many clocks. Nothing is written beside FILE. Exit 1 when it does not keep the contract, or
    a mutant of it is not seen; what does not apply is listed.
    """
    from npuscope.cli.output import check_output
    from npuscope.dv import adopt as adopt_module

    check_output(output, force, [str(path) for path in files])
    try:
        parameters = {name: int(value, 0) for name, _, value in (pair.partition("=") for pair in param)}
    except ValueError as error:
        raise NpuscopeError("--param is NAME=N", found=", ".join(param)) from error
    adopted = adopt_module.load(files, contract, map_file, top, latency, parameters)
    rows = []
    with contextlib.redirect_stdout(sys.stderr):  # what the simulations say is no result
        for finding in adopt_module.examine(adopted, Path("build/dv/sim").absolute(), tuple(sim.split(","))):
            state = {True: "PASS", False: "FAIL", None: "n/a"}[finding.ok]
            rows.append({"what": finding.what, "state": state, "said": finding.said})
    bad = [row for row in rows if row["state"] == "FAIL"]
    lines = [f"{row['state']:4} {row['what']}" + (f": {row['said']}" if row["said"] else "") for row in rows]
    lines.append(
        f"{adopted.design.top} as {contract}: {'does not keep it' if bad else 'keeps it'}, {len(bad)} findings"
    )
    write("\n".join(lines), {"top": adopted.design.top, "contract": contract, "findings": rows}, output, force, json)
    return Exit.CHECK_FAILED if bad else Exit.OK
