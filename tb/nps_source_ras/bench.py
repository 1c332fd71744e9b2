# SPDX-License-Identifier: Apache-2.0
"""nps_source_ras: what is told, or counted as lost, is without gap what the golden model offers in a stream.

What the collector drops is the design's choice; where the loss stands, and every bit of all else, is the model's.
"""

import os
import random
from collections import Counter, deque
from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import TimeBus
from npuscope.encode.ras import LATCHED, SATURATED, RasConfig
from npuscope.encode.ras_source import Latches, RasMoment, RasSourceModel
from npuscope.layout import Kind, LossCause, LossSub
from tb.nps_ras_map.traffic import Responder
from tb.signals import bursts, known, start

COLLECT = 3
"""Clocks from the inputs of a moment until it is collected with its acks."""
QUIET = 4
"""Clocks after the last offered moment in which ``offers`` need not show it yet."""
FIELDS = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "a_budget", "s_window", "a_holdoff")
IDLE = (
    *("js", "js_offer", "enable", "reneg_done", "crc_reneg_ack", "phy_switch_ack", "cfg_apply", "clear", "inject"),
    *("snap", "snap_class", "word_index", *(f"cfg_{name}" for name in FIELDS)),
)
U48, U64 = (1 << 48) - 1, (1 << 64) - 1


def packed(moment, lost_a):
    """The bus of nps_event.vh."""
    time, (jitter, ok) = moment.time, moment.sample or (0, False)
    bits = (
        (lost_a, 1), (moment.sample is not None, 1), (ok, 1), (abs(jitter) == SATURATED, 1), (moment.lost, 1),
        (moment.phy_changed, 1), (time.ts_step, 1), (time.rel_step, 1), (time.tq, 2), (jitter & 0xFFFFFFFF, 32),
        (time.rel_ns & U48, 48), (time.ts_ns, 64), (time.step_ns & U64, 64),
    )  # fmt: skip
    word = 0
    for value, width in bits:
        word = word << width | int(value)
    return word


class Books:
    """The entries that are offered, and what becomes of them."""

    def __init__(self):
        self.offered, self.seen, self.latches = deque(), Counter(), Latches()
        self.first_ts = None

    def take(self, event):
        """One event of the stream."""
        step, record = event >> 139 & 1, event >> 138 & 1
        size = event >> 140
        size -= size >> 63 << 64
        tq, ts, kind, sub = event >> 104 & 3, event >> 40 & U64, event >> 36 & 15, event >> 32 & 15
        word = event & 0xFFFFFFFF
        if record and kind == Kind.LOSS:
            return self.loss(sub, ts, tq, word, size if step else None, event >> 106 & 1)
        entry = self.latches.told(self.offered.popleft(), sub, word)
        shown = (ts, tq, size if step else None, (kind, sub, word) if record else None)
        record = None if entry.kind is None else (entry.kind, entry.sub, entry.payload)
        assert shown == (entry.ts, entry.tq, entry.step_ns, record), f"{shown} is not {entry}"
        self.seen["told"] += 1
        self.seen["step"] += bool(step)
        self.seen["cfg"] += kind == Kind.CFG
        return None

    def loss(self, sub, ts, tq, count, step, cfg):
        if sub == LossSub.FIRST | LossCause.COLLECTOR:
            assert count == 0
            self.first_ts = ts, tq
            return
        assert sub == LossSub.SECOND | LossCause.COLLECTOR
        count += 2 * (step is not None)
        lost = []
        while sum(entry.size for entry in lost) < count:
            lost.append(self.offered.popleft())
            self.latches.lost(lost[-1], collector=True)
        assert sum(entry.size for entry in lost) == count, "a loss ends inside an entry"
        assert self.first_ts == (lost[0].ts, lost[0].tq)
        assert (ts, tq) == (lost[-1].ts, lost[-1].tq)
        steps = [entry.step_ns for entry in lost if entry.step_ns is not None]
        assert step == (sum(steps) if steps else None)
        assert cfg == any(entry.kind == Kind.CFG for entry in lost)
        self.seen["lost"] += count
        self.seen["lost step"] += step is not None
        self.seen["lost cfg"] += cfg
        self.first_ts = None


@cocotb.test()
async def test_random(dut):
    """Samples up to one a clock, notes, steps, configurations, requests, streams that begin and end at any time."""
    rng = random.Random(os.environ["NPUSCOPE_SEED"])
    config = RasConfig(2000, 3000, 4000, r_run=2, r_rearm=2, s_count=3, a_budget=2, s_window=2000, a_holdoff=1)
    await start(dut, *IDLE)
    model, books = RasSourceModel(config, timeout=40), Books()
    sides = Responder(rng), Responder(rng)
    rates, offers, offer = bursts(0, 0, 3, 30, 100, mean=60), bursts(100, 100, 100, 0, mean=100), False
    moments, asked, words, now, ts = deque(), None, None, 1000, 5_000_000
    enable, wants = False, True
    since_offer = calm = applied = 0
    for clock in range(9000):
        now, ts = now + 5, ts + 5
        often = clock // 1000 % 3 == 2
        jump = rng.choice([-1, 1]) * rng.randrange(1, 1000) if rng.random() < (0.03 if often else 0.004) else 0
        relative = bool(jump) and rng.random() < 0.3
        now, ts = now + jump * relative, ts + jump
        sample = lost = None
        if next(rates):
            limit = rng.choice([config.r_limit, config.a_limit, config.s_limit, 0])
            ok = rng.random() < 0.9
            sample = (rng.choice([-1, 1]) * (limit + rng.choice([0, 1])) if ok else 0, ok)
        elif rng.random() < 0.01:
            lost = True
        inject, calm, was = set(), calm + 1, enable
        if calm > 4:  # an injection sees four clocks of one kind
            offer = next(offers)
            wants = wants != (rng.random() < 0.003)
            enable = wants and offer  # so that all that counts is offered
            if enable and was and rng.random() < 0.01:
                inject, sample, lost = {rng.choice(LATCHED)}, None, None
            if enable != was or inject:
                calm = 0
        lost_a = clock // 500 % 2
        moment = RasMoment(
            TimeBus(now, ts, rng.randrange(4), bool(jump) and not relative, relative, jump), sample, bool(lost),
            bool(lost_a), rng.random() < 0.003, rng.random() < 0.003, enable, None, inject,
        )  # fmt: skip
        asked = asked or (clock - applied > 8 and rng.random() < (0.2 if clock // 1000 % 2 else 0.01))
        if asked and asked is not True and clock == asked[0]:
            dut.cfg_apply.value, asked, applied = 1, None, clock
        else:
            dut.cfg_apply.value = 0
        if asked is True:  # the words stand a clock before it, and until they are in force
            config = RasConfig(
                clock, clock + 1, clock + 2, r_run=1, r_rearm=1, s_count=3, a_budget=2,
                s_window=rng.randrange(1000, 3000), a_holdoff=rng.randrange(1, 3),
            )  # fmt: skip
            for name in FIELDS:
                getattr(dut, f"cfg_{name}").value = getattr(config, name)
            asked = (clock + 2,)
        reqs = known(dut.crc_reneg_req), known(dut.phy_switch_req)
        acks = bool(sides[0].next(reqs[0])), bool(sides[1].next(reqs[1]))
        dut.js.value, dut.js_offer.value = packed(moment, lost_a), int(offer)
        dut.enable.value, dut.reneg_done.value = int(moment.enable), int(moment.reneg_done)
        dut.crc_reneg_ack.value, dut.phy_switch_ack.value = map(int, acks)
        await RisingEdge(dut.clk)
        # the input of the next clock: an injection meets the moment before its own clock
        dut.inject.value = sum(1 << what for what in inject)
        shown = known(dut.words)
        if words is not None and shown != words:
            told = RasConfig.from_words({8 + n: shown >> 32 * n & 0xFFFFFFFF for n in range(6)})
            moments[-1] = (replace(moments[-1][0], config=told), moments[-1][1])
        words = shown
        moments.append((moment, offer))
        if len(moments) > COLLECT:
            late, was_offered = moments.popleft()
            entries = model.clock(replace(late, acks=acks))
            if was_offered:
                books.offered += entries
        if int(dut.event_bus.value[139]) | int(dut.event_bus.value[138]) and known(dut.event_offer):
            books.take(int(dut.event_bus.value))
        since_offer = 0 if offer else since_offer + 1
        if since_offer > QUIET and not known(dut.offers):
            assert not books.offered, f"clock {clock}: {len(books.offered)} entries are missing"
            books.seen["empty"] += 1
    cocotb.log.info("%s", dict(books.seen))
    assert not books.latches.owed or not known(dut.offers), "a loss that showed was never told"
    wanted = {"told": 400, "lost": 200, "step": 3, "cfg": 30, "lost step": 2, "lost cfg": 3, "empty": 50}
    missing = {name: books.seen[name] for name, least in wanted.items() if books.seen[name] < least}
    assert not missing, f"too few: {missing} of {wanted}"
