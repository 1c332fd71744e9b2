"""The definition, what is generated from it, and the CRCs on the Python side."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope import layout, specgen
from npuscope.crc import crc8, crc8_records, crc32
from npuscope.gf2 import Crc32Matrices, apply, crc8_masks, inverse, levels_of, product

ROOT = Path(__file__).resolve().parents[2]
SPEC, _ = specgen.load(ROOT)


def test_generated_files_are_current() -> None:
    for path, text in specgen.outputs(ROOT).items():
        assert path.read_text() == text, f"{path} differs from rtl/spec: make gen"


def test_check_names_the_stale_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "nps_trace.vh"
    stale.write_text("old")
    monkeypatch.setattr(specgen, "outputs", lambda _: {stale: "new"})
    assert specgen.main(["--check"]) == 1
    assert "nps_trace.vh" in capsys.readouterr().err
    assert stale.read_text() == "old"
    assert specgen.main([]) == 0
    assert stale.read_text() == "new"


def test_overlapping_or_wide_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        specgen.check_fields("x", [{"name": "a", "lsb": 0, "width": 5}, {"name": "b", "lsb": 4, "width": 2}], 32)
    with pytest.raises(ValueError, match="exceeds"):
        specgen.check_fields("x", [{"name": "a", "lsb": 30, "width": 3}], 32)


def test_record_fields_fill_the_record() -> None:
    used = 0
    for field in layout.RECORD_FIELDS.values():
        mask = ((1 << field.width) - 1) << field.lsb
        assert not used & mask
        used |= mask
    assert used == (1 << 128) - 1
    assert layout.RECORD.itemsize == layout.RECORD_BYTES


@pytest.mark.parametrize("key", sorted(layout.PAYLOAD, key=str))
def test_payload_fields_round_trip(key: tuple[layout.Kind, int | None]) -> None:
    word = 0
    for index, field in enumerate(layout.PAYLOAD[key]):
        word |= field.put((index * 0x55555555 + 1) & ((1 << (field.width - field.signed)) - 1))
    for index, field in enumerate(layout.PAYLOAD[key]):
        assert field.get(word) == (index * 0x55555555 + 1) & ((1 << (field.width - field.signed)) - 1)


def test_field_refuses_what_does_not_fit() -> None:
    occ = next(f for f in layout.PAYLOAD[layout.Kind.BP, None] if f.name == "occ")
    with pytest.raises(ValueError, match="occ=64 does not fit 6 bits"):
        occ.put(64)
    jitter = layout.PAYLOAD[layout.Kind.JITTER, None][0]
    assert jitter.get(jitter.put(-(2**31) + 1)) == -(2**31) + 1


def test_blank_memory_is_never_a_record() -> None:
    assert crc8(bytes(16)) == 0x90 != 0
    assert crc8(b"\xff" * 16) == 0x92 != 0xFF


@given(st.binary(min_size=16, max_size=16), st.sets(st.integers(0, 127), min_size=1, max_size=3))
def test_crc8_finds_three_flipped_bits(record: bytes, bits: set[int]) -> None:
    bits -= {63}
    whole = bytearray(record)
    whole[11] = crc8(record)
    for bit in bits:
        whole[bit // 8] ^= 1 << bit % 8
    assert (crc8(bytes(whole)) == whole[11]) == (not bits)


@given(st.binary(min_size=16, max_size=160).filter(lambda b: len(b) % 16 == 0))
def test_crc_matrices_equal_the_plain_crcs(data: bytes) -> None:
    matrices = Crc32Matrices.of(SPEC["crc32"]["poly"], 128)
    rows, constant = crc8_masks(layout.CRC8_POLY, layout.CRC8_INIT, list(layout.CRC8_BYTE_ORDER), 1 << 63)
    state = matrices.init
    records = np.frombuffer(data, np.uint8).reshape(-1, 16)
    for record, expected in zip(records, crc8_records(records), strict=True):
        word = int.from_bytes(record.tobytes(), "little")
        state = apply(matrices.next, state) ^ apply(matrices.word, word)
        assert apply(rows, word) ^ constant == crc8(record.tobytes()) == expected
    assert apply(matrices.value, state) ^ 0xFFFFFFFF == zlib.crc32(data) == crc32(data)


def test_levels_of_shared_gates_make_the_matrix() -> None:
    matrices = Crc32Matrices.of(SPEC["crc32"]["poly"], 128)
    for rows, inputs in ((matrices.word, 128), (matrices.value, 32), ([0b111, 0b1, 0b111], 3)):
        levels = levels_of(rows, inputs)
        made = [1 << j for j in range(inputs)]
        for level in levels:
            made = product(level, made, inputs)
        assert made == rows
        assert max(row.bit_count() for level in levels for row in level) <= 4
    gates = sum(row.bit_count() > 1 for level in levels_of(matrices.word, 128) for row in level)
    assert gates < 0.5 * sum((row.bit_count() + 1) // 3 for row in matrices.word)  # each row by itself


def test_crc32_feedback_is_one_level_of_logic() -> None:
    assert max(row.bit_count() for row in Crc32Matrices.of(SPEC["crc32"]["poly"], 128).next) == 2


def test_inverse_of_a_singular_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="singular"):
        inverse([1, 1])
    rows = [0b11, 0b10]
    assert product(rows, inverse(rows), 2) == [1, 2]


def test_published_vectors_are_those_of_the_format_page() -> None:
    rows = re.findall(r"\| ([0-9a-f]{32}) \| (0x\w\w) \| (0x\w{8}) \|", (ROOT / "traces/FORMAT.md").read_text())
    assert len(rows) >= 4
    for text, expected8, expected32 in rows:
        data = bytes.fromhex(text)
        assert (crc8(data), zlib.crc32(data)) == (int(expected8, 16), int(expected32, 16))
