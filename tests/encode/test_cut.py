"""A cut dump decodes clean, says what the whole says in its window, and a repaired one never says more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import npuscope
from npuscope.cli import run
from npuscope.encode.bulk import Bulk, damage
from npuscope.episodes import Lane
from npuscope.errors import Exit
from npuscope.intervals import clip, intersect, subtract, total, union
from npuscope.ledger import Cause
from tests.views.test_events import dump as events_dump

GOOD = "traces/simulated/transformer_block.npt"
LOSSY = "traces/simulated/transformer_block_lossy.npt"
Captured = pytest.CaptureFixture[str]


def cut(source: str, target: Path, *options: str) -> npuscope.Capture:
    assert run(["cut", source, "-o", str(target), "-q", "--force", *options]) == Exit.OK
    found = npuscope.open(target)
    ledger = found.ledger
    assert not ledger.conflict_count, ledger.conflicts[:3]
    assert (ledger.bad, ledger.blank, ledger.tail, ledger.end_seen) == (0, 0, 0, True)
    assert {window.cause for window in ledger.windows} <= {Cause.FIFO_FULL, Cause.OTHER_LOSS}
    return found


def says_no_more(part: Lane, whole: Lane, span: tuple[int, int]) -> int:
    """Fails if ``part`` is certain of what ``whole`` is not; returns the ns that only ``whole`` knows."""
    inside = [clip(lane, *span) for lane in (part.true, part.unknown, whole.true, whole.unknown)]
    true, unknown, whole_true, whole_unknown = inside
    assert not total(subtract(true, whole_true)), "hot only in the part"
    assert not total(subtract(whole_true, union(true, unknown))), "cool only in the part"
    assert not total(subtract(whole_unknown, unknown)), "known only in the part"
    return total(unknown) - total(intersect(unknown, whole_unknown))


@pytest.mark.parametrize("source", [GOOD, LOSSY])
def test_every_window_says_what_the_whole_says(source: str, tmp_path: Path) -> None:
    whole = npuscope.open(source)
    start, length = whole.timeline.start_ns, whole.timeline.end_ns - whole.timeline.start_ns
    seed = random.Random(source)
    for _ in range(6):
        low = seed.randrange(length - 1000)
        high = seed.randrange(low + 1000, length)
        part = cut(source, tmp_path / "part.npt", "--window", f"{low}ns..{high}ns")
        span = (start + low, start + high)
        assert (part.timeline.start_ns, part.timeline.end_ns) == span
        assert part.timeline.description == whole.timeline.description
        for one, other in zip(
            part.timeline.hot + part.timeline.dry, whole.timeline.hot + whole.timeline.dry, strict=True
        ):
            assert says_no_more(one, other, span) <= (0 if source == GOOD else length)
        lost = sum(window.count or 0 for window in part.ledger.windows)
        assert lost <= sum(window.count or 0 for window in whole.ledger.windows)
        assert source == LOSSY or not lost


def test_the_whole_is_the_same_again(tmp_path: Path) -> None:
    whole, part = npuscope.open(GOOD), cut(GOOD, tmp_path / "part.npt")
    assert part.episodes.tolist() == whole.episodes.tolist()
    assert part.stalls().to_json() == whole.stalls().to_json()
    again = cut(str(tmp_path / "part.npt"), tmp_path / "again.npt")
    assert again.stalls().to_json() == whole.stalls().to_json()
    assert (tmp_path / "again.npt").read_bytes() == (tmp_path / "part.npt").read_bytes()


def test_other_sources_are_kept(tmp_path: Path) -> None:
    (tmp_path / "run.npt").write_bytes(events_dump())
    whole, part = npuscope.open(tmp_path / "run.npt"), cut(str(tmp_path / "run.npt"), tmp_path / "part.npt")
    for name in ("jitter", "ras", "tokens", "interrupts"):
        one, other = getattr(part, name), getattr(whole, name)
        names = [n for n in one.dtype.names if n not in ("at", "broken", "epoch")]
        assert all((one[n] == other[n]).all() for n in names)
        assert len(one) > 0


@pytest.mark.parametrize("source", [GOOD, LOSSY])
def test_a_damaged_dump_is_repaired(source: str, tmp_path: Path) -> None:
    data, seed = bytearray(Path(source).read_bytes()), random.Random(source)
    for _ in range(4):
        at = seed.randrange(9000, len(data) - 4000)
        if seed.random() < 0.5:
            del data[at : at + seed.randrange(1, 3000)]
        else:
            data[at : at + 1500] = seed.randbytes(1500)
    hurt = tmp_path / "hurt.npt"
    hurt.write_bytes(data)
    assert run(["cut", str(hurt), "-o", str(tmp_path / "no.npt"), "-q"]) == Exit.USAGE
    assert not (tmp_path / "no.npt").exists()
    part, whole = cut(str(hurt), tmp_path / "part.npt", "--repair"), npuscope.open(source)
    span = (part.timeline.start_ns, min(part.timeline.end_ns, whole.timeline.end_ns))
    for one, other in zip(part.timeline.hot, whole.timeline.hot, strict=True):
        true, unknown = clip(one.true, *span), clip(one.unknown, *span)
        sure = clip(other.true, *span)
        assert not total(subtract(subtract(true, sure), other.unknown)), "hot only in the repaired one"
        assert not total(subtract(subtract(sure, true), unknown)), "cool only in the repaired one"
    assert any(window.cause is Cause.OTHER_LOSS for window in part.ledger.windows)


def test_many_sources_and_many_injuries(tmp_path: Path) -> None:
    for seed in range(6):
        data = b"".join(Bulk(150_000, sources=3, layers=5, seed=seed, fronts=seed % 2 == 0))
        (tmp_path / "whole.npt").write_bytes(data)
        (tmp_path / "hurt.npt").write_bytes(damage(data, 8, seed))
        whole = npuscope.open(tmp_path / "whole.npt")
        part = cut(str(tmp_path / "hurt.npt"), tmp_path / "part.npt", "--repair", "--window", "20us..150us")
        span = whole.timeline.start_ns + 20_000, whole.timeline.start_ns + 150_000
        both = zip(part.timeline.hot, whole.timeline.hot, strict=True)
        known = sum(says_no_more(one, other, span) for one, other in both)
        assert known < 15 * 130_000, "something is known"
