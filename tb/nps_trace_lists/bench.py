# SPDX-License-Identifier: Apache-2.0
"""nps_trace_lists: three round robins and three lists that do not disturb each other."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.mirror import KEYFRAME
from tb.others import config, index_of
from tb.signals import known, start

NUM_BP = 2
INDEX = index_of(NUM_BP)
CNT = [(INDEX[src], sub) for src, sub in config(NUM_BP).cnt_order]
CFG = [(INDEX[src], sub) for src, sub in config(NUM_BP).cfg_order]
STATE = [(src, int(word)) for src in range(NUM_BP) for word in KEYFRAME]


@cocotb.test()
async def test_random(dut):
    """Random moves of either set; each shows its own place, `*_last` the list's end."""
    await start(dut, "restart", "robin", "next_cnt", "next_cfg", "next_state")
    at = {True: [0, 0, 0], False: [0, 0, 0]}
    moved = 0
    for _ in range(2000):
        robin, restart = random.random() < 0.5, random.random() < 0.005
        moves = [random.random() < 0.3 for _ in range(3)]
        dut.robin.value, dut.restart.value = robin, restart
        dut.next_cnt.value, dut.next_cfg.value, dut.next_state.value = moves
        await RisingEdge(dut.clk)
        here, lists = at[robin], at[False]
        assert (known(dut.cnt_index), known(dut.cnt_sub)) == CNT[here[0] % len(CNT)]
        assert (known(dut.cfg_index), known(dut.cfg_sub)) == CFG[here[1] % len(CFG)]
        if robin:
            assert known(dut.state_index) == here[2] % NUM_BP
        else:
            assert (known(dut.state_index), known(dut.state_sub)) == STATE[here[2] % len(STATE)]
        lasts = [known(s) for s in (dut.cnt_last, dut.cfg_last, dut.state_last)]
        assert lasts == [(n + 1) % len(words) == 0 for n, words in zip(lists, (CNT, CFG, STATE), strict=True)]
        if restart:
            at = {True: [0, 0, 0], False: [0, 0, 0]}
        else:
            at[robin] = [n + move for n, move in zip(here, moves, strict=True)]
            moved += sum(moves)
    assert moved > 1000
