# SPDX-License-Identifier: Apache-2.0
"""One test per rule of rtl/probe/README.md. What the probe must say is written down here; the harness compares it with
the golden model as well. Built with layer 31 absent, DRY_MASK 0xF, STEADY 4, k 2 and the stale tick off."""

import dataclasses

import cocotb

from tb.nps_bp_probe.harness import PERIOD_NS, started

SATURATED = (1 << 14) - 1


async def feed(h, layer, *codes, bp=0):
    """One sample a clock."""
    for occ in codes:
        await h.step((layer, occ, bp))


def subs(records):
    return [r[0] for r in records]


async def put_in_force(h, **changes):
    """New limits, told; returns the words told."""
    await h.step(apply=dataclasses.replace(h.model.limits, **({"stale_ns": h.model.stale_ns} | changes)))
    return [r for r in await h.take() if r[0] in ("BP_LIMITS", "STALE")]


@cocotb.test()
async def test_hysteresis_at_the_limits(dut):
    h = await started(dut)
    await feed(h, 9, 55, 56, 55, 48, 47, 55, 56)
    assert await h.take() == [
        ("KNOWN", 9, 55, 0, 55, 0),
        ("ENTER", 9, 56, 0, 56, 0),
        ("EXIT", 9, 47, 0, 56, 3 * PERIOD_NS >> 2),
        ("ENTER", 9, 56, 0, 56, 0),
    ]


@cocotb.test()
async def test_enter_wins_over_known(dut):
    h = await started(dut)
    await feed(h, 9, 63, 63)
    await feed(h, 10, 0, 63)
    assert await h.take() == [
        ("ENTER", 9, 63, 0, 63, 0),
        ("KNOWN", 10, 0, 0, 0, 0),
        ("ENTER", 10, 63, 0, 63, 0),
    ]


@cocotb.test()
async def test_dry_and_wet_for_masked_layers_only(dut):
    h = await started(dut)
    await feed(h, 0, 10, 0, 0, 3, 1, 4, 0)
    await feed(h, 4, 10, 0, 3, 4)
    assert await h.take() == [
        ("KNOWN", 0, 10, 0, 10, 0),
        ("DRY", 0, 0, 0, 0, 0),
        ("WET", 0, 4, 0, 4, 0),
        ("DRY", 0, 0, 0, 0, 0),
        ("KNOWN", 4, 10, 0, 10, 0),
    ]


@cocotb.test()
async def test_exit_hides_dry_and_enter_hides_wet(dut):
    h = await started(dut)
    await feed(h, 1, 63, 0, 63)  # dry after EXIT occ 0, wet after ENTER: no records of their own
    await feed(h, 1, 40, 0)
    assert subs(await h.take()) == ["ENTER", "EXIT", "ENTER", "EXIT", "DRY"]


@cocotb.test()
async def test_bp_on_after_steady_clocks(dut):
    h = await started(dut)
    await feed(h, 9, 10)
    await feed(h, 9, 10, 10, 10, 10, bp=1)  # rises at t, here t + 3
    await feed(h, 9, 11, bp=1)  # t + 4 = STEADY
    await feed(h, 9, 12, 12, 12, 12)  # falls
    await feed(h, 9, 13)
    assert await h.take() == [
        ("KNOWN", 9, 10, 0, 10, 0),
        ("BP_ON", 9, 11, 1, 11, 0),
        ("BP_OFF", 9, 13, 0, 13, 0),
    ]


@cocotb.test()
async def test_flicker_is_filtered(dut):
    h = await started(dut)
    await feed(h, 9, 10)
    for _ in range(20):
        await feed(h, 9, 10, 10, 10, bp=1)
        await feed(h, 9, 10)
    await feed(h, 9, 63, bp=1)  # ENTER carries the steady value, not the raw bit
    assert await h.take() == [("KNOWN", 9, 10, 0, 10, 0), ("ENTER", 9, 63, 0, 63, 0)]


@cocotb.test()
async def test_runs_of_any_length_are_steady(dut):
    h = await started(dut)
    for gap in [*range(1, 140), 1000, 1023, 1024, 1025]:  # the clock count of the stamps wraps many times
        await h.step(restart=True)
        await feed(h, 9, 10)
        await feed(h, 9, 10, bp=1)
        await h.idle(gap - 1)
        await feed(h, 9, 10, bp=1)
        assert subs(await h.take()) == (["KNOWN", "BP_ON"] if gap >= 4 else ["KNOWN"]), gap


@cocotb.test()
async def test_new_peaks_and_moves(dut):
    h = await started(dut)
    await feed(h, 9, 60, 60, 61, 60, 61, 63, 50, 63)
    assert await h.take() == [
        ("ENTER", 9, 60, 0, 60, 0),
        ("LEVEL", 9, 61, 0, 61, 2 * PERIOD_NS >> 2),
        ("LEVEL", 9, 63, 0, 63, 5 * PERIOD_NS >> 2),
    ]
    await put_in_force(h, level_step=5)
    await feed(h, 12, 20, 24, 25, 29, 21, 20, 26)  # against the last report: 20, 25, 20, 26
    assert [r[:3] for r in await h.take()] == [
        ("KNOWN", 12, 20), ("LEVEL", 12, 25), ("LEVEL", 12, 20), ("LEVEL", 12, 26)
    ]  # fmt: skip


@cocotb.test()
async def test_level_spends_the_credit_of_a_tick(dut):
    h = await started(dut)
    await put_in_force(h, stale_ns=1000)
    await feed(h, 9, 57, 58, 59, 60)
    assert [r[:3] for r in await h.take()] == [("ENTER", 9, 57), ("LEVEL", 9, 58)]
    await h.idle(200)  # a tick: 9 was seen
    await feed(h, 9, 60, 61)  # a peak that was not told before is told now
    assert [r[:3] for r in await h.take()] == [("LEVEL", 9, 60)]


@cocotb.test()
async def test_silent_layers_become_unknown(dut):
    h = await started(dut)
    await put_in_force(h, stale_ns=1000)
    await feed(h, 3, 63)
    await feed(h, 5, 10)
    for _ in range(500):
        await h.step((5, 10, 0))
    assert await h.take() == [
        ("ENTER", 3, 63, 0, 63, 0),
        ("KNOWN", 5, 10, 0, 10, 0),
        ("UNKNOWN", 0x7FFFFFFF & ~(1 << 5)),
    ]
    await feed(h, 3, 63)  # hot was forgotten
    assert await h.take() == [("ENTER", 3, 63, 0, 63, 0)]


@cocotb.test()
async def test_tick_and_words_wait_for_a_clock_without_record(dut):
    h = await started(dut)
    await put_in_force(h, stale_ns=500, raw=1)
    await h.step((3, 10, 0))
    await h.idle(110)  # a tick: 3 was seen, will not be at the next one
    for n in range(400):  # every sample makes a record: nothing else can be told
        await h.step((9, 63, 0), apply=dataclasses.replace(h.limits, th_on=60, stale_ns=700) if n == 50 else None)
    records = await h.take()
    assert records[0][0] == "KNOWN"
    assert subs(records[1:401]) == ["ENTER"] + ["RAW"] * 399
    assert subs(records[401:]) == ["UNKNOWN", "BP_LIMITS", "STALE"]


@cocotb.test()
async def test_limits_are_told_and_refused(dut):
    h = await started(dut)
    a = dataclasses.replace(h.limits, th_on=40, th_off=30, stale_ns=0)
    b = dataclasses.replace(a, th_on=20, th_off=10, k=31, raw=0, th_wet=63, level_step=63)
    await h.step(apply=a)
    assert await h.take() == [("BP_LIMITS", a.word), ("STALE", 0)]
    for refused in ({"th_off": 40}, {"th_off": 41}, {"th_on": 0, "th_off": 0}, {"th_off": 0}, {"th_wet": 0}):
        await h.step((9, 30, 0), apply=dataclasses.replace(a, **refused))
        assert h.model.cfg_error
    await feed(h, 9, 39, 40, 30, 29)
    assert subs(await h.take()) == ["KNOWN", "ENTER", "EXIT"]
    await h.step((10, 5, 0), apply=b)  # KNOWN: waits
    await h.step((11, 5, 0), apply=a)  # KNOWN: replaces b
    assert await h.take() == [("KNOWN", 10, 5, 0, 5, 0), ("KNOWN", 11, 5, 0, 5, 0), ("BP_LIMITS", a.word), ("STALE", 0)]


@cocotb.test()
async def test_new_limits_judge_the_next_sample(dut):
    h = await started(dut)
    await feed(h, 9, 30)
    low = dataclasses.replace(h.limits, th_on=30, th_off=20, level_step=1)
    await h.step((9, 30, 0), apply=low)  # no record by the old limits: told in this clock
    await h.step((9, 30, 0))  # hot by the new ones
    await h.step((9, 30, 0))
    await h.step((9, 29, 0))  # LEVEL_STEP 1
    assert [r[0] for r in await h.take()] == ["KNOWN", "BP_LIMITS", "ENTER", "STALE", "LEVEL"]


@cocotb.test()
async def test_raw_mode_counts_what_the_article_counts(dut):
    h = await started(dut)
    await put_in_force(h, raw=1)
    codes = [10, 56, 63, 55, 57, 47, 56, 0, 0, 63, 63, 63]
    for occ in codes:
        await h.step((2, occ, occ & 1))
    records = await h.take()
    assert sum(r[2] >= 56 for r in records) == sum(occ >= 56 for occ in codes)
    assert all(r[3] == r[2] & 1 for r in records), "bp_en is the raw bit"
    assert "RAW" in subs(records)


@cocotb.test()
async def test_dwell_unit_and_saturation(dut):
    h = await started(dut)
    for k, period in [(0, 1), (7, 13), (8, 100), (15, 3), (16, 999), (23, 5), (24, 77), (31, 1 << 36)]:
        await put_in_force(h, k=k)
        await feed(h, 9, 63)
        await h.idle(30, period=period)
        await h.step((9, 40, 0), period=period)
        assert (await h.take())[-1][5] == min(31 * period >> k, SATURATED), k
        await feed(h, 9, 63)
        await h.idle(1, period=(SATURATED << k) - PERIOD_NS - 1)
        await feed(h, 9, 40)
        assert (await h.take())[-1][5] == SATURATED - 1
        await feed(h, 9, 63)
        for beyond in (0, 1, SATURATED // 2):
            await h.idle(1, period=(SATURATED + beyond << k) - PERIOD_NS)
            await feed(h, 9, 40)
            assert (await h.take())[-1][5] == SATURATED
            await feed(h, 9, 63)


@cocotb.test()
async def test_dwell_never_wraps(dut):
    h = await started(dut)
    await put_in_force(h, k=31)
    await feed(h, 9, 57)
    for _ in range(40):  # ten turns of the 48-bit time
        await h.idle(1, period=1 << 46)
    await feed(h, 9, 58, 0)
    assert [(r[0], r[5]) for r in await h.take()] == [("ENTER", 0), ("LEVEL", SATURATED), ("EXIT", SATURATED)]


@cocotb.test()
async def test_relative_step_saturates_dwell_until_exit(dut):
    h = await started(dut)
    await feed(h, 9, 57)
    await h.step((9, 58, 0), rel_step=-40)  # hot before: already saturated
    await feed(h, 9, 59, 40, 57, 58)
    await h.step((10, 57, 0), rel_step=40)  # enters in the clock of the step: clean
    await feed(h, 10, 58)
    await feed(h, 9, 59)
    dwells = [(r[0], r[1], r[5]) for r in await h.take()]
    assert dwells == [
        ("ENTER", 9, 0), ("LEVEL", 9, SATURATED), ("LEVEL", 9, SATURATED), ("EXIT", 9, SATURATED),
        ("ENTER", 9, 0), ("LEVEL", 9, 1), ("ENTER", 10, 0), ("LEVEL", 10, 1), ("LEVEL", 9, SATURATED),
    ]  # fmt: skip


@cocotb.test()
async def test_steps_pass_with_and_without_a_record(dut):
    h = await started(dut)
    before = h.compared
    await h.step(ts_step=-5)
    await h.step((9, 10, 0), ts_step=7)
    await h.step((9, 10, 0), ts_step=1 << 40, rel_step=-3)
    await h.step((31, 10, 0), rel_step=9)
    assert subs(await h.take()) == ["KNOWN"]
    assert h.compared == before + 4


@cocotb.test()
async def test_restart_voids_what_is_in_flight(dut):
    h = await started(dut)
    new = dataclasses.replace(h.limits, th_on=30, th_off=20)
    await feed(h, 9, 63)
    await h.idle(20)
    await h.take()
    for distance in range(1, 12):  # the apply is everywhere in the pipeline once
        await feed(h, 10, *([63, 0] * 3))
        await h.step((10, 63, 1), apply=new)
        for _ in range(distance - 1):
            await h.step((10, 63 if _ & 1 else 0, 1))
        await h.step((11, 63, 1), restart=True, ts_step=3)
        await h.take()
        await feed(h, 9, 29, 30)  # unknown again, judged by the new limits
        assert subs(await h.take()) == ["KNOWN", "ENTER"]
        await h.step(apply=dataclasses.replace(h.limits))
        await h.take()


@cocotb.test()
async def test_illegal_layer_counts_and_nothing_else(dut):
    h = await started(dut)
    for _ in range(300):
        await h.step((31, 63, 1))
    assert await h.take() == []
    await feed(h, 9, 63)
    await h.idle(10)
    assert h.records[-1][0] == 1
    assert int(dut.ev_bp_samples.value) == 300 >> 8


@cocotb.test()
async def test_samples_of_one_layer_in_adjacent_clocks(dut):
    h = await started(dut)
    await feed(h, 9, *([56, 47] * 20))
    await feed(h, 9, 56, 57, 58, 59, 57, 60, 60, 47)
    records = await h.take()
    assert subs(records[:40]) == ["ENTER", "EXIT"] * 20
    assert [(r[0], r[2], r[4]) for r in records[40:]] == [
        ("ENTER", 56, 56), ("LEVEL", 57, 57), ("LEVEL", 58, 58), ("LEVEL", 59, 59), ("LEVEL", 60, 60), ("EXIT", 47, 60)
    ]  # fmt: skip


@cocotb.test()
async def test_samples_of_one_layer_a_few_clocks_apart(dut):
    h = await started(dut)
    for gap in range(6):  # every distance in the pipeline, with another layer or nothing between
        for other in (None, (12, 20, 0)):
            for occ in (60, 61, 47):
                await h.step((9, occ, 0))
                for _ in range(gap):
                    await h.step(other)
            told = [r[0] for r in await h.take() if r[1] == 9]
            assert told == ["ENTER", "LEVEL", "EXIT"], (gap, other)
