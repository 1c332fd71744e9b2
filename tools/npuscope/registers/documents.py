"""The register map for programmers: C header and Markdown table."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from npuscope.registers.model import WORD_BITS, Field, Kind, Map, Register

__all__ = ["c_header", "markdown"]

_MEANING = {
    "r": "read only; writes are ignored",
    "rw": "read and write",
    "w": "write only; the write itself acts, reads give 0",
    "w1p": "write 1 for one pulse; reads give 0",
    "rw1c": "write 1 to clear; a set in the same clock wins",
}


def c_header(found: Map) -> str:
    """``nps_regs.h``: offsets, masks and positions of fields, reset values."""
    out = [
        f"/* Generated from rtl/spec/{found.source} by `make gen`: do not edit. */",
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Registers of nps_top: byte offsets; of each field its bit, its mask (in place) and its reset value. */",
        "#ifndef NPS_REGS_H",
        "#define NPS_REGS_H",
    ]
    for register in found.registers:
        out += ["", f"/* {register.doc} */", f"#define NPS_REG_{register.name} 0x{register.address:03x}u"]
        if register.window:
            out.append(f"#define NPS_REG_{register.name}_WORDS {register.window}u")
            continue
        for field in register.fields:
            name = f"NPS_{register.name}_{field.name.upper()}"
            if field.width > WORD_BITS:
                out.append(f"#define {name}_BITS {field.width}u /* two words, low first */")
                continue
            out.append(f"#define {name}_LSB {field.lsb}u")
            out.append(f"#define {name}_MASK 0x{field.mask:08x}u")
            if field.kind in (Kind.CONFIG, Kind.CONSTANT) and not field.parameter:
                out.append(f"#define {name}_RESET 0x{field.reset:x}u")
    return "\n".join([*out, "", "#endif", ""])


def markdown(found: Map) -> str:
    """``nps_regs.md``: one table of registers and their fields."""
    out = [
        f"<!-- Generated from rtl/spec/{found.source} by `make gen`: do not edit. -->",
        "# Registers of nps_top",
        "",
        "Byte offsets; words of 32 bits. Access: " + "; ".join(f"**{k}** {v}" for k, v in _MEANING.items()) + ".",
        "A parameter in the reset column is one of `nps_regs`. What is not listed answers SLVERR. The rules are in",
        "[`rtl/regs/README.md`](../regs/README.md).",
        "",
        "| offset | register | bits | field | access | reset | unit | meaning |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for register in found.registers:
        out.append(f"| {_offset(register)} | **{register.name}** | | | | | | {_escape(register.doc)} |")
        out += [_row(field) for field in register.fields]
    return "\n".join([*out, ""])


def _offset(register: Register) -> str:
    last = register.address + 4 * (register.words - 1)
    return f"0x{register.address:03X}" + (f"..0x{last:03X}" if last != register.address else "")


def _row(field: Field) -> str:
    high = field.lsb + field.width - 1
    bits = f"{high}:{field.lsb}" if field.width > 1 else str(field.lsb)
    reset = ""
    if field.kind in (Kind.CONFIG, Kind.CONSTANT, Kind.EVENT):
        reset = field.parameter or (str(field.reset) if field.kind is not Kind.CONSTANT else f"0x{field.reset:X}")
    return f"| | | {bits} | {field.name} | {field.kind.access} | {reset} | {field.unit} | {_escape(field.doc)} |"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
