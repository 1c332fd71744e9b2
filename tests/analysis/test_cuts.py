"""From the bytes to the answer: the same bytes of JSON however the dump is read and the analysis is cut into parts."""

from __future__ import annotations

import json
import random
from pathlib import Path
from unittest import mock

import pytest

from npuscope.analysis import blame, stalls
from npuscope.encode.bulk import Bulk, damage
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.timeline import ALL_KINDSUBS, BLAME_KINDSUBS, Timeline

SIZE = 1 << 18


def answer(path: Path, block_bytes: int, *, blame_only: bool) -> str:
    with open_source(path) as source:
        decoder = decode(source, keep=BLAME_KINDSUBS if blame_only else ALL_KINDSUBS, block_bytes=block_bytes)
        built = Timeline.build(decoder, decoder.ledger, blame_only=blame_only)
    return json.dumps([stalls(built).to_json(), built.to_json(), decoder.ledger.to_json()])


@pytest.mark.parametrize("blame_only", [True, False])
@pytest.mark.parametrize("hits", [0, 12])
@pytest.mark.parametrize("fronts", [True, False])
def test_no_cut_shows(fronts: bool, hits: int, blame_only: bool, tmp_path: Path) -> None:
    rng = random.Random(f"{fronts} {hits}")
    path = tmp_path / "dump.npt"
    path.write_bytes(damage(Bulk(SIZE, fronts=fronts, layers=5, sources=3).data(), hits))
    whole = answer(path, 2 * SIZE, blame_only=blame_only)
    assert '"rows": [{' in whole
    for _ in range(3):
        cuts = {"_FEW": rng.choice((0, 50, 2000)), "_MANY": rng.choice((64, 1000, 100_000))}
        with mock.patch.multiple(blame, **cuts):
            assert answer(path, rng.randrange(8, SIZE), blame_only=blame_only) == whole, cuts
