# SPDX-License-Identifier: Apache-2.0
"""Drives token_pair clock by clock; the checker compares every output with the golden models."""

from __future__ import annotations

from collections.abc import Iterable

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from npuscope.encode import Order, TimeBus, Token, TokenInputs, TokenView
from npuscope.encode.token import instruction
from tb.nps_token_irq.checker import EV_LATENCY, Checker, Injection, parameters

PERIOD_NS = 5
AMPLE = 0xFFFF
RESET_CLOCKS = 4
U64 = (1 << 64) - 1


class Harness:
    """One DUT and its models. ``step`` is one clock; a token shown stays shown until it is taken."""

    def __init__(self, dut: object) -> None:
        self.dut = dut
        self.p = parameters()
        self.checker = Checker()
        self.model = self.checker.model
        self.ts, self.tq, self.free = 1_700_000_000_000_000_000, 2, AMPLE
        self.ready, self.trim = True, False
        self.injection: Injection | None = None
        self.waiting: Token | None = None
        self._driven: dict[str, int] = {}

    def _drive(self, **pins: int) -> None:
        for name, value in pins.items():
            if self._driven.get(name) != value:
                self._driven[name] = value
                getattr(self.dut, name).value = value

    async def start(self) -> None:
        """Clock and reset."""
        Clock(self.dut.clk, 10, unit="ns").start()
        for _ in range(RESET_CLOCKS):
            self._show(TokenInputs(self._time()), None)
            self._drive(rst=1)
            await RisingEdge(self.dut.clk)
        await self.reset()
        self._drive(rst=0)

    def _time(self, step: int | None = None, relative: bool = False) -> TimeBus:
        self.ts = (self.ts + PERIOD_NS + (step or 0)) & (U64 >> 1)
        return TimeBus(0, self.ts, self.tq, step is not None and not relative, step is not None and relative, step or 0)

    async def step(
        self,
        token: Token | None = None,
        *,
        ins: tuple[int, int] | None = None,
        stalled_ins: tuple[int, int] | None = None,
        arm: Order | None = None,
        resume: bool = False,
        limits: tuple[int, int] | None = None,
        restart: bool = False,
        reset: bool = False,
        step_ns: int | None = None,
        relative: bool = False,
    ) -> TokenView:
        """One clock; what it showed. token: shown unless one waits. stalled_ins: shown and not taken."""
        self.waiting = self.waiting or token
        inputs = TokenInputs(
            self._time(step_ns, relative), self.waiting, self.ready, self.free, ins, arm, 0, resume, self.trim, limits,
            restart, reset,
        )  # fmt: skip
        self._show(inputs, stalled_ins)
        await RisingEdge(self.dut.clk)
        self.checker.check(self.dut, inputs, self.injection)
        assert self.checker.view is not None
        if self.checker.view.taken:
            self.waiting = None
        return self.checker.view

    def _show(self, inputs: TokenInputs, stalled_ins: tuple[int, int] | None) -> None:
        token, time, ins = inputs.token, inputs.time, inputs.ins or stalled_ins
        self._drive(
            rst=int(inputs.reset), restart=int(inputs.restart), ts_ns=time.ts_ns, tq=time.tq, ts_step=int(time.ts_step),
            rel_step=int(time.rel_step), step_ns=time.step_ns & U64, ins_valid=int(ins is not None),
            ins_ready=int(inputs.ins is not None), arm=int(inputs.arm is not None), tok_valid=int(token is not None),
            mem_free=inputs.free, pipe_ready=int(inputs.ready), resume=int(inputs.resume), trim=int(inputs.trim),
            cfg_apply=int(inputs.limits is not None), inj_enable=int(self.injection is not None),
        )  # fmt: skip
        word, rs1 = ins or (0, 0)
        order = inputs.arm or Order(0, 0)
        on, off = inputs.limits or (0, 0)
        self._drive(ins_word=word, ins_rs1=rs1, arm_ptr=order.ptr, arm_mask=order.mask)
        self._drive(cfg_mem_low_on=on, cfg_mem_low_off=off)
        self._show_token(token or Token(0, 0, own=(0,) * (self.p["WORDS"] - 3)))
        injection = self.injection or Injection(0, 0, 0, 0)
        self._drive(
            inj_first=injection.first, inj_every=injection.every, inj_layer=injection.layer, inj_force=injection.cause
        )

    def _show_token(self, token: Token) -> None:
        own = sum(word << 32 * i for i, word in enumerate(token.own))
        self._drive(
            tok_ptr=token.ptr, tok_id=token.id, tok_layer=token.layer, tok_slot=token.slot, tok_first=int(token.first),
            tok_eos=int(token.eos), tok_eosp=int(token.eosp), tok_boundary=int(token.boundary), tok_ctx=own,
        )  # fmt: skip

    async def idle(self, clocks: int = 1, **inputs: object) -> None:
        """Clocks without a new token."""
        for _ in range(clocks):
            await self.step(**inputs)

    async def armed(self, mask: int, ptr: int = 0) -> None:
        """Arm, and wait until it is in force."""
        await self.step(ins=(instruction(mask), ptr))
        await self.step()

    async def feed(self, tokens: Iterable[Token]) -> None:
        """One token after the other, each until it is taken; stops in front of the freeze."""
        for token in tokens:
            await self.step(token)
            assert self.waiting is None, f"{token} waits"

    async def reset(self) -> None:
        """Some clocks of reset."""
        self.waiting = None
        for _ in range(RESET_CLOCKS):
            await self.step(reset=True)

    async def take(self) -> list[str]:
        """Let the events out, FROZEN included; "name id" of those since the last call."""
        await self.idle(1 + EV_LATENCY)
        return [f"{name} {token}" for name, token in self.checker.take()]


async def started(dut: object) -> Harness:
    """A harness out of reset."""
    harness = Harness(dut)
    await harness.start()
    cocotb.log.info("parameters %s", harness.p)
    return harness
