# SPDX-License-Identifier: Apache-2.0
"""Constrained random against the golden models: every output, every clock. CLOCKS and NPUSCOPE_SEED replay a run."""

import os
import random
from collections import Counter

import cocotb

from npuscope.encode import Order
from npuscope.encode.token import instruction
from npuscope.layout import TokenSub
from tb.nps_token_irq.checker import Injection
from tb.nps_token_irq.harness import started
from tb.vip.token_port import TokenTraffic

MUST_HAPPEN = {sub.name for sub in TokenSub} | {
    "TOKINT", "step", "restart", "reset", "ins_error", "cfg_error", "nested", "injected", "several causes", "first hit",
    "trimmed without room", "release in the second frozen clock",
}  # fmt: skip


class Mood:
    """What is likely for a while."""

    def __init__(self, rng):
        self.tokens = rng.choice([0.1, 0.5, 1.0, 1.0])
        self.ready = rng.choice([0.2, 0.8, 1.0])
        self.orders = rng.choice([0.02, 0.2, 0.6])
        self.resume = rng.choice([0.05, 0.3, 0.9])
        self.trim = rng.choice([0.0, 0.5, 0.98])
        self.shape = rng.choice(["plain", "busy", "dense"])


def order(rng, h, traffic):
    """About where the tokens are, now and then far away; any mask."""
    ptr = traffic.ptr + rng.choice([-1, 0, 0, 1, 2, 8, 1 << 31, (1 << 31) + 1]) & 0xFFFFFFFF
    return Order(ptr, rng.choice([0, 1, 2, 4, 8, 15, 15, rng.randrange(16)]))


def inputs(rng, h, traffic, mood, seen):
    """Everything but the token."""
    options = {}
    if rng.random() < mood.orders:
        wanted = order(rng, h, traffic)
        word = instruction(wanted.mask, rng.randrange(32), rng.randrange(32))
        if rng.random() < 0.1:
            word ^= 1 << rng.randrange(32)
        options[rng.choice(["ins", "ins", "stalled_ins"])] = word, wanted.ptr
    if rng.random() < mood.orders / 4:
        options["arm"] = order(rng, h, traffic)
    options["resume"] = rng.random() < mood.resume
    if rng.random() < 0.02:
        options["step_ns"], options["relative"] = rng.randrange(-1000, 1000), rng.random() < 0.5
    if rng.random() < 0.02:
        on = rng.choice([5, 10, 30])
        options["limits"] = on, on + rng.choice([-1, 0, 1, 10])
    options["restart"] = rng.random() < 0.005
    seen["restart"] += options["restart"]
    return options


@cocotb.test()
async def test_random(dut):
    h = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    traffic = TokenTraffic(rng, h.p["WORDS"] - 3)
    seen, mood, last = Counter(), Mood(rng), None
    for _ in range(int(os.environ.get("CLOCKS", "12000"))):
        if rng.random() < 0.02:
            mood = Mood(rng)
        if rng.random() < 0.001:
            await h.reset()
            seen["reset"] += 1
        if rng.random() < 0.01:
            number = rng.choice([0, 1, 2, 5])
            injection = Injection(number, rng.choice([0, 1, 3]), rng.choice([0, 1]), rng.randrange(1, 16))
            h.injection = None if h.injection else injection
        h.ready = rng.random() < mood.ready
        h.trim = rng.random() < mood.trim if rng.random() < 0.1 else h.trim
        limits = h.model.limits
        if rng.random() < 0.3:
            h.free = max(0, rng.choice([0, *limits, *limits, 0xFFFF]) + rng.choice([-1, 0, 0, 1])) & 0xFFFF
        h.tq = rng.randrange(4) if rng.random() < 0.02 else h.tq
        token = traffic.token(mood.shape) if h.waiting is None and rng.random() < mood.tokens else None
        frozen = h.model.frozen_clocks
        view = await h.step(token, **inputs(rng, h, traffic, mood, seen))
        note(h, view, frozen, seen)
        if h.model.snapshot is not last:
            last = h.model.snapshot
            seen["injected"] += last.context[0] >> 29 & 1
            seen["first hit"] += last.context[0] >> 30 & 1
            seen["several causes"] += last.cause.bit_count() > 1
    seen.update(h.checker.said)
    cocotb.log.info("%d events compared: %s", h.checker.compared, dict(seen))
    missing = {name for name in MUST_HAPPEN if not seen[name]}
    assert not missing, f"never happened: {missing}"
    assert h.checker.compared > 1000


def note(h, view, frozen, seen):
    seen["ins_error"] += h.model.ins_error
    seen["cfg_error"] += h.model.cfg_error
    seen["nested"] += view.held != 0
    seen["trimmed without room"] += view.taken and not view.enters and not h.ready
    seen["release in the second frozen clock"] += frozen == 2 and h.model.frozen_clocks == 0
