# SPDX-License-Identifier: Apache-2.0
"""pyuvm tests of nps_ras_map: jitter of several shapes, notes, configurations and steps."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from npuscope.encode.ras import SATURATED, RasConfig
from npuscope.layout import RasClass
from tb.nps_ras_map.env import RasEnv
from tb.nps_ras_map.harness import CONFIGURED
from tb.nps_ras_map.traffic import random_config
from tb.vip.player import Play

FIRST = RasConfig(1000, 2000, 3000, r_run=2, r_rearm=2, a_budget=2, s_window=4000, a_holdoff=1)


@dataclass(frozen=True)
class Profile:
    """Gap between samples in clocks, share of bad ones, rates per clock, and what must have been told."""

    gap: int
    bad: float
    must: tuple[RasClass, ...]
    notes: float = 0.0
    configs: bool = False
    clocks: int = 3000


class RasTest(uvm_test):
    """Plays the profile in ConfigDB; the same seed does the same on every simulator."""

    def build_phase(self) -> None:
        self.profile: Profile = ConfigDB().get(None, "", "PROFILE")
        self.env = RasEnv("env", self)

    def rng(self, part: str) -> random.Random:
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{ConfigDB().get(None, '', 'TEST')}/{part}")

    def samples(self) -> Iterator[dict[str, Any] | None]:
        """Samples around the limits in force, lost sync and changes of the PHY."""
        rng, profile, mapper = self.rng("samples"), self.profile, self.env.scoreboard.books.mapper
        while True:
            for _ in range(rng.randrange(2 * profile.gap)):
                note = rng.choice(["lost", "phy"])
                yield {note: True} if rng.random() < profile.notes else None
            config, sign = mapper.config, rng.choice([-1, 1])
            limit = rng.choice([config.r_limit, config.a_limit, config.s_limit])
            jitter = rng.randint(0, config.r_limit)
            if rng.random() < profile.bad:
                jitter = min(SATURATED, limit + rng.choice([0, 1, 1, 500]))
            ok = rng.random() < 0.97
            yield {"jitter": sign * jitter if ok else 0, "ok": ok, "saturated": ok and jitter == SATURATED}

    def software(self) -> Iterator[dict[str, int] | None]:
        """Enables first; then clears, injections, reneg_done, and short times of disable."""
        rng, rate = self.rng("software"), self.profile.notes
        yield {"enable": 1}
        while True:
            draw = rng.random()
            if draw < rate:
                yield {"reneg": 1}
            elif draw < 2 * rate:
                yield {rng.choice(["clear", "inject"]): 1 << rng.randrange(5)}
            elif draw < 2.1 * rate:
                yield {"enable": 0}
                yield from [None] * rng.randrange(30)
                yield {"enable": 1}
            else:
                yield None

    def configs(self) -> Iterator[RasConfig | bool | None]:
        """A configuration each few hundred clocks, refused ones among them."""
        rng, s_count = self.rng("configs"), self.env.scoreboard.books.p["S_COUNT"]
        yield from (FIRST, None, True, None, None)
        while True:
            yield from [None] * rng.randrange(400)
            yield from (random_config(rng, s_count), None, True, None, None)

    async def run_phase(self) -> None:
        self.raise_objection()
        dut, env, clocks = cocotb.top, self.env, self.profile.clocks
        env.sides.rng = self.rng("sides")
        for name in ("enable", "sync_lost_a", "snap", "snap_class", "word_index", *(f"cfg_{n}" for n in CONFIGURED)):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(6):
            await RisingEdge(dut.clk)
        dut.rst.value, dut.sync_lost_a.value = 0, 1
        plays = [
            cocotb.start_soon(Play(islice(values, length), size=8).start(agent.sequencer))
            for values, length, agent in (
                (self.samples(), clocks, env.samples),
                (self.software(), clocks, env.software),
                (self.configs(), clocks if self.profile.configs else 5, env.config),
            )
        ]
        rng = self.rng("time")
        for _ in range(clocks):
            await RisingEdge(dut.clk)
            if rng.random() < self.profile.notes / 4:
                setattr(env.time, rng.choice(["offset", "jump"]), rng.choice([-1, 1]) * rng.getrandbits(30))
        for play in plays:
            await play
        for _ in range(1000):  # all that is queued
            await RisingEdge(dut.clk)
        self.drop_objection()

    def check_phase(self) -> None:
        seen = self.env.scoreboard.books.seen
        missing = [what.name for what in self.profile.must if not seen[what.name]]
        assert not missing, f"never told: {missing}; told {dict(seen)}"
        assert self.env.scoreboard.books.compared >= 30
        assert not self.profile.configs or (seen["refused"] and seen["configured"] > 1)


async def play(dut: object, name: str, profile: Profile) -> None:
    """Run one profile as a pyuvm test."""
    Clock(dut.clk, 10, unit="ns").start()
    ConfigDB().set(None, "*", "TEST", name)
    ConfigDB().set(None, "*", "PROFILE", profile)
    await uvm_root().run_test(RasTest, keep_singletons=True)


ALL = (RasClass.R, RasClass.A, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED)


@cocotb.test()
async def test_jitter(dut):
    """Samples alone, of each sort of trouble."""
    await play(dut, "jitter", Profile(20, 0.6, ALL))


@cocotb.test()
async def test_everything(dut):
    """Notes, injections, steps and configurations on top."""
    notes = tuple(what for what in RasClass if what not in (RasClass.ACK, RasClass.REQ_TIMEOUT))
    await play(dut, "everything", Profile(10, 0.6, notes, notes=0.01, configs=True, clocks=6000))
