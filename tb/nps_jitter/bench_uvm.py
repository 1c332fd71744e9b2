# SPDX-License-Identifier: Apache-2.0
"""pyuvm tests of nps_jitter: trains of pulses on a PTP clock that drifts, steps, loses lock and stops."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pyuvm import ConfigDB, uvm_root, uvm_test

from npuscope.encode import JitterConfig
from tb.nps_jitter.env import SETTLE, JitterEnv
from tb.nps_jitter.harness import LATENCY, PERIOD
from tb.vip.player import Play
from tb.vip.sync_port import SyncTrain, random_config

GAP, WATCHDOG = 20, 50


@dataclass(frozen=True)
class Profile:
    """Shapes of the train, rates per clock of what may go wrong, and what must have been said at least once."""

    shapes: tuple[str, ...]
    must: tuple[str, ...]
    options: int = 1
    wander: int = 3
    configs: float = 0.0
    steps: float = 0.0
    locks: float = 0.0
    stops: float = 0.0
    phy: float = 0.0
    switches: float = 0.0
    clocks: int = 4000
    records: int = 100


class JitterTest(uvm_test):
    """Plays the profile in ConfigDB; the same seed does the same on every simulator."""

    def build_phase(self) -> None:
        self.dut = cocotb.top
        self.profile: Profile = ConfigDB().get(None, "", "PROFILE")
        self.env = JitterEnv("env", self)

    def rng(self, part: str) -> random.Random:
        return random.Random(f"{os.environ['NPUSCOPE_SEED']}/{ConfigDB().get(None, '', 'TEST')}/{part}")

    async def run_phase(self) -> None:
        self.raise_objection()
        dut, profile, env = self.dut, self.profile, self.env
        dut.rst.value, dut.restart.value, dut.enable.value = 1, 0, 1
        dut.stat_snap.value = dut.stat_index.value = 0
        env.time.rng, env.time.wander = self.rng("time"), profile.wander
        for _ in range(2 * SETTLE):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        train = SyncTrain(self.rng("train"), GAP, profile.shapes, profile.phy)
        others = [
            cocotb.start_soon(part)
            for part in (Play(self.configs()).start(env.config.sequencer), self.commands(), self.read())
        ]
        await Play(islice(train, profile.clocks)).start(env.sync.sequencer)
        for other in others:
            await other
        for _ in range(2 * LATENCY):
            await RisingEdge(dut.clk)
        self.drop_objection()

    def configs(self) -> Iterator[JitterConfig | None]:
        """The configuration of the profile, then others."""
        rng, profile = self.rng("configs"), self.profile
        yield JitterConfig.from_options(GAP * PERIOD, profile.options, WATCHDOG)
        for _ in range(profile.clocks - 1):
            change = rng.random() < profile.configs
            yield random_config(rng, GAP * PERIOD, WATCHDOG) if change else None

    async def commands(self) -> None:
        """What happens to time, lock and the capture itself."""
        rng, profile, time, dut = self.rng("commands"), self.profile, self.env.time, self.dut
        for _ in range(profile.clocks):
            await RisingEdge(dut.clk)
            if rng.random() < profile.steps:
                size = rng.choice([-1, 1]) * rng.choice([1, 300, 37_000_000_000, 1 << 47])
                rng.choice([time.step, time.jump])(size)
            if rng.random() < profile.locks:
                time.lock(rng.random() < 0.7, rng.random() < 0.5)
            if rng.random() < profile.stops:
                time.stop(not time.stopped)
            if rng.random() < profile.switches:
                dut.enable.value = int(rng.random() < 0.7)
            dut.restart.value = int(rng.random() < profile.switches)

    async def read(self) -> None:
        """Snapshots at any time."""
        rng, spent = self.rng("read"), 0
        while spent < self.profile.clocks:
            wait = rng.randrange(200)
            for _ in range(wait):
                await RisingEdge(self.dut.clk)
            await self.env.statistics.read()
            spent += wait + 300

    def check_phase(self) -> None:
        said, scoreboard = self.env.scoreboard.said, self.env.scoreboard
        missing = [name for name in self.profile.must if not said[name]]
        assert not missing, f"never said: {missing}; said {dict(said)}"
        assert scoreboard.predictor.reference.compared >= self.profile.records
        assert scoreboard.snapshots >= 10


async def play(dut: object, name: str, profile: Profile) -> None:
    """Run one profile as a pyuvm test."""
    Clock(dut.clk, 10, unit="ns").start()
    ConfigDB().set(None, "*", "TEST", name)
    ConfigDB().set(None, "*", "PROFILE", profile)
    await uvm_root().run_test(JitterTest, keep_singletons=True)


ANY = ("regular", "noisy", "late", "missing", "doubled")


@cocotb.test()
async def test_trains(dut):
    """A drifting clock, pulses late, missing, doubled, gone."""
    must = ("OK", "MISSED", "EARLY", "FIRST", "SYNC_LOST")
    await play(dut, "trains", Profile((*ANY, "silent"), must, phy=0.002))


@cocotb.test()
async def test_strobes(dut):
    """Pulses in adjacent clocks; MISSED and EARLY hidden from the mapper."""
    await play(dut, "strobes", Profile(("regular", "adjacent", "doubled"), ("OK", "EARLY", "hidden"), options=0b111))


@cocotb.test()
async def test_troubled_time(dut):
    """Time steps, jumps, stops; lock and holdover come and go."""
    must = ("OK", "STEPPED", "UNLOCKED", "FIRST", "step", "EARLY")
    profile = Profile((*ANY, "adjacent"), must, steps=0.01, locks=0.02, stops=0.005, wander=200)
    await play(dut, "time", profile)


@cocotb.test()
async def test_everything(dut):
    """New configurations, refused ones among them, disabling and restarts on top."""
    must = ("OK", "STEPPED", "UNLOCKED", "FIRST", "SYNC_LOST", "T_NOMINAL_LO", "T_NOMINAL_HI", "refused", "step")
    profile = Profile(
        (*ANY, "adjacent", "silent"), must, wander=50, configs=0.01, steps=0.003, locks=0.01, stops=0.001, phy=0.002,
        switches=0.003, clocks=8000,
    )  # fmt: skip
    await play(dut, "everything", profile)
