# SPDX-License-Identifier: Apache-2.0
"""nps_histogram against a list of counts per snapshot, read at any time."""

import os
import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start

BINS, COUNT_W = int(os.environ["BINS"]), int(os.environ["COUNT_W"])
SNAP_LATENCY, WORD_LATENCY = 1, 4


async def play(dut, clocks, adds, indices, snaps):
    """Drive and compare every word read while its snapshot holds still; what was compared."""
    counting, shown, whole = [0] * BINS, [0] * BINS, 0
    reads = deque()  # (clock of the index, whether an add goes first, index, expected)
    seen = {"words": 0, "not 0": 0, "more than 1": 0, "snap with add": 0}
    for clock in range(clocks):
        add, snap, index, read = next(adds), snaps(clock), indices(), random.randrange(1 << (BINS - 1).bit_length())
        dut.add.value, dut.index.value, dut.snap.value, dut.read.value = add, index, snap, read
        if snap:
            shown, counting, whole = counting, [0] * BINS, clock + SNAP_LATENCY
            seen["snap with add"] += add
        if add:
            counting[index] = (counting[index] + 1) % (1 << COUNT_W)
        reads.append((clock, add, read, shown[read] if read < BINS else 0))
        await RisingEdge(dut.clk)
        if len(reads) > WORD_LATENCY:
            at, waits, read, expected = reads.popleft()
            if at >= whole and not waits:  # its snapshot was whole, and the RAM free
                assert known(dut.word) == expected, f"bin {read} in clock {clock}"
                seen["words"] += 1
                seen["not 0"] += expected > 0
                seen["more than 1"] += expected > 1
    return seen


@cocotb.test()
async def test_random(dut):
    """Adds in adjacent clocks and far apart, to few and many bins, snaps at any time, also with an add."""
    await start(dut, "add", "index", "snap", "read")
    pool = [0]

    def index():
        if random.random() < 0.02:
            pool[:] = random.choices(range(BINS), k=random.choice([1, 2, 3, BINS]))
        return random.choice(pool)

    seen = await play(dut, 12000, bursts(100, 100, 50, 5), index, lambda _: random.random() < 0.02)
    assert seen["words"] > 3000, seen
    assert min(seen.values()) > 50, seen


@cocotb.test()
async def test_snaps_in_a_row(dut):
    """Snaps in adjacent clocks: each snapshot holds the adds between two of them."""
    await start(dut, "add", "index", "snap", "read")
    seen = await play(dut, 3000, bursts(70), lambda: random.randrange(2), lambda clock: clock % 40 < 4)
    assert seen["words"] > 500, seen
    assert seen["not 0"] > 5, seen
