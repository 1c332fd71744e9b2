# SPDX-License-Identifier: Apache-2.0
"""nps_ras_words: every event one clock later, behind the words of a configuration WORDS + 1."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import Kind
from tb.signals import known, start

FIELDS = ("kind", "sub", "tq", "ts", "payload", "step_ns")


@cocotb.test()
async def test_random(dut):
    """Events as close as they may come, with and without record, step, words; what is told is known clock by clock."""
    await start(dut, "words", "in_valid", "in_step", "in_cfg", *(f"in_{name}" for name in FIELDS))
    words, first = known(dut.WORDS), known(dut.FIRST)
    expected, seen = {}, {"words": 0, "step before words": 0, "alone": 0}
    value = wait = 0
    for clock in range(6000):
        wait -= 1
        valid, step, cfg = (random.random() < share for share in (0.5, 0.2, 0.3))
        if wait > 0 or random.random() < random.choice([0.0, 0.5]):
            valid = step = cfg = False
        event = {name: random.getrandbits(width) for name, width in zip(FIELDS, (4, 4, 2, 63, 32, 64), strict=True)}
        dut.in_valid.value, dut.in_step.value, dut.in_cfg.value = valid, step, cfg
        for name in FIELDS:
            getattr(dut, f"in_{name}").value = event[name]
        if valid or step or cfg:
            wait = words + 1 if cfg else 0
            told = {"valid": valid, "step": step and not cfg, **event}
            if valid or told["step"]:
                expected[clock + (words + 1 if cfg else 1)] = told
        if cfg:
            for n in range(words):
                record = {"kind": Kind.CFG, "sub": first + n, "payload": value >> 32 * n & 0xFFFFFFFF}
                expected[clock + 1 + n] = {**event, "valid": True, "step": step and n == 0, **record}
            seen["words"] += 1
            seen["step before words"] += step
            seen["alone"] += not valid
        if wait <= 0 and not cfg:  # words stand from the clock before
            value = random.getrandbits(32 * words)
            dut.words.value = value
        await RisingEdge(dut.clk)
        due = expected.pop(clock, {"valid": False, "step": False})
        assert (known(dut.ev_valid), known(dut.ev_step)) == (due["valid"], due["step"])
        if due["valid"]:
            assert all(known(getattr(dut, f"ev_{name}")) == due[name] for name in ("kind", "sub", "payload"))
        if due["valid"] or due["step"]:
            assert (known(dut.ev_ts), known(dut.ev_tq)) == (due["ts"], due["tq"])
            assert not due["step"] or known(dut.ev_step_ns) == due["step_ns"]
        assert not (known(dut.idle) and any(at <= clock + 1 for at in expected))
    assert min(seen.values()) > 10, seen
