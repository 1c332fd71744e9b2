# SPDX-License-Identifier: Apache-2.0
"""nps_source_token: the golden model's events and contexts, a clock later than those of the trace ports."""

import os
import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import Order, TimeBus, TokenInputs, TokenIrqModel
from tb.nps_source_jitter.bench import LATENCY, told
from tb.signals import known, start
from tb.vip.token_port import TokenTraffic

WORDS = 5
PINS = ("ptr", "id", "layer", "slot", "first", "eos", "eosp", "boundary")
IDLE = (
    *("restart", "ts_ns", "tq", "ts_step", "rel_step", "step_ns", "ins_valid", "ins_ready", "ins_word", "ins_rs1"),
    *("arm", "arm_ptr", "arm_mask", "tok_valid", "tok_ctx", "mem_free", "pipe_ready", "resume", "trim", "cfg_apply"),
    *("cfg_mem_low_on", "cfg_mem_low_off", "inject_enable", "inject_first", "inject_every", "inject_layer"),
    *("inject_cause", *(f"tok_{name}" for name in PINS)),
)


@cocotb.test()
async def test_random(dut):
    """Dense tokens and interrupts close together: each TOKINT comes with its own context, whatever follows it."""
    rng = random.Random(os.environ["NPUSCOPE_SEED"])
    await start(dut, *IDLE)
    dut.mem_free.value = 0xFFFF
    model, traffic = TokenIrqModel(), TokenTraffic(rng, WORDS - 3)
    expected, token, seen, contexts, ts = deque([None] * (LATENCY + 1)), None, 0, 0, 1000
    for _ in range(4000):
        ts += 5
        token = token or (traffic.token("dense") if rng.random() < 0.8 else None)
        step = rng.random() < 0.02
        order = Order(traffic.ptr - 1 & 0xFFFFFFFF, 15) if rng.random() < 0.3 else None
        inputs = TokenInputs(
            TimeBus(0, ts, 2, step, False, -3 if step else 0), token, rng.random() < 0.9, 0xFFFF, None, order,
            resume=rng.random() < 0.8,
        )  # fmt: skip
        dut.ts_ns.value, dut.tq.value, dut.ts_step.value, dut.step_ns.value = ts, 2, int(step), -3 & (1 << 64) - 1
        dut.tok_valid.value, dut.pipe_ready.value, dut.mem_free.value = (
            int(token is not None),
            int(inputs.ready),
            0xFFFF,
        )
        dut.resume.value, dut.arm.value = int(inputs.resume), int(order is not None)
        if order is not None:
            dut.arm_ptr.value, dut.arm_mask.value = order.ptr, order.mask
        if token is not None:
            for name in PINS:
                getattr(dut, f"tok_{name}").value = int(getattr(token, name))
            dut.tok_ctx.value = sum(word << 32 * n for n, word in enumerate(token.own))
        await RisingEdge(dut.clk)
        taken = model.look(inputs).taken
        expected.append(model.clock(inputs))
        token = None if taken else token
        entry = expected.popleft()
        event = dut.event_bus.value
        shown = told(int(event)) if event.is_resolvable else None
        if entry is None:
            assert shown is None
            continue
        record = None if entry.kind is None else (entry.sub, entry.kind, entry.payload)
        assert shown == (entry.ts, entry.tq, entry.step_ns, record)
        seen += 1
        if entry.context:
            words = known(dut.context_words)
            assert tuple(words >> 32 * n & 0xFFFFFFFF for n in range(WORDS)) == entry.context
            contexts += 1
    assert seen > 1000
    assert contexts > 100
