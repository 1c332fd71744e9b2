"""Write everything that follows from ``rtl/spec``: headers, ``layout.py``, tables of ``FORMAT.md``, registers.

``python -m npuscope.specgen`` writes, ``--check`` only compares and exits 1 on any difference.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from npuscope import registers, synthesis
from npuscope.errors import NpuscopeError, leave
from npuscope.gf2 import Crc32Matrices, crc8_masks, levels_of

Spec = dict[str, Any]

GENERATED = "Generated from {source} by `make gen`: do not edit."


def load(root: Path) -> tuple[Spec, list[Spec]]:
    """The two definitions under ``root``: trace spec and list of thresholds."""
    trace = tomllib.loads((root / "rtl/spec/trace.toml").read_text())
    book = tomllib.loads((root / "rtl/spec/thresholds.toml").read_text())
    return trace, book["threshold"]


def magic(spec: Spec) -> int:
    """The SYNC-A ``ts`` as an unsigned little-endian word."""
    return int.from_bytes(bytes.fromhex(spec["format"]["magic"]), "little")


def subs(spec: Spec, kind: Spec) -> dict[str, int]:
    """Name to code of the subs of ``kind``."""
    if "sub_set" in kind:
        return {k: v for k, v in spec["codes"][kind["sub_set"]].items() if k != "doc"}
    if "sub_codes" in kind:
        return dict(kind["sub_codes"])
    return {name: code for code, name in enumerate(kind.get("sub", []))}


def layouts(spec: Spec, kind: Spec) -> dict[str | None, list[Spec]]:
    """Payload fields by sub name; ``None`` holds those of every other sub."""
    out: dict[str | None, list[Spec]] = {}
    if "payload" in kind:
        out[None] = kind["payload"]
    out.update(kind.get("payload_by_sub", {}))
    for name, fields in out.items():
        if name is not None and name not in subs(spec, kind):
            raise ValueError(f"trace.toml: {kind['name']}: payload for unknown sub {name}")
        check_fields(f"{kind['name']} {name or ''}", fields, 32)
    return out


def check_fields(where: str, fields: list[Spec], width: int) -> None:
    """Refuse fields that overlap or do not fit."""
    used = 0
    for field in fields:
        mask = ((1 << field["width"]) - 1) << field["lsb"]
        if mask >> width or used & mask:
            raise ValueError(f"trace.toml: {where}: field {field['name']} overlaps or exceeds {width} bits")
        used |= mask


# ---------------------------------------------------------------- Verilog


def _xor_macro(name: str, arg: str, rows: list[int], width: int, invert: int = 0) -> str:
    """A macro: one XOR of masked bits per output bit, msb first."""
    terms = [f"    ^(({arg}) & {width}'h{row:0{(width + 3) // 4}X})" for row in reversed(rows)]
    tail = f" ^ {len(rows)}'h{invert:X}" if invert else ""
    return f"`define {name}({arg}) ({{ \\\n" + ", \\\n".join(terms) + f"}}{tail})\n"


def _xor_levels(name: str, arg: str, levels: list[list[int]], invert: int = 0) -> list[str]:
    """Macros ``name``_1, _2 .. and their widths: levels of shared gates. arg: a name. invert: of the last."""
    out = []
    for number, rows in enumerate(levels, 1):
        terms = [" ^ ".join(f"{arg}[{j}]" for j in range(row.bit_length()) if row >> j & 1) for row in reversed(rows)]
        tail = f" ^ {len(rows)}'h{invert:X}" if invert and number == len(levels) else ""
        out.append(f"`define {name}_{number}_W {len(rows)}")
        out.append(f"`define {name}_{number}({arg}) ({{ \\\n    " + ", \\\n    ".join(terms) + f"}}{tail})\n")
    return out


def verilog(spec: Spec) -> str:
    """``nps_trace.vh``: codes, field positions and CRC functions as macros."""
    out = ["// " + GENERATED.format(source="rtl/spec/trace.toml"), "`ifndef NPS_TRACE_VH", "`define NPS_TRACE_VH", ""]

    def define(name: str, value: str) -> None:
        out.append(f"`define NPS_{name} {value}")

    define("MAGIC", f"64'h{magic(spec):016X}")
    define("VERSION", f"32'h{spec['format']['major']:04X}{spec['format']['minor']:04X}")
    define("FRAME_RECORDS", str(spec["frame"]["records"]))
    define("GROUP_RECORDS", str(spec["frame"]["group_records"]))
    define("FRAME_AGE_NS", str(spec["frame"]["age_ns"]))
    define("HEARTBEAT_NS", str(spec["frame"]["heartbeat_ns"]))
    out += ["", "// record: lsb and width of each field"]
    for field in spec["record"]:
        define(f"REC_{field['name'].upper()}_LSB", str(field["lsb"]))
        define(f"REC_{field['name'].upper()}_W", str(field["width"]))
    out += ["", "// sources"]
    for name in ("monitor", "token", "ras", "jitter", "mark", "framer"):
        define(f"SRC_{name.upper()}", f"6'd{spec['sources'][name]}")
    widths = {"tq": 2, "loss_cause": 3, "cnt": 4, "cfg": 4, "state": 4, "ras_class": 5, "severity": 2}
    for group, codes in spec["codes"].items():
        out += ["", f"// {codes['doc']}"]
        for name, code in codes.items():
            if name != "doc":
                define(f"{group.upper()}_{name}", f"{widths[group]}'d{code}")
    out += ["", "// kinds, subs and payload fields"]
    for kind in spec["kind"]:
        define(f"K_{kind['name']}", f"4'd{kind['code']}")
        if "sub_set" not in kind:
            for name, code in subs(spec, kind).items():
                define(f"{kind['name']}_{name}", f"4'd{code}")
        for field in kind.get("sub_fields", []):
            define(f"{kind['name']}_SUB_{field['name'].upper()}_LSB", str(field["lsb"]))
            define(f"{kind['name']}_SUB_{field['name'].upper()}_W", str(field["width"]))
        for sub, fields in layouts(spec, kind).items():
            prefix = kind["name"] + (f"_{sub}" if sub else "")
            for field in fields:
                if field["width"] < 32:
                    define(f"{prefix}_{field['name'].upper()}_LSB", str(field["lsb"]))
                    define(f"{prefix}_{field['name'].upper()}_W", str(field["width"]))
    crc8 = spec["crc8"]
    rows, constant = crc8_masks(crc8["poly"], crc8["init"], crc8["byte_order"], ignore=1 << 63)
    crc32 = Crc32Matrices.of(spec["crc32"]["poly"], 128)
    out += ["", "// CRC-8 of a 128-bit record (bit 63 and the crc8 field itself do not count)"]
    out.append(_xor_macro("NPS_CRC8", "d", rows, 128, constant))
    out.append("// the same without its constant, NPS_CRC8(0), as levels of shared gates")
    out += _xor_levels("NPS_CRC8", "d", levels_of(rows, 128))
    out.append(
        "// CRC-32 of 128-bit words. The state is a linear transform of the CRC in which one step needs few terms:\n"
        "// start: s = NPS_CRC32_INIT; each word: s = NPS_CRC32_NEXT(s) ^ WORD(d); value: VALUE(s). WORD and VALUE\n"
        "// come as levels of shared gates, each of at most 4 terms: WORD(d) = NPS_CRC32_WORD_5(.. NPS_CRC32_WORD_1(d))"
    )
    out.append(f"`define NPS_CRC32_INIT 32'h{crc32.init:08X}")
    out += _xor_levels("NPS_CRC32_WORD", "d", levels_of(crc32.word, 128))
    out.append(_xor_macro("NPS_CRC32_NEXT", "s", crc32.next, 32))
    out += _xor_levels("NPS_CRC32_VALUE", "s", levels_of(crc32.value, 32), 0xFFFFFFFF)
    out += ["`endif", ""]
    return "\n".join(out)


def verilog_thresholds(book: list[Spec]) -> str:
    """``nps_thresholds.vh``: default and legal range of each threshold."""
    out = ["// " + GENERATED.format(source="rtl/spec/thresholds.toml"), "`ifndef NPS_THRESHOLDS_VH"]
    out += ["`define NPS_THRESHOLDS_VH", ""]
    for entry in book:
        out.append(f"// {entry['figure']}, {entry['unit']}: {entry['ruling']}")
        for suffix, key in (("", "value"), ("_MIN", "min"), ("_MAX", "max")):
            bits = max(32, entry["max"].bit_length())
            literal = f"{bits}'h{entry[key]:0{-(-bits // 4)}X}" if entry["max"] > 0x7FFFFFFF else str(entry[key])
            out.append(f"`define NPS_{entry['id']}{suffix} {literal}")
        out.append("")
    return "\n".join([*out, "`endif", ""])


# ---------------------------------------------------------------- Python


def _enum(name: str, doc: str, codes: dict[str, int]) -> list[str]:
    return ["", "", f"class {name}(IntEnum):", f'    """{doc[0].upper()}{doc[1:]}."""', ""] + [
        f"    {key} = {code}" for key, code in codes.items()
    ]


def _field(field: Spec) -> str:
    parts = [f'"{field["name"]}"', str(field["lsb"]), str(field["width"])]
    parts += [str(field.get("signed", False)), f'"{field.get("unit", "")}"', f'"{field["doc"]}"']
    return f"Field({', '.join(parts)})"


def python(spec: Spec, book: list[Spec]) -> str:
    """``layout.py``: enums, dtype, payload fields and thresholds."""
    out = [
        f'"""{GENERATED.format(source="rtl/spec/trace.toml and thresholds.toml")}"""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        "from enum import IntEnum",
        "from typing import TYPE_CHECKING, Any, Final",
        "",
        "if TYPE_CHECKING:",
        "    import numpy as np",
        "",
        "    RECORD: np.dtype[np.void]",
        '    """One record; ``kindsub`` = kind | sub << 4, ``srctq`` = src | tq << 6."""',
        "",
        f'FORMAT_NAME: Final = "{spec["format"]["name"]}"',
        f"FORMAT_MAJOR: Final = {spec['format']['major']}",
        f"FORMAT_MINOR: Final = {spec['format']['minor']}",
        f"RECORD_BYTES: Final = {spec['format']['record_bytes']}",
        f"MAGIC: Final = 0x{magic(spec):016X}",
        f'MAGIC_BYTES: Final = bytes.fromhex("{spec["format"]["magic"]}")',
        f"FRAME_RECORDS: Final = {spec['frame']['records']}",
        f"GROUP_RECORDS: Final = {spec['frame']['group_records']}",
        f"FRAME_AGE_NS: Final = {spec['frame']['age_ns']}",
        f"HEARTBEAT_NS: Final = {spec['frame']['heartbeat_ns']}",
        f"CRC8_POLY: Final = 0x{spec['crc8']['poly']:02X}",
        f"CRC8_INIT: Final = 0x{spec['crc8']['init']:02X}",
        f"CRC8_BYTE_ORDER: Final = {tuple(spec['crc8']['byte_order'])}",
        f"SRC_BP_FIRST: Final = {spec['sources']['bp_first']}",
        *(
            f"SRC_{name.upper()}: Final = {spec['sources'][name]}"
            for name in ("monitor", "token", "ras", "jitter", "mark", "framer")
        ),
        f"MAX_LAYERS: Final = {spec['sources']['max_layers']}",
    ]
    kinds = {kind["name"]: kind["code"] for kind in spec["kind"]}
    out += _enum("Kind", "record kind", kinds)
    names = {"tq": "TimeQuality", "loss_cause": "LossCause", "cnt": "Cnt", "cfg": "Cfg", "state": "State"}
    names |= {"ras_class": "RasClass", "severity": "Severity"}
    for group, codes in spec["codes"].items():
        out += _enum(names[group], codes["doc"], {k: v for k, v in codes.items() if k != "doc"})
    for kind in spec["kind"]:
        if "sub_set" not in kind and subs(spec, kind):
            out += _enum(f"{kind['name'].capitalize()}Sub", f"subs of {kind['name']}", subs(spec, kind))
    out += [
        "",
        "",
        "@dataclass(frozen=True)",
        "class Field:",
        '    """Bits ``lsb .. lsb+width-1`` of a record, payload or sub."""',
        "",
        "    name: str",
        "    lsb: int",
        "    width: int",
        "    signed: bool",
        "    unit: str",
        "    doc: str",
        "",
        "    def get(self, word: int) -> int:",
        '        """The value of this field in ``word``."""',
        "        value = (word >> self.lsb) & ((1 << self.width) - 1)",
        "        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value",
        "",
        "    def put(self, value: int) -> int:",
        '        """``value`` at its place in a word; raises ValueError when it does not fit."""',
        "        low = -(1 << (self.width - 1)) if self.signed else 0",
        "        if not low <= value < (1 << (self.width - self.signed)):",
        '            raise ValueError(f"{self.name}={value} does not fit {self.width} bits")',
        "        return (value & ((1 << self.width) - 1)) << self.lsb",
        "",
        "",
        "def __getattr__(name: str) -> Any:",
        '    """RECORD, made when first asked for: a bench has no use for numpy and starts sooner without it."""',
        '    if name != "RECORD":',
        '        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")',
        "    import numpy",
        "",
        '    single = [(name, "u1") for name in ("kindsub", "srctq", "seq", "crc8")]',
        '    globals()["RECORD"] = numpy.dtype([("ts", "<u8"), *single, ("payload", "<u4")])',
        '    return globals()["RECORD"]',
        "",
        "",
        "RECORD_FIELDS: Final[dict[str, Field]] = {",
    ]
    out += [f'    "{field["name"]}": {_field(field)},' for field in spec["record"]] + ["}", ""]
    out += ["PAYLOAD: Final[dict[tuple[Kind, int | None], tuple[Field, ...]]] = {"]
    for kind in spec["kind"]:
        for sub, fields in layouts(spec, kind).items():
            code = subs(spec, kind)[sub] if sub else None
            out.append(f"    (Kind.{kind['name']}, {code}): (")
            out += [f"        {_field(field)}," for field in fields] + ["    ),"]
    out += ["}", '"""Payload fields by (kind, sub); sub None: of every sub without a row of its own."""', ""]
    out += ["SUB_FIELDS: Final[dict[Kind, tuple[Field, ...]]] = {"]
    for kind in spec["kind"]:
        if "sub_fields" in kind:
            out.append(f"    Kind.{kind['name']}: (")
            out += [f"        {_field(field)}," for field in kind["sub_fields"]] + ["    ),"]
    out += ["}", ""]
    for owner in spec["owned"]:
        for what, enum in (("cfg", "Cfg"), ("cnt", "Cnt")):
            items = "".join(f"{enum}.{name}, " for name in spec["owned"][owner][what])
            out.append(f"OWNED_{what.upper()}_{owner.upper()}: Final[tuple[{enum}, ...]] = ({items.strip()})")
    out += [
        "",
        "",
        "@dataclass(frozen=True)",
        "class Threshold:",
        '    """Default and legal range of one entry of the threshold book."""',
        "",
        "    value: int",
        "    min: int",
        "    max: int",
        "    unit: str",
        "    figure: str",
        "",
        "",
        "THRESHOLDS: Final[dict[str, Threshold]] = {",
    ]
    for e in book:
        out.append(f'    "{e["id"]}": Threshold({e["value"]}, {e["min"]}, {e["max"]}, "{e["unit"]}", "{e["figure"]}"),')
    return "\n".join([*out, "}", ""])


# ---------------------------------------------------------------- docs


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _describe(fields: list[Spec]) -> str:
    return " · ".join(
        f"{f['name']} {'i' if f.get('signed') else ''}{f['width']}" + (f" ({f['unit']})" if f.get("unit") else "")
        for f in fields
    )


def doc_tables(spec: Spec, book: list[Spec]) -> dict[str, str]:
    """Markdown tables by the name of their place in ``FORMAT.md``."""
    from npuscope.crc import crc8, crc32

    kinds = []
    for kind in spec["kind"]:
        names = ", ".join(f"{code} {name}" for name, code in subs(spec, kind).items())
        names = names or _describe(kind.get("sub_fields", [])) or "-"
        fields = "; ".join((f"{sub}: " if sub else "") + _describe(f) for sub, f in layouts(spec, kind).items())
        kinds.append([str(kind["code"]), kind["name"], kind["doc"].replace("|", "\\|"), names, fields or "-"])
    codes = [
        [group, entries["doc"], ", ".join(f"{code} {name}" for name, code in entries.items() if name != "doc")]
        for group, entries in spec["codes"].items()
    ]
    record = [[f["name"], f"{f['lsb'] + f['width'] - 1}:{f['lsb']}", f["doc"]] for f in spec["record"]]
    limits = [
        [e["id"], e["figure"], f"{e['operator']} {e['value']}", f"{e['min']}..{e['max']}", e["unit"], e["ruling"]]
        for e in book
    ]
    start = bytearray(bytes.fromhex(spec["format"]["magic"]) + bytes([0x0F, spec["sources"]["framer"]]) + bytes(6))
    start[11] = crc8(bytes(start))  # the first record of a stream
    samples = [bytes(16), b"\xff" * 16, bytes(range(16)), bytes(start)]
    vectors = [[s.hex(), f"0x{crc8(s):02X}", f"0x{crc32(s):08X}"] for s in samples]
    return {
        "record": _table(["field", "bits", "meaning"], record),
        "codes": _table(["set", "meaning", "codes"], codes),
        "kinds": _table(["code", "kind", "meaning", "sub", "payload, least significant first"], kinds),
        "thresholds": _table(["id", "figure", "default", "legal", "unit", "ruling"], limits),
        "crc": _table(["16 bytes in memory order", "CRC-8", "CRC-32"], vectors),
    }


def fill(text: str, tables: dict[str, str]) -> str:
    """``text`` with each ``<!-- gen NAME -->`` .. ``<!-- end -->`` block replaced by its table."""
    for name, table in tables.items():
        head, found, rest = text.partition(f"<!-- gen {name} -->\n")
        if not found or "<!-- end -->" not in rest:
            raise ValueError(f"FORMAT.md: no block for the generated table '{name}'")
        text = head + found + table + "\n<!-- end -->" + rest.partition("<!-- end -->")[2]
    return text


def outputs(root: Path) -> dict[Path, str]:
    """Every generated file under ``root`` with the text it must have."""
    spec, book = load(root)
    document = root / "traces/FORMAT.md"
    headers = {"nps_trace.vh": verilog(spec), "nps_thresholds.vh": verilog_thresholds(book)}
    return {
        **{root / "rtl/gen" / name: text for name, text in headers.items()},
        **registers.outputs(root, headers),
        **synthesis.outputs(root),
        root / "tools/npuscope/layout.py": python(spec, book),
        document: fill(document.read_text(), doc_tables(spec, book)),
    }


def main(argv: list[str]) -> int:
    """Write the generated files, or with ``--check`` name those that differ and return 1."""
    stale = 0
    try:
        found = outputs(Path(__file__).resolve().parents[2])
    except NpuscopeError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)
    for path, text in found.items():
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if "--check" in argv:
            print(f"{path}: differs from rtl/spec; run `make gen`", file=sys.stderr)
        else:
            path.write_text(text)
    return 1 if stale and "--check" in argv else 0


if __name__ == "__main__":
    leave(lambda: main(sys.argv[1:]))
