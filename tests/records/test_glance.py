"""Full frames that are looked at while they are read decode like all others; and a short soak."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from pathlib import Path

import pytest

from npuscope.encode.bulk import Bulk, damage
from npuscope.records import feed, framing
from tests.records.dumps import DAMAGES
from tests.records.soak import soak
from tests.records.test_decode import reading


def hurt(seed: int) -> bytes:
    rng = random.Random(seed)
    data = bytearray(Bulk(1 << 18, sources=1 + seed % 4, layers=1 + seed % 32, fronts=seed % 2 > 0, seed=seed).data())
    if seed % 3 == 1:
        return damage(bytes(data), 4, seed)
    if seed % 3 == 2:
        rng.choice(DAMAGES)(rng, data)
    return bytes(data)


@pytest.mark.parametrize("seed", range(15))
def test_a_look_changes_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dump.npt"
    path.write_bytes(hurt(seed))
    looks = []
    look = framing.Framing._look

    def watched(self: framing.Framing) -> object:
        looks.append(look(self))
        return looks[-1]

    monkeypatch.setattr(feed, "PIECE", 3 * 8192)
    for name in ("SEGMENT_BYTES", "AHEAD_BYTES"):
        monkeypatch.setattr(framing, name, 1 << 15)
    monkeypatch.setattr(framing.Framing, "_look", watched)
    found = reading(path, 1 << 16)
    assert any(one is not None for one in looks)
    monkeypatch.setattr(
        framing.Framing, "_look", lambda self: self._feed.need(framing.FRAME_BYTES + framing.GROUP_BYTES)
    )
    assert reading(path, 1 << 16) == found


def test_a_short_soak(tmp_path: Path) -> None:
    told = soak(60, 3, tmp_path)
    assert told["decoded"] > 40
    assert {way.__name__ for way in DAMAGES} <= told.keys()
