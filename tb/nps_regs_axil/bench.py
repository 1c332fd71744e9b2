# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_regs_axil: order, pauses, answers, and the clocks of an access; the registers are a dict."""

import itertools
import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from tb.signals import PERIOD_NS, bursts, known, start
from tb.vip.axil import OKAY, SLVERR, AxilMaster

ANSWER = 8  # clocks from the last handshake of a request to the first in which its answer can be taken
READS = 8  # clocks from a read to the next
SETTLE = 10
HOLE = 0x3F  # word that is not mapped


class Registers:
    """The register side: keeps words, answers ``value`` a clock after ``sample`` and notes what happened when."""

    def __init__(self, dut):
        self.dut, self.words, self.log = dut, {}, []
        cocotb.start_soon(self.run())

    @property
    def clock(self):
        return int(get_sim_time("ns")) // PERIOD_NS

    async def run(self):
        dut = self.dut
        changed, word = 0, None
        while True:
            await RisingEdge(dut.clk)
            if known(dut.rst):
                continue
            strobe, sample = known(dut.strobe), known(dut.sample)
            if word != dut.word.value:
                word, changed = dut.word.value, self.clock
            if strobe:
                assert self.clock - changed >= 1
                lanes = sum(0xFF << 8 * i for i in range(4) if strobe >> i & 1)
                old = self.words.get(int(word), 0)
                self.words[int(word)] = (old & ~lanes) | (known(dut.data) & lanes)
                self.log.append((self.clock, "write", int(word)))
            if sample:
                assert self.clock - changed >= 3, "the index must stand for three clocks"
                dut.value.value = self.words.get(int(word), 0)
                self.log.append((self.clock, "read", int(word)))
            else:
                dut.value.value = random.getrandbits(32)  # at any other time it is wrong
            dut.unmapped.value = int(word.is_resolvable and int(word) == HOLE)


async def setup(dut):
    await start(dut, "s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "s_axil_bready", "s_axil_rready", "unmapped")
    await RisingEdge(dut.clk)
    master, side = AxilMaster(dut), Registers(dut)
    master.watch()
    await RisingEdge(dut.clk)
    return master, side


@cocotb.test()
async def test_random(dut):
    """Pauses everywhere, overlapping reads and writes, any strobes: each is answered once and does what it says."""
    master, side = await setup(dut)
    expected = {}
    slow = 0
    for _batch in range(60):
        master.pauses(random.choice([None, lambda: bursts(0, 30, 80), lambda: bursts(50)]))
        words = random.sample(range(HOLE + 1), 24)
        writes, reads = words[:12], words[12:]
        plan = [(word, random.getrandbits(32), random.choice([15, 15, random.randrange(16)])) for word in writes]
        tasks = [cocotb.start_soon(master.write(4 * w + random.randrange(4), d, s)) for w, d, s in plan]
        looks = [cocotb.start_soon(master.read(4 * w + random.randrange(4))) for w in reads]
        began = side.clock
        for (word, data, strobe), task in zip(plan, tasks, strict=True):
            assert await task == (SLVERR if word == HOLE else OKAY)
            lanes = sum(0xFF << 8 * i for i in range(4) if strobe >> i & 1)
            expected[word] = (expected.get(word, 0) & ~lanes) | (data & lanes)
        for word, look in zip(reads, looks, strict=True):
            assert await look == (expected.get(word, 0), SLVERR if word == HOLE else OKAY)
        slow = max(slow, side.clock - began)
    assert master.answers == 60 * 24
    assert side.words == {w: d for w, d in expected.items() if w in side.words}
    assert slow > 12 * (ANSWER + SETTLE)


@cocotb.test()
async def test_either_order(dut):
    """Address long before data, data long before address, both at once; nothing happens until both are there."""
    master, side = await setup(dut)
    for early, late in (("aw", "w"), ("w", "aw")):
        getattr(master, late).pause = True
        task = cocotb.start_soon(master.write(0x10, 0xABCD0000 + len(early)))
        for _ in range(40):
            await RisingEdge(dut.clk)
        assert not task.done()
        assert not side.log, "an access began with half a request"
        assert not known(getattr(dut, f"s_axil_{early}ready")), "a second request was accepted behind it"
        getattr(master, late).pause = False
        assert await task == OKAY
        assert side.words[4] == 0xABCD0000 + len(early)
        side.log.clear()


async def handshake(dut, *names):
    """Clocks until the last of the channels is taken; the inputs are set by the caller."""
    waiting = set(names)
    clock = 0
    while waiting:
        await RisingEdge(dut.clk)
        clock += 1
        for name in sorted(waiting):
            if known(getattr(dut, f"s_axil_{name}ready")):
                getattr(dut, f"s_axil_{name}valid").value = 0
                waiting.discard(name)
    return clock


async def answered(dut, name):
    """Clocks from here until the answer is seen."""
    clock = 0
    while True:
        await RisingEdge(dut.clk)
        clock += 1
        if known(getattr(dut, f"s_axil_{name}valid")):
            return clock


@cocotb.test()
async def test_clocks(dut):
    """An answer ANSWER clocks after the handshake; strobe and sample where the header says; rest after a write."""
    await start(dut, "s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "unmapped")
    dut.s_axil_bready.value = dut.s_axil_rready.value = 1
    for name in ("awaddr", "araddr", "wdata", "wstrb"):
        getattr(dut, f"s_axil_{name}").value = 0xF
    side = Registers(dut)
    for _ in range(30):
        await RisingEdge(dut.clk)
    dut.s_axil_arvalid.value = 1
    await handshake(dut, "ar")
    taken = side.clock
    assert await answered(dut, "r") == ANSWER
    assert side.log[-1] == (taken + ANSWER - 2, "read", 3)
    for _ in range(30):
        await RisingEdge(dut.clk)
    dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 1
    await handshake(dut, "aw", "w")
    taken = side.clock
    dut.s_axil_arvalid.value = 1
    await handshake(dut, "ar")
    assert await answered(dut, "b") == ANSWER - 1
    assert side.log[-1] == (taken + ANSWER - 4, "write", 3)
    wrote = side.clock
    await answered(dut, "r")
    assert side.log[-1][1] == "read"
    assert side.log[-1][0] - wrote >= SETTLE, "a read did not wait for the write to settle"
    assert side.clock - wrote <= SETTLE + ANSWER


@cocotb.test()
async def test_full_speed(dut):
    """A read every READS clocks; writes with the rest between; when both wait they take turns."""
    master, side = await setup(dut)
    tasks = [cocotb.start_soon(master.read(4 * i)) for i in range(20)]
    for task in tasks:
        await task
    clocks = [clock for clock, kind, _ in side.log if kind == "read"]
    assert [b - a for a, b in itertools.pairwise(clocks)] == [READS] * 19
    side.log.clear()
    tasks = [cocotb.start_soon(master.read(4 * i)) for i in range(10)]
    tasks += [cocotb.start_soon(master.write(4 * i, i)) for i in range(10)]
    for task in tasks:
        await task
    kinds = [kind for _, kind, _ in side.log]
    assert all(a != b for a, b in itertools.pairwise(kinds[1:-1])), kinds


@cocotb.test()
async def test_no_path_from_input_to_output(dut):
    """Outputs do not move when the inputs move within a clock."""
    await start(dut, "s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "s_axil_bready", "s_axil_rready", "unmapped")
    outputs = ["awready", "wready", "arready", "bvalid", "rvalid"]
    inputs = ["awvalid", "wvalid", "arvalid", "bready", "rready"]
    await RisingEdge(dut.clk)
    moved = set()
    for _ in range(400):
        await FallingEdge(dut.clk)
        before = [known(getattr(dut, f"s_axil_{name}")) for name in outputs]
        for name in inputs:
            getattr(dut, f"s_axil_{name}").value = random.randrange(2)
        dut.s_axil_awaddr.value = dut.s_axil_araddr.value = random.randrange(64)
        dut.s_axil_wdata.value = dut.s_axil_wstrb.value = random.randrange(16)
        dut.value.value = random.getrandbits(32)
        await ReadOnly()
        after = [known(getattr(dut, f"s_axil_{name}")) for name in outputs]
        assert before == after
        moved |= {name for name, value in zip(outputs, after, strict=True) if value}
    assert moved == set(outputs)


@cocotb.test()
async def test_reset(dut):
    """Reset in every clock of an access ends it: no answer, all ready again, the next access works."""
    master, side = await setup(dut)
    seen = deque(maxlen=40)
    for wait in range(1, 14):
        dut.s_axil_araddr.value = dut.s_axil_awaddr.value = 0x20
        dut.s_axil_wdata.value, dut.s_axil_wstrb.value = wait, 15
        dut.s_axil_arvalid.value = dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 1
        await handshake(dut, "ar", "aw", "w")
        for _ in range(wait):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        for name in ("bvalid", "rvalid", "awready", "wready", "arready"):
            assert known(getattr(dut, f"s_axil_{name}")) == 0
        dut.rst.value = 0
        for _ in range(30):
            await RisingEdge(dut.clk)
            seen.append((known(dut.s_axil_bvalid), known(dut.s_axil_rvalid)))
        assert not any(b or r for b, r in seen), "an answer to a request from before the reset"
        for name in ("awready", "wready", "arready"):
            assert known(getattr(dut, f"s_axil_{name}")) == 1
        assert await master.write(0x40, wait) == OKAY
        assert await master.read(0x40) == (wait, OKAY)
    assert len(side.log) >= 26
