# SPDX-License-Identifier: Apache-2.0
"""One test per rule of rtl/ras/README.md: what must be told is written down here; the harness compares every record,
request, latch and loss with the golden model as well. Built with the values of the book, but a REQ_TIMEOUT of 2000."""

from dataclasses import replace

import cocotb

from npuscope.encode.ras import COUNT_MAX, LATCHED, SATURATED, RasConfig
from npuscope.layout import RasClass
from tb.nps_ras_map.harness import DECIDE, ENTRIES, Harness, started
from tb.signals import known

R, A, S, EXHAUSTED, LOST = RasClass.R, RasClass.A, RasClass.S, RasClass.REDUNDANCY_EXHAUSTED, RasClass.SYNC_LOST
ACK, TIMEOUT, DONE, CHANGED = RasClass.ACK, RasClass.REQ_TIMEOUT, RasClass.RENEG_DONE, RasClass.PHY_CHANGED
ENABLED, DISABLED, FLUSHED = RasClass.ENABLED, RasClass.DISABLED, RasClass.FLUSHED
US = 1000 * 256
BAD, GOOD = 20 * US, -3 * US
PERIOD = 125_000
SECOND = 1_000_000_000


async def feed(h, *jitters):
    """A sample each 125 us; None is an invalid one."""
    for jitter in jitters:
        await h.step(jitter or 0, ok=jitter is not None, period=PERIOD)


async def later(h, ns, *jitter, **options):
    """A clock that is ns after the last, over an idle one: from one to the next it is less than a hold-off."""
    await h.step(period=1)
    await h.step(*jitter, period=ns - 1, **options)


async def acked(h, n=0):
    """Answer request n; the line goes round."""
    lines = ("crc_reneg_req", "phy_switch_req")
    while not known(getattr(h.dut, lines[n])):
        await h.step()
    await h.step(acks=(n == 0, n == 1))
    await h.step()
    await h.step(acks=(0, 0))


@cocotb.test()
async def test_limits_are_strict_in_the_last_bit(dut):
    h = await started(dut)
    config = replace(h.config, r_run=1, r_rearm=1, s_count=3, a_holdoff=1, a_budget=255)
    await h.configure(config)
    await h.take()
    for limit, what in ((config.r_limit, R), (config.a_limit, A), (config.s_limit, S)):
        for value, over in ((limit, False), (limit + 1, True), (-limit, False), (-limit - 1, True)):
            await later(h, PERIOD, 0)  # arms R
            for _ in range(config.s_count if what == S else 1):
                await later(h, PERIOD, value)
            assert (what in await h.take()) == over, (what, value)
            await h.step(enable=False)
            await h.step(enable=True)
            await h.take()
    for value, options in (
        (SATURATED, {"saturated": True}),
        (-SATURATED, {"saturated": True}),
        (0, {"saturated": True}),
    ):
        await later(h, PERIOD, 0)
        for _ in range(3):
            await later(h, PERIOD, value, **options)
        assert {R, A, S} <= set(await h.take())


@cocotb.test()
async def test_alternating_signs(dut):
    h = await started(dut)
    await feed(h, BAD, -BAD, BAD, -BAD, BAD)
    assert await h.take() == [R]
    await feed(h, 101 * US, -101 * US, 101 * US)
    assert await h.take() == [A, S]


@cocotb.test()
async def test_run_ends_by_good_and_invalid(dut):
    h = await started(dut)
    await feed(h, *[BAD] * 4, None, BAD)
    assert await h.take() == []
    await feed(h, *[BAD] * 3, GOOD, *[BAD] * 4)
    assert await h.take() == []
    await feed(h, BAD)
    assert await h.take() == [R]


@cocotb.test()
async def test_rearm(dut):
    h = await started(dut)
    await feed(h, *[BAD] * 12)
    assert await h.take() == [R]
    await feed(h, *[GOOD] * 4, None, *[GOOD] * 4, *[BAD] * 5)  # no row of five
    assert await h.take() == []
    await feed(h, *[GOOD] * 5, *[BAD] * 5)
    assert await h.take() == [R]
    await h.step(reneg=True)
    await feed(h, *[BAD] * 5)
    assert await h.take() == [DONE, R]
    await feed(h, *[GOOD] * 5, *[BAD] * 4)
    await h.step(BAD, reneg=True)  # ends the run; the sample of its clock is the first of the next
    await feed(h, *[BAD] * 3)
    assert await h.take() == [DONE]
    await feed(h, BAD)
    assert await h.take() == [R]


@cocotb.test()
async def test_fifth_bad_in_the_clock_of_the_ack(dut):
    """A fire before the ack is answered by it; in the clock of the ack or later it is asked for again."""
    h = await started(dut)
    for distance in range(-9, 10):
        await h.step(reneg=True)
        await feed(h, *[BAD] * 5)
        await h.step(reneg=True)
        await h.idle(12)
        assert known(dut.crc_reneg_req)
        await feed(h, *[BAD] * 4)
        for clock in range(24):
            await h.step(BAD if clock == 10 else None, acks=(int(clock >= 10 + DECIDE + distance), 0))
        await h.step(acks=(0, 0))
        await h.idle(4)
        again = known(dut.crc_reneg_req)
        assert again == (distance <= 0), distance
        if again:
            await acked(h)
        assert (await h.take()).count(ACK) == 1 + again


@cocotb.test()
async def test_s_window_is_closed(dut):
    h = await started(dut)
    for newest, fires in ((SECOND, True), (SECOND + 1, False)):
        for period in (7, SECOND // 2, newest - SECOND // 2):
            await later(h, period, -101 * US)
        assert (S in await h.take()) == fires
        await h.step(enable=False)
        await h.step(enable=True)
        await h.take()


@cocotb.test()
async def test_s_consumes_its_stamps(dut):
    h = await started(dut)
    for _ in range(9):
        await later(h, SECOND // 9, 101 * US)
    told = await h.take()
    assert told.count(S) == 3
    for _ in range(6):  # in adjacent clocks
        await h.step(101 * US)
    assert (await h.take()).count(S) == 2


@cocotb.test()
async def test_s_forgets_over_days(dut):
    """Two excesses, then idle until every time of the fabric has wrapped, one more: no event."""
    h = await started(dut)
    h.rel = (1 << 48) - 3 * PERIOD  # the wrap of relative time lies within
    for turn in (1 << 32, 1 << 33, 1 << 48):
        await h.step(101 * US, period=PERIOD)
        await h.step(101 * US, period=PERIOD)
        left, most = turn - PERIOD, (1 << 31) - 1
        await h.step(period=PERIOD)
        while left > 0 and turn < 1 << 40:
            await h.step(period=min(left, most))
            left -= most
        if turn >= 1 << 40:
            for _ in range(4):  # the low bits come round; the rest is never looked at
                await h.step(period=most)
            h.rel += turn - 4 * most
        await h.step(101 * US)
        assert S not in await h.take()
        await h.step(enable=False)
        await h.step(enable=True)
        await h.take()


@cocotb.test()
async def test_a_late_pulse_switches_once(dut):
    """One pulse 60 us late is +60 and then -60 us: A fires once, the second is within the hold-off."""
    h = await started(dut)
    await feed(h, 0, 60 * US, -60 * US, 0)
    assert await h.take() == [A]


@cocotb.test()
async def test_switch_with_a_longer_path_does_not_ping_pong(dut):
    h = await started(dut)
    await feed(h, 0, 60 * US)
    await acked(h, 1)
    for _ in range(10):  # more than the hold-off until the PHY has changed
        await feed(h, 0)
    await h.step(0, ok=False, phy=True)  # the first interval after the change is FIRST
    await feed(h, 80 * US, 0, 0)  # read badly: the path is 80 us longer, and still A holds off
    assert await h.take() == [A, ACK, CHANGED]
    await feed(h, *[0] * 8, 60 * US)
    assert await h.take() == [A]


@cocotb.test()
async def test_hold_off_to_the_ns(dut):
    h = await started(dut)
    for age, fires in ((999_999, False), (1_000_000, True)):
        await h.step(50 * US)
        await later(h, age, 50 * US)
        assert (await h.take()).count(A) == 1 + fires
        await h.step(period=10 * SECOND // 8)
        await h.step(phy=True)
        await later(h, age, 50 * US)
        assert (await h.take()).count(A) == fires
        await h.step(period=10 * SECOND // 8)


@cocotb.test()
async def test_budget(dut):
    h = await started(dut)
    await h.configure(replace(h.config, a_budget=2))
    for _ in range(6):
        await later(h, 2_000_000, 50 * US)
    assert await h.take() == [A, A, EXHAUSTED, R]
    await h.step(50 * US, period=SECOND - 10_000_000 - h.elapsed % 5)  # the window goes on
    await h.take()
    await h.step(50 * US, period=20_000_000)  # a new one
    assert await h.take() == [A]
    await h.configure(replace(h.config, a_budget=0))
    await h.step(period=2 * SECOND)
    await h.step(50 * US)
    await h.step(50 * US)
    assert await h.take() == [EXHAUSTED]


@cocotb.test()
async def test_all_three_in_one_sample(dut):
    h = await started(dut)
    await h.configure(replace(h.config, r_run=3, a_holdoff=200))
    await feed(h, *[150 * US] * 3)
    assert await h.take() == [A, R, A, S]
    assert known(dut.pending) == 0b00111


@cocotb.test()
async def test_latches(dut):
    """First, last, count, worst; a set in the clock of a clear wins; the count stays at its maximum."""
    h = await started(dut)
    await h.configure(replace(h.config, r_run=1, r_rearm=1))
    for n in range(COUNT_MAX + 3):
        await feed(h, 0, (13 + n % 7) * US * (1 - 2 * (n & 1)))
        await h.take()
        await h.snapshot(R)
        assert bool(known(dut.overflow)) == (n >= COUNT_MAX)
    for distance in range(14):  # the clear meets every clock of the set
        await feed(h, 0, BAD)
        for clock in range(16):
            await h.step(clear={R} if clock == distance else None)
        await h.take()
        await h.snapshot(R)
    assert h.latches[R].count <= 3


@cocotb.test()
async def test_timeout_and_late_ack(dut):
    h = await started(dut)
    timeout = h.p["REQ_TIMEOUT"]
    await feed(h, *[BAD] * 5)
    await h.idle(timeout + 10)
    assert await h.take() == [R, TIMEOUT]
    await h.step(acks=(1, 0))  # late, and stays: told once, and nothing is asked for meanwhile
    await h.idle(2 * timeout + 10)
    assert await h.take() == [TIMEOUT]
    await h.step(reneg=True)
    await feed(h, *[BAD] * 5)
    assert await h.take() == [DONE, R]
    assert not known(dut.crc_reneg_req)
    await h.step(acks=(0, 0))
    await acked(h)
    assert await h.take() == [ACK]
    for distance in range(timeout + 1, timeout + 6):  # an ack around the last clock
        await h.step(reneg=True)
        await feed(h, *[BAD] * 5)
        for clock in range(timeout + 20):
            await h.step(acks=(int(distance <= clock < distance + 3), 0))
        await h.take()
    assert h.seen["ACK0"] > 1
    assert h.seen["REQ_TIMEOUT0"] > 2
    assert h.seen["REQ_TIMEOUT0stuck"] == 1


@cocotb.test()
async def test_reset_in_the_middle_of_a_request(dut):
    h = await started(dut)
    for high in (0, 1):
        await feed(h, *[50 * US] * 5)
        await h.idle(6)
        assert known(dut.phy_switch_req)
        await h.step(acks=(0, high))
        fresh = Harness(dut)
        await fresh.start(acks=(0, high))
        await fresh.step(enable=True)
        assert await fresh.take() == [ENABLED]
        assert not known(dut.phy_switch_req)
        await feed(fresh, 50 * US)
        await fresh.idle(6)
        assert known(dut.phy_switch_req) == 1 - high, "must wait for the old ack to fall"
        await fresh.step(acks=(0, 0))
        await acked(fresh, 1)
        assert await fresh.take() == [A, ACK]
        h = fresh
        await h.step(reneg=True)
        await h.step(period=SECOND * 2)


@cocotb.test()
async def test_disable_and_enable(dut):
    h = await started(dut)
    await feed(h, *[BAD] * 4, 150 * US)
    assert await h.take() == [R, A]
    await h.step(101 * US, enable=False)
    await feed(h, *[150 * US] * 4)
    await h.step(lost=True, lost_a=1)
    await h.step(inject=set(LATCHED))
    assert await h.take() == [DISABLED]
    assert known(dut.pending) == 0b00011, "latches stay"
    await h.step(101 * US, enable=True)  # judged
    await feed(h, 101 * US)
    assert await h.take() == [ENABLED]  # R is disarmed, A held, S has two again
    await feed(h, 101 * US)
    assert await h.take() == [S]
    for clock in range(8):  # adjacent edges
        await h.step(enable=bool(clock & 1))
    assert await h.take() == [DISABLED, ENABLED] * 4


@cocotb.test()
async def test_injection(dut):
    h = await started(dut)
    for what in LATCHED:
        await h.step(inject={what})
        assert await h.take() == [what]
        await h.snapshot(what)
    for n in (0, 1):
        await acked(h, n)
    await h.take()
    await h.step(BAD, inject={R, S})
    for _ in range(5):  # waits for a clock without sample
        await h.step(0)
    await h.step(inject={A})
    assert await h.take() == [R, S, A]
    await feed(h, *[BAD] * 5, 50 * US)  # the rules know nothing of it
    assert await h.take() == [R, A]
    assert h.seen["injected"] == 8


@cocotb.test()
async def test_sync_lost(dut):
    h = await started(dut)
    await h.step(lost=True)
    assert await h.take() == [LOST]
    await feed(h, *[BAD] * 4)
    await h.step(lost=True, lost_a=1)
    await h.step(lost_a=0)
    await feed(h, BAD)  # the run goes on
    assert await h.take() == [LOST, A, R]
    await h.step(lost=True, lost_a=1)  # held
    assert await h.take() == [LOST]


@cocotb.test()
async def test_steps(dut):
    h = await started(dut)
    await feed(h, 101 * US, 101 * US)
    await h.step(101 * US, ts_step=37 * SECOND)  # a step of the offset alone changes nothing
    assert await h.take() == [A, S]
    await h.step(period=2 * SECOND - 1)
    await feed(h, 101 * US, 101 * US)
    await h.step(rel_step=-12345)
    await feed(h, 101 * US, 101 * US)
    assert await h.take() == [A, R, FLUSHED]
    await h.step(ts_step=-1)
    await h.step(rel_step=1 << 40, ts_step=5)
    await h.take()
    lost = len(h.lost)
    assert lost == 1, "the second step finds one inside"
    assert known(dut.overflow) == 0


@cocotb.test()
async def test_configuration(dut):
    h = await started(dut)
    good = RasConfig(
        h.config.a_limit, h.config.a_limit, h.config.a_limit, r_run=2, r_rearm=255, a_budget=255, s_window=1000,
        a_holdoff=262143, s_count=h.config.s_count,
    )  # fmt: skip
    assert await h.configure(good)
    for wrong in (
        {"r_limit": good.r_limit + 1}, {"a_limit": good.a_limit + 1}, {"s_limit": good.s_limit - 1}, {"r_run": 0},
        {"r_rearm": 0}, {"s_window": 999}, {"a_holdoff": 0}, {"s_window": 0},
    ):  # fmt: skip
        assert not await h.configure(replace(good, **wrong))
        assert h.mapper.config == good
    assert await h.configure(
        replace(good, r_limit=0, a_limit=0, s_limit=(1 << 30) - 1, s_window=(1 << 31) - 1, r_run=255)
    )
    await h.take()  # one configuration at a time is told
    assert await h.configure(good)
    await feed(h, 50 * US)
    assert await h.configure(replace(good, r_limit=0), jitter=1)
    assert await h.take() == [A]
    for age, fires in ((262_143_000 - 1, False), (262_143_000, True)):
        await h.step(phy=True)
        await later(h, age, 50 * US)
        assert (A in await h.take()) == fires


@cocotb.test()
async def test_a_new_configuration_judges_from_its_clock_on(dut):
    h = await started(dut)
    for limit in (GOOD, BAD, 30 * US, 9 * US) * 3:
        h.words(replace(h.config, r_limit=abs(limit), a_limit=40 * US, r_run=2, r_rearm=1))
        await h.step(BAD)
        await h.step(0, apply=True)
        for n in range(8):  # samples in adjacent clocks
            await h.step((0, 25 * US, -10 * US)[n % 3])
    await h.take()
    for run in (9, 1, 9, 2, 7, 4, 3):  # bad ones in adjacent clocks: the run is long enough with the configuration
        h.words(replace(h.config, r_limit=BAD - 1, r_run=run))
        await h.step(reneg=True)
        for n in range(12):
            await h.step(BAD, apply=n == 1)
    await h.take()
    assert h.seen["configured"] == 19


@cocotb.test()
async def test_collector_overflow(dut):
    """More in a few clocks than the collector holds: every entry is told or shown as lost, its classes overflow."""
    h = await started(dut)
    await h.configure(replace(h.config, r_run=1, r_rearm=1, a_limit=h.config.r_limit, s_limit=h.config.r_limit))
    await h.take()
    for _ in range(3):
        for n in range(3 * ENTRIES):
            await h.step(BAD, period=PERIOD, reneg=True, phy=n % 2 == 0)
        assert h.seen["lost"]
        assert known(dut.overflow) & 0b101 == 0b101
        await h.take()
        for what in LATCHED:
            await h.snapshot(what)
        await h.step(clear=set(LATCHED))
    assert h.compared > 3 * ENTRIES


@cocotb.test()
async def test_first_of_a_burst_after_a_lost_one(dut):
    """An event that was dropped leaves pending and overflow; the next one that is told is not the first."""
    h = await started(dut)
    await h.configure(replace(h.config, r_run=1, r_rearm=1))
    await h.take()
    for n in range(40):
        await h.step(phy=True, inject={S} if n == 30 else None)
    assert h.seen["lost"]
    await h.take()
    await h.step(inject={S})
    await h.take()
    await h.snapshot(S)
