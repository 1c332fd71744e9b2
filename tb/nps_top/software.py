# SPDX-License-Identifier: Apache-2.0
"""Software of a random test: it writes and reads registers all the time, every kind of order in each round.

Orders whose meaning is a race on the real chip are given as software must: new limits of the RAS mapper while it is off
and its collector empty, so that they do not wait for a loss to be told.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from cocotb.triggers import Lock, RisingEdge

from npuscope.encode.ras import LATCHED, RasConfig
from npuscope.registers import Kind
from tb.nps_regs.map import Model, the_map
from tb.nps_top.config import MEM_LOW, SYNC, SYNC_GAP, Build
from tb.vip.axil import OKAY, AxilMaster
from tb.vip.limits_port import random_limits
from tb.vip.sync_port import random_config
from tb.vip.trace_port import Traffic

__all__ = ["Software"]

AT = {register.name: register.address for register in the_map().registers}
EMPTY_CLOCKS = 100
"""In which a collector that is full becomes empty and its loss is told."""
ON = 7
"""CONTROL: stream, jitter, RAS."""
GENTLE = ("mark", "read", "arm", "resume", "snapshots")
STEADY = (*GENTLE, "jitter", "ras", "injection", "inject", "memory", "trim")
"""Orders that leave the trace ports' limits alone."""


class Software:
    """One at a time: ``lock`` is held during an access, and by a test that resets. ``done``: orders by kind.

    traffic: of the trace ports, told new limits. pointer: of the next token.
    """

    def __init__(
        self, dut: Any, rng: random.Random, build: Build, traffic: list[Traffic], pointer: Callable[[], int]
    ) -> None:
        self.dut, self.rng, self.build, self.traffic, self.pointer = dut, rng, build, traffic, pointer
        self.master = AxilMaster(dut)
        self.lock = Lock()
        self.done: Counter[str] = Counter()
        self.control = 0
        self.forget()

    def forget(self) -> None:
        """The registers are reset."""
        self.model = Model()

    async def write(self, **words: int) -> None:
        for name, value in words.items():
            async with self.lock:
                self.model.write(AT[name], value, 0xF)
                assert await self.master.write(AT[name], value) == OKAY, name

    async def enable(self, on: bool) -> None:
        """Start or end of the stream; once in a while it goes without the other two, or they go on without it."""
        rng = self.rng
        self.control = ON if on else 0
        if rng.random() < 0.2:
            self.control ^= rng.choice([2, 4, 6])
        await self.write(CONTROL=self.control)

    async def round(self, kinds: tuple[str, ...]) -> None:
        """Every kind of order once, in any order; with ``limits`` in between each time if they are among them."""
        others = [kind for kind in kinds if kind != "limits"]
        self.rng.shuffle(others)
        for kind in others:
            for name in ("limits", kind) if "limits" in kinds else (kind,):
                order: Callable[[], Awaitable[None]] = getattr(self, f"_{name}")
                await order()
                self.done[name] += 1
                if int(self.dut.pipe_freeze.value):  # the interrupt
                    await self._resume()

    # ---------------------------------------------------------------- orders
    async def _limits(self) -> None:
        """New limits of a trace port, each second time illegal; the traffic then aims at their boundaries."""
        rng, port = self.rng, self.rng.randrange(len(self.traffic))
        new = random_limits(rng)
        if self.done["limits"] % 2:
            new = replace(new, th_on=8, th_off=8)
        words = {"BP_PORT": port, "BP_LIMITS": new.word, "BP_STALE": new.stale_ns}
        kept = {"BP_PORT": self.model.value["BP_PORT", "port"], "BP_STALE": self.model.value["BP_STALE", "stale"]}
        await self.write(**{name: word for name, word in words.items() if kept.get(name) != word}, APPLY=1)
        if new.legal:
            self.traffic[port].limits = new

    async def _jitter(self) -> None:
        new = random_config(self.rng, SYNC.t_nominal, 4 * SYNC_GAP)
        low, high = new.words
        await self.write(T_NOMINAL_LO=low, T_NOMINAL_HI=high, WATCHDOG=new.watchdog, APPLY=2)

    async def _ras(self) -> None:
        """Other limits near the jitter that comes; one in five is refused."""
        rng, usual = self.rng, self.build.ras
        limits = sorted(rng.randrange(10 << 8, 100 << 8) for _ in range(3))
        if rng.random() < 0.2:
            limits.reverse()
        counts = {"r_run": rng.randrange(1, 5), "r_rearm": rng.randrange(1, 5), "a_budget": rng.randrange(4)}
        new = replace(usual, **dict(zip(("r_limit", "a_limit", "s_limit"), limits, strict=True)), **counts)
        new = replace(new, s_window=rng.randrange(1000, 8000), a_holdoff=rng.randrange(1, 4))
        await self.write(CONTROL=self.control & ~4)
        for _ in range(EMPTY_CLOCKS):
            await RisingEdge(self.dut.clk)
        await self.write(**self._words(new), APPLY=4)
        await self.write(CONTROL=self.control)

    def _words(self, new: RasConfig) -> dict[str, int]:
        """Registers that differ, of a configuration."""
        words = {word.name: value for word, value in new.words().items()}
        return {name: value for name, value in words.items() if self.model.read(AT[name]) != value}

    async def _inject(self) -> None:
        await self.write(RAS_INJECT=1 << self.rng.choice(LATCHED))

    async def _arm(self) -> None:
        """Of the tokens that come soon; mask 0 disarms."""
        ptr = self.pointer() + self.rng.randrange(-2, 4) & 0xFFFFFFFF
        trim = self.model.value["TOK_CONTROL", "trim"]
        await self.write(TOK_PTR=ptr, TOK_CONTROL=trim << 8 | self.rng.choice([1, 2, 4, 8, 15, 0]), TOK_CMD=1)

    async def _resume(self) -> None:
        await self.write(TOK_CMD=2)

    async def _trim(self) -> None:
        await self.write(TOK_CONTROL=self.rng.getrandbits(1) << 8)

    async def _memory(self) -> None:
        on, off = (max(0, limit + self.rng.randrange(-2, 3)) for limit in MEM_LOW)
        if self.rng.random() < 0.2:
            off = on
        await self.write(MEM_LOW=on | off << 16, APPLY=8)

    async def _injection(self) -> None:
        """Causes on tokens of layer 0, from the first or second on."""
        rng = self.rng
        await self.write(INJ_CONTROL=0, INJ_TOKEN=rng.randrange(1, 3) | rng.randrange(1, 4) << 16)
        await self.write(INJ_CONTROL=rng.randrange(1, 16) << 8 | 1 << 16)

    async def _mark(self) -> None:
        await self.write(MARK_SUB=self.rng.randrange(4), MARK=self.rng.getrandbits(32))

    async def _snapshots(self) -> None:
        """Nothing of them shows in the stream."""
        await self.write(JITTER_SNAP=1, RAS_SNAP=self.rng.randrange(5))

    async def _read(self) -> None:
        """A register that holds what was written, and one of any kind; none that means nothing before a snapshot."""
        kept = [r for r in the_map().registers if {field.kind for field in r.fields} == {Kind.CONFIG}]
        known = [r for r in the_map().registers if not r.window and r.name != "TOK_STATUS"]
        for register in (self.rng.choice(kept), self.rng.choice(known)):
            async with self.lock:
                value, response = await self.master.read(register.address)
            assert response == OKAY
            if register in kept:
                assert value == self.model.read(register.address), register.name
