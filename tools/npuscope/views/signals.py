"""The signals of a waveform as text and JSON: names, and what they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from npuscope.units import safe
from npuscope.views.table import table

if TYPE_CHECKING:
    from npuscope.importers.waveform import Signal, Variable

__all__ = ["changes_text", "signal_values", "signals_json", "signals_text"]

WORD = 64


def signal_values(signal: Signal) -> list[tuple[int, str]]:
    """(time in counts, value): bits as in the file, all of them where one is x or z; a real as a number."""
    if signal.texts:
        return [
            (time, signal.texts[index])
            for time, index in zip(signal.time.tolist(), signal.value[:, 0].tolist(), strict=True)
        ]
    if signal.variable.is_real:
        return list(zip(signal.time.tolist(), map(repr, signal.reals().tolist()), strict=True))
    rows = []
    for time, value, unknown in zip(signal.time.tolist(), signal.value.tolist(), signal.unknown.tolist(), strict=True):
        a, b = (sum(word << WORD * i for i, word in enumerate(words)) for words in (value, unknown))
        if not b:
            rows.append((time, f"{a:b}"))
            continue
        bits = range(signal.variable.width - 1, -1, -1)
        rows.append((time, "".join("01xz"[a >> bit & 1 | (b >> bit & 1) << 1] for bit in bits)))
    return rows


def signals_json(
    unit_ps: Fraction | None, variables: Sequence[Variable], signals: Mapping[str, Signal] | None
) -> dict[str, Any]:
    """Plain dict with stable keys; ``signals``: with their values."""
    listed: list[dict[str, Any]] = [{"name": each.name, "kind": each.kind, "bits": each.width} for each in variables]
    if signals is not None:
        for entry in listed:
            entry["values"] = [list(row) for row in signal_values(signals[entry["name"]])]
    return {"unit_ps": None if unit_ps is None else str(unit_ps), "signals": listed}


def signals_text(variables: Sequence[Variable]) -> str:
    """A line a signal."""
    rows = [[safe(each.name), each.kind, str(each.width)] for each in variables]
    return table(["signal", "kind", ">bits"], rows, columns=max(80, *(len(row[0]) + 20 for row in rows))) + "\n"


def changes_text(signals: Mapping[str, Signal]) -> str:
    """A line a change, in order of time: count, signal, value."""
    rows = [(time, place, name, value) for place, (name, signal) in enumerate(signals.items())
            for time, value in signal_values(signal)]  # fmt: skip
    return "".join(f"{time} {safe(name)} {value}\n" for time, _, name, value in sorted(rows))
