"""Frames that stand where they do not belong: copies, frames in another order, the rest of an older capture.

Nothing safe is out of its place: what is decoded with quality 0 or 1 is a part of the true stream in its true order.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from npuscope.layout import MAGIC_BYTES, RECORD_BYTES
from tests.records.dumps import cells, dump, rows, run

SEEDS = 5
MOVED = 64
"""Records that the decoder may move back to bring a stream into order (``max_disorder_ns``)."""


def frames(data: bytes) -> list[bytes]:
    at = [i for i in range(0, len(data), RECORD_BYTES) if data[i : i + 8] == MAGIC_BYTES]
    return [data[a:b] for a, b in zip(at, [*at[1:], len(data)], strict=True)]


def out_of_place(found: list[bytes], true: list[bytes]) -> int:
    """Records of ``found`` that cannot be taken from ``true`` in its order."""
    places: dict[bytes, list[int]] = defaultdict(list)
    for number, record in enumerate(true):
        places[record].append(number)
    last, wrong = -1, 0
    for record in found:
        behind = [place for place in places[record] if place > last - MOVED]
        wrong += not behind
        last = max(last, behind[0]) if behind else last
    return wrong


def spliced(kind: str, rng: random.Random) -> tuple[bytes, bytes]:
    """A dump, and it with frames in wrong places; the frames of another one are older."""
    one, two = (dump(rng.randrange(10**6), events=rng.choice((1500, 3000)), end=rng.random() < 0.7) for _ in range(2))
    ours, older = sorted((one, two), key=lambda data: int.from_bytes(data[16:24], "little"), reverse=True)
    own, other = frames(ours), frames(older)[1:]
    at, first = rng.randrange(1, len(own) + 1), rng.randrange(len(other))
    count = rng.randrange(1, len(other) - first + 1)
    piece = other[first : first + count]
    if kind.endswith("again"):
        first = rng.randrange(1, len(own))
        piece = own[first : first + count]
    if kind == "swapped":
        out, first, at = list(own), rng.randrange(1, len(own)), min(at, len(own) - 1)
        out[at], out[first] = out[first], out[at]
    elif kind.startswith("inserted"):
        out = own[:at] + piece + own[at:]
    elif kind == "instead":
        out = own[:at] + piece + own[at + count :]
    else:
        out = (own if kind == "behind" else own[:at]) + piece
    return ours, b"".join(out)


@pytest.mark.parametrize("kind", ["inserted", "instead", "tail", "behind", "inserted again", "tail again", "swapped"])
def test_nothing_safe_is_out_of_place(kind: str, tmp_path: Path) -> None:
    told = 0
    for seed in range(SEEDS):
        true, data = spliced(kind, random.Random(f"{kind} {seed}"))
        path = tmp_path / "x.npt"
        path.write_bytes(data)
        batches, ledger = run(path)
        assert out_of_place(rows(batches, 1), cells(true)) == 0, seed
        assert bool(ledger.conflicts or ledger.bad or ledger.possible or ledger.missing) or data in true, seed
        told += ledger.conflict_count > 0
    assert told or kind in ("swapped", "tail again")


def test_older_frames_behind_end_are_left_out_and_told(tmp_path: Path) -> None:
    older, ours = sorted((dump(1, loss=False), dump(2, loss=False)), key=lambda data: data[16:24][::-1])
    path = tmp_path / "x.npt"
    path.write_bytes(ours)
    whole, before = run(path)
    path.write_bytes(ours + b"".join(frames(older)[2:]))
    batches, ledger = run(path)
    assert rows(batches, 1) == rows(whole)
    assert "older than what came before them and are left out" in ledger.conflicts[0]
    assert ledger.behind_end == len(path.read_bytes()) - before.total
    path.write_bytes(ours + older)  # a whole capture is another run
    ledger = run(path)[1]
    assert (ledger.runs, ledger.conflict_count, ledger.behind_end) == (2, 0, 0)
    assert ledger.notes == ["a run begins before the one in front of it ended: more than one capture"]


def test_decoding_goes_on_where_the_true_stream_does(tmp_path: Path) -> None:
    """Frames 2 and 3 once more in the middle: all but they are read."""
    ours = dump(3, events=4000, loss=False)
    own = frames(ours)
    path = tmp_path / "x.npt"
    path.write_bytes(b"".join(own[:6] + own[2:4] + own[6:]))
    batches, ledger = run(path)
    assert len(rows(batches, 1)) > 0.85 * len(cells(ours))
    assert ledger.end_seen
