"""The sign-off as one HTML file that needs no network, the JSON inside it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["page"]

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #1b1b1b; }
table { border-collapse: collapse; margin: .5em 0 1.5em; } td, th { padding: .15em .7em; text-align: left; }
th { border-bottom: 1px solid #888; } td { border-bottom: 1px solid #e4e4e4; vertical-align: top; }
.GO, .VERIFIED { color: #0a6b2d; }
.NO-GO, .FAILED { color: #b00020; font-weight: 600; } .GAP, .STALE { color: #9a5b00; }
.WAIVED { color: #4a4a8a; } code { font-size: 12px; } details { margin: .3em 0; }
"""
_BLOCKERS_SHOWN: Final = 200


def _cell(text: object) -> str:
    words = str(text)
    head = words.split(" ")[0]
    state = head if head in ("VERIFIED", "WAIVED", "STALE", "GAP", "FAILED", "GO", "NO-GO") else ""
    return f'<td class="{state}">{html.escape(words)}</td>' if state else f"<td>{html.escape(words)}</td>"


def _table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return "<table><tr>" + "".join(f"<th>{html.escape(title)}</th>" for title in titles) + f"</tr>{body}</table>"


def _state(row: dict[str, Any], what: str) -> str:
    return f"{row[what]['state']} {row[what]['count']}" if what in row else "-"


def page(report: dict[str, Any]) -> str:
    """The whole page."""
    blockers = report["blockers"]
    shown = "".join(f"<li>{html.escape(line)}</li>" for line in blockers[:_BLOCKERS_SHOWN])
    more = f"<p>and {len(blockers) - _BLOCKERS_SHOWN} more, in the JSON</p>" if len(blockers) > _BLOCKERS_SHOWN else ""
    verdict = report["verdict"]
    parts = [
        f'<h1>Sign-off at {report["stage"]}: <span class="{verdict}">{verdict}</span></h1>',
        f"<h2>Blockers: {len(blockers)}</h2><ol>{shown}</ol>{more}" if blockers else "<p>No blockers.</p>",
        "<h2>Scope</h2>",
        _table(
            ("module", "stage", "items", "open V1", "open V2", "open V3", "sources"),
            (
                (name, m["reached"], m["items"], m["open"]["V1"], m["open"]["V2"], m["open"]["V3"], m["hash"])
                for name, m in report["modules"].items()
            ),
        ),
        "<h2>Thresholds</h2>",
        _table(
            ("id", "figure", "limit", "RTL", "CFG", "tests", "proofs", "mutants", "bins", "state"),
            (
                (
                    t["id"],
                    t["figure"],
                    f"{t['operator']} {t['value']:,} {t['unit']}",
                    t["parameter"],
                    t["csr"] or "-",
                    *(_state(t, what) for what in ("test", "proof", "mutant", "bin")),
                    t["state"],
                )
                for t in report["thresholds"]
            ),
        ),
        "<h2>Regression</h2>",
        f"<p>planned {report['regression']['planned']}, seed {report['regression']['seed']}</p>",
        _table(("verdict", "tests"), sorted(report["regression"]["verdicts"].items())),
        "<h2>Coverage</h2>",
        _table(
            ("module", "kind", "hit", "of"),
            ((m, kind, hit, of) for m, kinds in report["coverage"].items() for kind, (hit, of) in kinds.items()),
        ),
        "<h2>Proofs</h2>",
        *(_proof(proof) for proof in report["proofs"]),
        "<h2>Mutants</h2>",
        _table(
            ("mutant", "kind", "bench", "detectors", "icarus", "verilator"),
            (
                (m["name"], m["kind"], m["bench"], ", ".join(m["by"]), m["icarus"], m["verilator"])
                for m in report["mutants"]
            ),
        ),
        "<h2>Waivers</h2>",
        _table(
            ("item", "reason", "owner", "expires", "region", "fault"),
            (
                (w["item"], w["reason"], w["owner"], w["expires"], w["region"], w["fault"] or "-")
                for w in report["waivers"]
            ),
        ),
        "<h2>Replayed traces</h2>",
        _table(("file", "clocks", "verdict"), ((r["file"], r["clocks"], r["verdict"]) for r in report["replayed"])),
        "<h2>Not covered</h2><ul>",
        *(f"<li>{html.escape(line)}</li>" for line in report["not_covered"]),
        "</ul>",
    ]
    data = json.dumps(report).replace("<", "\\u003c")
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>sign-off: {verdict}</title><style>{_STYLE}</style>"
    tail = f'<script type="application/json" id="signoff">{data}</script></html>'
    return "\n".join([head, *parts, tail]) + "\n"


def _proof(proof: dict[str, Any]) -> str:
    depth = (
        f"unbounded (k = {proof['depths']['prove']})"
        if proof["unbounded"]
        else f"bounded, {proof['depths']['bmc']} clocks"
    )
    rows = [("assert", label, text) for label, text in proof["properties"].items()]
    rows += [("cover", label, text) for label, text in proof["covers"].items()]
    rows += [("assume", "", text) for text in proof["assumptions"]]
    head = f"{html.escape(proof['name'])}: {depth}, {proof['bugs']} planted bugs, "
    head += f'<span class="{proof["state"]}">{proof["state"]}</span>'
    return f"<details><summary>{head}</summary>{_table(('', 'label', 'text'), rows)}</details>"
