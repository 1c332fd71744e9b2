"""AMD AIE2 (Ryzen AI NPU, Versal) event trace, event-time mode: which slot of which tile was on from when to when.

A dump is a buffer of 32-bit words (``words``). Eight words are a packet: a header (packet id, unit type, row, column,
odd parity) and 28 payload bytes, highest first. Packets of several tiles interleave and commands cross packet borders,
so the payloads are joined per tile before they are decoded.

A *frame* is one cycle with its slots on; ``idle`` cycles with nothing on lie before it. A command says idle and slots;
repeats say it again. A span that is on at the last frame of a tile is open: the dump does not say when it ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from npuscope.errors import Exit, NpuscopeError
from npuscope.importers.aie.commands import Commands
from npuscope.importers.aie.tile import Tile, Unit
from npuscope.importers.aie.words import note, parse_words
from npuscope.sniff import aie_headers

__all__ = ["AieTrace", "read_aie"]


PACKET_WORDS: Final = 8
PAYLOAD_BYTES: Final = 4 * (PACKET_WORDS - 1)


@dataclass(eq=False)
class AieTrace:
    """tiles: in order of appearance. words: in the dump; full: no free word behind the data, so it may have ended here.

    bad_headers, empty: words at which a header is wrong, or an empty packet lies inside the data. last_packet: words of
    the last packet.
    """

    tiles: list[Tile]
    words: int
    full: bool
    bad_headers: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    last_packet: int = 0
    notes: list[str] = field(default_factory=list)


# ---------------------------------------------------------------- packets
def read_aie(data: bytes, file: str) -> AieTrace:
    """Decode a whole buffer; raises NpuscopeError if nothing in it is a trace packet, or for execution mode."""
    words, notes = parse_words(data, file)
    used = np.flatnonzero(words)
    end = int(used[-1]) + 1 if len(used) else 0
    # a packet may end in zeros; what is in the file of the last one counts
    count = -(-end // PACKET_WORDS)
    packets = np.zeros((count, PACKET_WORDS), np.uint32)
    whole = words[: count * PACKET_WORDS]
    packets.reshape(-1)[: len(whole)] = whole
    trace = AieTrace([], len(words), full=end == len(words) and len(words) % PACKET_WORDS == 0, notes=notes)
    blank = ~packets.any(axis=1)
    for packet in np.flatnonzero(blank).tolist():
        at = packet * PACKET_WORDS
        trace.empty.append(at)
        note(notes, f"words {at}-{at + PACKET_WORDS - 1}: empty packet inside the data")
    header = packets[:, 0]
    good = aie_headers(header) & ~blank
    rest = len(whole) - (count - 1) * PACKET_WORDS
    bad = np.flatnonzero(~good & ~blank)
    for packet in bad.tolist():
        at = packet * PACKET_WORDS
        trace.bad_headers.append(at)
        left = (rest if packet == count - 1 else PACKET_WORDS) - 1
        note(notes, f"word {at}: header {header[packet]:08x} {_wrong(header[packet])}, {left} payload words left out")
    if not good.any():
        raise NpuscopeError(
            "no AIE trace packet in it", file=file, found=notes[0] if notes else None, exit_code=Exit.NOT_RECOGNISED
        )
    payload = packets[:, 1:].astype(">u4").view(np.uint8)
    key = header >> np.uint32(12) & np.uint32(0xFFF7)  # type 2:0, row 8:4, column 15:9
    _, first = np.unique(key[good], return_index=True)
    for each in key[good][np.sort(first)].tolist():
        mine = np.flatnonzero(good & (key == each))
        tile = Tile(Unit(each & 7), each >> 4 & 31, each >> 9)
        stream = payload[mine].reshape(-1)
        if rest < PACKET_WORDS and mine[-1] == count - 1:
            stream = stream[: len(stream) - 4 * (PACKET_WORDS - rest)]
            tile.cut, trace.last_packet = True, rest
            note(notes, f"last packet ({tile.name}) has {rest} of {PACKET_WORDS} words")
        # a packet dropped between two of this tile may have been one of them
        Commands(tile, np.unique(np.searchsorted(mine, bad) * PAYLOAD_BYTES).tolist(), file).run(stream)
        trace.tiles.append(tile)
    return trace


def _wrong(header: int) -> str:
    if int(header).bit_count() % 2 == 0:
        return "has even parity"
    return "has bits set that are always 0, or an unknown unit type"
