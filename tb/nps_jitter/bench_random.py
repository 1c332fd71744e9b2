# SPDX-License-Identifier: Apache-2.0
"""Constrained random against the golden model: every output, every clock. CLOCKS and NPUSCOPE_SEED replay a run."""

import os
import random
from dataclasses import dataclass, replace

import cocotb

from npuscope.layout import JitterSub
from tb.nps_jitter.harness import PERIOD, started

MUST_HAPPEN = {sub.name for sub in JitterSub} | {
    "T_NOMINAL_LO", "T_NOMINAL_HI", "refused", "step", "saturated", "hidden",
}  # fmt: skip


@dataclass
class Mood:
    """What the source does for a while: clocks between pulses, share of clocks with trouble, time per clock."""

    gap: int
    trouble: float
    period: int
    held: bool

    @classmethod
    def draw(cls, rng):
        period = rng.choice([PERIOD, PERIOD, PERIOD + 1, 3 * PERIOD, 1 << 20, 1 << 30])
        return cls(rng.choice([0, 1, 1, 2, 5, 5, 20]), rng.choice([0.0, 0.01, 0.1]), period, rng.random() < 0.1)


def configuration(rng, h, mood):
    """Mostly near what the source does; some refused."""
    nominal = max(1, (mood.gap + 1) * mood.period + rng.choice([-1, 0, 0, 1, rng.randrange(-PERIOD, PERIOD)]))
    t_nominal = rng.choice([nominal, nominal, nominal * 2, nominal // 2, 0, (1 << 48) - 1]) & ((1 << 48) - 1)
    chosen = {name: rng.random() < 0.5 for name in ("need_lock", "exclude", "sync_lost_a")}
    watchdog = rng.choice([0, 1, 2, 3, 8, 30, 1000])
    return replace(h.config, t_nominal=t_nominal, strobe=rng.random() < 0.4, watchdog=watchdog, **chosen)


@cocotb.test()
async def test_random(dut):
    h = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    mood, wait = Mood.draw(rng), 0
    snaps, last_snap = 0, -100
    clock, clocks = 0, int(os.environ.get("CLOCKS", "20000"))
    while clock < clocks or (clock < 10 * clocks and not all(h.ref.said[name] for name in MUST_HAPPEN)):
        clock += 1
        if rng.random() < 0.01:
            mood = Mood.draw(rng)
        h.period = mood.period
        options = {}
        if rng.random() < 0.01:
            options["apply"] = configuration(rng, h, mood)
        if rng.random() < mood.trouble:
            what = rng.choice(["ts_step", "rel_step", "rel_step", "phy", "lock", "late", "enable", "restart"])
            if what in ("ts_step", "rel_step"):
                options[what] = rng.choice([-1, 1]) * rng.randrange(1 << rng.randrange(1, 47))
            elif what in ("phy", "restart"):
                options[what] = True
            elif what == "lock":
                h.locked, h.holdover = rng.random() < 0.6, rng.random() < 0.5
            elif what == "enable":
                h.enable = not h.enable
            else:
                options["to"] = h.time + (1 << rng.choice([55, rng.randrange(56)])) & ((1 << 56) - 1)
        elif rng.random() < 0.02:
            h.locked, h.enable = True, True
        if clock - last_snap > 60 and not h.reading and rng.random() < 0.02:
            options["snap"], last_snap, snaps = True, clock, snaps + 1
        wait = wait - 1 if wait > 0 else rng.choice([mood.gap, mood.gap, mood.gap, rng.randrange(2 * mood.gap + 2)])
        await h.step(wait == 0 or (mood.held and rng.random() < 0.9), **options)
    cocotb.log.info("%d records compared, %d snapshots: %s", h.ref.compared, snaps, dict(h.ref.said))
    missing = {name for name in MUST_HAPPEN if not h.ref.said[name]}
    assert not missing, f"never happened: {missing}"
    assert h.ref.compared > 1000
    assert snaps > 5
