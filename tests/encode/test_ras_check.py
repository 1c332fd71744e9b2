"""Recomputing the mapper's decisions: never against a mapper that keeps the rules, wherever one begins to read."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode.ras import RasConfig, RasMapper
from npuscope.encode.ras_check import RasCheck, Verdict
from npuscope.layout import RasClass

A, R, S, EXHAUSTED = RasClass.A, RasClass.R, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED
AGREE, DISAGREE, UNKNOWN = Verdict.AGREE, Verdict.DISAGREE, Verdict.NOT_COMPARABLE
SMALL = RasConfig(10, 20, 30, r_run=3, r_rearm=2, s_count=3, a_budget=2, s_window=20_000, a_holdoff=3)
CONFIGS = (
    SMALL, replace(SMALL, s_window=5000, a_holdoff=1, r_run=1), replace(SMALL, s_window=60_000, a_holdoff=9, r_rearm=4),
    replace(SMALL, a_budget=0, s_count=2, a_limit=11),
)  # fmt: skip
NOTES = (RasClass.RENEG_DONE, RasClass.PHY_CHANGED, RasClass.FLUSHED)


def happenings(rng: random.Random, count: int) -> list[tuple[int, str, object]]:
    """(time, "sample" | "lost" | "note" | "config", what it is), about one every two us."""
    found, now, enabled = [], 0, True
    for _ in range(count):
        now += rng.choice([1, 1000, 3000, 5000])
        draw = rng.random()
        if draw < 0.9:
            jitter = rng.choice([0, 0, 10, 11, -11, 20, 21, 31, -31, (1 << 31) - 1])
            found.append((now, "sample", (jitter, rng.random() < 0.95)))
        elif draw < 0.93:
            found.append((now, "lost", rng.random() < 0.5))
        elif draw < 0.97:
            found.append((now, "note", rng.choice(NOTES)))
        elif draw < 0.985:
            found.append((now, "config", rng.choice(CONFIGS)))
        else:
            enabled = not enabled
            found.append((now, "note", RasClass.ENABLED if enabled else RasClass.DISABLED))
    return found


def follow(seed: int, skip: int, count: int, reset: bool, gap: tuple[int, int] = (0, 0)) -> Counter[Verdict]:
    """Verdicts of a reader who misses the first ``skip`` happenings and those of ``gap``."""
    rng = random.Random(seed)
    mapper, check = RasMapper(SMALL), RasCheck(reset=reset, margin_ns=0)
    mapper.note(RasClass.ENABLED, 0)
    check.note(RasClass.ENABLED, 0)
    seen: Counter[Verdict] = Counter()
    if not skip:
        check.configure(SMALL.words(), 0)
    for at, (now, kind, what) in enumerate(happenings(rng, count)):
        if kind == "sample":
            told = mapper.sample(now, *what)
        elif kind == "lost":
            told = mapper.sync_lost(now, what)
        elif kind == "config":
            mapper.config = what
        else:
            mapper.note(what, now)
        if at == skip and skip:
            check = RasCheck()
            for config in (CONFIGS[2], mapper.config):  # what came before may have had the longest times
                check.configure(config.words(), now - 1)
        if at < skip or gap[0] <= at < gap[1]:
            continue
        if at == gap[1] and gap[1]:
            check.forget(now - 1)
            check.configure(mapper.config.words(), now - 1)
        if kind == "sample":
            seen.update(check.sample(now, *what, told).values())
        elif kind == "lost":
            seen.update(check.sync_lost(now, what, told).values())
        elif kind == "config":
            check.configure(what.words(), now)
        else:
            check.note(what, now)
    return seen


@given(st.integers(0, 1 << 32))
def test_agrees_with_everything_from_reset(seed: int) -> None:
    seen = follow(seed, 0, 200, reset=True)
    assert seen[DISAGREE] == seen[UNKNOWN] == 0


@given(st.integers(0, 1 << 32), st.integers(1, 150), st.integers(0, 40))
def test_never_disagrees_wherever_it_begins(seed: int, skip: int, lost: int) -> None:
    assert not follow(seed, skip, 300, reset=False, gap=(200, 200 + lost))[DISAGREE]


def test_becomes_sure_again() -> None:
    seen = sum((follow(seed, 50, 400, reset=False, gap=(150, 160)) for seed in range(20)), Counter())
    assert seen[DISAGREE] == 0
    assert seen[AGREE] > seen[UNKNOWN] > 0


def enabled() -> RasCheck:
    check = RasCheck(reset=True)
    check.note(RasClass.ENABLED, 0)
    check.configure(SMALL.words(), 0)
    return check


@pytest.mark.parametrize("seed", range(30))
def test_finds_each_sort_of_wrong_decision(seed: int) -> None:
    """One decision taken away or invented, of each class, is found at once."""
    rng = random.Random(seed)
    events = happenings(rng, 300)
    for what in (R, A, S):
        mapper, check = RasMapper(SMALL), enabled()
        mapper.note(RasClass.ENABLED, 0)
        judged = [event for event in events if event[1] in ("sample", "lost")]
        wrong_at = rng.randrange(100, 200)
        for at, (now, kind, given_) in enumerate(judged):
            if kind == "lost":
                check.sync_lost(now, given_, mapper.sync_lost(now, given_))
                continue
            told = set(mapper.sample(now, *given_))
            if at < wrong_at or A in told or EXHAUSTED in told:
                assert DISAGREE not in check.sample(now, *given_, told).values()
                continue
            assert check.sample(now, *given_, told ^ {what})[what] is DISAGREE
            break


def test_first_words_make_it_start() -> None:
    check = RasCheck()
    check.note(RasClass.ENABLED, 0)
    assert check.sample(1, 11, True, [R]) == {R: UNKNOWN}
    words = list(SMALL.words().items())
    check.configure(dict(words[:3]), 2)
    assert check.config is None
    check.configure(dict(words[3:]), 2)
    assert check.config == SMALL
    assert check.sample(3, 11, True, []) == {}  # known to be disarmed since the R told
    assert check.sample(4, 0, True, []) == {}
    assert check.sample(5, 0, True, []) == {}
    assert [check.sample(t, 11, True, [R] if t == 8 else []) for t in (6, 7, 8)] == [{}, {}, {R: AGREE}]


def test_what_was_told_shows_that_it_is_enabled() -> None:
    check = RasCheck()
    check.configure(SMALL.words(), 0)
    assert check.sample(1, 31, True, []) == {}
    assert check.sample(2, 31, True, [A, R]) == {A: UNKNOWN, R: UNKNOWN}
    assert check.enabled
    assert check.sample(3, 31, True, [A]) == {A: DISAGREE, S: UNKNOWN}  # within the hold-off


def test_disabled_decides_nothing() -> None:
    check = RasCheck(reset=True)
    check.configure(SMALL.words(), 0)
    assert check.sample(1, 31, True, [A]) == {A: DISAGREE}
    assert check.sync_lost(2, True, []) == {}
    assert check.sync_lost(3, True, [RasClass.SYNC_LOST]) == {RasClass.SYNC_LOST: DISAGREE}
