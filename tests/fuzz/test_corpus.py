"""The corpus of the fuzzing, and a few random injuries of it, without the fuzzer."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from pathlib import Path

import pytest

from npuscope.encode.bulk import damage
from tests.fuzz.__main__ import CORPUS
from tests.fuzz.readers import READERS, mended, read

ENTRIES = sorted(CORPUS.glob("*/*"))


def test_every_reader_has_a_corpus() -> None:
    assert {entry.parent.name for entry in ENTRIES} == set(READERS)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.parent.name}/{entry.name}")
def test_reader_stands_the_entry_and_injuries_of_it(entry: Path, tmp_path: Path) -> None:
    data = entry.read_bytes()
    read(entry.parent.name, data, tmp_path / "input")
    for seed in range(6):
        hurt = damage(data, random.Random(seed).randrange(1, 5), seed)
        read(entry.parent.name, hurt, tmp_path / "input")


def test_mended_records_are_a_whole_dump() -> None:
    data = (CORPUS / "records" / "short.bin").read_bytes()
    assert mended(data) == data
