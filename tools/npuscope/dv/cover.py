"""Code coverage as Verilator counts it: ``coverage.dat`` files read, merged over runs and instances, told as holes.

A point is a line block, a branch, a term of an expression or a bit that toggles; the same point of several instances,
builds and runs is hit if any of them hit it. Points of a module count from its own bench only.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from npuscope.errors import NpuscopeError

__all__ = ["KINDS", "Point", "cobertura", "holes", "kinds", "lcov", "of_file", "page", "rank", "read", "table"]

KINDS: Final = ("line", "branch", "expr", "toggle", "user")
_LINE = re.compile(r"C '(.*)' (\d+)")


@dataclass(frozen=True, order=True)
class Point:
    """What is counted, wherever it is instantiated. lines: of the block. what: the expression, the bit."""

    file: str
    line: int
    column: int
    kind: str
    what: str
    lines: str

    def text(self) -> str:
        """``nps_x.v:12 branch: else``."""
        return f"{Path(self.file).name}:{self.line} {self.kind}" + (f": {self.what}" if self.what else "")


def read(paths: Iterable[Path]) -> Counter[Point]:
    """Hits of every point over all files.

    Raises:
        NpuscopeError: a file that is not Verilator's.
    """
    found: Counter[Point] = Counter()
    for path in paths:
        lines = path.read_text(errors="replace").split("\n")
        if not lines[0].startswith("# SystemC::Coverage"):
            raise NpuscopeError("not a coverage file of Verilator", file=str(path), found=lines[0][:40])
        for line in lines[1:]:
            if entry := _LINE.fullmatch(line):
                found[_point(entry[1])] += int(entry[2])
    return found


def _point(text: str) -> Point:
    """One key: fields of a name, \\x02 and a value, \\x01 between them."""
    parts = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
    kind = parts.get("page", "").partition("/")[0].removeprefix("v_")
    return Point(
        parts.get("f", ""), int(parts.get("l", 0)), int(parts.get("n", 0)), kind, parts.get("o", ""), parts.get("S", "")
    )


def of_file(points: Counter[Point], name: str) -> Counter[Point]:
    """Only those of a source file of this name."""
    return Counter({point: count for point, count in points.items() if Path(point.file).name == name})


def kinds(points: Counter[Point]) -> dict[str, tuple[int, int]]:
    """Hit and total by kind."""
    total = Counter(point.kind for point in points)
    hit = Counter(point.kind for point, count in points.items() if count)
    return {kind: (hit[kind], total[kind]) for kind in KINDS if total[kind]}


def holes(points: Counter[Point], changed: dict[str, set[int]] | None = None) -> list[str]:
    """Points never hit, each a line; with ``changed`` those on the changed lines of a file only."""
    missed = sorted(point for point, count in points.items() if not count)
    if changed is not None:
        missed = [point for point in missed if point.line in changed.get(Path(point.file).name, set())]
    return list(dict.fromkeys(point.text() for point in missed))


def rank(runs: dict[str, Counter[Point]]) -> list[tuple[str, int, int]]:
    """Runs in the order in which each adds most: (run, points it adds, points so far); one that adds none is last."""
    left, seen, order = (
        {name: {p for p, count in found.items() if count} for name, found in runs.items()},
        set[Point](),
        [],
    )
    while left:
        best = max(sorted(left), key=lambda name: len(left[name] - seen))
        added = left.pop(best) - seen
        seen |= added
        order.append((best, len(added), len(seen)))
    return order


def _line_hits(points: Counter[Point], file: str) -> dict[int, int]:
    """Hits by source line of one file, from its line blocks and branches."""
    hits: dict[int, int] = {}
    for point, count in points.items():
        if point.file == file and point.kind in ("line", "branch"):
            for part in (point.lines or str(point.line)).split(","):
                first, _, last = part.partition("-")
                for line in range(int(first), int(last or first) + 1):
                    hits[line] = max(hits.get(line, 0), count)
    return hits


def lcov(points: Counter[Point], root: Path) -> str:
    """LCOV: lines, and branches, expressions and toggles as branches."""
    out = []
    for file in sorted({point.file for point in points}):
        mine = sorted((p, n) for p, n in points.items() if p.file == file and p.kind in ("branch", "expr", "toggle"))
        out += ["TN:npuscope", f"SF:{_relative(file, root)}"]
        numbers: Counter[int] = Counter()
        for point, count in mine:
            out.append(f"BRDA:{point.line},0,{numbers[point.line]},{count or '-'}")
            numbers[point.line] += 1
        out += [f"BRF:{len(mine)}", f"BRH:{sum(count > 0 for _, count in mine)}"]
        hits = _line_hits(points, file)
        out += [f"DA:{line},{hits[line]}" for line in sorted(hits)]
        out += [f"LF:{len(hits)}", f"LH:{sum(count > 0 for count in hits.values())}", "end_of_record"]
    return "\n".join([*out, ""])


def cobertura(points: Counter[Point], root: Path) -> str:
    """Cobertura XML: a class for each source file."""
    files = sorted({point.file for point in points})
    by_file = {file: _line_hits(points, file) for file in files}
    all_hits = [count for hits in by_file.values() for count in hits.values()]
    rate = f"{sum(count > 0 for count in all_hits) / len(all_hits):.4f}" if all_hits else "0"
    top = ElementTree.Element(
        "coverage", {"line-rate": rate, "branch-rate": "0", "version": "npuscope", "timestamp": "0"}
    )
    sources = ElementTree.SubElement(top, "sources")
    ElementTree.SubElement(sources, "source").text = str(root)
    package = ElementTree.SubElement(
        ElementTree.SubElement(top, "packages"), "package", {"name": "rtl", "line-rate": rate}
    )
    classes = ElementTree.SubElement(package, "classes")
    for file, hits in by_file.items():
        own = f"{sum(count > 0 for count in hits.values()) / len(hits):.4f}" if hits else "0"
        name = {"name": Path(file).stem, "filename": _relative(file, root), "line-rate": own, "branch-rate": "0"}
        entry = ElementTree.SubElement(classes, "class", name)
        ElementTree.SubElement(entry, "methods")
        lines = ElementTree.SubElement(entry, "lines")
        for line in sorted(hits):
            ElementTree.SubElement(lines, "line", {"number": str(line), "hits": str(hits[line])})
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def table(modules: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each module: hit of total by kind."""
    lines = []
    for name, body in modules.items():
        cells = ", ".join(f"{kind} {hit}/{total}" for kind, (hit, total) in body["kinds"].items())
        lines.append(f"{name:<22} {cells}, {len(body['holes'])} never hit")
    return lines


def page(points: Counter[Point], root: Path) -> str:
    """One HTML page: every source line with how often its block ran and what in it was never hit."""
    style = "td{font:12px monospace;vertical-align:top;white-space:pre}.m{background:#fdd}.h{background:#e4f6e4}"
    out = [f"<!doctype html><meta charset=utf-8><title>RTL coverage</title><style>{style}</style>"]
    for file in sorted({point.file for point in points}):
        mine = Counter({point: count for point, count in points.items() if point.file == file})
        said = ", ".join(f"{kind} {hit}/{total}" for kind, (hit, total) in kinds(mine).items())
        out.append(f"<h3>{html.escape(_relative(file, root))}</h3><p>{said}</p><table>")
        hits, missed = _line_hits(mine, file), dict[int, list[str]]()
        for point in sorted(point for point, count in mine.items() if not count):
            missed.setdefault(point.line, []).append(f"{point.kind} {point.what}".strip())
        for number, line in enumerate(Path(file).read_text().split("\n"), 1):
            style = "m" if number in missed else "h" if number in hits else ""
            cells = (str(number), str(hits.get(number, "")), line, "; ".join(missed.get(number, [])))
            out.append(f'<tr class="{style}">' + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        out.append("</table>")
    return "\n".join([*out, ""])


def _relative(file: str, root: Path) -> str:
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file
