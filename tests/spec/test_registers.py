"""The register map: what its generators refuse, and that what they write agrees with it and with the book."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from npuscope import layout, registers, specgen
from npuscope.errors import NpuscopeError
from npuscope.registers import Kind

ROOT = Path(__file__).resolve().parents[2]
SPEC, BOOK = specgen.load(ROOT)
HEADERS = {"nps_trace.vh": specgen.verilog(SPEC), "nps_thresholds.vh": specgen.verilog_thresholds(BOOK)}
MAP = registers.load(ROOT / registers.SOURCE, HEADERS)


def compiled(folder: Path, body: str, head: str = "") -> registers.Map:
    source = folder / "small.rdl"
    source.write_text(f"{head}addrmap small {{ default regwidth = 32; {body} }};")
    return registers.load(source, {})


def test_every_limit_of_a_register_is_of_the_book() -> None:
    """A reset value that is not 0 and no constant stands in the book."""
    book = {entry.value for entry in layout.THRESHOLDS.values()}
    parts = {layout.THRESHOLDS["T_NOMINAL"].value & 0xFFFFFFFF, layout.THRESHOLDS["T_NOMINAL"].value >> 32, 1}
    for register in MAP.registers:
        for field in register.fields:
            if field.kind is Kind.CONFIG:
                assert field.reset in book | parts | {0}, f"{register.name}.{field.name}"


def test_a_changed_book_changes_the_reset_value() -> None:
    headers = {**HEADERS, "nps_thresholds.vh": HEADERS["nps_thresholds.vh"].replace("NPS_TH_ON 56", "NPS_TH_ON 57")}
    found = registers.load(ROOT / registers.SOURCE, headers)
    assert {f.name: f.reset for f in found.find("BP_LIMITS").fields}["th_on"] == 57
    assert "bp_limits_th_on <= 6'd57;" in registers.verilog(found)


def test_words_shared_with_the_stream_have_its_layout() -> None:
    """BP_LIMITS, T_NOMINAL_HI and RAS_COUNTS are the CFG words of the same name, bit by bit."""
    for name in ("BP_LIMITS", "RAS_COUNTS"):
        told = layout.PAYLOAD[layout.Kind.CFG, layout.Cfg[name]]
        assert {(f.name, f.lsb, f.width) for f in told} == {(f.name, f.lsb, f.width) for f in MAP.find(name).fields}
    told = {f.name: f.lsb for f in layout.PAYLOAD[layout.Kind.CFG, layout.Cfg.T_NOMINAL_HI]}
    ours = {f.name: f.lsb for f in MAP.find("T_NOMINAL_HI").fields if f.name != "hi"}
    assert ours.items() <= told.items()


def test_fields_do_not_overlap_and_windows_are_aligned() -> None:
    taken: set[int] = set()
    for register in MAP.registers:
        words = set(range(register.address, register.address + 4 * register.words, 4))
        assert not words & taken
        taken |= words
        assert sum(f.mask for f in register.fields) == (1 << register.bits) - 1 & sum(f.mask for f in register.fields)


def test_the_c_header_compiles_and_says_what_the_map_says(tmp_path: Path) -> None:
    program = ['#include "nps_regs.h"', "#include <stdio.h>", "int main(void) {"]
    expected = []
    for register in MAP.registers:
        program.append(f'printf("%u\\n", NPS_REG_{register.name});')
        expected.append(register.address)
        for field in register.fields:
            if not register.window and field.width <= 32:
                name = f"NPS_{register.name}_{field.name.upper()}"
                program.append(f'printf("%u\\n", {name}_MASK >> {name}_LSB);')
                expected.append((1 << field.width) - 1)
    (tmp_path / "main.c").write_text("\n".join([*program, "return 0; }"]))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'rtl/gen'}"]
    subprocess.run(["gcc", *flags, "-o", tmp_path / "main", tmp_path / "main.c"], check=True)
    out = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout
    assert [int(line) for line in out.split()] == expected


def test_the_table_has_every_register_and_field() -> None:
    text = (ROOT / "rtl/gen/nps_regs.md").read_text()
    for register in MAP.registers:
        assert f"| 0x{register.address:03X}" in text
        assert f"**{register.name}**" in text
    assert text.count("\n| | |") == sum(len(register.fields) for register in MAP.registers)


def test_generation_is_the_same_in_another_process() -> None:
    """No order of a set or dict shows in what is written."""
    code = "import sys; from pathlib import Path; from npuscope import specgen; import hashlib;"
    code += "print(hashlib.sha256(repr(sorted((str(p), t) for p, t in specgen.outputs(Path(sys.argv[1])).items()))"
    code += ".encode()).hexdigest())"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, ROOT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "tools"), "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("reg { field { sw = rw; hw = rw; } a = 0; } A @ 0;", "field small.A.a is of no kind .* found sw rw, hw rw"),
        ("reg { field { sw = r; hw = w; } a; } A[4] @ 0;", "register A is of no kind"),
        ("external reg { field { sw = r; hw = w; } a; } A[3] @ 0;", "windows of a power of two words"),
        ("external reg { field { sw = r; hw = w; } a; } A[4] @ 8;", "0x008 takes 4 words.*aligned to its size"),
        ("reg { field { sw = rw; hw = w; onwrite = woclr; hwset; } a[2] = 0; } A @ 0;", "has 2 bits.*one bit"),
        ("reg { regwidth = 64; field { sw = rw; hw = r; } a[64] = 0; } A @ 0;", "A is wider than a word"),
        ("reg { field { sw = rw; hw = r; } b = 0; field { sw = rw; hw = r; } c = 0; } A @ 0;"
         "reg { field { sw = rw; hw = r; } x = 0; } A_B @ 4;", "a second port a_b"),
    ],
)  # fmt: skip
def test_what_the_generators_do_not_make_is_refused(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(NpuscopeError, match=says):
        compiled(tmp_path, body)


def test_a_view_needs_its_fields_in_both(tmp_path: Path) -> None:
    head = "property view_of { component = reg; type = string; };"
    pair = "reg { field { sw = rw; hw = r; } x = 0; } A @ 0; reg { field { sw = rw; hw = r; } y = 0; } B @ 4;"
    view = 'reg { view_of = "A & B"; field { sw = r; hw = na; } x = 0; } V @ 8;'
    with pytest.raises(NpuscopeError, match="V views a field that B does not have"):
        compiled(tmp_path, pair + view, head)


def test_a_map_that_does_not_compile_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match=r"small\.rdl: the register map does not compile"):
        compiled(tmp_path, "reg { nonsense }")


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "systemrdl", None)
    monkeypatch.setitem(sys.modules, "systemrdl.compiler", None)
    assert specgen.main(["--check"]) == 2
    assert re.search(r"need the SystemRDL compiler: .*pip install 'npuscope\[gen\]'", capsys.readouterr().err)
