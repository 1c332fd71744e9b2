"""The register block as Verilog-2005: fields, decoder and read multiplexer behind ``nps_regs_axil``."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import textwrap

from npuscope.registers.model import ROW_WORDS, WORD_BITS, Field, Kind, Map, Register

__all__ = ["ADDRESS_BITS", "verilog"]

ADDRESS_BITS = 12
LINE = 120  # characters
_ROW_BITS = ADDRESS_BITS - 2 - (ROW_WORDS - 1).bit_length()

_HEAD = """\
// Generated from rtl/spec/{source} by `make gen`: do not edit.
// SPDX-License-Identifier: Apache-2.0
// npuscope: registers of nps_top behind an AXI4-Lite port. Map: rtl/gen/nps_regs.md, rules: rtl/regs/README.md.
//
// Does:      keeps the configuration, holds events until they are cleared, passes commands on, shows status.
// Promises:  AXI4-Lite (nps_regs_axil); byte strobes; a set beats a clear; a 64-bit register reads as of one clock.
// Costs:     see nps_regs_axil; a field or command shows what was written 4 clocks after the write's last handshake.
// Overflow:  none: an event that comes while its bit is set changes nothing.
`default_nettype none
"""

_AXI = [
    "input  wire clk",
    "input  wire rst",
    f"input  wire [{ADDRESS_BITS - 1}:0] s_axil_awaddr",
    "input  wire s_axil_awvalid",
    "output wire s_axil_awready",
    "input  wire [31:0] s_axil_wdata",
    "input  wire [3:0] s_axil_wstrb",
    "input  wire s_axil_wvalid",
    "output wire s_axil_wready",
    "output wire [1:0] s_axil_bresp",
    "output wire s_axil_bvalid",
    "input  wire s_axil_bready",
    f"input  wire [{ADDRESS_BITS - 1}:0] s_axil_araddr",
    "input  wire s_axil_arvalid",
    "output wire s_axil_arready",
    "output wire [31:0] s_axil_rdata",
    "output wire [1:0] s_axil_rresp",
    "output wire s_axil_rvalid",
    "input  wire s_axil_rready",
]


def verilog(found: Map) -> str:
    """``nps_regs.v``."""
    out = [_HEAD.format(source=found.source)]
    out += ["module nps_regs #(", ",\n".join(_parameters(found)), ") ("]
    out += [",\n".join(f"    {port}" for port in _AXI) + ","]
    out += [_port_list(found), ");", ""]
    out += [_decoder(found)]
    for register in found.registers:
        out += _register(found, register)
    out += [_reader(found), "endmodule", "", "`default_nettype wire", ""]
    return "\n".join(out)


def _width(bits: int) -> str:
    return f"[{bits - 1}:0] " if bits > 1 else ""


def _title(register: Register) -> str:
    text = f"0x{register.address:03X} {register.name}: {register.doc}"
    return textwrap.fill(text, LINE, initial_indent="    // ", subsequent_indent="    // ")


# ---------------------------------------------------------------- ports


def _parameters(found: Map) -> list[str]:
    return [
        f"    parameter [{f.width - 1}:0] {f.parameter} = {f.width}'d{f.reset}"
        for register in found.registers
        for f in register.fields
        if f.parameter
    ]


def _ports(register: Register) -> list[str]:
    """Declarations of the ports of one register."""
    out = []
    if register.window:
        out.append(f"output wire {_width((register.window - 1).bit_length())}{register.name.lower()}_index")
        return [*out, f"input  wire [31:0] {register.name.lower()}_word"]
    if register.view:
        return [f"output reg  {register.name.lower()}_any"]
    for field in register.fields:
        name, width = register.port(field), _width(field.width)
        if field.kind is Kind.CONFIG and field.visible:
            out.append(f"output reg  {width}{name}")
        elif field.kind is Kind.STATUS:
            out.append(f"input  wire {width}{name}")
        elif field.kind is Kind.PULSE:
            out.append(f"output reg  {name}")
        elif field.kind is Kind.VALUE:
            out += [f"output reg  {width}{name}", f"output reg  {name}_written"]
        elif field.kind is Kind.EVENT:
            out.append(f"input  wire {width}{name}_set")
        elif field.kind is Kind.KEPT:
            out += [f"input  wire {width}{name}", f"output reg  {width}{name}_clear"]
    return out


def _port_list(found: Map) -> str:
    groups = [(register, _ports(register)) for register in found.registers]
    groups = [(register, ports) for register, ports in groups if ports]
    lines = []
    for index, (register, ports) in enumerate(groups):
        lines.append(f"\n{_title(register)}")
        last = index == len(groups) - 1
        lines += [f"    {port}{'' if last and port == ports[-1] else ','}" for port in ports]
    return "\n".join(lines)


# ---------------------------------------------------------------- access


def _decoder(found: Map) -> str:
    width = max(found.rows()) + 1
    windows = [r for r in found.registers if r.window]
    mapped = [_mapped(row, registers) for row, registers in found.rows().items()]
    mapped += [f"in_{r.name.lower()}" for r in windows]
    inside = "\n".join(f"        in_{r.name.lower()} <= {_inside(r)};" for r in windows)
    unmapped = "\n".join(_wrapped("    always @(posedge clk) unmapped <= !(", mapped, " ||", ");"))
    return f"""\
    // ---------------------------------------------------------------- access
    wire [{ADDRESS_BITS - 3}:0] word;      // of the access under way
    wire [31:0] data;      // written
    wire [3:0] strobe;     // bytes to be written, in one clock of a write
    wire sample;           // in one clock of a read: what is read is that of this clock
    wire [31:0] value;
    reg  unmapped;

    nps_regs_axil #(
        .ADDR_W({ADDRESS_BITS})
    ) u_axil (
        .clk(clk),
        .rst(rst),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .word(word),
        .data(data),
        .strobe(strobe),
        .sample(sample),
        .value(value),
        .unmapped(unmapped)
    );

    // eight words are a row; one-hot, a clock after word
    reg [{width - 1}:0] row;
    reg [7:0] column;
    reg {", ".join(f"in_{r.name.lower()}" for r in windows)};
    integer i;
    always @(posedge clk) begin
        for (i = 0; i < {width}; i = i + 1) row[i] <= word[{ADDRESS_BITS - 3}:3] == i[{_ROW_BITS - 1}:0];
        for (i = 0; i < 8; i = i + 1) column[i] <= word[2:0] == i[2:0];
{inside}
    end
{unmapped}

    // ---------------------------------------------------------------- registers
"""


def _mapped(row: int, registers: list[Register]) -> str:
    """Condition for a word of ``row`` that is in the map."""
    columns = {r.address // 4 % ROW_WORDS + i for r in registers for i in range(r.words)}
    if len(columns) == ROW_WORDS:
        return f"row[{row}]"
    mask = "".join("1" if column in columns else "0" for column in reversed(range(ROW_WORDS)))
    return f"(row[{row}] && |(column & {ROW_WORDS}'b{mask}))"


def _inside(register: Register) -> str:
    """Condition for a word of a window."""
    low = (register.window - 1).bit_length()
    width = ADDRESS_BITS - 2 - low
    return f"word[{ADDRESS_BITS - 3}:{low}] == {width}'d{register.address // 4 >> low}"


def _select(word: int) -> str:
    return f"row[{word // ROW_WORDS}] && column[{word % ROW_WORDS}]"


def _value_name(register: Register) -> str:
    return f"v_{register.name.lower()}"


# ---------------------------------------------------------------- one register


def _register(found: Map, register: Register) -> list[str]:
    """Storage of the fields of ``register`` and what a read gives."""
    out = [_title(register)]
    lower = register.name.lower()
    if register.window:
        bits = (register.window - 1).bit_length()
        return [*out, f"    assign {lower}_index = word[{bits - 1}:0];", ""]
    for field in register.fields:
        if field.kind is Kind.EVENT or (field.kind is Kind.CONFIG and not field.visible):
            out.append(f"    reg {_width(field.width)}{register.port(field)};")
    written = [f for f in register.fields if f.kind.access != "r"]
    if written:
        lanes = sorted({byte for f in written for byte, _, _ in _bytes(f)})
        out += [f"    wire {lower}_w{byte} = {_select(register.address // 4)} && strobe[{byte}];" for byte in lanes]
        out += ["    always @(posedge clk) begin", "        if (rst) begin"]
        out += [f"            {line}" for f in written for line in _reset(register, f)]
        out += ["        end else begin"]
        out += [f"            {line}" for f in written for line in _update(register, f)]
        out += ["        end", "    end"]
    if register.bits > WORD_BITS:
        name = register.port(register.fields[0])
        width = register.fields[0].width - WORD_BITS
        out.append(f"    reg {_width(width)}{lower}_held;  // high word, of the clock in which the low one was read")
        out += ["    always @(posedge clk) begin", f"        if (rst) {lower}_held <= {width}'d0;"]
        out.append(f"        else if (sample && {_select(register.address // 4)})")
        out += [f"            {lower}_held <= {name}[{register.fields[0].width - 1}:{WORD_BITS}];", "    end"]
        return [*out, ""]
    if not _values(register):
        return [*out, ""]
    parts = _read(found, register)
    head, tail = ("{", "};") if len(parts) > 1 else ("", ";")
    out += _wrapped(f"    wire [31:0] {_value_name(register)} = {head}", parts, ",", tail)
    if register.view:
        out.append(f"    always @(posedge clk) {lower}_any <= !rst && |{_value_name(register)};")
    return [*out, ""]


def _reset(register: Register, field: Field) -> list[str]:
    name = register.port(field)
    if field.kind is Kind.KEPT:
        return [f"{name}_clear <= {field.width}'d0;"]
    out = [f"{name} <= {field.width}'{_number(field.reset, field.width)};"]
    return [*out, f"{name}_written <= 1'b0;"] if field.kind is Kind.VALUE else out


def _number(value: int, width: int) -> str:
    return f"d{value}" if value < 10 or width <= 8 else f"h{value:X}"


def _update(register: Register, field: Field) -> list[str]:
    """Statements of a clock without reset."""
    name, lower = register.port(field), register.name.lower()
    lanes = [(f"{lower}_w{byte}", own, bits) for byte, own, bits in _bytes(field)]
    if field.kind in (Kind.EVENT, Kind.KEPT, Kind.PULSE):
        write, _, bit = lanes[0]
        if field.kind is Kind.EVENT:
            return [f"if ({name}_set) {name} <= 1'b1;", f"else if ({write} && data[{bit}]) {name} <= 1'b0;"]
        return [f"{name}{'_clear' if field.kind is Kind.KEPT else ''} <= {write} && data[{bit}];"]
    out = [f"if ({write}) {name}{own} <= data[{bits}];" for write, own, bits in lanes]
    return [*out, f"{name}_written <= {' || '.join(lane[0] for lane in lanes)};"] if field.kind is Kind.VALUE else out


def _bytes(field: Field) -> list[tuple[int, str, str]]:
    """The field cut at bytes: (byte, select of the field, bits of the data)."""
    out = []
    for byte in range(4):
        low, high = max(field.lsb, 8 * byte), min(field.lsb + field.width, 8 * byte + 8) - 1
        if low <= high:
            own = f"[{high - field.lsb}:{low - field.lsb}]" if high > low else f"[{low - field.lsb}]"
            whole = high - low + 1 == field.width
            out.append((byte, "" if whole else own, f"{high}:{low}" if high > low else str(low)))
    return out


def _read(found: Map, register: Register) -> list[str]:
    """What a read gives: fields and zeros, most significant first."""
    parts: list[str] = []
    at = WORD_BITS
    for field in sorted((f for f in register.fields if f.kind.readable), key=lambda f: -f.lsb):
        if field.lsb + field.width < at:
            parts.append(f"{at - field.lsb - field.width}'d0")
        parts.append(_source(found, register, field))
        at = field.lsb
    if at:
        parts.append(f"{at}'d0")
    return parts


def _source(found: Map, register: Register, field: Field) -> str:
    if field.kind is Kind.CONSTANT:
        return field.parameter or f"{field.width}'{_number(field.reset, field.width)}"
    if register.view:
        pair = [found.find(name) for name in register.view]
        return " & ".join(r.port(next(f for f in r.fields if f.name == field.name)) for r in pair)
    return register.port(field)


# ---------------------------------------------------------------- read multiplexer


def _reader(found: Map) -> str:
    """Two steps: of the row or window that is read one word, taken at ``sample``; then their OR."""
    out = [
        "    // ---------------------------------------------------------------- reading: all but one of these are 0"
    ]
    parts = []
    for row, registers in found.rows().items():
        out += [f"    reg [31:0] row_{row};", "    always @(posedge clk) begin"]
        words = [
            f"({{32{{column[{register.address // 4 % ROW_WORDS + word}]}}}} & {value})"
            for register in registers
            for word, value in enumerate(_values(register))
        ]
        out += [f"        if (!row[{row}]) row_{row} <= 32'd0;", "        else if (sample)"]
        out += [*_wrapped(f"            row_{row} <= ", words, " |", ";"), "    end"]
        parts.append(f"row_{row}")
    for register in found.registers:
        if register.window:
            name, inside = f"read_{register.name.lower()}", f"in_{register.name.lower()}"
            out += [f"    reg [31:0] {name};", "    always @(posedge clk) begin"]
            out += [f"        if (!{inside}) {name} <= 32'd0;"]
            out += [f"        else if (sample) {name} <= {register.name.lower()}_word;", "    end"]
            parts.append(name)
    return "\n".join([*out, *_wrapped("    assign value = ", parts, " |", ";")])


def _values(register: Register) -> list[str]:
    """What a read of each word of ``register`` gives; nothing where all of it is 0."""
    if register.bits == WORD_BITS:
        return [_value_name(register)] if any(f.kind.readable for f in register.fields) else []
    name, held = register.port(register.fields[0]), f"{register.name.lower()}_held"
    pad = register.bits - register.fields[0].width
    return [f"{name}[{WORD_BITS - 1}:0]", f"{{{pad}'d0, {held}}}" if pad else held]


def _wrapped(head: str, items: list[str], glue: str, tail: str) -> list[str]:
    """One statement, on more lines if it does not fit one."""
    line = f"{head}{f'{glue} '.join(items)}{tail}"
    if len(line) <= LINE:
        return [line]
    indent = head[: len(head) - len(head.lstrip())]
    out = [head.rstrip()]
    for index, item in enumerate(items):
        end = tail if index == len(items) - 1 else glue
        if len(out) > 1 and len(out[-1]) + len(item) + len(end) < LINE:
            out[-1] += f" {item}{end}"
        else:
            out.append(f"{indent}    {item}{end}")
    return out
