"""VCD: what the file says, whoever wrote it and however it is cut; the scan and the token reader agree."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
import re
import struct
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from vcdvcd import VCDVCD

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.vcd import VcdReader, reader
from npuscope.importers.vcd.body import Body
from npuscope.importers.vcd.scan import ROOM
from npuscope.importers.waveform import Signal

HEAD = """$timescale 1ns $end
$scope module tb $end
$var wire 1 ! clk $end
$var wire 8 " layer_id [7:0] $end
$var wire 1 # backpressure_en $end
$upscope $end
$enddefinitions $end
"""
BODY = '#0\n0!\nb0 "\n0#\n#5\n1!\n#10\n0!\nb11 "\n1#\n#15\n1!\n#20\n0!\n0#\n'
CLK = [(0, "0"), (5, "1"), (10, "0"), (15, "1"), (20, "0")]
LAYER = [(0, "0"), (10, "11")]
BP_EN = [(0, "0"), (10, "1"), (20, "0")]


class Memory:
    """Bytes in memory, given in steps."""

    def __init__(self, data: bytes, step: int = 1 << 20) -> None:
        self.names, self.data, self.step = ["dump.vcd"], data, step
        self.notes: list[str] = []
        self.cut: str | None = None

    def fill(self, buffer: memoryview) -> int:
        part = self.data[: min(self.step, len(buffer))]
        buffer[: len(part)] = part
        self.data = self.data[len(part) :]
        return len(part)


def text(signal: Signal) -> list[tuple[int, str]]:
    """(time, bits without leading zeros) of each change; x and z as in the file, all bits then."""
    rows = []
    for time, value, unknown in zip(signal.time.tolist(), signal.value.tolist(), signal.unknown.tolist(), strict=True):
        a, b = (sum(word << 64 * i for i, word in enumerate(words)) for words in (value, unknown))
        bits = "".join("01xz"[(a >> bit & 1) | (b >> bit & 1) << 1] for bit in reversed(range(signal.variable.width)))
        rows.append((time, bits if b else bits.lstrip("0") or "0"))
    return rows


def read(data: str | bytes, *, scan: bool = True, step: int = 1 << 20, **options: bool) -> VcdReader:
    return VcdReader(Memory(data.encode() if isinstance(data, str) else data, step), scan=scan, **options)


def both(data: str | bytes, **options: bool) -> tuple[dict[str, list[tuple[int, str]]], VcdReader]:
    """All signals, the same by scan and by tokens."""
    vcd, plain = read(data, **options), read(data, scan=False, **options)
    found, expected = vcd.signals(), plain.signals()
    assert {name: text(s) for name, s in found.items()} == {name: text(s) for name, s in expected.items()}
    assert vcd.cut == plain.cut
    mine, other = vars(vcd.body), vars(plain.body)
    assert mine == other
    return {name.removeprefix("tb."): text(s) for name, s in found.items()}, vcd


BASE = {"clk": CLK, "layer_id": LAYER, "backpressure_en": BP_EN}


@pytest.mark.parametrize(
    "data",
    [
        HEAD + BODY,
        (HEAD + BODY).replace("\n", "\r\n"),
        (HEAD + BODY).replace("\n", " "),
        "\ufeff" + HEAD + BODY,
        "$date\n 0 today \xb5 $end $version b0 ! 1! #7 $end\n" + HEAD + BODY,
        HEAD.replace(" [7:0]", "[7:0]") + BODY,
        HEAD.replace("$upscope $end\n", "") + BODY,
        HEAD + '#0 0! b0 " 0#\n#5 1!\n#10 0! b11 " 1#\n#15 1!\n#20 0! 0#\n',
        HEAD + BODY.replace("#10\n", '$comment #7 1! b1111 " still $end\n#10\n$comment\n#11\n1#\n$end\n'),
        HEAD + BODY.replace("#0\n", "#0\n$dumpvars\n").replace("#5\n", "$end\n#5.0\n"),
        HEAD + BODY + "\n\n",
        HEAD + BODY[:-1],
    ],
)
def test_the_same_reading_in_many_dresses(data: str) -> None:
    found, vcd = both(data)
    assert found == BASE
    assert vcd.header.unit_ps == 1000
    assert not vcd.body.undeclared
    assert not vcd.body.unknown
    assert vcd.cut is None


@pytest.mark.parametrize(
    ("unit", "ps"), [("10 ps", 10), ("6666ps", 6666), ("1\n\tus", 10**6), ("100 fs", Fraction(1, 10))]
)
def test_odd_timescales_are_exact(unit: str, ps: Fraction) -> None:
    assert read(HEAD.replace("1ns", unit) + BODY).header.unit_ps == ps


@pytest.mark.parametrize("line", ["", "$timescale 0ns $end\n", "$timescale 1 parsec $end\n"])
def test_without_timescale_the_unit_is_unknown(line: str) -> None:
    assert read(line + HEAD.split("\n", 1)[1] + BODY).header.unit_ps is None


def test_values_are_extended_as_the_standard_says() -> None:
    body = '#0\nX!\nbX "\nZ#\n#5\n1!\nB1Z "\n0#\n#10\n0!\nbx01 "\n#15\n1!\nb1 "\n#20\nbZ "\n#25\nb0101010101 "\n'
    found, _ = both(HEAD + body)
    assert found["clk"] == [(0, "x"), (5, "1"), (10, "0"), (15, "1")]
    assert found["layer_id"] == [
        (0, "xxxxxxxx"),
        (5, "0000001z"),
        (10, "xxxxxx01"),
        (15, "1"),
        (20, "zzzzzzzz"),
        (25, "1010101"),
    ]
    assert found["backpressure_en"] == [(0, "z"), (5, "0")]


def test_vhdl_values_reals_and_wide_vectors() -> None:
    head = HEAD.replace("$upscope", "$var real 64 $ volts $end\n$var reg 130 %% bus [129:0] $end\n$upscope")
    body = f"#0\nU!\nr1.5 $\nb1{'0' * 129} %%\nbz %%\n#1\nH!\nr-2e3 $\nb1{'x' * 70} %%\n#2\nL!\nrnan $\nr?? $\n"
    found, vcd = both(head + body)
    assert found["clk"] == [(0, "x"), (1, "1"), (2, "0")]
    assert found["bus"] == [(0, "z" * 130), (1, "0" * 59 + "1" + "x" * 70)]
    assert vcd.body.unknown == {"value that cannot be read": 1}
    volts = read(head + body).signals(["tb.volts"])["tb.volts"].reals()
    assert volts[:2].tolist() == [1.5, -2000.0]
    assert struct.pack("<d", volts[2]) == struct.pack("<d", float("nan"))


def test_names_scopes_and_shared_ids() -> None:
    head = """$timescale 1ns $end $scope module tb $end $var wire 1 ! clk $end
$scope module u $end $var wire 1 ! clk_i $end $var wire 8 " d [7:0] $end $var wire 4 " d_lo [3:0] $end $upscope $end
$scope module u $end $var wire 1 # clk_i $end $var wire 1 & \\a b[3] $end $var wire 1 ' q [2] $end $upscope $end
$upscope $end $enddefinitions $end
"""
    found, vcd = both(head + "#0\n0!\nb10101010 \"\n1#\n0&\n1'\n#5\n1!\n0#\n")
    assert found == {
        "clk": [(0, "0"), (5, "1")],
        "u.clk_i": [(0, "0"), (5, "1")],
        "u.d": [(0, "10101010")],
        "u.d_lo": [(0, "1010")],
        "u.clk_i#2": [(0, "1"), (5, "0")],
        "u.a b[3]": [(0, "0")],
        "u.q[2]": [(0, "1")],
    }
    assert (vcd.variables["tb.u.d"].msb, vcd.variables["tb.u.q[2]"].lsb) == (7, 2)


def test_last_value_of_a_time_or_every_one() -> None:
    data = HEAD + '#0\n0!\n#5\n1!\nb1 "\n#5\n0!\nb10 "\n#5\n1!\n#10\n0!\n'
    assert both(data)[0]["clk"] == [(0, "0"), (5, "1"), (10, "0")]
    every = read(data).signals(["tb.clk"], glitches=True)["tb.clk"]
    assert text(every) == [(0, "0"), (5, "1"), (5, "0"), (5, "1"), (10, "0")]


def test_dumpoff_is_a_gap() -> None:
    data = (
        HEAD
        + '#0\n0!\n#8\n$dumpoff\nx!\nbx "\nx#\n$end\n#20\n$dumpon\n0!\nb11 "\n1#\n$end\n#25\n1!\n#30\n$dumpoff\n$end\n'
    )
    found, vcd = both(data)
    assert found["clk"] == [(0, "0"), (8, "x"), (20, "0"), (25, "1")]
    assert vcd.body.gaps == [(8, 20), (30, None)]


def test_strange_ids_and_words_are_counted() -> None:
    found, vcd = both(HEAD + BODY + "#30\n1%\n1%\n1long%%id\n1!\n?huh\n$unknown x y $end\n")
    assert found["clk"] == [*CLK, (30, "1")]
    assert vcd.body.undeclared == {"%": 2, "long%%id": 1}
    assert vcd.body.unknown == {"word that is no change": 1, "$unknown": 1}


def test_a_blank_between_value_and_id_is_noted() -> None:
    found, vcd = both(HEAD + BODY.replace("!", " !").replace("#\n", " #\n"))
    assert found == BASE
    assert vcd.body.notes == ["blank between a value and its id"]


def test_times_up_to_64_bits() -> None:
    found, _ = both(HEAD + "#0\n0!\n#9223372036854775807\n1!\n#18446744073709551615\n0!\n")
    assert [time for time, _ in found["clk"]] == [0, 2**63 - 1, 2**64 - 1]


@pytest.mark.parametrize("scan", [True, False])
@pytest.mark.parametrize(
    ("data", "what", "at"),
    [
        ("", "ends without a variable", 0),
        (HEAD[:70], "the header is cut", 70),
        (HEAD + "#18446744073709551616\n", "time over 64 bits", len(HEAD)),
        (HEAD + "#5\n1!\n#4\n0!\n", "time goes back", len(HEAD) + 6),
        (HEAD + "#5\n1!\n#x\n", "a time that cannot be read", len(HEAD) + 6),
        (HEAD.replace("wire 8", "wire 0"), "a $var that cannot be read", 65),
        (HEAD.replace("wire 1 !", "port 1 <0"), "extended VCD", 42),
        (HEAD + "#0\n1!\nb" + "1" * 100, None, 0),
    ],
)
def test_what_is_wrong_is_named_with_its_byte(scan: bool, data: str, what: str | None, at: int) -> None:
    if what is None:
        vcd = read(data, scan=scan)
        vcd.signals()
        assert vcd.cut is not None
        assert vcd.cut[0] == len(HEAD) + 6
        return
    with pytest.raises(NpuscopeError, match=what.replace("$", r"\$")) as caught:
        read(data, scan=scan).signals()
    assert caught.value.offset == at
    assert caught.value.exit_code in (Exit.USAGE, Exit.NOT_RECOGNISED)


def test_backwards_on_request_begins_another_simulation() -> None:
    found, vcd = both(HEAD + '#5\n1!\nb1 "\n#4\n0!\n#9\n1!\n#1\n#2\n0!\n', allow_backwards=True)
    assert vcd.body.restarts == [(6, 7, 4), (13, 14, 1)]  # behind the one before it, a count in between
    assert found["clk"] == [(5, "1"), (6, "x"), (7, "0"), (12, "1"), (13, "x"), (15, "0")]
    assert found["layer_id"] == [(5, "1"), (6, "x" * 8), (13, "x" * 8)]
    assert (vcd.facts().first, vcd.facts().last) == (5, 15)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(NpuscopeError, match=r"no such signal: found tb\.x"):
        read(HEAD + BODY).signals(["tb.x"])


# ---------------------------------------------------------------- random files
WIDTHS = [1, 1, 4, 8, 33, 64, 70]
IDS = ["!", '"', "ab", "a", "~~~", "toolong", "#"]


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Mostly regular lines over all ids, with some of what real files have between."""
    lines, time = ["#0"], 0
    for _ in range(draw(st.integers(0, 40))):
        which = draw(st.integers(0, len(IDS) - 1))
        match draw(st.integers(0, 11)):
            case 0 | 1:
                time += draw(st.sampled_from([0, 1, 7, 10**6, 10**18]))
                lines.append(f"#{time}")
            case 2 if draw(st.booleans()):
                lines.append(
                    draw(st.sampled_from(["$comment 1! $end", "", " 1!", "1! 0!", "1?", "$dumpvars", "$end", "#"]))
                )
                if lines[-1] == "#":
                    lines[-1] = f"#{time}.0"
            case _ if WIDTHS[which] == 1:
                lines.append(draw(st.sampled_from("01xXzZuLhH-")) + IDS[which])
            case _:
                bits = draw(st.text("01xXzZ", min_size=1, max_size=WIDTHS[which] + 2))
                lines.append(draw(st.sampled_from("bB")) + bits + " " + IDS[which])
    return draw(st.sampled_from(["\n", "\n", "\n", "\r\n"])).join([*lines, ""])


RANDOM_HEAD = "$timescale 1ps $end\n$scope module tb $end\n"
RANDOM_HEAD += "".join(f"$var wire {w} {i} s{n} $end\n" for n, (w, i) in enumerate(zip(WIDTHS, IDS, strict=True)))
RANDOM_HEAD += "$upscope $end\n$enddefinitions $end\n"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=bodies(), piece=st.sampled_from([16, 40, 200, 1 << 16]), step=st.sampled_from([5, 64, 1 << 16]))
def test_scan_and_tokens_agree_however_the_file_is_cut(
    monkeypatch: pytest.MonkeyPatch, body: str, piece: int, step: int
) -> None:
    monkeypatch.setattr(reader, "PIECE_BYTES", piece)
    whole = read(RANDOM_HEAD + body, scan=False)
    expected = {name: text(s) for name, s in whole.signals(glitches=True).items()}
    cut = read(RANDOM_HEAD + body, step=step)
    assert {name: text(s) for name, s in cut.signals(glitches=True).items()} == expected
    assert vars(cut.body) == vars(whole.body)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.randoms(use_true_random=False))
def test_vcdvcd_reads_plain_files_alike(tmp_path: Path, seed: random.Random) -> None:
    """Where vcdvcd is right: lower case, one item a line, values of full width."""
    lines, time = [], 0
    for _ in range(seed.randint(1, 60)):
        time += seed.randint(1, 9)
        lines.append(f"#{time}")
        for width, code in zip(WIDTHS, IDS, strict=True):
            if seed.random() < 0.4:
                bits = "".join(seed.choice("01xz") for _ in range(width))
                lines.append(bits + code if width == 1 else f"b{bits} {code}")
    path = tmp_path / "plain.vcd"
    path.write_text(RANDOM_HEAD + "\n".join(lines) + "\n")
    other = VCDVCD(str(path), store_tvs=True)
    for name, signal in read(path.read_bytes()).signals().items():
        theirs = [(time, bits if set(bits) - set("01") else bits.lstrip("0") or "0") for time, bits in other[name].tv]
        assert text(signal) == theirs


MANY_IDS = ["!", "a!", "0!", "#", "#a", "$", "$1", "1", "11", "b1", "x", "zz", "01", "r5"]
MANY_WIDTHS = (1, 1, 8, 1, 8, 8, 1, 1, 8, 8, 1, 70, 1, 1)
MANY = "$timescale 1ps $end\n"
MANY += "".join(f"$var wire {w} {i} m{n} $end\n" for n, (w, i) in enumerate(zip(MANY_WIDTHS, MANY_IDS, strict=True)))
MANY += "$enddefinitions $end\n"
ODD = "$comment 1! $end\n"


@st.composite
def many_bodies(draw: st.DrawFn) -> str:
    """Bodies whose ids are made to be mistaken for each other, for times, commands and values; few odd lines."""
    lines, time = [], 0
    odd = draw(st.sampled_from([0, 0, 0, 4]))
    for _ in range(draw(st.integers(1, 60))):
        if draw(st.integers(0, 3)) == 0:
            time += draw(st.integers(0, 12))
            lines.append(f"#{time}")
        which = draw(st.integers(0, len(MANY_IDS) - 1))
        width, code = MANY_WIDTHS[which], MANY_IDS[which]
        if width == 1:
            lines.append(draw(st.sampled_from("0101xXzZ")) + code)
        else:
            bits = draw(st.text("0101xz", min_size=1, max_size=width))
            lines.append(draw(st.sampled_from("bbbB")) + bits + " " + code)
        if odd and draw(st.integers(0, 9)) < odd:
            lines.append(draw(st.sampled_from([
                ODD[:-1], "1! 0#", "1 !", "1\n!", "b101\n#a", "$dumpoff\n$end\n$dumpon $end", "", " 1!",
                f"0! #{time + 1}", "b1 #a #0" if not time else "b1 #a", "1!\r", "1!\t0$1", "u!", "xzz", "1nope", "$end",
            ])))  # fmt: skip
    return "\n".join([*lines, ""])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    body=many_bodies(),
    piece=st.sampled_from([16, 60, 300, 1 << 16]),
    wanted=st.lists(st.sampled_from(range(len(MANY_IDS))), min_size=1, max_size=6, unique=True),
    back=st.booleans(),
)
# a vector wider than the piece; an id that looks like a time; a value of VHDL; a scalar x that fills a vector
@example(body="#0\n0!\n" * 10 + "0!\nb000000 0!\nb0 zz\n#0\n0!\n#0\n0!\n0!\n", piece=60, wanted=[11], back=False)
@example(body=f"#0\n0!\n{ODD}" * 5 + "#0\n0!\n0!\nb101\n#a\n", piece=60, wanted=[0], back=False)
@example(body=f"#0\n0!\n{ODD}" * 2 + "0!\nu!\n", piece=60, wanted=[0], back=False)
@example(body=f"#0\n0!\n{ODD}" * 6 + "#0\n0!\nxzz\n#0\n0!\n", piece=60, wanted=[11], back=False)
def test_a_few_signals_are_what_the_tokens_give(
    monkeypatch: pytest.MonkeyPatch, body: str, piece: int, wanted: list[int], back: bool
) -> None:
    monkeypatch.setattr(reader, "PIECE_BYTES", piece)
    names, body = [f"m{number}" for number in wanted], body + body * back
    whole = read(MANY + body, scan=False, allow_backwards=back)
    found = read(MANY + body, allow_backwards=back)
    try:
        expected = {name: text(signal) for name, signal in whole.signals(names, glitches=True).items()}
    except NpuscopeError as error:
        with pytest.raises(NpuscopeError, match=re.escape(error.what)):
            found.signals(names)
        return
    assert {name: text(signal) for name, signal in found.signals(names, glitches=True).items()} == expected
    assert (vars(found.body), found.cut) == (vars(whole.body), whole.cut)


@pytest.mark.parametrize("names", [["m0", "m4"], None])
def test_a_plain_file_needs_no_tokens(monkeypatch: pytest.MonkeyPatch, names: list[str] | None) -> None:
    lines = "".join(f"#{100 * i}\n{i % 2}!\nb{i % 256:b} #a\nb1 0!\n1$1\nxzz\n" for i in range(5000))
    looked, tokens = [], Body.tokens
    monkeypatch.setattr(Body, "tokens", lambda *args: looked.append(args[3]) or tokens(*args))
    found = read(MANY + lines).signals(names)
    assert looked == [ROOM]  # the end of the header's last line
    assert text(found["m0"])[:3] == [(0, "0"), (100, "1"), (200, "0")]
    assert text(found["m4"])[-1] == (499900, f"{4999 % 256:b}")


def test_many_signals_of_three_characters() -> None:
    names = [f"{a}{b}" for a in "!a~" for b in ("", "!", "0", "zz", "b1")]
    head = "".join(f"$var wire {n % 3 * 40 + 1} {code} s{n} $end\n" for n, code in enumerate(names))
    lines = [f"{n % 2}{code}" if n % 3 == 0 else f"b1{n:b} {code}" for n, code in enumerate(names)]
    found = read("$timescale 1ns $end\n" + head + "$enddefinitions $end\n#0\n" + "\n".join([*lines, ""])).signals()
    for n in range(len(names)):
        assert text(found[f"s{n}"]) == [(0, str(n % 2) if n % 3 == 0 else f"1{n:b}")]
