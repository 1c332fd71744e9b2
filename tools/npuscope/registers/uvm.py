"""The UVM register model for pyuvm: one class per register, one block with its map."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from npuscope.registers.model import WORD_BITS, Field, Kind, Map, Register

__all__ = ["uvm_model"]

_POLICY = {"r": "RO", "rw": "RW", "w": "WO", "w1p": "WO", "rw1c": "W1C"}
_VOLATILE = (Kind.STATUS, Kind.VIEW, Kind.EVENT, Kind.KEPT, Kind.PULSE)

_HEAD = '''\
"""Generated from rtl/spec/{source} by `make gen`: do not edit."""

# SPDX-License-Identifier: Apache-2.0
# ruff: noqa

from pyuvm import uvm_coverage_model_e, uvm_endianness_e, uvm_reg, uvm_reg_block, uvm_reg_field


class Register(uvm_reg):
    """A register of 32 bits; fields: (name, lsb, width, policy, volatile, reset)."""

    FIELDS: tuple = ()

    def __init__(self, name):
        super().__init__(name, 32, uvm_coverage_model_e.UVM_NO_COVERAGE)
        for field in self.FIELDS:
            setattr(self, field[0], uvm_reg_field(field[0]))

    def build(self):
        for name, lsb, width, policy, volatile, reset in self.FIELDS:
            getattr(self, name).configure(self, width, lsb, policy, volatile, reset, True, True, False)
'''

_BLOCK = '''\
class {name}(uvm_reg_block):
    """All registers; windows are lists, 64-bit registers are two, _LO and _HI."""

    REGISTERS = (
{rows}
    )  # name, class, address, number of words (0: a single register)

    def build(self):
        bus = self.create_map("bus", 0, 4, uvm_endianness_e.UVM_LITTLE_ENDIAN)
        self.set_default_map(bus)
        for name, kind, address, words in self.REGISTERS:
            made = [kind(f"{{name}}[{{index}}]" if words else name) for index in range(words or 1)]
            setattr(self, name, made if words else made[0])
            for index, register in enumerate(made):
                register.configure(self, None, "")
                register.build()
                bus.add_reg(register, address + 4 * index, "RW")
        self.lock_model()
'''


def uvm_model(found: Map) -> str:
    """``nps_regs_model.py``."""
    out = [_HEAD.format(source=found.source)]
    rows = []
    for register in found.registers:
        for name, address, doc, fields in _words(register):
            out += ["", f"class {name}(Register):", f'    """{doc}"""' if '"' not in doc else f"    '''{doc}'''", ""]
            out += ["    FIELDS = (", *(f"        {_field(field)}," for field in fields), "    )", ""]
            rows.append(f'        ("{name}", {name}, 0x{address:03X}, {register.window}),')
    out += ["", _BLOCK.format(name=found.name, rows="\n".join(rows))]
    return "\n".join(out)


def _words(register: Register) -> list[tuple[str, int, str, tuple[Field, ...]]]:
    """Name, address, text and fields of each word of a register; of a window those of its first."""
    if register.bits == WORD_BITS:
        return [(register.name, register.address, register.doc, register.fields)]
    (field,) = register.fields
    out: list[tuple[str, int, str, tuple[Field, ...]]] = []
    for index, suffix in enumerate(("LO", "HI")):
        width = min(WORD_BITS, field.width - WORD_BITS * index)
        part = Field(field.name, 0, width, field.kind, 0, False, "", field.unit, field.doc)
        out.append((f"{register.name}_{suffix}", register.address + 4 * index, register.doc, (part,)))
    return out


def _field(field: Field) -> str:
    policy = _POLICY[field.kind.access]
    return f'("{field.name}", {field.lsb}, {field.width}, "{policy}", {field.kind in _VOLATILE}, {field.reset})'
