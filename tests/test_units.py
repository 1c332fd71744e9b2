"""Numbers on the page: no false zero, bounds outward, times exact."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope import units
from npuscope.errors import NpuscopeError


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (840, "840 ns"),
        (1_000, "1.000 us"),
        (12_345, "12.345 us"),
        (1_500_000, "1.500 ms"),
        (9_999_999_999, "10000.000 ms"),
        (10_000_000_000, "10.000 s"),
        (-2_500, "-2.500 us"),
    ],
)
def test_duration(ns: int, text: str) -> None:
    assert units.duration(ns) == text


@pytest.mark.parametrize(
    ("text", "ns"),
    [("0", 0), ("12ns", 12), ("1.5us", 1500), (" .2 ms ", 200_000), ("-3us", -3000), ("2s", 2 * 10**9)],
)
def test_parse_duration(text: str, ns: int) -> None:
    assert units.parse_duration(text) == ns


@pytest.mark.parametrize("text", ["", "us", "1.5", "12", "0.1ns", "3 weeks", "1e3", "nan"])
def test_parse_duration_refuses(text: str) -> None:
    with pytest.raises(NpuscopeError, match=r"not a time|finer than one nanosecond"):
        units.parse_duration(text)


@pytest.mark.parametrize(("text", "ps"), [("10ps", 10), ("1ns", 1000), ("0", 0), ("0.5 us", 500_000), (" 3 ps ", 3)])
def test_parse_picoseconds(text: str, ps: int) -> None:
    assert units.parse_picoseconds(text) == ps


@pytest.mark.parametrize("text", ["1.5ps", "ps", "5psx", "2", "soon"])
def test_parse_picoseconds_refuses(text: str) -> None:
    with pytest.raises(NpuscopeError, match="not a time"):
        units.parse_picoseconds(text)


@given(st.integers(-(2**62), 2**62))
def test_a_printed_duration_reads_back_to_its_own_precision(ns: int) -> None:
    unit = {"ns": 1, "us": 1, "ms": 1_000, "s": 1_000_000}[units.duration(ns).split()[1]]
    assert abs(units.parse_duration(units.duration(ns)) - ns) <= unit // 2


def test_percent_never_shows_a_false_zero_or_hundred() -> None:
    assert units.percent(0, 10**9) == "0.0"
    assert units.percent(1, 10**9) == "<0.1"
    assert units.percent(10**9 - 1, 10**9) == ">99.9"
    assert units.percent(10**9, 10**9) == "100.0"
    assert units.percent(1, 3) == "33.3"
    assert units.percent(0, 0) == "-"


@given(st.data())
def test_bounds_are_rounded_outward(data: st.DataObject) -> None:
    whole = data.draw(st.integers(1, 10**12))
    part = data.draw(st.integers(0, whole))
    exact = Fraction(100 * part, whole)
    low, high = units.lower_percent(part, whole), units.upper_percent(part, whole)
    if low != "<0.1":
        assert Fraction(low) <= exact < Fraction(low) + Fraction(1, 10)
    if high != ">99.9":
        assert Fraction(high) - Fraction(1, 10) < exact <= Fraction(high)
    assert (low == "0.0") == (part == 0)
    assert (high == "100.0") == (part == whole)


def test_range_is_one_number_only_when_the_counts_agree() -> None:
    assert units.percent_range(500, 500, 1000) == "50.0"
    assert units.percent_range(5001, 5002, 10000) == "50.0..50.1"
    assert units.percent_range(0, 1, 10**9) == "0.0..0.1"


def test_absolute_time_is_tai_to_the_nanosecond() -> None:
    assert units.tai(1_000_000_001) == "1970-01-01T00:00:01.000000001 TAI"
    assert units.tai(2**63 - 1) == "2262-04-11T23:47:16.854775807 TAI"


def test_names_cannot_move_the_cursor() -> None:
    assert units.safe("a\x1b[2Jb\nc\u202ed") == "a\\x1b[2Jb\\nc\\u202ed"
    assert units.safe("卷积 conv") == "卷积 conv"


def test_width_counts_terminal_columns() -> None:
    assert units.width("卷积") == 4
    assert units.width("e\u0301") == 1
