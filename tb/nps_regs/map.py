# SPDX-License-Identifier: Apache-2.0
"""The register map of the bench: from the definition, not from the generated Verilog; and a plain model of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from npuscope.registers import Field, Kind, Map, Register, load

__all__ = ["PARAMETERS", "Field", "Kind", "Model", "Register", "the_map"]

TREE = Path(__file__).resolve().parents[2]
PARAMETERS = {
    "NUM_BP": 5,
    "JITTER": 1,
    "RAS": 0,
    "TOKEN": 1,
    "DESC_HASH_LO": 0x89ABCDEF,
    "DESC_HASH_HI": 0x01234567,
    "CLK_PERIOD_PS": 6250,
    "S_COUNT": 4,
}
"""What the bench builds ``nps_regs`` with; none is a default."""


@cache
def the_map() -> Map:
    """Compiled with the headers as they are in rtl/gen."""
    headers = {name: (TREE / "rtl/gen" / name).read_text() for name in ("nps_trace.vh", "nps_thresholds.vh")}
    return load(TREE / "rtl/spec/nps.rdl", headers)


class Model:
    """What software reads and the ports show, as far as it follows from writes; events and status are told."""

    def __init__(self) -> None:
        self.value: dict[tuple[str, str], int] = {}
        self.at: dict[int, tuple[Register, int]] = {}
        for register in the_map().registers:
            for word in range(register.words):
                self.at[register.address + 4 * word] = register, word
            for field in register.fields:
                self.value[register.name, field.name] = PARAMETERS.get(field.parameter, field.reset)

    def write(self, address: int, data: int, strobe: int) -> None:
        """A write, whole or in parts; to what cannot be written nothing happens."""
        register, _ = self.at[address]
        lanes = sum(0xFF << 8 * i for i in range(4) if strobe >> i & 1)
        for field in register.fields:
            key, mask = (register.name, field.name), field.mask & lanes
            if field.kind in (Kind.CONFIG, Kind.VALUE):
                old = self.value[key] << field.lsb
                self.value[key] = ((old & ~mask) | (data & mask)) >> field.lsb
            elif field.kind is Kind.EVENT and data & mask:
                self.value[key] = 0

    def read(self, address: int) -> int:
        """What a read gives, 0 in fields that cannot be read."""
        register, word = self.at[address]
        out = 0
        for field in register.fields:
            if field.kind is Kind.VIEW:
                assert register.view is not None
                value = self.value[register.view[0], field.name] & self.value[register.view[1], field.name]
            elif field.kind.readable:
                value = self.value[register.name, field.name]
            else:
                value = 0
            out |= value << field.lsb
        return out >> 32 * word & 0xFFFFFFFF
