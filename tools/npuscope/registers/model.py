"""The register map as plain data: what the generators need of the elaborated SystemRDL."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import tempfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.errors import NpuscopeError

if TYPE_CHECKING:
    from systemrdl.node import FieldNode, RegNode

__all__ = ["Field", "Kind", "Map", "Register", "load"]

WORD_BITS = 32
ROW_WORDS = 8  # registers are decoded in rows of this many words


class Kind(Enum):
    """How a field is made, with what software may do: r, rw, w, w1p (write 1: pulse), rw1c (write 1: clear)."""

    CONFIG = ("config", "rw")  # a register; with a port if the hardware reads it
    STATUS = ("status", "r")  # an input port
    CONSTANT = ("constant", "r")  # its reset value or a parameter
    VIEW = ("view", "r")  # computed from two other registers
    PULSE = ("pulse", "w1p")  # an output port, 1 for one clock after a 1 is written
    VALUE = ("value", "w")  # a register with a port and a pulse
    EVENT = ("event", "rw1c")  # an input port sets it
    KEPT = ("kept", "rw1c")  # the bit is outside, writing 1 makes a pulse

    @property
    def access(self) -> str:
        """What software may do."""
        return self.value[1]

    @property
    def readable(self) -> bool:
        """Reads give the field's value; of the others they give 0."""
        return self not in (Kind.PULSE, Kind.VALUE)


@dataclass(frozen=True)
class Field:
    """Bits ``lsb .. lsb + width - 1`` of a register, at most those of one 64-bit register."""

    name: str
    lsb: int
    width: int
    kind: Kind
    reset: int
    visible: bool  # CONFIG: the hardware reads it
    parameter: str  # CONSTANT: name of the module parameter, or empty
    unit: str
    doc: str

    @property
    def mask(self) -> int:
        """Its bits in the register."""
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True)
class Register:
    """A register, or a window of ``window`` words of 32 bits that somebody else keeps (0: no window)."""

    name: str
    address: int
    bits: int  # 32 or 64
    window: int
    view: tuple[str, str] | None
    doc: str
    fields: tuple[Field, ...]

    @property
    def words(self) -> int:
        """Addresses it takes, in words."""
        return self.window or self.bits // WORD_BITS

    def port(self, field: Field) -> str:
        """Verilog name of the port or parameter of ``field``: the register alone names its only field."""
        return self.name.lower() if len(self.fields) == 1 else f"{self.name}_{field.name}".lower()

    @property
    def reset(self) -> int:
        """What a read gives after reset, parameters at their defaults, status 0."""
        return sum(f.reset << f.lsb for f in self.fields if f.kind.readable)


@dataclass(frozen=True)
class Map:
    """The whole map, registers by ascending address."""

    name: str
    source: str
    registers: tuple[Register, ...]

    def rows(self) -> dict[int, list[Register]]:
        """Registers that are no windows, by row of ROW_WORDS words."""
        out: dict[int, list[Register]] = {}
        for register in self.registers:
            if not register.window:
                out.setdefault(register.address // (4 * ROW_WORDS), []).append(register)
        return out

    def find(self, name: str) -> Register:
        """The register ``name``; raises KeyError."""
        return {register.name: register for register in self.registers}[name]


def load(source: Path, headers: dict[str, str]) -> Map:
    """Compile and check the map in ``source``.

    headers: name and text of the files it includes.

    Raises:
        NpuscopeError: what is wrong with the map, or that the SystemRDL compiler is missing.
    """
    try:
        from systemrdl.compiler import RDLCompiler
        from systemrdl.messages import RDLCompileError
        from systemrdl.node import RegNode
    except ImportError as error:
        raise NpuscopeError(
            "the registers need the SystemRDL compiler", found=str(error), hint="pip install 'npuscope[gen]'"
        ) from error
    compiler = RDLCompiler()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in headers.items():
            (Path(folder) / name).write_text(text)
        try:
            compiler.compile_file(str(source), incl_search_paths=[folder])
            top = compiler.elaborate().top
        except RDLCompileError as error:
            raise NpuscopeError("the register map does not compile", file=str(source), found=str(error)) from error
    nodes = [node for node in top.children(unroll=False) if isinstance(node, RegNode)]
    registers = tuple(sorted((_register(node) for node in nodes), key=lambda r: r.address))
    found = Map(top.inst_name, source.name, registers)
    _check(found)
    return found


def _register(node: RegNode) -> Register:
    view = node.get_property("view_of", default="")
    names = tuple(part.strip() for part in view.split("&")) if view else ()
    dimensions = node.array_dimensions or []
    if (len(names) not in (0, 2)) or len(dimensions) > 1 or bool(dimensions) != node.external:
        raise NpuscopeError(
            f"register {node.inst_name} is of no kind that the generator knows",
            expected="view_of of two registers; arrays are external and of one dimension",
        )
    return Register(
        name=node.inst_name,
        address=node.raw_absolute_address if dimensions else node.absolute_address,
        bits=node.get_property("regwidth"),
        window=dimensions[0] if dimensions else 0,
        view=(names[0], names[1]) if names else None,
        doc=_text(node),
        fields=tuple(_field(field, bool(names)) for field in node.fields()),
    )


def _text(node: RegNode | FieldNode) -> str:
    return " ".join((node.get_property("desc") or "").split())


def _field(node: FieldNode, in_view: bool) -> Field:
    sw, hw = node.get_property("sw").name, node.get_property("hw").name
    onwrite = node.get_property("onwrite")
    key = (sw, hw, onwrite.name if onwrite else "", _flags(node))
    kinds = {
        ("rw", "r", "", ""): Kind.CONFIG,
        ("rw", "na", "", ""): Kind.CONFIG,
        ("r", "w", "", ""): Kind.STATUS,
        ("r", "na", "", ""): Kind.VIEW if in_view else Kind.CONSTANT,
        ("w", "r", "", "singlepulse"): Kind.PULSE,
        ("w", "r", "", "swmod"): Kind.VALUE,
        ("rw", "w", "woclr", "hwset"): Kind.EVENT,
        ("rw", "w", "woclr", ""): Kind.KEPT,
    }
    if key not in kinds:
        raise NpuscopeError(
            f"field {node.get_path()} is of no kind that the generator knows",
            found=f"sw {sw}, hw {hw}, onwrite {key[2] or 'none'}, {key[3] or 'no flags'}",
            expected="one of the kinds at the head of the map",
        )
    return Field(
        name=node.inst_name,
        lsb=node.lsb,
        width=node.width,
        kind=kinds[key],
        reset=_reset(node),
        visible=hw == "r",
        parameter=node.get_property("parameter_name", default=""),
        unit=node.get_property("unit", default=""),
        doc=_text(node),
    )


def _reset(node: FieldNode) -> int:
    value = node.get_property("reset", default=0)
    if not isinstance(value, int):
        raise NpuscopeError(f"field {node.get_path()} is reset by a signal", expected="a number")
    return value


def _flags(node: FieldNode) -> str:
    names = ("hwset", "hwclr", "singlepulse", "swmod", "swacc", "we")
    return " ".join(name for name in names if node.get_property(name))


def _check(found: Map) -> None:
    """Refuse what the SystemRDL compiler allows and the generators do not make."""
    ports: set[str] = set()
    for register in found.registers:
        if register.window & (register.window - 1) or register.address % (4 * register.words):
            raise NpuscopeError(
                f"register {register.name} at 0x{register.address:03x} takes {register.words} words",
                expected="windows of a power of two words, everything aligned to its size",
            )
        if register.bits != WORD_BITS and [f.kind for f in register.fields] != [Kind.STATUS]:
            raise NpuscopeError(f"register {register.name} is wider than a word", expected="only one status field is")
        for field in register.fields:
            if field.width > 1 and field.kind in (Kind.EVENT, Kind.KEPT, Kind.PULSE):
                raise NpuscopeError(
                    f"field {register.name}.{field.name} has {field.width} bits", expected="one bit of this kind"
                )
            if register.port(field) in ports:
                raise NpuscopeError(f"register {register.name}: a second port {register.port(field)}")
            ports.add(register.port(field))
        for name in register.view or ():
            if {f.name for f in register.fields} - {f.name for f in found.find(name).fields}:
                raise NpuscopeError(f"register {register.name} views a field that {name} does not have")
