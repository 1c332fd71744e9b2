# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_csr: every register reaches the block it is for, and every block's word its register."""

import os
import random
from collections import Counter

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.nps_regs.map import the_map
from tb.signals import bursts, known, start
from tb.vip.axil import OKAY, AxilMaster

P = {name[2:]: int(value) for name, value in os.environ.items() if name.startswith("P_")}
AT = {register.name: register.address for register in the_map().registers}

CONFIG = {  # port: (register, lsb, width)
    "enable": ("CONTROL", 0, 1),
    "jitter_enable": ("CONTROL", 1, 1),
    "ras_enable": ("CONTROL", 2, 1),
    "bp_th_on": ("BP_LIMITS", 0, 6),
    "bp_th_off": ("BP_LIMITS", 6, 6),
    "bp_level_step": ("BP_LIMITS", 12, 6),
    "bp_k": ("BP_LIMITS", 18, 5),
    "bp_raw": ("BP_LIMITS", 23, 1),
    "bp_th_wet": ("BP_LIMITS", 24, 6),
    "bp_stale_ns": ("BP_STALE", 0, 32),
    "jitter_options": ("T_NOMINAL_HI", 16, 4),
    "jitter_watchdog": ("WATCHDOG", 0, 32),
    "ras_r_limit": ("R_LIMIT", 0, 30),
    "ras_a_limit": ("A_LIMIT", 0, 30),
    "ras_s_limit": ("S_LIMIT", 0, 30),
    "ras_r_run": ("RAS_COUNTS", 0, 8),
    "ras_r_rearm": ("RAS_COUNTS", 8, 8),
    "ras_a_budget": ("RAS_COUNTS", 24, 8),
    "ras_s_window": ("S_WINDOW", 0, 31),
    "ras_a_holdoff": ("A_HOLDOFF", 0, 18),
    "token_arm_ptr": ("TOK_PTR", 0, 32),
    "token_arm_mask": ("TOK_CONTROL", 0, 4),
    "token_trim": ("TOK_CONTROL", 8, 1),
    "token_mem_low_on": ("MEM_LOW", 0, 16),
    "token_mem_low_off": ("MEM_LOW", 16, 16),
    "inject_first": ("INJ_TOKEN", 0, 16),
    "inject_every": ("INJ_TOKEN", 16, 16),
    "inject_layer": ("INJ_CONTROL", 0, 8),
    "inject_cause": ("INJ_CONTROL", 8, 4),
    "inject_enable": ("INJ_CONTROL", 16, 1),
}
PULSES = {  # port: (register, value written, value of the port in its clock)
    "jitter_apply": ("APPLY", 2, 1),
    "ras_apply": ("APPLY", 4, 1),
    "token_apply": ("APPLY", 8, 1),
    "jitter_stat_snap": ("JITTER_SNAP", 1, 1),
    "ras_snap": ("RAS_SNAP", 3, 1),
    "token_arm": ("TOK_CMD", 1, 1),
    "token_resume": ("TOK_CMD", 2, 1),
}
STATUS = {  # port: (register, lsb, width)
    "sampling": ("STATUS", 0, 1),
    "active": ("STATUS", 1, 1),
    "locked": ("STATUS", 2, 1),
    "holdover": ("STATUS", 3, 1),
    "jitter_sync_lost": ("STATUS", 4, 1),
    "ras_pending": ("RAS_PENDING", 0, 5),
    "ras_overflow": ("RAS_PENDING", 8, 5),
    "token_cause": ("TOK_STATUS", 0, 4),
    "token_held": ("TOK_STATUS", 4, 4),
    "token_nested": ("TOK_STATUS", 8, 8),
    "token_armed": ("TOK_STATUS", 16, 1),
    "token_freeze": ("TOK_STATUS", 17, 1),
    "token_trimming": ("TOK_STATUS", 18, 1),
}
CAUSES = {  # port and its bit: bit of INT_RAW
    ("drop", 0): 0, ("bp_error", 0): 1, ("jitter_error", 0): 1, ("ras_error", 0): 1, ("token_error", 0): 1,
    ("jitter_js_sync_lost", 0): 2, ("ras_pending", 0): 3, ("ras_pending", 1): 4, ("ras_pending", 2): 5,
    ("ras_pending", 4): 6, ("ras_req_timeout", 0): 7, ("ras_req_timeout", 1): 8, ("token_freeze", 0): 9,
    ("token_held", 0): 10, ("token_held", 3): 10,
}  # fmt: skip
WIDE = ("jitter_stat_word", "ras_word", "token_id", "token_ctx", "ts_ns")
ERRORS = ("bp_error", "jitter_error", "ras_error", "token_error")


async def setup(dut):
    idle = [f"s_axil_{name}" for name in ("awvalid", "wvalid", "arvalid", "bready", "rready")]
    idle += [*STATUS, *WIDE, *ERRORS, "drop", "mark_in_valid", "jitter_js_sync_lost", "ras_req_timeout"]
    await start(dut, *idle)
    await RisingEdge(dut.clk)
    master = AxilMaster(dut)
    master.watch()
    await RisingEdge(dut.clk)
    return master


async def write(master, name, value, offset=0):
    assert await master.write(AT[name] + offset, value) == OKAY


async def read(master, name, word=0):
    value, response = await master.read(AT[name] + 4 * word)
    assert response == OKAY
    return value


@cocotb.test()
async def test_configuration(dut):
    """Every configuration port shows the bits of its register and no others."""
    master = await setup(dut)
    words = {}
    for name in [name for name, _, _ in CONFIG.values()] * 3 + ["T_NOMINAL_LO"] * 3:
        words[name] = random.getrandbits(32)
        await write(master, name, words[name])
        for port, (register, lsb, width) in CONFIG.items():
            if register in words:
                assert known(getattr(dut, port)) == words[register] >> lsb & (1 << width) - 1, port
    t_nominal = words["T_NOMINAL_LO"] | (words["T_NOMINAL_HI"] & 0xFFFF) << 32
    assert known(dut.jitter_t_nominal) == t_nominal


@cocotb.test()
async def test_orders(dut):
    """Every order is one pulse at its port and at no other; classes by their number."""
    master = await setup(dut)
    seen = Counter()

    async def watch():
        while True:
            await RisingEdge(dut.clk)
            for port in (*PULSES, "bp_apply", "ras_clear", "ras_inject"):
                value = known(getattr(dut, port))
                if value:
                    seen[port, value] += 1

    cocotb.start_soon(watch())
    for port, (register, value, shown) in PULSES.items():
        seen.clear()
        await write(master, register, value)
        assert seen == {(port, shown): 1}, port
    assert known(dut.ras_snap_class) == 3
    for port, register in (("ras_clear", "RAS_PENDING"), ("ras_inject", "RAS_INJECT")):
        for bit in range(5):
            seen.clear()
            await write(master, register, 1 << bit)
            assert seen == {(port, 1 << bit): 1}, port
    for number in range(P["NUM_BP"]):
        await write(master, "BP_PORT", number)
        seen.clear()
        await write(master, "APPLY", 1)
        assert seen == {("bp_apply", 1 << number): 1}


@cocotb.test()
async def test_status(dut):
    """Every status port is read where it belongs."""
    master = await setup(dut)
    values = {}
    for _ in range(12):
        for port, (_, _, width) in STATUS.items():
            values[port] = random.getrandbits(width)
            getattr(dut, port).value = values[port]
        for register in ("STATUS", "RAS_PENDING", "TOK_STATUS"):
            expected = sum(values[port] << lsb for port, (name, lsb, _) in STATUS.items() if name == register)
            assert await read(master, register) == expected, register
    caps = P["NUM_BP"] | P["JITTER"] << 8 | P["RAS"] << 9 | P["TOKEN"] << 10
    assert await read(master, "CAPS") == caps
    assert await read(master, "DESC_HASH_LO") | await read(master, "DESC_HASH_HI") << 32 == P["DESC_HASH"]
    assert await read(master, "CLK_PERIOD") == P["CLK_PERIOD_PS"]
    assert await read(master, "RAS_COUNTS") >> 16 & 0xFF == P["S_COUNT"]
    dut.ts_ns.value = 0x1234_5678_9ABC_DEF0
    assert await read(master, "TIMESTAMP") == 0x9ABC_DEF0
    assert await read(master, "TIMESTAMP", 1) == 0x1234_5678


@cocotb.test()
async def test_interrupts(dut):
    """Each cause sets its bit, alone, and raises the interrupt if masked in; a refusal names its block."""
    master = await setup(dut)
    built = {"jitter_error": P["JITTER"], "ras_error": P["RAS"], "token_error": P["TOKEN"]}
    for (port, bit), cause in CAUSES.items():
        expected = 1 << cause if built.get(port, 1) else 0
        await write(master, "INT_MASK", 1 << cause)
        getattr(dut, port).value = 1 << bit
        await RisingEdge(dut.clk)
        getattr(dut, port).value = 0
        assert await read(master, "INT_RAW") == expected, port
        assert known(dut.irq) == (expected != 0)
        await write(master, "INT_MASK", ~(1 << cause) & 0xFFFFFFFF)
        assert known(dut.irq) == 0, port
        errors = 1 << ERRORS.index(port) if port in ERRORS and expected else 0
        assert await read(master, "CFG_ERR") == errors
        await write(master, "INT_RAW", 0xFFFFFFFF)
        await write(master, "CFG_ERR", 0xFFFFFFFF)
        assert await read(master, "INT_RAW") == 0


@cocotb.test()
async def test_nobody_takes_it(dut):
    """A trace port that does not exist and a block that is not built in refuse."""
    master = await setup(dut)
    for number in (P["NUM_BP"] - 1, P["NUM_BP"], 63):
        await write(master, "BP_PORT", number)
        await write(master, "APPLY", 1)
        assert await read(master, "CFG_ERR") == (number >= P["NUM_BP"])
        assert await read(master, "INT_RAW") == 2 * (number >= P["NUM_BP"])
        await write(master, "CFG_ERR", 15)
        await write(master, "INT_RAW", 2)
    await write(master, "APPLY", 0b1110)
    absent = (not P["JITTER"]) << 1 | (not P["RAS"]) << 2 | (not P["TOKEN"]) << 3
    assert await read(master, "CFG_ERR") == absent


@cocotb.test()
async def test_marks(dut):
    """Marks of the port pass in their clock, untouched; one of software goes in the first free clock, once."""
    master = await setup(dut)
    sent, got, software = [], [], []

    async def port():
        busy = bursts(0, 50, 100)
        while True:
            valid = next(busy)
            sub, value = random.randrange(4), random.getrandbits(31)
            dut.mark_in_valid.value, dut.mark_in_sub.value, dut.mark_in_value.value = int(valid), sub, value
            await RisingEdge(dut.clk)
            if valid:
                sent.append((sub, value))

    async def out():
        while True:
            await RisingEdge(dut.clk)
            if known(dut.mark_valid):
                got.append((known(dut.mark_sub), known(dut.mark_value)))

    cocotb.start_soon(port())
    cocotb.start_soon(out())
    for number in range(60):
        mark = random.randrange(4), 1 << 31 | number
        await write(master, "MARK_SUB", mark[0])
        await write(master, "MARK", mark[1])
        while await read(master, "STATUS") >> 5 & 1:
            pass
        software.append(mark)
    for _ in range(4):
        await RisingEdge(dut.clk)
    assert [mark for mark in got if mark[1] >> 31] == software
    of_port = [mark for mark in got if not mark[1] >> 31]
    assert of_port == sent[: len(of_port)]
    assert len(sent) - len(of_port) <= 3
    assert len(of_port) > 300


@cocotb.test()
async def test_a_waiting_mark_is_replaced(dut):
    """While the port marks in every clock a mark of software waits, is seen to wait, and the newest one goes."""
    master = await setup(dut)
    dut.mark_in_sub.value = dut.mark_in_value.value = 0
    dut.mark_in_valid.value = 1
    await write(master, "MARK", 111)
    assert await read(master, "STATUS") >> 5 & 1
    await write(master, "MARK", 222)
    await FallingEdge(dut.clk)
    dut.mark_in_valid.value = 0
    values = Counter()
    for _ in range(10):
        await RisingEdge(dut.clk)
        if known(dut.mark_valid):
            values[known(dut.mark_value)] += 1
    assert values[222] == 1
    assert values[111] == 0
    assert not await read(master, "STATUS") >> 5 & 1


@cocotb.test()
async def test_dropped(dut):
    """Every drop of every source counts, several in a clock too; who dropped is told."""
    master = await setup(dut)
    total = mask = 0
    for _ in range(20):
        for _ in range(random.randrange(60)):
            drops = random.getrandbits(P["SOURCES"]) & random.getrandbits(P["SOURCES"])
            dut.drop.value = drops
            total, mask = total + drops.bit_count(), mask | drops
            await RisingEdge(dut.clk)
        dut.drop.value = 0
        assert await read(master, "LOSS_COUNT") == total
        assert await read(master, "LOSS_SOURCES") == mask
        assert await read(master, "INT_RAW") & 1 == (total > 0)
    assert total > 100
    assert mask == (1 << P["SOURCES"]) - 1


@cocotb.test()
async def test_windows(dut):
    """Words of the token's context and its id, words of the other blocks."""
    master = await setup(dut)
    context = [random.getrandbits(32) for _ in range(P["WORDS"])]
    dut.token_ctx.value = sum(word << 32 * i for i, word in enumerate(context))
    dut.token_id.value = 0xCAFE0001

    async def blocks():  # nps_jitter and nps_ras_map, one clock behind their index
        while True:
            await RisingEdge(dut.clk)
            if dut.jitter_stat_index.value.is_resolvable:
                dut.jitter_stat_word.value = 0x1000 + int(dut.jitter_stat_index.value)
                dut.ras_word.value = 0x2000 + int(dut.ras_word_index.value)

    cocotb.start_soon(blocks())
    for index in range(32):
        word = context[index] if index < P["WORDS"] else 0xCAFE0001 if index == 16 else 0
        assert await read(master, "TOKEN", index) == word, index
    for index in range(16):
        assert await read(master, "JITTER", index) == 0x1000 + index
        assert await read(master, "RAS", index % 8) == 0x2000 + index % 8
