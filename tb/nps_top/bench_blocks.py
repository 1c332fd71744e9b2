# SPDX-License-Identifier: Apache-2.0
"""nps_top with all sources and REGS: every block configured, read, interrupted and released by software; the stream
says which words are in force."""

import random
from itertools import accumulate

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import unpack
from npuscope.layout import SRC_JITTER, SRC_RAS, THRESHOLDS, Cfg, Kind
from tb.nps_top.bench_regs import IDLE, NS, Run
from tb.signals import known, start

TOKENS = ("ins_valid", "ins_ready", "ins_word", "ins_rs1", "tok_valid", "tok_id", "tok_ptr", "tok_eos", "tok_layer")
MORE = ("tok_slot", "tok_first", "tok_eosp", "tok_boundary", "tok_ctx", "token_resume", "token_trim")
M32 = 0xFFFFFFFF


async def setup(dut):
    """The registers of a top out of reset, its stream open."""
    await start(dut, *IDLE, *TOKENS, *MORE)
    dut.locked.value = dut.pipe_ready.value = 1
    dut.mem_free.value, dut.tok_layer.value, dut.tok_slot.value = 0xFFFF, 3, 7
    await RisingEdge(dut.clk)
    run = Run(dut)
    await RisingEdge(dut.clk)
    await run.write(CONTROL=1)
    await clocks(dut, 300)
    return run


async def clocks(dut, count):
    for _ in range(count):
        await RisingEdge(dut.clk)


def in_force(run):
    """CFG words as the stream has told them so far: (source, word) -> payload."""
    rows = (unpack(bytes(run.bytes[at : at + 16])) for at in range(0, len(run.bytes), 16))
    return {(row.src, row.sub): row.payload for row in rows if row.kind == Kind.CFG and row.src != 63}


@cocotb.test()
async def test_after_reset_the_blocks_hold_what_the_registers_say(dut):
    """APPLY of what was read after reset changes nothing, in any block."""
    software = await setup(dut)
    before = in_force(software)
    t = {name: entry.value for name, entry in THRESHOLDS.items()}
    assert before[SRC_JITTER, Cfg.T_NOMINAL_LO] == t["T_NOMINAL"]
    assert before[SRC_RAS, Cfg.S_LIMIT] == t["S_LIMIT"] == await software.read("S_LIMIT")
    assert before[0, Cfg.BP_LIMITS] == await software.read("BP_LIMITS") == before[1, Cfg.BP_LIMITS]
    told = len(software.bytes)
    for port in (0, 1):
        await software.write(BP_PORT=port, APPLY=15)
    await clocks(dut, 60)
    assert in_force(software) == before
    assert len(software.bytes) > told, "nothing was told"
    assert await software.read("CFG_ERR") == 0


@cocotb.test()
async def test_refused_leaves_the_old(dut):
    """Every block refuses an illegal set, says so, keeps the one before, and takes the next legal one."""
    software = await setup(dut)
    await software.write(INT_MASK=2)
    cases = [  # bit of APPLY, illegal words, legal words
        (0, {"BP_LIMITS": 20 | 20 << 6 | 4 << 24}, {"BP_LIMITS": 20 | 19 << 6 | 4 << 24, "BP_STALE": 777}),
        (1, {"T_NOMINAL_LO": 0}, {"T_NOMINAL_LO": 1000 << 8, "T_NOMINAL_HI": 3 << 16}),
        (2, {"R_LIMIT": 5000, "A_LIMIT": 4999}, {"R_LIMIT": 4000, "A_LIMIT": 5000, "S_LIMIT": 6000}),
        (2, {"S_WINDOW": 999}, {"S_WINDOW": 1000}),
        (2, {"RAS_COUNTS": 0}, {"RAS_COUNTS": 3 | 4 << 8 | 5 << 24}),
        (3, {"MEM_LOW": 50 | 50 << 16}, {"MEM_LOW": 50 | 51 << 16}),
    ]
    for bit, illegal, legal in cases:
        before = in_force(software)
        await software.write(**illegal, APPLY=1 << bit)
        assert await software.read("CFG_ERR") == 1 << bit
        assert known(dut.irq)
        assert in_force(software) == before, illegal
        await software.write(CFG_ERR=15, INT_RAW=2)
        assert not known(dut.irq)
        await software.write(**legal, APPLY=1 << bit)
        assert await software.read("CFG_ERR") == 0
        await clocks(dut, 60)
        after = in_force(software)
        assert (after != before) == (bit != 3), legal
    assert after[0, Cfg.BP_LIMITS] == 20 | 19 << 6 | 4 << 24
    assert after[1, Cfg.BP_LIMITS] != after[0, Cfg.BP_LIMITS], "the other trace port keeps its own"
    assert after[0, Cfg.STALE] == 777
    assert (after[SRC_JITTER, Cfg.T_NOMINAL_LO], after[SRC_JITTER, Cfg.T_NOMINAL_HI]) == (1000 << 8, 3 << 16)
    assert [after[SRC_RAS, word] for word in (Cfg.R_LIMIT, Cfg.A_LIMIT, Cfg.S_LIMIT)] == [4000, 5000, 6000]
    assert after[SRC_RAS, Cfg.S_WINDOW] == 1000
    assert after[SRC_RAS, Cfg.RAS_COUNTS] == 3 | 4 << 8 | THRESHOLDS["S_COUNT"].value << 16 | 5 << 24


@cocotb.test()
async def test_statistics_are_one_snapshot(dut):
    """While pulses come all the time the words read belong to the same samples: some first n of all there were."""
    software = await setup(dut)
    nominal = 40
    await software.write(T_NOMINAL_LO=nominal << 8, APPLY=2)
    for _ in range(10):
        await RisingEdge(dut.clk)
    await software.write(CONTROL=3)
    jitters = []

    async def pulses():
        first = True
        while True:
            wait = random.choice([60, 61, 90, 120, 200])
            for _ in range(wait - 1):
                await RisingEdge(dut.clk)
            dut.sync_valid.value = 1
            await RisingEdge(dut.clk)
            dut.sync_valid.value = 0
            if not first:
                jitters.append((wait * NS - nominal) << 8)
            first = False

    cocotb.start_soon(pulses())
    while len(jitters) < 10:
        await RisingEdge(dut.clk)
    counts = []
    for _ in range(25):
        await software.write(JITTER_SNAP=1)
        while await software.read("JITTER", 10) & 2:  # busy
            pass
        words = [await software.read("JITTER", i) for i in range(11)]
        sums = [0, *accumulate(jitters)]
        squares = [0, *accumulate(j * j for j in jitters)]
        count = words[0]
        assert counts[-1:] < [count] if counts else count > 0
        low, high = (word - (word >> 31 << 32) for word in words[1:3])
        recent = jitters[counts[-1] if counts else 0 : count]
        assert (low, high) == (min(recent), max(recent))
        assert words[3] | words[4] << 32 == sums[count] % (1 << 64)
        assert words[5] | words[6] << 32 | words[7] << 64 == squares[count]
        assert words[8] | words[9] << 32 == sums[count] % (1 << 64)
        assert words[10] == 1
        counts.append(count)
    assert counts[-1] > 40


@cocotb.test()
async def test_classes(dut):
    """Injected classes latch, interrupt, are read as a whole and cleared one by one; the requests go out."""
    software = await setup(dut)
    await software.write(CONTROL=7, INT_MASK=M32)
    bits = {0: 3, 1: 4, 2: 5, 4: 6}  # class: its bit in INT_RAW
    for number in range(5):
        for _ in range(number + 1):
            await software.write(RAS_INJECT=1 << number)
            for _ in range(30):
                await RisingEdge(dut.clk)
        assert await software.read("RAS_PENDING") == 1 << number
        if number in bits:
            assert await software.read("INT_RAW") >> bits[number] & 1
            assert known(dut.irq)
        await software.write(RAS_SNAP=number)
        words = [await software.read("RAS", i) for i in range(6)]
        assert words[0] & 1
        assert words[0] >> 8 & 31 == number + 1
        first, last = words[2] | words[3] << 32, words[4] | words[5] << 32
        now = await software.read("TIMESTAMP")
        assert 0 < first <= last < now
        assert (first < last) == (number > 0)
        await software.write(RAS_PENDING=~(1 << number) & 31)
        assert await software.read("RAS_PENDING") == 1 << number, "clearing another class"
        await software.write(RAS_PENDING=1 << number)
        assert await software.read("RAS_PENDING") == 0
        await software.write(INT_RAW=M32)
        assert not known(dut.irq)
    assert known(dut.crc_reneg_req)
    assert known(dut.phy_switch_req)


@cocotb.test()
async def test_token_interrupt(dut):
    """Armed by software, the pipeline freezes at exactly the token; its context is read; resume and trim let go."""
    software = await setup(dut)
    await software.write(INT_MASK=1 << 9)
    entered = []

    async def tokens():
        number = 1
        while True:
            dut.tok_valid.value = 1
            dut.tok_id.value = dut.tok_ptr.value = number
            dut.tok_ctx.value = ~number & M32
            dut.tok_eos.value = int(number % 500 == 0)
            await RisingEdge(dut.clk)
            if known(dut.tok_ready):
                if known(dut.pipe_valid):
                    entered.append(number)
                number += 1

    cocotb.start_soon(tokens())
    for turn in range(3):
        await software.write(TOK_PTR=entered[-1] + 300 if entered else 300, TOK_CONTROL=1, TOK_CMD=1)
        while not known(dut.irq):
            await RisingEdge(dut.clk)
        stopped = await software.read("TOKEN", 16)
        assert stopped % 500 == 0
        assert entered[-1] == stopped
        status = await software.read("TOK_STATUS")
        assert (status & 15, status >> 16 & 7) == (1, 0b010)
        words = [await software.read("TOKEN", i) for i in range(4)]
        assert words[0] == 4 | 3 << 5 | 7 << 13 | words[0] >> 29 << 29
        assert words[1] == stopped
        assert words[3] == ~stopped & M32
        assert entered[-1] == stopped, "a later token entered"
        await software.write(TOK_CONTROL=1 | (turn == 2) << 8)
        await software.write(TOK_CMD=2)
        await software.write(INT_RAW=1 << 9)
        assert not known(dut.irq)
        if turn < 2:
            assert entered[-1] > stopped
    assert await software.read("TOK_STATUS") >> 18 & 1, "trimming"
    assert entered[-1] == stopped, "a token of the trimmed slot entered"
    await software.write(TOK_CONTROL=0)
    assert entered[-1] > stopped


@cocotb.test()
async def test_token_injection(dut):
    """A cause injected at the token that software names stops the pipeline there, and the context says so."""
    software = await setup(dut)
    await software.write(INJ_TOKEN=40, INJ_CONTROL=3 | 8 << 8 | 1 << 16, TOK_CONTROL=8, TOK_CMD=1)
    for number in range(1, 100):
        dut.tok_valid.value = 1
        dut.tok_id.value = dut.tok_ptr.value = number
        await RisingEdge(dut.clk)
        while not known(dut.tok_ready) and not known(dut.pipe_freeze):
            await RisingEdge(dut.clk)
        if known(dut.pipe_freeze):
            break
    assert await software.read("TOKEN", 16) == 40
    assert await software.read("TOK_STATUS") & 15 == 8
    assert await software.read("TOKEN") >> 29 & 1, "injected"
