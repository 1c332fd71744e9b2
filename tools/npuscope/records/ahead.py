"""Other processes look at the bytes ahead; what they find is used where full frames go on there, else forgotten.

So the answer does not depend on them: every frame is judged, and every record counted, in one process and in order.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import multiprocessing
import os
import signal
from collections import OrderedDict
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from typing import Final

from npuscope.records.glance import FRAME, PIECE, Glance, aligned

__all__ = ["Ahead", "glance_at"]

WORTH_BYTES: Final = 1 << 28
"""A file with less than this to read is done before other processes have started."""
DEPTH: Final = 2
"""Blocks under way for each process."""


def glance_at(name: str, offset: int, size: int) -> Glance | None:
    """A glance at ``size`` bytes of a file, whole frames, from ``offset`` on; None if they are not there any more."""
    glance, piece = Glance(size), aligned(PIECE, 0)
    view = memoryview(piece)  # type: ignore[arg-type]
    fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        done = 0
        while done < size:
            wanted = min(PIECE, size - done)
            have = 0
            while have < wanted:
                got = os.preadv(fd, [view[have:wanted]], offset + done + have)
                if not got:
                    return None
                have += got
            glance.look(piece[:have])
            done += have
    finally:
        os.close(fd)
    return glance.packed()


class Ahead:
    """Glances by ``jobs`` processes at blocks of ``block`` bytes, whole frames, one frame more than they move on by.

    executor: instead of processes of its own. worth: bytes that must be left in a file.
    """

    def __init__(self, jobs: int, block: int, executor: Executor | None = None) -> None:
        self.block = max(2 * FRAME, block // FRAME * FRAME)
        self._jobs, self._executor = jobs, executor
        self.worth = WORTH_BYTES if executor is None else 0
        self._waiting: OrderedDict[tuple[str, int], Future[Glance | None]] = OrderedDict()

    def glance(self, name: str, offset: int, size: int) -> Glance | None:
        """At the block of the file from ``offset`` on; the next ones, as far as its ``size`` goes, are begun with."""
        if (name, offset) not in self._waiting:
            self._forget()
        step, end = self.block - FRAME, max((place + self.block for _, place in self._waiting), default=offset + FRAME)
        while len(self._waiting) < DEPTH * self._jobs and end - FRAME + self.block <= size:
            self._waiting[name, end - FRAME] = self._submit(partial(glance_at, name, end - FRAME, self.block))
            end += step
        future = self._waiting.pop((name, offset), None)
        try:
            return None if future is None else future.result()
        except BrokenExecutor:  # a process was killed, perhaps for want of memory: the rest is done without
            self._jobs = 0
            self._forget()
            return None

    def _submit(self, job: partial[Glance | None]) -> Future[Glance | None]:
        if self._executor is None:
            context = multiprocessing.get_context("spawn")  # a fork would copy the threads' locks, not the threads
            self._executor = ProcessPoolExecutor(self._jobs, mp_context=context)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited: Ctrl-C is for this process
        try:
            return self._executor.submit(job)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _forget(self) -> None:
        for future in self._waiting.values():
            future.cancel()
        self._waiting.clear()

    def close(self) -> None:
        """End the processes."""
        self._forget()
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None
