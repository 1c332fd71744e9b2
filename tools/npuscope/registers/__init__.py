"""From ``rtl/spec/nps.rdl`` to the register block, its C header, its table and its UVM register model."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

from npuscope.registers.documents import c_header, markdown
from npuscope.registers.model import Field, Kind, Map, Register, load
from npuscope.registers.uvm import uvm_model
from npuscope.registers.verilog import verilog

__all__ = ["SOURCE", "Field", "Kind", "Map", "Register", "load", "outputs", "verilog"]

SOURCE = "rtl/spec/nps.rdl"


def outputs(root: Path, headers: dict[str, str]) -> dict[Path, str]:
    """Every file generated from the register map under ``root``, with the text it must have.

    headers: name and text of the generated Verilog headers that the map includes.

    Raises:
        NpuscopeError: the map is wrong, or the SystemRDL compiler is not installed.
    """
    found = load(root / SOURCE, headers)
    return {
        root / "rtl/gen/nps_regs.v": verilog(found),
        root / "rtl/gen/nps_regs.h": c_header(found),
        root / "rtl/gen/nps_regs.md": markdown(found),
        root / "tb/gen/nps_regs_model.py": uvm_model(found),
    }
