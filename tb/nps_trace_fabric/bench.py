# SPDX-License-Identifier: Apache-2.0
"""From tokens to the bytes of the stream: every record of the dump is that of the golden models, CRCs included.

The token model says what is offered; ``npuscope.encode`` checks the dump record by record (losses, groups, END).
"""

import os
import random
from collections import Counter
from itertools import pairwise

import cocotb

from npuscope.encode import BpLimits, Order, Session, SourceConfig, StreamConfig, UnitKind, check_dump
from npuscope.layout import SRC_TOKEN, Kind
from tb.nps_token_irq.harness import Harness
from tb.signals import bursts, known
from tb.vip.token_port import TokenTraffic

FRAME_RECORDS = 64  # the top is built with it
LONGEST = 4000  # clocks until END


class Fabric(Harness):
    """The harness of the interrupt, with a sink behind; ``offered`` are the entries while ``offering``."""

    def __init__(self, dut, ready):
        super().__init__(dut)
        self.sink, self.taken, self.offered = ready, bytearray(), []
        self.now, self.done = 1000, False
        take = self.model.clock

        def noted(inputs):
            entry = take(inputs)
            if entry is not None:
                self.offered.append(entry)
            return entry

        self.model.clock = noted
        limits = BpLimits()
        self._drive(begin_stream=0, flush=0, limits=limits.word, stale=limits.stale_ns, rel_ns=0, m_axis_tready=0)

    async def step(self, *arguments, **options):
        self.now += 5
        ready = next(self.sink)
        self._drive(rel_ns=self.now, m_axis_tready=int(ready))
        view = await super().step(*arguments, **options)
        if not options.get("reset"):
            if ready and known(self.dut.m_axis_tvalid):
                self.taken += known(self.dut.m_axis_tdata).to_bytes(16, "little")
            self.done = self.done or bool(known(self.dut.done))
        return view

    async def begin(self):
        """Start a stream: nothing offered before counts."""
        await self.step(restart=True)
        self._drive(begin_stream=1)
        await self.step(restart=True)
        self._drive(begin_stream=0)
        for _ in range(10):
            await self.step(restart=True)
        self.offered.clear()

    async def end(self):
        """Flush; the sink takes all; END."""
        self.sink = bursts(100)
        for _ in range(6):
            await self.step()
        self._drive(flush=1)
        for _ in range(LONGEST):
            await self.step()
            if self.done:
                return
        raise AssertionError("END does not come")


async def play(dut, clocks, ready, share, shape, orders, answer=1):
    """A stream of random tokens and interrupts; the walk of its checked dump. answer: clocks of a freeze, at least."""
    fabric = Fabric(dut, ready)
    await fabric.start()
    await fabric.begin()
    rng = random.Random(f"{os.environ['NPUSCOPE_SEED']}/{shape}/{orders}")
    traffic = TokenTraffic(rng, fabric.p["WORDS"] - 3)
    frozen = 0
    for number in range(clocks):
        token = traffic.token(shape) if fabric.waiting is None and rng.random() < share else None
        frozen = frozen + 1 if fabric.model.frozen_clocks else 0
        options = {"resume": frozen >= answer and rng.random() < 0.3}
        if rng.random() < orders:
            options["arm"] = Order(traffic.ptr, rng.randrange(1, 16))
        if number % 150 == 149:
            options["step_ns"] = rng.randrange(-1000, 1000)
        fabric.trim = rng.random() < 0.5
        await fabric.step(token, **options)
    await fabric.end()
    offered = list(fabric.offered)
    config = StreamConfig((SourceConfig(1),), frame_records=FRAME_RECORDS, others={SRC_TOKEN: {}})
    session = Session({SRC_TOKEN: offered}, bp_samples={SRC_TOKEN: fabric.model.tokens})
    walk = check_dump(config, [session], bytes(fabric.taken))[0]
    said = Counter(Kind(fabric.taken[at + 8] & 15).name for at in range(0, len(fabric.taken), 16))
    cocotb.log.info("%d records compared: %s; lost %s", walk.compared, dict(said), walk.lost[SRC_TOKEN])
    return walk, offered


@cocotb.test()
async def test_no_loss(dut):
    """Nothing is lost: every interrupt is there with its whole context, frames close before it."""
    walk, offered = await play(dut, 2000, bursts(100), 0.1, "busy", 0.05, answer=20)
    assert walk.lost[SRC_TOKEN] == 0
    whole = [unit for unit in walk.units if unit.entry is not None and unit.entry.context]
    assert len(whole) == sum(bool(entry.context) for entry in offered) > 10
    assert all(unit.count >= 1 + len(unit.entry.context) for unit in whole)
    ends = [unit.index for unit in walk.units if unit.kind == UnitKind.GROUP]
    lengths = {after - before for before, after in pairwise(ends)}
    assert max(lengths) <= FRAME_RECORDS


@cocotb.test()
async def test_losses(dut):
    """A slow sink, more contexts than the side FIFO holds: entries are lost whole, counted with their context."""
    walk, offered = await play(dut, 3000, bursts(40, 0, 60, mean=100), 0.5, "dense", 0.5)
    assert walk.lost[SRC_TOKEN] > 50
    assert walk.delivered[SRC_TOKEN] > 100
    assert any(unit.entry is not None and unit.entry.context for unit in walk.units)
    assert sum(entry.size for entry in offered) == walk.lost[SRC_TOKEN] + walk.delivered[SRC_TOKEN]
