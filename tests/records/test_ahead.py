"""The answer does not depend on how many processes look ahead, nor where the blocks are cut."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from npuscope.errors import NpuscopeError
from npuscope.records import ahead, decoder, framing
from npuscope.replay import ALL_KINDSUBS, BLAME_KINDSUBS
from npuscope.tables import TABLE_KINDSUBS
from tests.records.dumps import rows, run
from tests.records.test_glance import hurt


class AtOnce(Executor):
    """Does each job when it is given."""

    def __init__(self) -> None:
        self.done = 0

    def submit(self, job: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.done += 1
        future: Future[Any] = Future()
        future.set_result(job(*args, **kwargs))
        return future


WANTED: dict[str, dict[str, Any]] = {
    "stalls": {"keep": BLAME_KINDSUBS, "across": False},
    "show": {"keep": BLAME_KINDSUBS | TABLE_KINDSUBS},
    "tokens": {"keep": TABLE_KINDSUBS},
    "report": {"keep": ALL_KINDSUBS | TABLE_KINDSUBS},
    "export": {},
}
"""What verbs read."""


def answer(path: Path, verb: str = "stalls", **options: Any) -> object:
    try:
        batches, ledger = run(path, **WANTED[verb], **options)
    except NpuscopeError as refused:
        return str(refused)
    return rows(batches), [offset for batch in batches for offset in batch.offset.tolist()], ledger.to_json()


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEGMENT_BYTES", "AHEAD_BYTES"):
        monkeypatch.setattr(framing, name, 1 << 15)


@pytest.mark.parametrize("jobs", range(2, 17))
def test_any_number_of_jobs_and_any_cut(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, executor = tmp_path / "dump.npt", AtOnce()
    path.write_bytes(hurt(jobs))
    monkeypatch.setattr(decoder, "Ahead", lambda jobs, block: ahead.Ahead(jobs, block, executor))
    block = 8192 * random.Random(jobs).randrange(2, 9)
    for verb in ("stalls", list(WANTED)[1 + jobs % (len(WANTED) - 1)]):
        executor.done = 0
        assert answer(path, verb, jobs=jobs, block_bytes=block) == answer(path, verb)
        assert executor.done


def test_a_killed_process_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, executor = tmp_path / "dump.npt", AtOnce()
    path.write_bytes(hurt(3))
    monkeypatch.setattr(decoder, "Ahead", lambda jobs, block: ahead.Ahead(jobs, block, executor))
    monkeypatch.setattr(executor, "submit", lambda _: broken())
    assert answer(path, jobs=2, block_bytes=1 << 15) == answer(path)


def broken() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(BrokenExecutor())
    return future


@pytest.mark.parametrize("verb", ["stalls", "export"])
def test_with_processes_and_several_files(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "WORTH_BYTES", 0)
    data = hurt(3)
    for number, part in enumerate((data[:150_001], data[150_001:])):
        (tmp_path / f"{number}.npt").write_bytes(part)
    assert answer(tmp_path, verb, jobs=2, block_bytes=1 << 15) == answer(tmp_path, verb)


def test_a_file_that_shrinks_while_it_is_read_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "dump.npt"
    path.write_bytes(hurt(3))
    assert ahead.glance_at(str(path), 200_000, 1 << 20) is None
