"""The threshold book, ``rtl/spec/thresholds.toml``: read, and checked against RTL, stream, model, plans and benches.

Beside what ``specgen`` writes from it, a threshold that hardware compares with has boundary bins that its tests must
meet (``bins``, of ``npuscope.encode.bins.ALL``; by default the limit and one LSB either side) and named mutants::

    [[threshold.mutant]]
    name = "th_on_strict"           # unique in the book
    kind = "operator"               # operator, off_by_one, hysteresis, saturation, sign
    file = "nps_bp_probe.v"         # an RTL file, in which ``old`` occurs exactly once
    old = "s3_occ >= on_new"
    new = "s3_occ > on_new"
    bench = "nps_bp_probe"          # folder below tb/ whose test_mutant runs it
    by = ["test_hysteresis"]        # its detectors: each of these cocotb tests must fail; none: any test of the bench
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from npuscope.dv.plan import PROOF, Plan, differences, plans, tests_in
from npuscope.dv.tree import BOOK, Tree, load_toml
from npuscope.encode import bins
from npuscope.errors import NpuscopeError

__all__ = ["KINDS", "Book", "Mutant", "Threshold", "check", "load_book"]

COMPARISONS: Final = (">=", ">", "<=", "<")
OPERATORS: Final = (*COMPARISONS, ">>", "-", "+", "&")
BINS: Final = ("limit - 1", "limit", "limit + 1")
KINDS: Final = ("operator", "off_by_one", "hysteresis", "saturation", "sign")
_REQUIRED = {"id", "figure", "value", "min", "max", "unit", "operator", "signal", "ruling"}
_ALLOWED = _REQUIRED | {"parameter", "used_by", "csr", "hysteresis", "below", "bins", "mutant"}
_MUTANT = {"name", "kind", "file", "old", "new", "bench", "by"}
_TELLING: Final = 1000  # a number from here on that is in the book stands for it wherever it is
_ANY32: Final = (1 << 32) - 1
_BRACKETS = re.compile(r"\[[^\[\]]*\]|[*/]+ *[\w']+|\d*'s?[bB][01xzXZ_]+|`\w+")
_NUMBER = re.compile(r"(?<![\w.])(?:\d+\s*)?'s?([dDhH])([0-9a-fA-F_]+)|(?<![\w.'])(\d[\d_]*)(?![\w.'])")


@dataclass(frozen=True)
class Mutant:
    """A named wrong version of the RTL, and the tests that must see it."""

    name: str
    kind: str
    file: str
    old: str
    new: str
    bench: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Threshold:
    """One entry of the book."""

    id: str
    figure: str
    value: int
    min: int
    max: int
    unit: str
    operator: str
    signal: str
    ruling: str
    parameter: str | None
    csr: str | None
    hysteresis: str | None
    below: str | None
    bins: tuple[str, ...]
    mutants: tuple[Mutant, ...]

    @property
    def compares(self) -> bool:
        """Whether hardware holds a value against it: then it needs mutants and boundary bins."""
        return self.parameter is not None and self.operator in COMPARISONS

    @property
    def names(self) -> set[str]:
        """How it is called in RTL and in the stream, in lower case."""
        return {name.lower() for name in (self.id, self.parameter, (self.csr or "").partition(".")[2]) if name}


@dataclass(frozen=True)
class Book:
    """All entries, with the plans that speak of them."""

    tree: Tree
    thresholds: tuple[Threshold, ...]
    plans: dict[str, Plan]

    @property
    def mutants(self) -> tuple[Mutant, ...]:
        return tuple(mutant for threshold in self.thresholds for mutant in threshold.mutants)

    def points(self, name: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """(bench, id, tests) of the points that look at a threshold."""
        return [(m, p.id, p.tests) for m, plan in self.plans.items() for p in plan.points if name in p.thresholds]

    def tests(self, name: str) -> list[tuple[str, str]]:
        """(bench, test) that look at a threshold, proofs not counted."""
        found = [(bench, test) for bench, _, tests in self.points(name) for test in tests]
        return sorted({(bench, test) for bench, test in found if not test.startswith(PROOF)})

    def proofs(self, name: str) -> list[str]:
        """Proofs that look at a threshold."""
        found = [test for _, _, tests in self.points(name) for test in tests if test.startswith(PROOF)]
        return sorted({test.removeprefix(PROOF) for test in found})

    def select(self, names: tuple[str, ...]) -> list[Threshold]:
        """The entries of these ids or figures; all without.

        Raises:
            NpuscopeError: a name that is neither.
        """
        known = {t.id for t in self.thresholds} | {t.figure for t in self.thresholds}
        if unknown := sorted(set(names) - known):
            raise NpuscopeError("no such threshold", found=", ".join(unknown), hint="npuscope book list")
        return [t for t in self.thresholds if not names or {t.id, t.figure} & set(names)]


def load_book(tree: Tree) -> Book:
    """Read the book and the plans.

    Raises:
        NpuscopeError: an entry that does not fit the schema.
    """
    table, file = load_toml(tree.root / BOOK), BOOK
    if table.keys() != {"threshold"}:
        raise NpuscopeError("nothing but [[threshold]] tables expected", file=file, found=", ".join(table))
    found: list[Threshold] = []
    for entry in table["threshold"]:
        found.append(_threshold(entry, file))
    for what, names in (("ids", [t.id for t in found]), ("mutants", [m.name for t in found for m in t.mutants])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise NpuscopeError(f"{what} must be unique", file=file, found=", ".join(twice))
    return Book(tree, tuple(found), plans(tree))


def _threshold(entry: dict[str, Any], file: str) -> Threshold:
    name = f"threshold {entry.get('id', '?')}"
    if missing := sorted(_REQUIRED - entry.keys()):
        raise NpuscopeError(f"{name} lacks {', '.join(missing)}", file=file)
    if unknown := sorted(entry.keys() - _ALLOWED):
        raise NpuscopeError(f"{name} has unknown keys", file=file, found=", ".join(unknown))
    if ("parameter" in entry) == ("used_by" in entry):
        raise NpuscopeError(f"{name}: either parameter or used_by", file=file)
    if entry["operator"] not in OPERATORS:
        raise NpuscopeError(
            f"{name}: unknown operator", file=file, found=entry["operator"], expected=" ".join(OPERATORS)
        )
    if not entry["min"] <= entry["value"] <= entry["max"]:
        raise NpuscopeError(
            f"{name}: value out of its range", file=file, found=str(entry["value"]),
            expected=f"{entry['min']}..{entry['max']}",
        )  # fmt: skip
    mutants = []
    for number, one in enumerate(entry.get("mutant", ()), 1):
        where = f"{name}: mutant {one.get('name', number)}"
        if one.keys() - {"by"} != _MUTANT - {"by"}:
            raise NpuscopeError(f"{where}: keys differ", file=file, found=" ".join(one), expected=" ".join(_MUTANT))
        if one["kind"] not in KINDS:
            raise NpuscopeError(f"{where}: unknown kind", file=file, found=one["kind"], expected=", ".join(KINDS))
        mutants.append(Mutant(**{**one, "by": tuple(one.get("by", ()))}))
    optional = {key: entry.get(key) for key in ("parameter", "csr", "hysteresis", "below")}
    given: dict[str, Any] = {key: entry[key] for key in _REQUIRED} | optional
    wanted = tuple(entry.get("bins", BINS))
    if unknown := sorted(set(wanted) - set(bins.ALL)):
        raise NpuscopeError(f"{name}: unknown bins", file=file, found=", ".join(unknown), expected=", ".join(bins.ALL))
    return Threshold(**given, bins=wanted, mutants=tuple(mutants))


# ---------------------------------------------------------------- check


def check(book: Book) -> list[str]:
    """What does not fit together, each a line; empty when all does."""
    lines = [*_entries(book), *_rtl(book), *_stream(book), *_model(book), *_planned(book), *_mutants(book)]
    return [*lines, *literals(book)]


def _entries(book: Book) -> Iterator[str]:
    by_id = {t.id: t for t in book.thresholds}
    for t in book.thresholds:
        for key, other in (("hysteresis", t.hysteresis), ("below", t.below)):
            if other is not None and other not in by_id:
                yield f"{BOOK}: {t.id}: {key} names no entry: {other}"
        if t.below in by_id and not t.value < by_id[t.below].value:
            yield f"{BOOK}: {t.id}: {t.value} is not below {t.below} = {by_id[t.below].value}"


def _rtl(book: Book) -> Iterator[str]:
    """Parameters take their default and their range from the book, and each entry has its parameter."""
    by_macro = {f"NPS_{t.id}": t for t in book.thresholds}
    sites: dict[str, list[str]] = {t.id: [] for t in book.thresholds}
    code_of_all = "\n".join(book.tree.code.values())
    refusals = " ".join(re.findall(r"`NPS_REFUSE\(.*?nps_error", code_of_all, re.DOTALL))
    for module, code in book.tree.code.items():
        for parameter, macro in re.findall(r"parameter\s[^=,;]*?(\w+)\s*=\s*`(NPS_\w+)", code):
            if macro in by_macro:
                sites[by_macro[macro].id].append(f"{module}.{parameter}")
    for t in book.thresholds:
        if t.parameter is None:
            if sites[t.id]:
                yield f"{BOOK}: {t.id}: used_by, but RTL has it: {', '.join(sites[t.id])}"
        elif not any(site.endswith(f".{t.parameter}") for site in sites[t.id]):
            yield f"{BOOK}: {t.id}: no RTL parameter {t.parameter} with the default `NPS_{t.id}`"
        elif not re.search(rf"\b({t.parameter}|NPS_{t.id}_M..)\b", refusals) and (t.min, t.max) != (0, _ANY32):
            yield f"rtl: {sites[t.id][0]} refuses no value out of {t.min}..{t.max}"


def _stream(book: Book) -> Iterator[str]:
    """The CFG word and field that tells a limit exists, and no limit's field is without an entry."""
    trace = load_toml(book.tree.root / "rtl/spec/trace.toml")
    kind = next(kind for kind in trace["kind"] if kind.get("sub_set") == "cfg")
    fields = {f"{sub}.{field['name']}" for sub, group in kind["payload_by_sub"].items() for field in group}
    owned = {name for owner in trace["owned"].values() for name in owner["cfg"]}
    told = {t.csr for t in book.thresholds if t.csr is not None}
    for t in book.thresholds:
        if t.csr is not None and t.csr not in fields:
            yield f"{BOOK}: {t.id}: no CFG field {t.csr}"
    words = {csr.partition(".")[0] for csr in told}
    values = {t.id.lower() for t in book.thresholds}
    for field in sorted(fields - told):
        word, _, name = field.partition(".")
        if word in words & owned and name in values:
            yield f"rtl/spec/trace.toml: {field} is a limit that no threshold claims by csr"


def _model(book: Book) -> Iterator[str]:
    """The golden model takes each limit from the book, not from a number of its own."""
    package = book.tree.root / "tools/npuscope"
    text = "\n".join(path.read_text() for path in sorted(package.rglob("*.py")) if path.name != "layout.py")
    text += "\n".join(path.read_text() for path in sorted((book.tree.root / "tb").rglob("*.py")))
    for t in book.thresholds:
        if f'THRESHOLDS["{t.id}"]' not in text and not re.search(rf'"{t.id}"', text):
            yield f"{BOOK}: {t.id}: neither model nor bench reads it from the book"


def _planned(book: Book) -> Iterator[str]:
    known = {t.id for t in book.thresholds}
    for plan in book.plans.values():
        yield from differences(plan)
        for point in plan.points:
            for name in sorted(set(point.thresholds) - known):
                yield f"{plan.module}: point {point.id} names no threshold: {name}"
    for t in book.thresholds:
        if t.parameter is not None and not book.points(t.id):
            yield f"{BOOK}: {t.id}: no point of any plan looks at it"


def _mutants(book: Book) -> Iterator[str]:
    for t in book.thresholds:
        kinds = {mutant.kind for mutant in t.mutants}
        if t.compares and not kinds & {"operator", "off_by_one"}:
            yield f"{BOOK}: {t.id}: no mutant of its comparison"
        if t.hysteresis is not None and "hysteresis" not in kinds:
            yield f"{BOOK}: {t.id}: no mutant that loses its hysteresis"
        for m in t.mutants:
            where = f"{BOOK}: mutant {m.name}"
            path = next((p for p in book.tree.modules.values() if p.name == m.file), None)
            count = path.read_text().count(m.old) if path else 0
            if count != 1 or m.old == m.new:
                yield f"{where}: old text must occur exactly once in {m.file}: found {count} times"
            if m.bench not in book.plans:
                yield f"{where}: no bench {m.bench}"
            elif absent := sorted({*m.by, "test_mutant"} - tests_in(book.tree.benches[m.bench])):
                yield f"{where}: no such test in tb/{m.bench}: {', '.join(absent)}"


# ---------------------------------------------------------------- literals


def literals(book: Book) -> list[str]:
    """Numbers in RTL and golden model that the book already names, each a line.

    A number from 1000 on is one wherever it stands, but for powers of ten; others only on a line that names the
    threshold. Factors and divisors are units.
    """
    lines = []
    for path in book.tree.modules.values():
        if "gen" not in path.relative_to(book.tree.root).parts:
            for number, line in enumerate(_blank_comments(path.read_text()).split("\n"), 1):
                found = set(_verilog_numbers(line))
                lines += [f"{book.tree.name(path)}:{number}: {say}" for say in _clashes(book, found, line)]
    for path in sorted((book.tree.root / "tools/npuscope/encode").rglob("*.py")):
        text = path.read_text()
        source = text.split("\n")
        for number, values in _python_numbers(text):
            lines += [f"{book.tree.name(path)}:{number}: {say}" for say in _clashes(book, values, source[number - 1])]
    return lines


def _blank_comments(text: str) -> str:
    """``text`` without comments, on the same lines."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)


def _verilog_numbers(line: str) -> Iterator[int]:
    previous = None
    while previous != line:
        previous, line = line, _BRACKETS.sub(" ", line)
    for base, digits, plain in _NUMBER.findall(line):
        if plain:
            yield int(plain.replace("_", ""))
        else:
            yield int(digits.replace("_", ""), 10 if base in "dD" else 16)


def _python_numbers(text: str) -> Iterator[tuple[int, set[int]]]:
    """Whole numbers by line."""
    by_line: dict[int, set[int]] = {}
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.type == tokenize.NUMBER and not {before.string, after.string} & {"*", "/", "//"}:
            value = ast.literal_eval(token.string)
            if isinstance(value, int):
                by_line.setdefault(token.start[0], set()).add(value)
    yield from by_line.items()


def _clashes(book: Book, values: set[int], line: str) -> Iterator[str]:
    words = {word.lower() for word in re.findall(r"[A-Za-z_]\w*", line)}
    for t in book.thresholds:
        if t.value not in values or t.value < 2:
            continue
        round_ = str(t.value).rstrip("0") == "1"
        if (t.value >= _TELLING and not round_) or words & t.names:
            yield f"{t.value} is {t.id} of the book: use `NPS_{t.id}` or THRESHOLDS"
