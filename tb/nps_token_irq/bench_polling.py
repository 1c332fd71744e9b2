# SPDX-License-Identifier: Apache-2.0
"""The interrupt against a polling loop on the same tokens: clocks until the cut, and waste that got through.

INTERVAL: clocks between two looks of the loop. The loop acts at once when it has seen; the software behind the
interrupt takes ANSWER clocks to order trim and resume, during which the pipeline stands.
"""

import os
import random

import cocotb

from npuscope.encode.token import EOS, instruction
from tb.nps_token_irq.checker import IRQ_LATENCY
from tb.nps_token_irq.harness import started
from tb.nps_token_irq.polling import Cut, poll, workload

INTERVAL = int(os.environ.get("INTERVAL", "64"))
ANSWER = 20
SEQUENCES = 40


class Software:
    """Answers each interrupt: after ANSWER clocks it arms again, orders trim and resumes."""

    def __init__(self):
        self.frozen = 0

    def orders(self, view):
        self.frozen = self.frozen + 1 if view.pipe_freeze else 0
        if self.frozen == ANSWER - 1:
            return {"ins": (instruction(EOS), 0)}
        return {"resume": True} if self.frozen == ANSWER else {}


async def interrupted(h, tokens):
    """One ``Cut`` a sequence, measured at the pins of the DUT."""
    cuts, software = [], Software()
    clock, hit_at, latency, late, dropped = 0, None, None, 0, 0
    view = await h.step()

    async def step(token=None):
        nonlocal clock, hit_at, latency, view
        clock += 1
        view = await h.step(token, **software.orders(view))
        if view.pipe_freeze and hit_at is not None and latency is None:
            latency = clock - hit_at
        return view

    for paced in tokens:
        for _ in range(paced.gap - 1):
            await step()
        if paced.token.first and hit_at is not None:
            cuts.append(Cut(latency, late, dropped))
            hit_at, latency, late, dropped = None, None, 0, 0
        view = await step(paced.token)
        while not view.taken:
            view = await step()
        if paced.token.eos:
            assert view.enters
            hit_at = clock
        elif paced.waste:
            late += view.enters
            dropped += not view.enters
    cuts.append(Cut(latency, late, dropped))
    return cuts


def mean(values):
    return sum(values) / len(values)


@cocotb.test()
async def test_interrupt_against_polling(dut):
    """The interrupt's latency is its constant and no waste passes; the loop is late by its interval."""
    h = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    tokens = workload(rng, SEQUENCES, gap=4)
    h.trim = True
    await h.armed(EOS)
    ours = await interrupted(h, tokens)
    polled = poll(tokens, INTERVAL, rng.randrange(INTERVAL))
    waste = [cut.late + cut.dropped for cut in ours]
    assert len(ours) == len(polled) == SEQUENCES
    assert waste == [cut.late + cut.dropped for cut in polled], "the same tokens"
    assert {cut.latency for cut in ours} == {IRQ_LATENCY}
    assert [cut.late for cut in ours] == [0] * SEQUENCES
    assert all(1 <= cut.latency <= INTERVAL for cut in polled)
    latency = mean([cut.latency for cut in polled]) / IRQ_LATENCY
    late, dropped = (sum(getattr(cut, name) for cut in polled) for name in ("late", "dropped"))
    cocotb.log.info(
        "polling every %d clocks: latency %.1f : 1, %d of %d waste tokens got through (interrupt: 0), dropped %.2f : 1",
        INTERVAL, latency, late, sum(waste), dropped / sum(waste),
    )  # fmt: skip
    assert INTERVAL / 4 < latency <= INTERVAL, "about half the interval"
    assert late > 0
