"""Token flow as text and as JSON: the streaming verdict, its evidence, the interrupts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import SUB_FIELDS, Kind, TokenSub
from npuscope.tables.spread import Spread
from npuscope.tables.tokens import TOKINT, Flow, Streaming, Why, streaming
from npuscope.units import count, duration, percent
from npuscope.views.jitter import Table
from npuscope.views.table import fields, table
from npuscope.views.trust import Trust

__all__ = [
    "SCHEMA",
    "TokenData",
    "causes",
    "flow_table",
    "interrupt_table",
    "token_facts",
    "tokens_json",
    "tokens_text",
    "verdict",
]

SCHEMA: Final = 1
CAUSES: Final = SUB_FIELDS[Kind.TOKINT]
WORDS: Final = {
    Why.FIRST: "first of a sequence",
    Why.FROZEN: "frozen before them",
    Why.START: "first of the capture or a run",
    Why.UNKNOWN: "behind a hole or a clock step",
}


@dataclass(frozen=True)
class TokenData:
    """What is shown. origin: ns of the first record. window: [from, to) ns on the axis asked for.

    lost: records of the token sources that are missing or were dropped, and whether there may be more.
    rows: tables.tokens.ARRIVAL, when every token is to be listed.
    """

    files: Sequence[str]
    flow: Flow
    origin: int
    window: tuple[int, int] | None
    lost: tuple[int, bool]
    trust: Sequence[Trust]
    rows: npt.NDArray[np.void] | None = None


def causes(mask: int) -> str:
    """``eos, mem_low`` of a cause mask."""
    return ", ".join(field.name for field in CAUSES if field.get(mask)) or "none"


def verdict(flow: Flow) -> str:
    """The sentence to paste."""
    if not flow.tokens:
        return "No tokens: this dump has no token source."
    found = streaming(flow)
    limit, gaps, late = duration(flow.limit), flow.gaps, flow.late
    over = f"{count(late)} of {count(gaps.count)} gaps over {limit} ({percent(late, gaps.count)} %)"
    median = f"median gap {_ns(gaps.percentile(50_000))}"
    if found is Streaming.TRUE:
        seen = " seen" if flow.unknown_ns else ""
        return (
            f"True streaming: {count(flow.tokens)} tokens, {median}, "
            + (over if late else f"none{seen} over {limit}")
            + "."
        )
    if found is Streaming.LATE:
        return f"Late: token by token, but {over}, {median}."
    if found is Streaming.PSEUDO:
        share = percent(flow.pauses.total, gaps.total)
        size = f"{gaps.count // max(1, late)} tokens" if not flow.bursts.count else _median(flow.bursts, "tokens")
        return f"Pseudo streaming: bursts of {size}, {share} % of the time in {count(late)} pauses, {_pause(flow)}."
    if gaps.count and flow.unknown_ns:
        return f"Undecided: {over}, and {duration(flow.unknown_ns)} not known could turn the verdict."
    return f"Undecided: only {count(gaps.count)} gaps between {count(flow.tokens)} tokens."


def _pause(flow: Flow) -> str:
    return f"median {_ns(flow.pauses.percentile(50_000))}"


def _median(spread: Spread, unit: str) -> str:
    return f"{count(spread.percentile(50_000) or 0)} {unit} (median)"


def _ns(value: int | None) -> str:
    return "-" if value is None else duration(value)


def tokens_text(data: TokenData, *, top: int = 10, by: str = "interrupt", command: str = "npuscope show FILE") -> str:
    """The text of ``npuscope tokens``, without a final newline. command: what shows a time, added as --around TIME."""
    flow = data.flow
    parts = [verdict(flow), fields([*((t.name, t.text) for t in data.trust), *token_facts(data)])]
    if flow.gaps.count:
        parts.append(table(*flow_table(flow)))
    if by == "token" and data.rows is not None:
        parts.append(_tokens(data, data.rows, top))
    elif flow.interrupts:
        rows = interrupt_table(data, top)
        left = flow.interrupts - len(rows[1])
        parts.append(table(*rows) + (f"\n{count(left)} more interrupts, see --top and --json" if left else ""))
    parts.append(_longest(data, command))
    return "\n\n".join(filter(None, parts))


def token_facts(data: TokenData) -> list[tuple[str, str]]:
    """How many tokens of which kind, what could not be measured, interrupts by cause, what is incomplete."""
    flow = data.flow
    shown: list[tuple[str, str]] = []
    if not flow.tokens and not flow.interrupts:
        return shown
    hows = {int(sub): sub.name.lower() for sub in TokenSub} | {TOKINT: "with an interrupt"}
    shown.append(("tokens", ", ".join(f"{count(n)} {hows[how]}" for how, n in sorted(flow.hows.items())) or "none"))
    if flow.not_measured:
        why = ", ".join(f"{count(n)} {WORDS[Why(reason)]}" for reason, n in sorted(flow.not_measured.items()))
        shown.append(("no gap", why))
    if any(data.lost):
        shown.append(("lost", f"{'at least ' * data.lost[1]}{count(data.lost[0])} records of the token source"))
    if flow.interrupts:
        masks = ", ".join(f"{count(n)} {causes(mask)}" for mask, n in sorted(flow.causes.items()))
        shown.append(("causes", masks))
    if flow.incomplete or flow.orphans:
        text = f"{count(flow.incomplete)} interrupts without all of their words"
        text += f", {count(flow.orphans)} words without their interrupt" if flow.orphans else ""
        shown.append(("context", text))
    if flow.open_freezes:
        shown.append(("freezes", f"{count(flow.open_freezes)} of which begin or end is not known"))
    return shown


def flow_table(flow: Flow) -> Table:
    """Gaps, pauses, freezes and bursts."""
    rows = []
    for name, spread in (("gap", flow.gaps), ("pause", flow.pauses), ("freeze", flow.freezes)):
        if spread.count:
            values = (spread.low, spread.percentile(50_000), spread.percentile(99_000), spread.high)
            rows.append([name, count(spread.count), *map(_ns, values)])
    bursts = flow.bursts
    if bursts.count:
        sizes = (bursts.low, bursts.percentile(50_000), bursts.percentile(99_000), bursts.high)
        rows.append(["burst, tokens", count(bursts.count), *(count(size or 0) for size in sizes)])
    return ["", ">number", ">least", ">median", ">p99", ">most"], rows


def _listed(flow: Flow) -> list[tuple[Any, int | None]]:
    """Interrupt rows and how long each froze the pipeline, None = not known."""
    frozen: dict[int, list[tuple[int, int]]] = {}
    for begin, token, end in flow.frozen:
        frozen.setdefault(token, []).append((begin, end))
    found = []
    for part in flow.listed:
        for row in part:
            spans = frozen.get(int(row["token"]), [])
            own = next((span for span in spans if span[0] >= row["time"]), None)
            if own is not None:
                spans.remove(own)
            found.append((row, None if own is None else own[1] - own[0]))
    return found


def interrupt_table(data: TokenData, top: int) -> Table:
    """The first interrupts with their context."""
    rows = []
    for row, frozen in _listed(data.flow)[:top]:
        words, here = int(row["words"]), int(row["seen"]).bit_count()
        context = f"{here} words" if row["complete"] else f"{here} of {words if words >= 0 else '?'} words"
        marks = "".join(f" {name}" for name in ("injected", "nested") if row[name] == 1)
        rows.append(
            [
                duration(int(row["time"]) - data.origin),
                str(row["token"]),
                causes(int(row["cause"])) + marks,
                str(row["layer"]) if row["layer"] >= 0 else "?",
                str(row["slot"]) if row["slot"] >= 0 else "?",
                "?" if frozen is None else duration(frozen),
                context,
            ]
        )
    return [">at", ">token", "interrupt", ">layer", ">slot", ">frozen", "context"], rows


def _tokens(data: TokenData, rows: npt.NDArray[np.void], top: int) -> str:
    hows = {int(sub): sub.name.lower() for sub in TokenSub}
    lines = []
    for row in rows[:top]:
        how = f"interrupt: {causes(int(row['cause']))}" if row["how"] == TOKINT else hows[int(row["how"])]
        why = "" if row["why"] == Why.GAP else Why(int(row["why"])).name.lower()
        late = "late" if row["gap"] > data.flow.limit else why
        gap = duration(int(row["gap"])) if row["gap"] >= 0 else "-"
        lines.append([duration(int(row["time"]) - data.origin), str(row["token"]), gap, late, how])
    text = table([">at", ">token", ">gap", "", "how"], lines)
    left = len(rows) - len(lines)
    return text + (f"\n{count(left)} more tokens, see --top and --json" if left else "")


def _longest(data: TokenData, command: str) -> str:
    lines = [
        f"longest gap: {duration(gap)} before token {token} at {duration(time - data.origin)}"
        for time, token, gap in data.flow.longest[:3]
    ]
    if lines:
        lines.append(f"look: {command} --around {data.flow.longest[0][0] - data.origin}ns")
    return "\n".join(lines)


def tokens_json(data: TokenData) -> dict[str, Any]:
    """The same with stable keys; times are integer ns, at_ns after the first record."""
    flow = data.flow
    hows = {int(sub): sub.name.lower() for sub in TokenSub} | {TOKINT: "interrupt"}
    return {
        "schema": SCHEMA,
        "files": list(data.files),
        "origin_tai_ns": data.origin,
        "window_ns": None if data.window is None else [bound - data.origin for bound in data.window],
        "trust": [{"name": t.name, "text": t.text, "mood": t.mood} for t in data.trust],
        "verdict": streaming(flow).value,
        "sentence": verdict(flow),
        "limit_ns": flow.limit,
        "tokens": flow.tokens,
        "by_kind": {name: flow.hows.get(how, 0) for how, name in hows.items() if how not in (2, 3)},
        "lost": data.lost[0],
        "lost_is_lower_bound": data.lost[1],
        "gaps": flow.gaps.to_json("ns"),
        "gap_histogram": [{"up_to_ns": top, "gaps": number} for top, number in flow.gaps.histogram()],
        "late": flow.late,
        "pauses": flow.pauses.to_json("ns"),
        "bursts": flow.bursts.to_json("tokens"),
        "bursts_cut": flow.cut,
        "not_measured": {why.name.lower(): flow.not_measured.get(why, 0) for why in Why if why is not Why.GAP},
        "unknown_ns": flow.unknown_ns,
        "freezes": flow.freezes.to_json("ns"),
        "freezes_open": flow.open_freezes,
        "interrupts": flow.interrupts,
        "interrupts_incomplete": flow.incomplete,
        "context_words_without_interrupt": flow.orphans,
        "causes": {causes(mask): number for mask, number in sorted(flow.causes.items())},
        "listed": [_interrupt_json(data, row, frozen) for row, frozen in _listed(flow)],
        "longest": [{"at_ns": t - data.origin, "token": token, "gap_ns": gap} for t, token, gap in flow.longest],
        "rows": None if data.rows is None else [_row_json(data, row) for row in data.rows],
    }


def _interrupt_json(data: TokenData, row: Any, frozen: int | None) -> dict[str, Any]:
    seen = int(row["seen"])
    words = [int(word) if seen >> i & 1 else None for i, word in enumerate(row["context"])]
    last = int(row["words"]) if row["words"] >= 0 else seen.bit_length()
    known = {
        name: int(row[name]) if row[name] >= 0 else None
        for name in ("words", "layer", "slot", "injected", "first", "nested", "pointer", "free", "limit")
    }
    return {
        "at_ns": int(row["time"]) - data.origin,
        "tai_ns": int(row["ts"]),
        "token": int(row["token"]),
        "causes": [field.name for field in CAUSES if field.get(int(row["cause"]))],
        "complete": bool(row["complete"]),
        **known,
        "context": words[:last],
        "frozen_ns": frozen,
    }


def _row_json(data: TokenData, row: Any) -> dict[str, Any]:
    how = int(row["how"])
    return {
        "at_ns": int(row["time"]) - data.origin,
        "token": int(row["token"]),
        "how": "interrupt" if how == TOKINT else TokenSub(how).name.lower(),
        "gap_ns": int(row["gap"]) if row["gap"] >= 0 else None,
        "no_gap": None if row["why"] == Why.GAP else Why(int(row["why"])).name.lower(),
    }
