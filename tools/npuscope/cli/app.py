"""The click program: its verbs, imported when used, and the nearest name for one that does not exist."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any, Final

import click

from npuscope.cli.config import defaults
from npuscope.errors import Exit

__all__ = ["VERBS", "program"]

VERBS: Final = {
    "info": "what a dump is and whether it can be trusted",
    "stalls": "who stalls whom: the verdict, with bounds and evidence",
    "show": "layers x time strip in the terminal",
    "jitter": "sync jitter: spread, limits, MTIE and TDEV",
    "tokens": "token flow: true or pseudo streaming, interrupts",
    "ras": "show, check, import, near: RAS events, host logs",
    "align": "clock map between two captures, with its error",
    "monitors": "threshold monitors: limit, observed, violations, margin",
    "whatif": "other limits on what was recorded",
    "diff": "worse, better, same or undecided against a base",
    "baseline": "save, list, accept: summaries to compare with",
    "watch": "live view of a growing file, a pipe or a socket",
    "report": "one offline HTML file with verdict, tables and picture",
    "export": "other formats: perfetto, parquet, csv, vcd",
    "cut": "a smaller or repaired dump that decodes clean",
    "signals": "names in a waveform, a mapping proposed",
    "book": "list, show, check, matrix: the thresholds and what stands behind each",
    "dv": "regression, coverage, mutants, proofs and sign-off of the RTL",
    "doctor": "simulators and tools of this machine, each ok or FIX",
}
"""Verb to its one-line help; the code of each is ``npuscope.cli.<verb>.command``."""

EPILOG: Final = """\b
Try:   npuscope info run.npt      npuscope stalls run.npt
       npuscope report run.npt -o run.html
Exit:  0 ok  1 check failed  2 usage or unreadable  3 loss or cut short
       4 ledger conflict  5 not recognised  125 cannot test
Shell completion: eval "$(_NPUSCOPE_COMPLETE=bash_source npuscope)"
Options also come from NPUSCOPE_<OPTION> and the nearest npuscope.toml."""


class Verbs(click.Group):
    """A group whose help is known without importing its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"npuscope.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            near = difflib.get_close_matches(name, VERBS, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'" if near else f"verbs are {', '.join(VERBS)}"
            raise click.UsageError(f"no verb '{name}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault("default_map", defaults())
        return super().main(*args, **kwargs)


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        import npuscope

        click.echo(f"npuscope {npuscope.__version__}")
        ctx.exit()


@click.command(
    cls=Verbs,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "NPUSCOPE", "max_content_width": 88},
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Print it.")
@click.pass_context
def program(ctx: click.Context) -> int:
    """Read NPU trace dumps: who stalls whom, at nanoseconds, with counted loss."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        return Exit.USAGE
    return Exit.OK
