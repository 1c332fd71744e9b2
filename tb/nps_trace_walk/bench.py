# SPDX-License-Identifier: Apache-2.0
"""nps_trace_walk against the order of npuscope.encode.StreamConfig."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import KEYFRAME
from npuscope.layout import Kind
from tb.others import config, index_of
from tb.signals import known, start

KIND = Kind[os.environ.get("KIND", "CNT")]
NUM_BP = int(os.environ.get("NUM_BP", "2"))
INDEX = index_of(NUM_BP)


def order():
    if KIND == Kind.STATE:
        return [(src, int(word)) for src in range(NUM_BP) for word in KEYFRAME]
    pairs = config(NUM_BP).cnt_order if KIND == Kind.CNT else config(NUM_BP).cfg_order
    return [(INDEX[src], sub) for src, sub in pairs]


@cocotb.test()
async def test_order(dut):
    """Every word in order, twice round and more, with pauses; restart begins again."""
    await start(dut, "restart", "next")
    words = order()
    for length in (2 * len(words) + 3, 1, len(words) - 1):
        dut.restart.value = 1
        await RisingEdge(dut.clk)
        dut.restart.value = 0
        at = 0
        while at < length:
            step = random.getrandbits(1)
            dut.next.value = step
            await RisingEdge(dut.clk)
            assert (known(dut.index), known(dut.sub)) == words[at % len(words)]
            assert known(dut.last) == (at % len(words) == len(words) - 1)
            at += step
        dut.next.value = 0
