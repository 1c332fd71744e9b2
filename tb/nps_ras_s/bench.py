# SPDX-License-Identifier: Apache-2.0
"""nps_ras_s against the definition of the window, on all excesses since the last fire."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import known, start

COUNT, TIME_W = int(os.environ["COUNT"]), int(os.environ["TIME_W"])


@cocotb.test()
async def test_random(dut):
    """Time wraps many times; excesses at the window and one beyond; a flush goes with any jump and any new window."""
    await start(dut, "s1_rel", "s2_until", "flush", "excess")
    most = (1 << TIME_W - 1) - 1
    now, window, since, seen = random.getrandbits(40), 10, [], {"fires": 0, "at": 0, "beyond": 0}
    ahead, flush, dense = now, 2, 0.5  # time in stage 2; clocks of flush
    for _ in range(20000):
        excess = not flush and random.random() < dense
        dut.flush.value, dut.excess.value = flush > 0, excess
        dut.s1_rel.value, dut.s2_until.value = now % (1 << TIME_W), (ahead + window) % (1 << TIME_W)
        expected = False
        if flush:
            since, flush = [], flush - 1
        elif excess:
            since.append(ahead)
            if len(since) >= COUNT:
                age = since[-1] - since[-COUNT]
                expected = age <= window
                seen["at"] += age == window
                seen["beyond"] += age == window + 1
            if expected:
                since = []
        await RisingEdge(dut.clk)
        assert known(dut.fire) == expected
        seen["fires"] += expected
        ahead = now
        gaps = [1, 1, 1, window // max(1, COUNT - 1), random.randint(0, window)]
        if len(since) >= COUNT - 1 and random.random() < 0.3:  # to the end of the oldest one's time, or one beyond
            gaps = [since[1 - COUNT] + window - now + random.choice([0, 1])]
        now += max(0, min(random.choice(gaps), window))
        if random.random() < 0.003:
            window = random.choice([1, 2, 5, 40, most - 1, most, random.randint(1, most)])
            dense, flush, now = random.choice([0.02, 0.3, 0.9]), 2, now + random.getrandbits(50)
    assert min(seen.values()) > 20, seen
