# SPDX-License-Identifier: Apache-2.0
"""Constrained random against the golden model: every record, request, latch, loss. NPUSCOPE_SEED and CLOCKS replay."""

import os
import random
from collections import Counter

import cocotb

from npuscope.encode.ras import LATCHED, RasConfig
from npuscope.encode.ras_check import RasCheck, Verdict
from npuscope.layout import RasClass
from tb.nps_ras_map.harness import Harness, started
from tb.nps_ras_map.traffic import Traffic, random_config

MUST_HAPPEN = {what.name for what in RasClass if what not in (RasClass.ACK, RasClass.REQ_TIMEOUT)} | {
    "ACK0", "ACK1", "REQ_TIMEOUT0", "REQ_TIMEOUT1", "refused", "configured", "injected", "lost", "snapshot",
}  # fmt: skip
"""In every run of the default length, whatever the seed."""


@cocotb.test()
async def test_random(dut):
    h = await started(dut)
    rng = random.Random(int(os.environ["NPUSCOPE_SEED"]))
    traffic = Traffic(rng, h)
    clocks = int(os.environ.get("CLOCKS", "12000"))
    while h.clock < clocks:
        draw = rng.random()
        if draw < 0.004:
            await h.configure(random_config(rng, h.p["S_COUNT"]), traffic)
        elif draw < 0.008:
            await h.snapshot(rng.choice(LATCHED), traffic)
        else:
            await h.step(**traffic(clear=True))
    await h.take()
    cocotb.log.info("%d records compared, %d entries lost: %s", h.compared, len(h.lost), dict(h.seen))
    missing = {name for name in MUST_HAPPEN if not h.seen[name]}
    assert not missing, f"never happened: {missing}; {dict(h.seen)}"
    assert h.compared > 500


def recomputed(h: Harness, first: RasConfig) -> Counter[Verdict]:
    """The verdicts of a reader who has the records that were told, and the samples."""
    check, verdicts = RasCheck(reset=True, margin_ns=0), Counter()
    check.configure(first.words(), 0)
    config = first
    for moment, dropped in h.history:
        if dropped:
            check.forget(moment.rel)
            config = None
            continue
        if moment.config or config is None:  # after a loss all words are told
            config = moment.in_force
            check.configure(config.words(), moment.rel)
        for note in moment.notes:
            check.note(note, moment.rel)
        said = [] if moment.injected else moment.decided
        if isinstance(moment.judged, tuple):
            verdicts.update(check.sample(moment.rel, *moment.judged, said).values())
        elif moment.judged is not None:
            verdicts.update(check.sync_lost(moment.rel, moment.judged, said).values())
    return verdicts


@cocotb.test()
async def test_recomputed(dut):
    """Whoever reads the stream agrees with every decision that can be compared."""
    h = await started(dut)
    first = h.config
    rng = random.Random(os.environ["NPUSCOPE_SEED"])
    traffic = Traffic(rng, h)
    while h.clock < int(os.environ.get("CLOCKS", "12000")) // 2:
        if rng.random() < 0.002:
            await h.configure(random_config(rng, h.p["S_COUNT"]), traffic)
        await h.step(**traffic())
    await h.take()
    verdicts = recomputed(h, first)
    cocotb.log.info("%s", dict(verdicts))
    assert not verdicts[Verdict.DISAGREE]
    assert verdicts[Verdict.AGREE] > 50
