"""The table of area and clock: ``rtl/synthesis.json``, which ``tb/synth_table.py`` measures, as text.

Two places follow from it and are checked like all generated text: ``rtl/SYNTHESIS.md`` and the column "cost" of the
catalogue in ``rtl/README.md``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["DATA", "load", "outputs"]

DATA = "rtl/synthesis.json"

_HEAD = """# Area and clock

Generated from `rtl/synthesis.json` by `make gen`: do not edit. `make synth` measures anew what has changed since.

Cells of each module alone, flat, with default parameters unless told. LUT: those of carry chains and of RAM in LUTs
included; in brackets those of logic alone. RAM: block RAMs (ECP5 18 kbit, ice40 4 kbit, 7-series 18 and 36 kbit).
DSP: multipliers. MHz: placed and routed by nextpnr on ECP5-25k, speed grade 6, between registers at all ports (lowest
of the clocks of a module, one placement); `-`: not placed alone. ice40 (`synth_ice40`) and 7-series (`synth_xilinx`,
xc7) are mapped by Yosys, not placed: no clock is claimed for them. RAM that is read at once becomes LUTs on ECP5 and
7-series, flip-flops on ice40.

| module | ECP5 LUT | FF | RAM | DSP | MHz | ice40 LUT | FF | RAM | 7-series LUT | FF | RAM | DSP |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def load(root: Path) -> dict[str, Any]:
    """Rows by name, in the order of the table."""
    rows: dict[str, Any] = json.loads((root / DATA).read_text())
    return rows


def outputs(root: Path) -> dict[Path, str]:
    """The two files and the text that they must have."""
    rows = load(root)
    readme = root / "rtl/README.md"
    lines = [_catalogued(line, rows) for line in readme.read_text().split("\n")]
    table = "".join(_row(name, row) for name, row in rows.items())
    return {root / "rtl/SYNTHESIS.md": _HEAD + table, readme: "\n".join(lines)}


def _row(name: str, row: dict[str, Any]) -> str:
    cells = [f"`{name}`"]
    for family, columns in (
        ("ecp5", ("lut", "ff", "ram", "dsp")), ("ice40", ("lut", "ff", "ram")), ("xc7", ("lut", "ff", "ram", "dsp")),
    ):  # fmt: skip
        for column in columns:
            value = str(row[family][column])
            cells.append(f"{value} ({row[family]['logic']})" if column == "lut" else value)
        if family == "ecp5":
            cells.append(_mhz(row))
    return "| " + " | ".join(cells) + " |\n"


def _mhz(row: dict[str, Any]) -> str:
    return f"{row['mhz']:.0f}" if row["mhz"] else "-"


def _catalogued(line: str, rows: dict[str, Any]) -> str:
    """A line of the catalogue with its cost; any other line as it is."""
    cells = line.split(" | ")
    name = cells[0].removeprefix("| ").strip("`")
    if len(cells) != 6 or name not in rows:
        return line
    row = rows[name]
    cells[4] = f"{row['ecp5']['lut']} / {row['ecp5']['ff']} / {_mhz(row)}"
    return " | ".join(cells)
