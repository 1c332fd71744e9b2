# SPDX-License-Identifier: Apache-2.0
"""nps_trace_context: contexts in, word by word out, in order, with any fill."""

import os
import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import known, start

WORDS = int(os.environ["WORDS"])
PLACES = 4


@cocotb.test()
async def test_random(dut):
    """full exactly with four inside; every word of the oldest."""
    await start(dut, "put", "words", "take", "index")
    inside, since_take, index_before, compared, filled = deque(), 9, None, 0, 0
    for _ in range(3000):
        put = len(inside) < PLACES and random.random() < 0.3
        take = since_take > 1 and len(inside) > 0 and inside[0][1] > 2 and random.random() < 0.1
        context = [random.getrandbits(32) for _ in range(WORDS)]
        index = random.randrange(WORDS)
        dut.put.value, dut.take.value, dut.index.value = put, take, index
        dut.words.value = sum(word << 32 * i for i, word in enumerate(context))
        await RisingEdge(dut.clk)
        assert known(dut.full) == (len(inside) == PLACES)
        filled += len(inside) == PLACES
        if inside and since_take > 2 and inside[0][1] > 3 and index_before is not None:
            assert known(dut.word) == inside[0][0][index_before]
            compared += 1
        index_before = index
        inside = deque((words, age + 1) for words, age in inside)
        since_take = 0 if take else since_take + 1
        if take:
            inside.popleft()
        if put:
            inside.append((context, 0))
    assert compared > 500
    assert filled > 100
