# SPDX-License-Identifier: Apache-2.0
"""nps_ras_request against npuscope.encode.RasRequest, clock by clock; and the four phases against their definition."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import RasRequest
from npuscope.layout import RasClass
from tb.signals import bursts, known, start

MANNERS = ("prompt", "slow", "silent", "stuck", "wild")


@cocotb.test()
async def test_random(dut):
    """Every manner of the other side: req, acked, timeout and stuck as the model says; req never rises into an ack."""
    await start(dut, "fire", "ack")
    model = RasRequest(known(dut.TIMEOUT))
    fires, ack, manner, was, seen = bursts(0, 5, 90), 0, "prompt", (0, 0), {}
    for _ in range(6000):
        if random.random() < 0.01:
            manner = random.choice(MANNERS)
        req = model.req
        if manner == "wild":
            ack = random.getrandbits(1)
        elif manner == "stuck":
            ack |= req
        elif manner == "silent":
            ack = 0
        elif manner == "prompt" or random.random() < 1 / model.timeout:
            ack = int(req)
        fire = next(fires)
        dut.fire.value, dut.ack.value = fire, ack
        told = model.clock(fire, bool(ack))
        await RisingEdge(dut.clk)
        assert known(dut.req) == req
        assert known(dut.acked) == (told is RasClass.ACK)
        assert known(dut.timeout) == (told is RasClass.REQ_TIMEOUT)
        if told is RasClass.REQ_TIMEOUT:
            assert known(dut.stuck) == model.stuck
        assert not (req and not was[0] and was[1]), "req rose into an ack"
        was = (req, ack)
        name = told and f"{told.name} {model.stuck}"
        seen[name] = seen.get(name, 0) + 1
    assert {"ACK False", "REQ_TIMEOUT False", "REQ_TIMEOUT True"} <= set(seen)


@cocotb.test()
async def test_each_fire_is_answered_once(dut):
    """Fires far apart, a prompt other side: as many requests as fires."""
    await start(dut, "fire", "ack")
    rises = was = ack = 0
    for n in range(900):
        dut.fire.value, dut.ack.value = n % 30 == 7, ack
        await RisingEdge(dut.clk)
        req = known(dut.req)
        rises += req and not was
        ack = was = req
    assert rises == 30
