# SPDX-License-Identifier: Apache-2.0
"""nps_ras_latch against npuscope.encode.RasLatch: sets, clears and losses at every distance, snapshots."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.ras import LATCHED, RasLatch
from tb.signals import known, start


def key(value):
    """The key of a syndrome: its bits below the sign, inverted if it is negative, then the sign."""
    return ((value ^ (-1 if value < 0 else 0)) & 0x7FFF) << 1 | (value < 0)


class Bench:
    def __init__(self, dut):
        self.dut, self.latches, self.clears = dut, {what: RasLatch() for what in LATCHED}, 0.1

    async def clock(self, sets=None, clear=True, **pins):
        """One clock; ``sets`` = (class, ts, syndrome) if it is the deciding clock of a set."""
        dut, random_mask = self.dut, lambda share: {what for what in LATCHED if random.random() < share}
        cleared = random_mask(0.3) if clear and random.random() < self.clears else set()
        lost = random_mask(0.3) if random.random() < 0.01 else set()
        dut.clear.value, dut.lose.value = (sum(1 << what for what in mask) for mask in (cleared, lost))
        for name, value in ({"set": 0, "snap": 0} | pins).items():
            getattr(dut, name).value = value
        await RisingEdge(dut.clk)
        assert known(dut.pending) == sum(1 << what for what in LATCHED if self.latches[what].pending)
        assert known(dut.overflow) == sum(1 << what for what in LATCHED if self.latches[what].overflow)
        for what in cleared:
            self.latches[what].clear()
        told = None
        if sets:
            latch = self.latches[sets[0]]
            latch.set(*sets[1:])
            told = (latch.count, latch.count == 1 and not latch.overflow, latch.overflow)
        for what in lost:
            self.latches[what].lose()
        return told

    async def set(self, what, ts, value):
        dut = self.dut
        dut.set_class.value, dut.set_mask.value, dut.set_ts.value, dut.set_key.value = what, 1 << what, ts, key(value)
        await self.clock(set=1)
        told = await self.clock((what, ts, value))
        await self.clock()
        await self.clock()
        assert (known(dut.count), known(dut.first), known(dut.over)) == told

    async def snapshot(self, what):
        dut, latch = self.dut, self.latches[what]
        dut.snap_class.value = what
        flags = {(latch.pending, latch.overflow)}
        await self.clock(snap=1, clear=False)
        while True:
            await self.clock(clear=False)
            flags.add((latch.pending, latch.overflow))
            if not known(dut.snap_busy):
                break
        words = []
        for index in range(6):
            await self.clock(word_index=index)
            await self.clock()
            words.append(dut.word.value)
        flag = int(words[0])
        assert (bool(flag & 1), bool(flag & 2)) in flags
        return flag >> 8, words

    async def check(self, what):
        latch = self.latches[what]
        before = (latch.count, latch.worst, latch.first_ts, latch.last_ts)
        count, words = await self.snapshot(what)
        assert count == before[0]
        if count:
            worst, first, last = (
                int(words[1]),
                int(words[2]) | int(words[3]) << 32,
                int(words[4]) | int(words[5]) << 32,
            )
            assert (worst, first, last) == (before[1] << 16 & 0xFFFFFFFF, *before[2:])


@cocotb.test()
async def test_random(dut):
    """Bursts up to the maximum of the count, clears at every distance."""
    names = ("set", "set_class", "set_mask", "set_ts", "set_key", "lose", "clear", "snap", "snap_class", "word_index")
    await start(dut, *names)
    bench, overs = Bench(dut), 0
    for n in range(900):
        what = LATCHED[0] if n % 150 > 50 and random.random() < 0.8 else random.choice(LATCHED)
        if random.random() < 0.3:
            await bench.check(what)
        bench.clears = 0 if n % 150 > 50 else 0.1
        bits = random.randint(1, 15)
        await bench.set(what, random.getrandbits(63), random.randint(-(1 << bits), (1 << bits) - 1))
        overs += bench.latches[what].overflow and bench.latches[what].count == 31
    assert overs > 5
