"""``npuscope doctor``: is everything here that simulation and proofs need."""

from __future__ import annotations

import json
import platform
from typing import Final

import click

from npuscope.cli.options import output_options
from npuscope.cli.output import check_output, open_output
from npuscope.errors import Exit
from npuscope.views.table import fields

__all__ = ["SCHEMA", "command"]

SCHEMA: Final = 1


@click.command("doctor", short_help="tools of this machine, each ok or FIX")
@output_options()
def command(output: str | None, force: bool, json: bool) -> int:
    """Say of each simulator and tool: ok with its version, or FIX with the command that installs it.

    Reading dumps needs none of them. Exit 1 when one is missing.
    """
    from npuscope.sim.tools import check

    check_output(output, force)
    tools = check()
    missing = [tool for tool in tools if not tool.ok]
    if json:
        text = _json([{"name": t.name, "ok": t.ok, "version": t.version, "fix": t.fix} for t in tools])
    else:
        lines = [("python", f"ok   {platform.python_version()}")]
        lines += [(t.name, f"ok   {t.version}" if t.ok else f"FIX  {t.fix}") for t in tools]
        text = fields(lines)
    with open_output(output, force) as sink:
        sink.write(text + "\n")
    if missing:
        click.echo(f"npuscope: {len(missing)} of {len(tools)} tools are missing", err=True)
        return Exit.CHECK_FAILED
    return Exit.OK


def _json(tools: list[dict[str, object]]) -> str:
    return json.dumps({"schema": SCHEMA, "python": platform.python_version(), "tools": tools}, indent=1)
