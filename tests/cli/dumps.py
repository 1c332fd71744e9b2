"""Dumps for the tests of the command line: five buffers in a chain, stage ``conv3`` slow, in 40 rounds of 10 us."""

from __future__ import annotations

from npuscope.description import Buffer, Description
from npuscope.encode import Entry, SourceConfig, Writer, payload
from npuscope.layout import BpSub, Kind
from npuscope.source import header_page

__all__ = ["ROUNDS", "ROUND_NS", "START", "SUB", "dump", "graph", "toml"]

START = 1_764_475_200_000_000_000
ROUNDS, ROUND_NS = 40, 10_000
LAYERS = 5
STAGES = ("load", "conv1", "conv2", "conv3", "conv4", "store")
SUB = ((1_000, 2), (1_500, 1), (2_000, 0))
"""When in a round each layer fills up; they empty in the same order, 5 us later."""


def graph() -> Description:
    """The chain load -> conv1 -> conv2 -> conv3 -> conv4 -> store."""
    buffers = tuple(Buffer(i, 0, i, f"q{i}", STAGES[i], (STAGES[i + 1],)) for i in range(LAYERS))
    return Description(buffers, title="five buffers")


def toml() -> str:
    """The same as a file for ``--graph``."""
    head = 'title = "five buffers"\n'
    return head + "".join(
        f'[[buffer]]\nid = {b.id}\nsrc = 0\nlayer = {b.layer}\nname = "{b.name}"\n'
        f'producer = "{b.producer}"\nconsumer = "{b.consumer}"\n'
        for b in graph().buffers
    )


def events(first: int = 0, last: int = ROUNDS) -> list[tuple[int, int, int, int]]:
    """(ts, layer, sub, occ) of some rounds."""
    found = []
    for number in range(first, last):
        begin = START + 1_000 + number * ROUND_NS
        for after, layer in SUB:
            found.append((begin + after, layer, BpSub.ENTER, 57))
            found.append((begin + after + 300, layer, BpSub.LEVEL, 61))
            found.append((begin + after + 5_000, layer, BpSub.EXIT, 40))
    return sorted(found)


def dump(
    *,
    header: bool = False,
    hashed: bool = False,
    lose: tuple[int, int] | None = None,
    end: bool = True,
    frame_records: int = 64,
) -> bytes:
    """The dump; lose: records [a, b) are dropped in hardware and told by LOSS; end: CNTs and END are there.

    header: with a header page that holds the graph. hashed: the stream tells the hash of the graph.
    """
    page = header_page(graph().to_json().encode()) if header else b""
    source = SourceConfig(layers=(1 << LAYERS) - 1, dry_mask=(1 << LAYERS) - 1)
    writer = Writer(
        [source],
        start_ts=START,
        desc_hash=graph().hash if hashed or header else 0,
        frame_records=frame_records,
        header=page,
    )
    for layer in range(LAYERS):
        writer.bp(START + 100 + layer, 0, BpSub.KNOWN, layer=layer, occ=10)
    for layer in (3, 4):
        writer.bp(START + 500 + layer, 0, BpSub.DRY, layer=layer, occ=0)
    lost = []
    for index, (ts, layer, sub, occ) in enumerate(events()):
        peak = 61 if sub == BpSub.EXIT else occ
        word = payload(Kind.BP, sub, layer=layer, occ=occ, bp_en=0, peak=peak, dwell=19 if sub == BpSub.EXIT else 1)
        entry = Entry(ts, 0, Kind.BP, sub, word)
        if lose is not None and lose[0] <= index < lose[1]:
            lost.append(entry)
        elif lost:
            writer.drop(0, lost, marked=entry)
            lost = []
        else:
            writer.offer(entry)
    writer.mark(START + ROUNDS * ROUND_NS + 1_500, 7)
    if end:
        writer.flush(START + ROUNDS * ROUND_NS + 2_000)
    return writer.data()
