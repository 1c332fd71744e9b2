# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_fifo: every output of every clock against a model that is a list and a flag."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from tb.signals import bursts, known, start

LATENCY = 2
"""Clocks from a take to its entry."""
INPUTS = ("s_valid", "s_data", "s_refuse", "s_hold", "take")


class Model:
    """What nps_fifo does in a clock, from its inputs and what is stored."""

    def __init__(self, depth):
        self.depth = depth
        self.stored = deque()
        self.lost = False

    def decide(self, valid, refuse, hold):
        """The combinational outputs of this clock: accept, mark, drop, drain."""
        room = len(self.stored) < self.depth // 2 and not hold if self.lost else len(self.stored) < self.depth
        accept = bool(valid and not refuse and room)
        drain = self.lost and not self.stored and not hold and not valid
        return accept, accept and self.lost, bool(valid) and not accept, drain

    def clock(self, data, decision, popped):
        """The entry that leaves, as (data, mark), or zeros."""
        accept, mark, drop, drain = decision
        leaves = self.stored.popleft() if popped else (0, 0)
        if accept:
            self.stored.append((data, int(mark)))
        self.lost = drop or (self.lost and not mark and not drain)
        return leaves


class Bench:
    """Drives one clock at a time and checks it; ``seen`` counts what happened."""

    def __init__(self, dut):
        self.dut = dut
        self.model = Model(known(dut.DEPTH))
        self.width = known(dut.DATA_W)
        self.given = dict.fromkeys(INPUTS, 0)
        self.seen = dict.fromkeys(("accept", "mark", "drop", "drain", "pop", "refuse_low", "held"), 0)
        self.levels = set()
        self.coming = deque([(0, 0)] * LATENCY)

    async def clock(self, **inputs):
        """Let one clock pass with these inputs (others 0, no take from an empty queue) and check every output in it."""
        given = dict.fromkeys(INPUTS, 0) | inputs
        given["take"] = int(given["take"] and bool(self.model.stored))
        for name, value in given.items():
            getattr(self.dut, name).value = value
        await RisingEdge(self.dut.clk)
        self._check(given)

    def _check(self, given):
        dut, model, seen = self.dut, self.model, self.seen
        decision = model.decide(given["s_valid"], given["s_refuse"], given["s_hold"])
        got = tuple(bool(known(signal)) for signal in (dut.s_accept, dut.s_mark, dut.s_drop, dut.s_drain))
        level = len(model.stored)
        assert got == decision, f"accept, mark, drop, drain {got}, expected {decision} at level {level}"
        assert known(dut.level) == level
        assert known(dut.dropping) == model.lost
        assert (known(dut.m_data), known(dut.m_mark)) == self.coming.popleft()
        popped = bool(given["take"])
        self.levels.add(level)
        for name, happened in zip(seen, (*decision, popped), strict=False):
            seen[name] += happened
        seen["refuse_low"] += bool(given["s_valid"] and given["s_refuse"] and level < model.depth // 2)
        seen["held"] += bool(given["s_valid"] and given["s_hold"] and model.lost and level < model.depth // 2)
        self.coming.append(model.clock(given["s_data"], decision, popped))


async def begin(dut):
    await start(dut, *INPUTS)
    return Bench(dut)


@cocotb.test()
async def test_random(dut):
    """Random traffic in bursts; every rule must have been exercised."""
    bench = await begin(dut)
    valid, takes = bursts(0, 30, 100), bursts(0, 0, 20, 100)
    refuse, hold = bursts(0, 0, 40), bursts(0, 0, 60)
    for _ in range(4000 if bench.model.depth <= 16 else 12000):
        await bench.clock(
            s_valid=next(valid),
            s_data=random.getrandbits(bench.width),
            s_refuse=next(refuse),
            s_hold=next(hold),
            take=next(takes),
        )
    dut._log.info("seen %s", bench.seen)
    assert all(count >= 10 for count in bench.seen.values()), f"too little happened: {bench.seen}"
    assert bench.levels == set(range(bench.model.depth + 1)), "not every level was reached"


@cocotb.test()
async def test_latency(dut):
    """An entry can be taken in the clock after its own and shows 2 clocks later; one entry a clock goes through."""
    bench = await begin(dut)
    await bench.clock(s_valid=1, s_data=1)
    await bench.clock(take=1)
    for clock in range(1, 5):
        await bench.clock()
        assert known(dut.m_data) == (clock == LATENCY)
    for clock in range(100):
        await bench.clock(s_valid=1, s_data=random.getrandbits(bench.width), take=1)
        assert bench.seen["pop"] == clock + 1
    assert not bench.seen["drop"]


@cocotb.test()
async def test_resume_below_half(dut):
    """After a loss: refused at DEPTH / 2, accepted and marked one entry lower."""
    bench = await begin(dut)
    depth = bench.model.depth
    for number in range(depth + 1):
        await bench.clock(s_valid=1, s_data=number & 1)
    assert bench.seen["drop"] == 1
    while len(bench.model.stored) > depth // 2:
        await bench.clock(take=1)
    await bench.clock(s_valid=1)
    assert bench.seen["drop"] == 2
    await bench.clock(take=1)
    await bench.clock(s_valid=1)
    assert bench.seen["mark"] == 1
    while bench.model.stored:
        await bench.clock(take=1)
    assert bench.seen["drain"] == 0


@cocotb.test()
async def test_drain(dut):
    """A loss with nothing after it drains once, when empty and not held; an entry in that clock is marked instead."""
    bench = await begin(dut)
    for together in (0, 1):
        for _ in range(bench.model.depth + 3):
            await bench.clock(s_valid=1)
        while bench.model.stored:
            await bench.clock(take=1)
        await bench.clock(s_hold=1)
        assert bench.seen["drain"] == together
        await bench.clock(s_valid=together)
        await bench.clock()
        assert (bench.seen["drain"], bench.seen["mark"]) == ((1, 0), (1, 1))[together]
        while bench.model.stored:
            await bench.clock(take=1)


@cocotb.test()
async def test_reset_empties(dut):
    """Reset in the middle of an overflow leaves an empty FIFO that lost nothing."""
    bench = await begin(dut)
    for _ in range(bench.model.depth + 3):
        await bench.clock(s_valid=1, s_data=1)
    dut.rst.value = 1
    dut.s_valid.value = 0
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert (known(dut.level), known(dut.dropping), known(dut.m_data), known(dut.s_drain)) == (0, 0, 0, 0)
