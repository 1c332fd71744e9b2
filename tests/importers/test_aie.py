"""AIE2 event traces: frames to spans, exactly; packets of one tile never leak into another."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.aie import AieTrace, Mode, Tile, Unit, commands, read_aie
from npuscope.importers.aie.commands import SYNC_CYCLES
from tests.importers.aie_oracle import Oracle

CORE = (0, 2, 1)


def header(unit: int, row: int, column: int, number: int = 1) -> int:
    word = number | unit << 12 | row << 16 | column << 21
    return word | (word.bit_count() % 2 == 0) << 31


def packets(*streams: tuple[tuple[int, int, int], bytes], filler: int = 0xFE) -> list[int]:
    """The packets of several tiles, one of each in turn."""
    words: list[int] = []
    parts = [
        (key, [data[i : i + 28].ljust(28, bytes([filler])) for i in range(0, len(data), 28)]) for key, data in streams
    ]
    for turn in range(max(len(part) for _, part in parts)):
        for key, part in parts:
            if turn < len(part):
                words.append(header(*key))
                words += [int.from_bytes(part[turn][i : i + 4], "big") for i in range(0, 28, 4)]
    return words


def text(words: list[int]) -> bytes:
    return "".join(f"{word:08x}\n" for word in words).encode()


def start(timer: int, mode: int = 0, again: bool = False) -> bytes:
    return bytes([0xF0 | again << 2 | mode]) + timer.to_bytes(7, "big")


def decode(data: bytes) -> Tile:
    (tile,) = read_aie(text(packets((CORE, data))), "dump").tiles
    return tile


def spans(tile: Tile) -> list[tuple[int, int, int | None]]:
    return [(slot, low, None if is_open else high) for slot, low, high, is_open in tile.relative().tolist()]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (b"\x29\x30", [(2, 10, 11), (3, 11, None)]),  # Single0 idle 9, then no idle
        (b"\x84\x64\x40", [(1, 101, 102), (4, 102, None)]),  # Single1
        (b"\xa5\x00\x01\x70", [(1, 65538, 65539), (7, 65539, None)]),  # Single2
        (b"\xc0\xa4\x70", [(1, 5, 6), (3, 5, 6), (7, 6, None)]),  # Multiple0
        (b"\xd0\x0c\x14\x70", [(0, 21, 22), (1, 21, 22), (7, 22, None)]),  # Multiple1
        (b"\xd4\x0d\x00\x00\x70", [(0, 65537, 65538), (1, 65537, 65538), (7, 65538, None)]),  # Multiple2
        (b"\x40\xe3\x50", [(4, 1, 5), (5, 5, None)]),  # Repeat0 after idle 0: the state goes on
        (b"\x29\xe2\x70", [(2, 10, 11), (2, 20, 21), (2, 30, 31), (7, 31, None)]),  # after idle: the pair again
        (b"\x40\xd8\x14\x50", [(4, 1, 22), (5, 22, None)]),  # Repeat1
        (b"\x40\xff\x40\xdc\x00\x00\x00", [(4, 1, 2), (4, 2 + SYNC_CYCLES, None)]),  # Event_Sync, Pad
    ],
)
def test_each_command(told: bytes, expected: list[tuple[int, int, int | None]]) -> None:
    assert spans(decode(start(1000) + told)) == expected


def test_a_second_start_moves_the_axis_and_cuts_what_is_live() -> None:
    tile = decode(start(1000) + b"\x40" + start(5000, again=True) + b"\x05")
    assert tile.starts == [1000, 5000]
    assert sorted(tile.spans.tolist()) == [(0, 5006, 5007, True), (4, 1001, 1002, True)]
    assert tile.segments == [(1000, 1001), (5000, 5006)]


def test_packets_of_several_tiles_and_commands_across_their_borders() -> None:
    one, other = start(7) + b"\x84\x64" * 30, start(9) + b"\x29" * 40
    trace = read_aie(text(packets((CORE, one), ((3, 1, 5), other))), "dump")
    assert [(tile.unit, tile.row, tile.column) for tile in trace.tiles] == [(Unit.CORE, 2, 1), (Unit.MEMTILE, 1, 5)]
    assert [len(tile.spans) for tile in trace.tiles] == [30, 40]
    assert trace.full


def test_a_bad_header_drops_its_own_packet_only() -> None:
    words = packets((CORE, start(0) + b"\x29" * 20), ((2, 0, 1), start(0) + b"\x15" * 20))
    words[8] ^= 1 << 16
    trace = read_aie(text(words), "dump")
    assert [(tile.name, len(tile.spans)) for tile in trace.tiles] == [("core(2,1)", 20)]
    assert trace.bad_headers == [8]
    assert "even parity" in trace.notes[0]


def test_free_words_empty_packets_and_a_cut_end() -> None:
    words = packets((CORE, start(0) + b"\x29" * 20))
    trace = read_aie(text([*words, *[0] * 8, *words[:5], 0, 0, 0]), "dump")
    assert (trace.empty, trace.full, trace.tiles[0].cut) == ([8], False, False)
    trace = read_aie(text([*words, *words[:3]]), "dump")
    assert trace.tiles[0].cut
    assert trace.notes == ["last packet (core(2,1)) has 3 of 8 words"]


@pytest.mark.parametrize(
    "dress",
    [
        lambda words: text(words).upper(),
        lambda words: text(words).replace(b"\n", b"\r\n"),
        lambda words: b"".join(b"\n 0x%08X \n" % word for word in words),
        lambda words: text(words)[:-1],
        lambda words: b"".join(word.to_bytes(4, "little") for word in words),
    ],
)
def test_text_and_raw_in_many_dresses(dress: object) -> None:
    words = packets((CORE, start(0) + b"\x29" * 20))
    expected, found = read_aie(text(words), "dump"), read_aie(dress(words), "dump")  # type: ignore[operator]
    assert found.tiles[0].spans.tolist() == expected.tiles[0].spans.tolist()
    assert (found.words, found.full, found.notes) == (expected.words, expected.full, [])


def test_lines_that_are_no_word_are_named_and_keep_the_others_in_place() -> None:
    words = packets((CORE, start(0) + b"\x29" * 60))
    lines = text(words).splitlines()
    lines[11] = b"oops"
    trace = read_aie(b"\n".join(lines), "dump")
    assert trace.notes == ["line 12 is no word: 'oops'"]
    assert not trace.bad_headers


def test_modes() -> None:
    tile = decode(start(5, mode=1) + b"\x29\x29")
    assert (tile.mode, len(tile.spans)) == (Mode.EVENT_PC, 0)
    assert tile.notes == ["core(2,1): event-PC mode has no times, its events are left out"]
    with pytest.raises(NpuscopeError, match="execution trace is not supported"):
        decode(start(5, mode=2))


@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"hello\nworld\n", b"00000000\n" * 16, b"00000003\n" * 16])
def test_no_trace(data: bytes) -> None:
    with pytest.raises(NpuscopeError) as caught:
        read_aie(data, "dump")
    assert caught.value.exit_code == Exit.NOT_RECOGNISED


# ---------------------------------------------------------------- random
def command(idle: int, mask: int, draw: st.DrawFn) -> bytes:
    """Any of the commands that say (idle, mask)."""
    options = [bytes([0xD4 | mask >> 6, (mask & 63) << 2 | idle >> 16, idle >> 8 & 255, idle & 255])]
    if idle < 1024:
        options.append(bytes([0xD0 | mask >> 6, (mask & 63) << 2 | idle >> 8, idle & 255]))
    if idle < 16:
        options.append(bytes([0xC0 | mask >> 4, (mask & 15) << 4 | idle]))
    if mask.bit_count() == 1:
        slot = mask.bit_length() - 1
        options.append(bytes([0xA0 | slot << 2 | idle >> 16, idle >> 8 & 255, idle & 255]))
        if idle < 1024:
            options.append(bytes([0x80 | slot << 2 | idle >> 8, idle & 255]))
        if idle < 16:
            options.append(bytes([slot << 4 | idle]))
    return draw(st.sampled_from(options))


@st.composite
def stories(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """Commands, and the slots that are on in each cycle after the first."""
    data, cycles = b"", []
    for _ in range(draw(st.integers(1, 12))):
        idle, mask = draw(st.sampled_from([0, 0, 1, 15, 16, 100, 1023, 1024])), draw(st.integers(1, 255))
        data += command(idle, mask, draw)
        count = draw(st.sampled_from([0, 0, 1, 15, 20]))
        if count:
            data += bytes([0xE0 | count]) if count < 16 else bytes([0xD8 | count >> 8, count & 255])
        cycles += ([0] * idle + [mask]) * (1 + count)
        data += draw(st.sampled_from([b"", b"\xfe", b"\xdc\x00\x00\x00"]))
    return data, cycles


@settings(deadline=None)
@given(story=stories())
def test_spans_are_the_runs_of_each_slot(story: tuple[bytes, list[int]]) -> None:
    data, cycles = story
    expected = []
    for slot in range(8):
        on = [mask >> slot & 1 for mask in [0, *cycles, 0]]
        rises = [i for i in range(1, len(on)) if on[i] > on[i - 1]]
        falls = [i for i in range(1, len(on)) if on[i] < on[i - 1]]
        expected += [(slot, a, b if b <= len(cycles) else None) for a, b in zip(rises, falls, strict=True)]
    tile = decode(start(123) + data)
    assert sorted(spans(tile), key=str) == sorted(expected, key=str)
    assert tile.last == 123 + len(cycles)


COMMANDS = st.one_of(
    st.binary(min_size=1, max_size=6),
    st.integers(0, 255).map(lambda byte: bytes([byte])),
    st.sampled_from([b"\xff", b"\xfe", b"\xe3", b"\xd8\x05", b"\x40", b"\x45", b"\xc1\x00", b"\xc1\x05"]),
    st.integers(0, 2**40).map(start),
)


@settings(deadline=None)
@given(parts=st.lists(COMMANDS, max_size=40), block=st.sampled_from([1, 2, 5, 16, 1 << 14]))
def test_commands_in_blocks_are_those_one_by_one(parts: list[bytes], block: int) -> None:
    data = start(77) + b"".join(part for part in parts if part[0] not in (0xF2, 0xF6))
    data = bytes(byte for i, byte in enumerate(data) if i == 0 or byte & 0xF8 != 0xF0 or byte & 3 != 2)
    tile = Tile(Unit.CORE, 2, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "BLOCK_BYTES", block)
        commands.Commands(tile, [], "dump").run(np.frombuffer(data, np.uint8))
    told = Oracle(data).run()
    assert sorted(tile.spans.tolist()) == sorted(told.spans)
    assert (tile.starts, tile.syncs, tile.last, tile.cut) == (told.starts, told.syncs, told.last, told.cut)
    assert (tile.unknown, tile.before_start, tile.mode) == (told.unknown, told.before_start, told.mode)


def test_times_behind_a_dropped_packet_are_doubtful_until_the_next_start() -> None:
    words = packets((CORE, start(100) + b"\x29" * 20 + b"\x29" * 32 + start(5000) + b"\x15" * 20))
    words[8] ^= 1 << 16
    (tile,) = read_aie(text(words), "dump").tiles
    assert tile.doubtful == [(301, 5000)]
    words = packets((CORE, start(100) + b"\x29" * 76))
    words[8] ^= 1 << 16
    assert read_aie(text(words), "dump").tiles[0].doubtful == [(301, None)]


@settings(deadline=None)
@given(data=st.binary(max_size=300))
def test_any_bytes_end(data: bytes) -> None:
    try:
        trace = read_aie(text(packets((CORE, data or b"\0"))), "dump")
    except NpuscopeError:
        return
    assert isinstance(trace, AieTrace)


@settings(deadline=None)
@given(data=st.binary(max_size=400))
def test_any_file_ends(data: bytes) -> None:
    try:
        read_aie(data, "dump")
    except NpuscopeError:
        return
