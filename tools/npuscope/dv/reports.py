"""Results for people and machines: text, JUnit, GitHub summary and annotations, within the limits of each reader."""

from __future__ import annotations

from collections import Counter
from typing import Final
from xml.etree import ElementTree

from npuscope.dv.results import Node, Results, Row, buckets
from npuscope.sim.verdict import Verdict

__all__ = ["counts", "github", "junit", "summary", "text"]

ANNOTATIONS: Final = 9  # GitHub shows 10 of a step; one is the step's own
SUMMARY_BYTES: Final = 200_000
_SHOWN_NODES: Final = 3


def counts(rows: list[Row]) -> str:
    """``12 tests: 11 PASS, 1 FAIL``."""
    found = Counter(row.verdict for row in rows)
    order = sorted(found, key=lambda verdict: (verdict != Verdict.PASS, -found[verdict], verdict))
    return f"{len(rows)} tests: " + ", ".join(f"{found[verdict]} {verdict}" for verdict in order)


def text(results: Results) -> str:
    """Buckets of failures with their replay lines, then the counts."""
    rows, lines = results.complete(), []
    for bucket in buckets(rows):
        lines.append(f"{bucket.verdict} {bucket.bench}, {len(bucket.nodes)} tests: {bucket.reason}")
        lines += [f"  {node}" for node in bucket.nodes[:_SHOWN_NODES]]
        lines += [f"  and {more} more"] if (more := len(bucket.nodes) - _SHOWN_NODES) > 0 else []
        lines.append(f"  replay: {bucket.replay(results.seed)}")
        lines += [f"  view:   gtkwave {bucket.view}"] if bucket.view else []
    return "\n".join([*lines, counts(rows)])


def junit(results: Results) -> str:
    """JUnit XML: a suite for each bench; every verdict but PASS is a failure whose type is the verdict."""
    root = ElementTree.Element("testsuites", name="npuscope dv")
    suites: dict[str, list[Row]] = {}
    for row in results.complete():
        suites.setdefault(Node.of(row.node).bench, []).append(row)
    for bench, rows in sorted(suites.items()):
        failed = sum(not row.ok for row in rows)
        suite = ElementTree.SubElement(
            root, "testsuite", name=bench, tests=str(len(rows)), failures=str(failed), errors="0", skipped="0"
        )
        for row in rows:
            name = row.node.partition("::")[2]
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"tb.{bench}", name=name, time=f"{row.seconds:.3f}"
            )
            if not row.ok:
                failure = ElementTree.SubElement(case, "failure", type=row.verdict, message=_printable(row.reason))
                failure.text = _printable("\n".join(filter(None, (row.folder, row.waveform, row.view))))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _printable(text: str) -> str:
    """XML knows no control characters."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def summary(results: Results) -> str:
    """Markdown for GITHUB_STEP_SUMMARY."""
    rows = results.complete()
    found = buckets(rows)
    lines = [f"### {'FAILED' if found else 'passed'}: {counts(rows)}", ""]
    if found:
        lines += ["| verdict | bench | tests | reason | replay |", "| --- | --- | --- | --- | --- |"]
    size = len("\n".join(lines).encode())
    for number, bucket in enumerate(found):
        cells = [
            bucket.verdict,
            bucket.bench,
            str(len(bucket.nodes)),
            bucket.reason,
            f"`{bucket.replay(results.seed)}`",
        ]
        line = "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
        size += len(line.encode()) + 1
        if size > SUMMARY_BYTES - 100:
            lines.append(f"\nand {len(found) - number} more buckets")
            break
        lines.append(line)
    return "\n".join([*lines, ""])


def github(results: Results) -> list[str]:
    """GitHub workflow commands, one per bucket, at most nine."""
    found = buckets(results.complete())
    lines = []
    for number, bucket in enumerate(found[:ANNOTATIONS]):
        say = f"{len(bucket.nodes)} tests: {bucket.reason}; replay: {bucket.replay(results.seed)}"
        if number == ANNOTATIONS - 1 and len(found) > ANNOTATIONS:
            say = f"{len(found) - number} more buckets, this one: {say}"
        escaped = say.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        file = bucket.nodes[0].partition("::")[0]
        lines.append(f"::error file={file},title={bucket.verdict} {bucket.bench}::{escaped}")
    return lines
