# SPDX-License-Identifier: Apache-2.0
"""nps_prefetch_trig against npuscope.encode.monitors, and a cache whose hit rate it must lift over the limit."""

import random
from collections import OrderedDict, deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode.monitors import PrefetchModel, under_rate
from npuscope.layout import THRESHOLDS
from tb.signals import known, start
from tb.vip.mon_records import MonRecords

NORM = THRESHOLDS["PREFETCH_NORM"].value
FIRST, LAST = THRESHOLDS["PREFETCH_FIRST"].value, THRESHOLDS["PREFETCH_LAST"].value
BLOCK, WINDOW = THRESHOLDS["PREFETCH_BLOCK"].value, THRESHOLDS["PREFETCH_WINDOW"].value
INPUTS = ("enable", "forget", "valid", "layer", "seq_pos", "norm_std", "cfg_apply", "cfg_norm")


class Harness:
    """The DUT and its model; ``step`` returns the window asked for by the record of this clock, or None."""

    def __init__(self, dut):
        self.dut, self.model, self.records = dut, PrefetchModel(), MonRecords(dut)
        dut.enable.value = 1

    async def step(self, layer=None, seq_pos=0, norm=0, *, forget=False):
        dut = self.dut
        dut.valid.value, dut.forget.value = layer is not None, forget
        dut.layer.value, dut.seq_pos.value, dut.norm_std.value = layer or 0, seq_pos, norm
        expected = self.model.clock(None if layer is None else (layer, seq_pos, norm), forget=forget)
        await RisingEdge(dut.clk)
        record = self.records.clock(expected)
        if record is None:
            return None
        span = known(dut.pf_base), known(dut.pf_end)
        assert span == self.model.span(record[1] & 0xFFFFFF)
        return record[1] >> 24, *span

    async def asks(self, *sample):
        """Whether this sample alone makes a request."""
        found = [await self.step(*sample, forget=True)] + [await self.step() for _ in range(5)]
        return any(found)


async def started(dut):
    await start(dut, *INPUTS)
    return Harness(dut)


@cocotb.test()
async def test_limits(dut):
    """F1, F2: norm_std below 5374, layers 17 to 24: each with its neighbours."""
    h = await started(dut)
    for norm, asks in ((NORM - 1, True), (NORM, False), (NORM + 1, False), (0, True), (0xFFFFFFFF, False)):
        assert await h.asks(FIRST, 5, norm) == asks, norm
    for layer, asks in ((FIRST - 1, False), (FIRST, True), (LAST, True), (LAST + 1, False), (0, False), (255, False)):
        assert await h.asks(layer, 5, 0) == asks, layer
    dut.cfg_norm.value, dut.cfg_apply.value = NORM + 1, 1
    await h.step()
    dut.cfg_apply.value = 0
    h.model.norm = NORM + 1
    assert await h.asks(FIRST, 5, NORM)
    assert not await h.asks(FIRST, 5, NORM + 1)


@cocotb.test()
async def test_window(dut):
    """F3, F4: a window of 3 blocks from that of seq_pos + 1, once a block and layer, anew in another sequence."""
    h = await started(dut)
    asked = []
    for seq_pos in range(2 * BLOCK + 2):
        for layer in (FIRST, LAST):
            asked.append(await h.step(layer, seq_pos))
    asked += [await h.step() for _ in range(6)]
    spans = [(block * BLOCK, (block + WINDOW) * BLOCK) for block in range(3)]
    assert [request for request in asked if request] == [(layer, *span) for span in spans for layer in (FIRST, LAST)]
    assert await h.asks(FIRST, 2 * BLOCK)
    assert await h.asks(FIRST, (1 << 24) - 1)  # the next position is 0


@cocotb.test()
async def test_random(dut):
    """Layers in turn and the same in adjacent clocks, positions near the edges of blocks, norms near the limit."""
    h = await started(dut)
    for _ in range(6000):
        layer = random.choice([None, FIRST, FIRST + 1, LAST, LAST + 1, random.randrange(256)])
        seq_pos = random.choice([126, 127, 128, 255, random.getrandbits(24)])
        await h.step(
            layer, seq_pos, random.choice([0, NORM - 1, NORM, random.getrandbits(32)]), forget=random.random() < 0.05
        )
    assert h.records.seen > 800


class Cache:
    """Blocks of the KV cache, least recently used first; what is fetched comes after some tokens."""

    def __init__(self, size, delay):
        self.size, self.delay, self.lines, self.coming = size, delay, OrderedDict(), deque()

    def fill(self, line):
        self.lines[line] = None
        self.lines.move_to_end(line)
        if len(self.lines) > self.size:
            self.lines.popitem(last=False)

    def read(self, line):
        hit = line in self.lines
        self.fill(line)
        return hit


@cocotb.test()
async def test_hit_rate(dut):
    """B3, B4: decoding with the trigger on has a hit rate over the limit, without it under: targets 93.6 and 87.1 %."""
    rates = {}
    for on in (False, True):
        h = await started(dut) if not on else Harness(dut)
        cache, hits, accesses = Cache(96, 2), 0, 0
        rng = random.Random("kv")
        for token in range(0, 12 * BLOCK, 8):  # every eighth position: 16 to a block
            while cache.coming and cache.coming[0][0] <= token:
                cache.fill(cache.coming.popleft()[1])
            for layer in range(FIRST, LAST + 1):
                request = await h.step(
                    layer, token, 100 if rng.random() < 0.9 else NORM, forget=not token and layer == FIRST
                )
                if request and on:
                    for block in range(request[1] // BLOCK, request[2] // BLOCK):
                        cache.coming.append((token + cache.delay * 8, (request[0], block)))
                far = rng.random() < 0.07  # a read far back, which no window covers
                block = (token + 1) // BLOCK + (-1 - rng.randrange(4000) if far else 0)
                accesses += 1
                hits += cache.read((layer, block))
        rates[on] = hits, accesses
    limit = THRESHOLDS["HITRATE_LIMIT"].value
    cocotb.log.info("hit rate off %.1f %%, on %.1f %%", *(100 * hits / accesses for hits, accesses in rates.values()))
    assert under_rate(*rates[False], limit)
    assert not under_rate(*rates[True], limit)
