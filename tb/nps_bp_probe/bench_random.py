# SPDX-License-Identifier: Apache-2.0
"""Constrained random against the golden model: every output, every clock. CLOCKS and NPUSCOPE_SEED replay a run."""

import dataclasses
import os
import random
from collections import Counter

import cocotb

from npuscope.encode import BpLimits
from npuscope.layout import MAX_LAYERS, BpSub
from tb.nps_bp_probe.harness import readable, started

MUST_HAPPEN = {sub.name for sub in BpSub} | {"UNKNOWN", "BP_LIMITS", "STALE", "refused", "restart", "step", "with step"}


def sample(rng, h, mood):
    """(layer, occ, bp) or None; mood = (share of clocks with one, favourite layers, share at the limits, flicker)."""
    share, favourites, edges, flicker = mood
    if rng.random() >= share:
        return None
    layer = rng.choice(favourites) if rng.random() < 0.9 else rng.randrange(MAX_LAYERS)
    limits = h.model.limits
    if rng.random() < edges:
        occ = rng.choice([0, limits.th_wet, limits.th_off, limits.th_on, 63]) + rng.randint(-1, 1)
    else:
        occ = rng.randrange(64)
    return layer, min(63, max(0, occ)), int(rng.random() < 0.5) if flicker else layer & 1


def new_mood(rng, present):
    favourites = [rng.choice(present) for _ in range(rng.choice([1, 1, 2, 3, 8]))]
    return rng.choice([0.02, 0.3, 0.8, 1.0, 1.0]), favourites, rng.choice([0.2, 0.9]), rng.random() < 0.5


def new_limits(rng, h):
    """Mostly legal; a quarter near the boundary of what is refused."""
    off = rng.randrange(1, 62)
    on = off + rng.choice([0, 1, 1, 2, 8]) if rng.random() < 0.5 else rng.randrange(0, 64)
    return BpLimits(
        th_on=min(63, on), th_off=off, th_wet=rng.choice([0, 1, 4, 63]), level_step=rng.choice([0, 0, 1, 5, 63]),
        k=rng.randrange(32), raw=int(rng.random() < 0.3), stale_ns=rng.choice([0, 1, 21, 26, 400, 3000]),
    )  # fmt: skip


@cocotb.test()
async def test_random(dut):
    h = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    seen = Counter()
    present = [layer for layer in range(MAX_LAYERS) if h.p["LAYERS"] >> layer & 1]
    mood = new_mood(rng, present)
    for _ in range(int(os.environ.get("CLOCKS", "20000"))):
        if rng.random() < 0.01:
            mood = new_mood(rng, present)
        options = {}
        if rng.random() < 0.02:
            options["apply"] = new_limits(rng, h) if rng.random() < 0.7 else dataclasses.replace(h.limits)
        if rng.random() < 0.01:
            options["ts_step"] = rng.randrange(-1000, 1000)
        if rng.random() < 0.005:
            options["rel_step"] = rng.choice([-1, 1]) * rng.randrange(1 << rng.randrange(1, 47))
        if rng.random() < 0.003:
            options["restart"] = True
        if rng.random() < 0.002:
            options["period"] = 1 << rng.randrange(47)
        h.tq = rng.randrange(4) if rng.random() < 0.02 else h.tq
        one = sample(rng, h, mood)
        await h.step(one, **options)
        seen["refused"] += h.model.cfg_error
        seen["restart"] += "restart" in options
        seen["step"] += "ts_step" in options and one is None
        seen["with step"] += "ts_step" in options and one is not None
    seen.update(readable(*record)[0] for record in h.records if record is not None)
    cocotb.log.info("%d events compared: %s", h.compared, dict(seen))
    missing = {name for name in MUST_HAPPEN if not seen[name]}
    assert not missing, f"never happened: {missing}"
    assert h.compared > 1000
