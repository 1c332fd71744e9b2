"""The sign-off in the terminal, and the status table of a README."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from npuscope.dv.plan import STAGES
from npuscope.dv.signoff import SignOff
from npuscope.errors import NpuscopeError
from npuscope.views.table import table

__all__ = ["status_table", "text", "write"]

_BEGIN: Final = "<!-- signoff -->\n"
_END: Final = "<!-- end -->"


def text(report: SignOff, top: int) -> str:
    """Verdict, modules, blockers and what is not covered."""
    modules = report.modules()
    rows = [(name, m["reached"], *(str(m["open"][stage]) for stage in STAGES)) for name, m in modules.items()]
    blockers = report.blockers
    lines = [table(("module", "reached", ">open V1", ">V2", ">V3"), rows), ""]
    lines += blockers[:top]
    lines += [f"and {len(blockers) - top} more: --json"] if len(blockers) > top else []
    lines += ["", "not covered:", *(f"  {line}" for line in report.to_json()["not_covered"]), ""]
    waived = sum(item.state == "WAIVED" for item in report.items)
    counts = f"{len(report.items)} items, {len(blockers)} blockers, {waived} waived"
    return "\n".join([*lines, f"{report.verdict} at {report.stage}: {counts}"])


def status_table(report: SignOff) -> str:
    """Markdown: how many modules reached which stage, and what is open."""
    modules = report.modules()
    lines = ["| stage reached | modules |", "| --- | --- |"]
    for stage in reversed(STAGES):
        names = [name for name, m in modules.items() if m["reached"] == stage]
        lines.append(f"| {stage} | {', '.join(f'`{name}`' for name in names) or 'none'} |")
    without = sum(m["reached"] == "-" for m in modules.values())
    lines.append(f"| without complete V1 results on these sources | {without} of {len(modules)} |")
    kinds: dict[str, int] = {}
    for line in report.blockers:
        kinds[line.partition(" ")[0]] = kinds.get(line.partition(" ")[0], 0) + 1
    still = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    said = f"`npuscope dv signoff` when this table was made: {report.verdict}"
    return "\n".join([*lines, "", said + (f"; open: {still}." if still else ".")])


def write(report: SignOff, path: Path) -> None:
    """Put the status table into its block of a Markdown file.

    Raises:
        NpuscopeError: the file has no such block.
    """
    content = path.read_text()
    head, found, rest = content.partition(_BEGIN)
    if not found or _END not in rest:
        raise NpuscopeError("no block for the status table", file=str(path), expected=f"{_BEGIN.strip()} .. {_END}")
    path.write_text(head + _BEGIN + status_table(report) + "\n" + _END + rest.partition(_END)[2])
