"""``npuscope book``: the thresholds, and what stands behind each."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from npuscope.cli.options import output_options
from npuscope.errors import Exit

if TYPE_CHECKING:
    from npuscope.dv.book import Book, Threshold

__all__ = ["command"]

SCHEMA: Final = 1


@click.group("book", short_help="the thresholds, and what stands behind each", no_args_is_help=False)
def command() -> None:
    """The threshold book of the tree that one stands in: rtl/spec/thresholds.toml."""


def _book() -> Book:
    from npuscope.dv.book import load_book
    from npuscope.dv.tree import Tree

    return load_book(Tree.find(Path.cwd()))


def _write(text: str, body: dict[str, Any], output: str | None, force: bool, json: bool) -> None:
    from npuscope.cli.output import open_output

    with open_output(output, force) as sink:
        sink.write((json_module.dumps({"schema": SCHEMA, **body}, indent=1) if json else text) + "\n")


def _entry(book: Book, t: Threshold) -> dict[str, Any]:
    body: dict[str, Any] = {
        key: getattr(t, key)
        for key in (
            "id", "figure", "signal", "operator", "value", "unit", "min", "max", "parameter", "csr", "hysteresis",
            "ruling",
        )
    }  # fmt: skip
    body["bins"] = list(t.bins) if t.compares else []
    body["points"] = [f"{bench} {point}" for bench, point, _ in book.points(t.id)]
    body["proofs"] = book.proofs(t.id)
    body["mutants"] = [
        {"name": m.name, "kind": m.kind, "file": m.file, "bench": m.bench, "by": list(m.by)} for m in t.mutants
    ]
    return body


@command.command("list", short_help="one line each")
@output_options()
def list_(output: str | None, force: bool, json: bool) -> Exit:
    """List every threshold: figure, compare, range, where RTL holds it, how much stands behind it."""
    from npuscope.cli.output import check_output
    from npuscope.views.table import table

    check_output(output, force)
    book = _book()
    rows = [
        (t.id, t.figure, f"{t.operator} {t.value:,} {t.unit}", t.parameter or "tools only",
         *(str(len(found)) if t.parameter else "-" for found in (book.tests(t.id), book.proofs(t.id), t.mutants)))
        for t in book.thresholds
    ]  # fmt: skip
    text = table(("id", "fig", "limit", "parameter", ">tests", ">proofs", ">mutants"), rows)
    _write(text, {"thresholds": [_entry(book, t) for t in book.thresholds]}, output, force, json)
    return Exit.OK


@command.command("show", short_help="all of some")
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@output_options()
def show(names: tuple[str, ...], output: str | None, force: bool, json: bool) -> Exit:
    """Show thresholds by id or figure: ruling, points, proofs, mutants with their detectors."""
    from npuscope.cli.output import check_output
    from npuscope.views.table import fields

    check_output(output, force)
    book = _book()
    entries = [_entry(book, t) for t in book.select(names)]
    texts = []
    for entry in entries:
        pairs = [(key, str(entry[key])) for key in ("id", "figure", "signal", "ruling")]
        pairs.append(("limit", f"{entry['operator']} {entry['value']:,} {entry['unit']}"))
        pairs.append(("range", f"{entry['min']:,} .. {entry['max']:,}"))
        pairs += [(key, str(entry[key])) for key in ("parameter", "csr", "hysteresis") if entry[key]]
        pairs += [("points", ", ".join(entry["points"]) or "none"), ("proofs", ", ".join(entry["proofs"]) or "none")]
        pairs += [("bins", ", ".join(entry["bins"]) or "none")]
        pairs += [("mutant", f"{m['name']} ({m['kind']}) by {', '.join(m['by'])}") for m in entry["mutants"]]
        texts.append(fields(pairs))
    _write("\n\n".join(texts), {"thresholds": entries}, output, force, json)
    return Exit.OK


@command.command("check", short_help="book against RTL, stream, model, plans")
@output_options()
def check(output: str | None, force: bool, json: bool) -> Exit:
    """Check the book against RTL, stream, model, plans and benches, both ways; exit 1 when something does not fit.

    A number in RTL or golden model that the book already names does not fit either.
    """
    from npuscope.cli.output import check_output
    from npuscope.dv import book as book_module

    check_output(output, force)
    book = _book()
    lines = book_module.check(book)
    mutants = len(book.mutants)
    end = f"{len(book.thresholds)} thresholds, {mutants} mutants, {len(book.plans)} plans, {len(lines)} findings"
    _write("\n".join([*lines, end]), {"findings": lines}, output, force, json)
    return Exit.CHECK_FAILED if lines else Exit.OK


@command.command("matrix", short_help="from threshold to result")
@click.argument("names", metavar="[ID]...", nargs=-1)
@output_options()
def matrix(names: tuple[str, ...], output: str | None, force: bool, json: bool) -> Exit:
    """From each threshold to its tests, proofs, mutants and their last results; with ID what is open there.

    VERIFIED holds on these sources; WAIVED; STALE held on other sources; GAP was not run or is not there; FAILED.
    """
    from npuscope.cli.output import check_output
    from npuscope.dv import matrix as matrix_module
    from npuscope.dv.evidence import Evidence
    from npuscope.views.table import table

    check_output(output, force)
    book = _book()
    rows = matrix_module.rows_json(book, matrix_module.matrix(book, Evidence(book.tree, book.tree.evidence), names))

    def cell(row: dict[str, Any], what: str) -> str:
        return f"{row[what]['state']} {row[what]['count']}" if what in row else "-"

    kinds = ("test", "proof", "mutant", "bin")
    text = table(("id", "fig", "parameter", "tests", "proofs", "mutants", "bins", "state"), [
        (row["id"], row["figure"], row["parameter"], *(cell(row, what) for what in kinds), row["state"]) for row in rows
    ])  # fmt: skip
    if names:
        text = "\n".join([text, "", *(f"{row['id']}: {line}" for row in rows for line in row["open"])])
    _write(text, {"thresholds": rows}, output, force, json)
    return Exit.OK
