# SPDX-License-Identifier: Apache-2.0
"""One test per rule of rtl/token/README.md. What must be told is written down here; the harness compares every output
of every clock with the golden models as well. Built with MEM_LOW_ON 10, MEM_LOW_OFF 20."""

import cocotb

from npuscope.encode import Order, Token
from npuscope.encode.token import BOUNDARY, EOS, EOSP, MEM_LOW, OPCODE, instruction
from tb.nps_token_irq.checker import IRQ_LATENCY, Injection
from tb.nps_token_irq.harness import started

ALL = EOS | EOSP | MEM_LOW | BOUNDARY


def tok(number, h, **fields):
    """Token with pointer ``number``, id 100 + number and context words of its own."""
    own = tuple(0xC0DE0000 + 16 * number + i & 0xFFFFFFFF for i in range(h.p["WORDS"] - 3))
    return Token(number & 0xFFFFFFFF, 100 + number & 0xFFFFFFFF, own=own, **fields)


async def released(h):
    """Let a frozen pipeline go; returns how many clocks it was frozen from here on."""
    clocks = 1
    while (await h.step(resume=True)).pipe_freeze:
        clocks += 1
        assert clocks < 5, "resume does not release"
    return clocks


@cocotb.test()
async def test_tokens_are_told(dut):
    h = await started(dut)
    await h.feed([tok(0, h, first=True), tok(1, h, eos=True), tok(2, h, layer=255, slot=0xFFFF)])
    h.ready = False
    await h.step(tok(3, h))
    await h.idle(3)
    h.ready = True
    await h.idle(1)
    assert await h.take() == ["FIRST 100", "NEXT 101", "NEXT 102", "NEXT 103"]


@cocotb.test()
async def test_freeze_one_clock_after_the_token(dut):
    """IRQ_LATENCY, measured at the pins; no token passes until the release; the snapshot stays after it."""
    h = await started(dut)
    for gap in range(4):
        await h.armed(EOS, 5)
        await h.feed([tok(4, h, eos=True), tok(5, h)])
        await h.idle(gap)
        assert (await h.step(tok(6, h, eos=True))).enters
        clocks = 1
        while not (await h.step(tok(7, h))).pipe_freeze:
            clocks += 1
        assert clocks == IRQ_LATENCY == 1
        for _ in range(gap):
            view = await h.step()
            assert (view.taken, view.pipe_valid) == (False, False)
        await released(h)
        assert h.waiting is None
        await h.feed([tok(8, h), tok(9, h)])
        assert (h.model.snapshot.token, h.model.snapshot.context[1]) == (106, 6)
        assert await h.take() == [
            "NEXT 104", "NEXT 105", "TOKINT 1 106", "FROZEN 106", "RESUMED 106", "NEXT 107", "NEXT 108", "NEXT 109"
        ]  # fmt: skip


@cocotb.test()
async def test_causes_on_consecutive_tokens(dut):
    """While the first freezes, the second waits: its cause is held and it freezes in turn, and the third behind it."""
    h = await started(dut)
    await h.armed(EOS | EOSP)
    await h.step(tok(0, h, eos=True))
    await h.step(tok(1, h, eosp=True))
    await released(h)
    assert h.waiting is None
    await h.step(tok(2, h, eos=True, eosp=True))
    await released(h)
    await released(h)
    await h.feed([tok(3, h, eos=True)])  # shown after the release and not armed again: passes
    assert h.model.nested == 2
    assert await h.take() == [
        "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "TOKINT 2 101", "FROZEN 101", "RESUMED 101", "TOKINT 3 102",
        "FROZEN 102", "RESUMED 102", "NEXT 103",
    ]  # fmt: skip


@cocotb.test()
async def test_cause_on_the_freeze_clock_and_while_frozen(dut):
    h = await started(dut)
    for wait in range(4):  # the second token is shown in frozen clock 1 + wait
        await h.armed(EOS)
        await h.step(tok(0, h, eos=True))
        await h.idle(wait)
        await h.step(tok(1, h, eos=True))
        assert h.model.held == EOS
        await h.idle(3)
        assert h.model.nested == wait + 1, "counted once, however long it waits"
        await released(h)
        await released(h)
        assert await h.take() == [
            "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "TOKINT 1 101", "FROZEN 101", "RESUMED 101"
        ]  # fmt: skip
        assert h.model.snapshot.context[0] >> 31 == 1, "nested"


@cocotb.test()
async def test_memory_while_frozen_is_held(dut):
    """Low for one frozen clock while a token waits, ample again before it enters; without a token: no condition."""
    h = await started(dut)
    for shown, expected in ((True, "TOKINT 4 101"), (False, "NEXT 101")):
        await h.armed(EOS | MEM_LOW)
        await h.step(tok(0, h, eos=True))
        await h.step(tok(1, h) if shown else None)
        h.free = 10
        await h.step()
        h.free = 50
        await h.idle(2)
        await h.step(resume=True)
        await h.step(tok(1, h) if not shown else None)
        assert (await h.take())[3] == expected
        if shown:
            await released(h)
        await h.armed(0)
        await h.take()
    assert h.model.nested == 1


@cocotb.test()
async def test_nested_saturates(dut):
    h = await started(dut)
    await h.armed(EOS)
    await h.step(tok(0, h, eos=True))
    for number in range(260):
        await h.step(tok(number, h, eos=True))
        await released(h)
    assert h.model.nested == 255


async def judge_memory(h, level, number=0):
    """One armed token with this much memory; True if it hits (and is released)."""
    h.free = level
    await h.armed(MEM_LOW)
    hit = not (await h.step(tok(number, h))).taken or h.model.frozen_clocks > 0
    if hit:
        await released(h)
    return hit


async def recovered(h):
    """A token with ample memory: MEM_LOW is untold."""
    h.free = 0xFFFF
    await h.step()
    await h.feed([tok(0, h)])
    await h.take()


@cocotb.test()
async def test_mem_low_at_its_threshold_and_its_hysteresis(dut):
    h = await started(dut)
    levels = [0xFFFF, 21, 12, 11, 10, 9, 0, 10, 11, 19, 10, 20, 11, 10, 0xFFFF, 0, 21, 9]
    hits = [await judge_memory(h, level) for level in levels]
    assert [level for level, hit in zip(levels, hits, strict=True) if hit] == [10, 10, 0, 9]
    assert hits.index(True) == levels.index(10), "the first time the memory is at the threshold, not one beside"


@cocotb.test()
async def test_mem_low_is_judged_with_a_token_only(dut):
    h = await started(dut)
    await h.armed(MEM_LOW)
    h.free = 0
    await h.idle(20)
    h.ready = False
    await h.step(tok(0, h))
    await h.idle(5)  # waits for room
    h.free = 50
    await h.step()
    h.ready = True
    await h.step()
    h.free = 10  # of this clock: judges the next token
    await h.feed([tok(1, h)])
    h.free = 50
    await h.step(tok(2, h))
    assert await h.take() == ["NEXT 100", "NEXT 101", "TOKINT 4 102", "FROZEN 102"]
    assert h.model.snapshot.context[2] == 10 | 10 << 16


@cocotb.test()
async def test_limits_at_run_time(dut):
    h = await started(dut)
    for on, off, level, hit in ((30, 31, 30, True), (40, 50, 41, False), (0, 1, 0, True), (65534, 65535, 65534, True)):
        await recovered(h)
        await h.step(limits=(on, off))
        await h.idle(2)
        assert await judge_memory(h, level) == hit
    for on, off in ((20, 20), (21, 20), (0xFFFF, 0xFFFF), (0, 0)):
        h.free = 0xFFFF
        await h.step(limits=(on, off))
        assert h.model.cfg_error
        await h.idle(3)
    assert h.model.limits == (65534, 65535)
    await h.step(limits=(1, 3))
    await h.step(limits=(2, 3))
    await h.idle(2)
    assert h.model.limits == (2, 3)


@cocotb.test()
async def test_pointer_wraps(dut):
    h = await started(dut)
    half = 1 << 31
    for since in (0, 1, 5, half - 1, half, half + 1, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678):
        for distance in (-half, -2, -1, 0, 1, half - 1):
            await h.armed(EOS, since)
            await h.step(tok(since + distance, h, eos=True))
            assert (h.model.frozen_clocks > 0) == (distance >= 0), (since, distance)
            if distance >= 0:
                await released(h)


@cocotb.test()
async def test_mask_0_disarms(dut):
    h = await started(dut)
    await h.armed(ALL)
    await h.armed(0)
    h.free = 0
    await h.feed([tok(n, h, eos=True, eosp=True, boundary=True) for n in range(5)])
    await h.armed(EOS)
    h.free = 50
    await h.step(tok(5, h, eos=True))
    await h.step(tok(6, h, eos=True), ins=(instruction(0), 0))  # while frozen: what is held is let go
    await h.idle(2)
    assert h.model.held == 0
    await released(h)
    assert await h.take() == [
        *(f"NEXT {100 + n}" for n in range(5)), "TOKINT 1 105", "FROZEN 105", "RESUMED 105", "NEXT 106"
    ]  # fmt: skip


@cocotb.test()
async def test_all_causes_at_once_and_every_mask(dut):
    h = await started(dut)
    for mask in range(16):
        await recovered(h)
        h.free = 5
        await h.armed(mask)
        await h.step(tok(mask, h, eos=True, eosp=True, boundary=True))
        assert (await h.take())[0] == (f"TOKINT {mask} {100 + mask}" if mask else "NEXT 100")
        if mask:
            await released(h)
            assert h.model.snapshot.cause == mask
            await h.take()
    for mask, flags in ((EOS, "eos"), (EOSP, "eosp"), (BOUNDARY, "boundary")):
        h.free = 0xFFFF
        for asked in (EOS, EOSP, BOUNDARY):
            await h.armed(asked)
            await h.step(tok(1, h, **{flags: True}))
            assert (h.model.frozen_clocks > 0) == (mask == asked)
            if mask == asked:
                await released(h)


@cocotb.test()
async def test_instructions(dut):
    """Which words are ours, which are refused, which port wins; a stalled one is not taken."""
    h = await started(dut)
    await h.step(stalled_ins=(instruction(EOS), 0))
    await h.idle(2)
    assert not h.model.armed
    for bit in range(12):
        await h.step(ins=(instruction(1 << bit), 0))
        assert h.model.ins_error == (bit > 3)
        await h.step()
        assert h.model.armed
        await h.idle(1)
    await h.armed(0)
    for bit in range(20):
        await h.step(ins=(instruction(EOS) ^ 1 << bit, 0))
        await h.step()
        assert h.model.armed == (not h.p["OPCODE_BITS"] >> bit & 1), f"bit {bit} of the opcode"
        await h.armed(0)
    await h.step(ins=(instruction(EOS), 7), arm=Order(9, EOSP))
    await h.step()
    assert h.model.order == Order(7, EOS)
    await h.step(ins=(OPCODE | 1 << 30, 7), arm=Order(9, EOSP))
    await h.step()
    assert h.model.order == Order(9, EOSP)
    await h.step(tok(8, h, eosp=True))
    await h.step(tok(9, h, eosp=True))
    assert await h.take() == ["NEXT 108", "TOKINT 2 109", "FROZEN 109"]


@cocotb.test()
async def test_back_to_back_arm_and_hit(dut):
    """The order of clock c judges the token of clock c + 2; orders in adjacent clocks follow each other."""
    h = await started(dut)
    await h.step(tok(0, h, eos=True), ins=(instruction(EOS), 0))
    await h.step(tok(1, h, eos=True))
    await h.step(tok(2, h, eos=True))
    assert await h.take() == ["NEXT 100", "NEXT 101", "TOKINT 1 102", "FROZEN 102"]
    await released(h)
    await h.take()
    await h.step(ins=(instruction(EOSP), 0))
    await h.step(tok(3, h, eosp=True), ins=(instruction(BOUNDARY), 0))
    await h.step(tok(4, h, boundary=True), ins=(instruction(0), 0))
    await h.step(tok(5, h, boundary=True))
    assert await h.take() == ["NEXT 103", "NEXT 104", "TOKINT 8 105", "FROZEN 105"]


@cocotb.test()
async def test_re_arm(dut):
    """Before, in and after the clock of the hit, and while frozen: the new order stands, the old hit too."""
    h = await started(dut)
    for clock in range(-1, 5):
        await h.armed(EOS)
        order = (instruction(EOSP), 3)
        if clock == -1:
            await h.step(ins=order)
        await h.step(tok(0, h, eos=True), ins=order if clock == 0 else None)
        for frozen in range(1, 5):
            await h.step(ins=order if clock == frozen else None)
        await released(h)
        await h.feed([tok(2, h, eosp=True)])
        await h.step(tok(3, h, eosp=True))
        assert await h.take() == [
            "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "NEXT 102", "TOKINT 2 103", "FROZEN 103"
        ], clock  # fmt: skip
        await released(h)
        await h.take()


@cocotb.test()
async def test_resume_in_the_clock_of_conditions(dut):
    h = await started(dut)
    await h.armed(EOS | EOSP)
    await h.step(tok(0, h, eos=True), resume=True)  # in the clock of the hit: nothing
    await h.step(tok(1, h, eosp=True), resume=True)  # in the first frozen clock: held for the second
    await h.step()
    assert (h.model.frozen_clocks, h.model.held) == (0, EOSP)
    await h.step()  # token 1 enters, frozen again
    await h.idle(2)
    await h.step(tok(2, h, eos=True), resume=True)  # release and condition in one clock
    await h.step()
    await h.idle(3)
    await h.step(resume=True)
    await h.step(resume=True)
    assert await h.take() == [
        "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "TOKINT 2 101", "FROZEN 101", "RESUMED 101", "TOKINT 1 102",
        "FROZEN 102", "RESUMED 102",
    ]  # fmt: skip


@cocotb.test()
async def test_trim_is_token_exact(dut):
    """From the token behind the snapshot to the next first one of its slot, whatever the gaps and the room."""
    h = await started(dut)
    for gap in range(3):
        await h.armed(EOS)
        await h.step(tok(0, h, slot=3, eos=True))
        h.trim = True
        await h.step(tok(1, h, slot=3))
        await released(h)
        h.ready = gap != 1
        rest = [(4, False), (3, False), (3, False), (4, True), (3, False), (3, True), (3, False)]
        for number, (slot, first) in enumerate(rest, 2):
            await h.step(tok(number, h, slot=slot, first=first, eos=True))
            await h.idle(gap)
            h.ready = True
            await h.step() if h.waiting else None
            h.ready = gap != 1
        h.ready, h.trim = True, False
        assert await h.take() == [
            "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "TRIMMED 101", "NEXT 102", "TRIMMED 103", "TRIMMED 104",
            "FIRST 105", "TRIMMED 106", "FIRST 107", "NEXT 108",
        ]  # fmt: skip


@cocotb.test()
async def test_trim_ends(dut):
    """By its level; by the release of another slot; what is held of a dropped token is let go."""
    h = await started(dut)
    await h.armed(EOS)
    await h.step(tok(0, h, slot=3, eos=True))
    h.trim = True
    await h.step(tok(1, h, slot=3, eos=True))
    assert h.model.held == EOS
    await released(h)
    assert (h.waiting, h.model.held) == (None, 0)
    await h.armed(EOS)
    await h.feed([tok(2, h, slot=3, eos=True)])  # dropped: meets nothing
    await h.step(tok(3, h, slot=4, eos=True))
    await h.step()
    await released(h)
    await h.feed([tok(4, h, slot=3), tok(5, h, slot=4)])
    h.trim = False
    await h.feed([tok(6, h, slot=4), tok(7, h, slot=4)])
    assert await h.take() == [
        "TOKINT 1 100", "FROZEN 100", "RESUMED 100", "TRIMMED 101", "TRIMMED 102", "TOKINT 1 103", "FROZEN 103",
        "RESUMED 103", "NEXT 104", "TRIMMED 105", "TRIMMED 106", "NEXT 107",
    ]  # fmt: skip


@cocotb.test()
async def test_inject_once_and_every(dut):
    h = await started(dut)
    for first, every, turns in ((1, 0, [1]), (3, 0, [3]), (2, 3, [2, 5, 8]), (1, 1, [*range(1, 9)]), (0, 1, [])):
        h.injection = Injection(first, every, 5, EOSP)
        await h.step()
        await h.take()
        for number in range(1, 9):
            await h.armed(EOSP)
            await h.feed([tok(0, h, layer=4)])
            await h.step(tok(number, h, layer=5))
            if h.model.frozen_clocks:
                await released(h)
        said = [int(text.split()[2]) - 100 for text in await h.take() if text.startswith("TOKINT")]
        assert said == turns
        if turns:
            assert h.model.snapshot.context[0] >> 29 & 1 == 1
        h.injection = None
        await h.step()
    await h.armed(EOSP)
    await h.step(tok(1, h, layer=5, eosp=True))
    assert h.model.snapshot.context[0] >> 29 & 1 == 0


@cocotb.test()
async def test_injected_mem_low_hides_no_real_one(dut):
    h = await started(dut)
    h.injection = Injection(1, 0, 0, MEM_LOW)
    h.free = 15  # neither low nor ample
    await h.step()
    await h.armed(MEM_LOW)
    await h.step(tok(0, h))
    await h.step(tok(1, h))
    await released(h)
    assert await judge_memory(h, 10)
    assert not await judge_memory(h, 10)


@cocotb.test()
async def test_an_injected_cause_waits_with_its_token(dut):
    """Neither a stall nor a dropped token uses up the turn; while frozen the forced cause is held."""
    h = await started(dut)
    await h.armed(EOS)
    await h.step(tok(0, h, slot=3, eos=True))
    h.trim = True
    h.injection = Injection(1, 0, 0, BOUNDARY)
    await h.step()
    await released(h)
    await h.armed(BOUNDARY)
    await h.feed([tok(1, h, slot=3)])
    h.ready = False
    await h.step(tok(2, h))
    await h.idle(3)
    h.ready = True
    await h.step()
    h.trim = False
    assert (await h.take())[3:] == ["TRIMMED 101", "TOKINT 8 102", "FROZEN 102"]
    h.injection = None
    await h.step()
    h.injection = Injection(1, 0, 0, BOUNDARY)
    await h.idle(2)
    await h.step(tok(3, h))
    assert h.model.held == BOUNDARY
    await released(h)
    assert await h.take() == ["RESUMED 102", "TOKINT 8 103", "FROZEN 103"]


@cocotb.test()
async def test_restart_and_steps(dut):
    h = await started(dut)
    await h.armed(EOS)
    await h.feed([tok(0, h), tok(1, h)])
    await h.step(tok(2, h, eos=True), restart=True)
    await h.idle(2, step_ns=-40)
    await h.step(step_ns=37_000_000_000, relative=True)
    await h.step(tok(3, h), step_ns=5, resume=True)
    await h.step()
    assert h.model.tokens == 1
    assert await h.take() == ["NEXT 100", "FROZEN 102", "RESUMED 102", "NEXT 103"]
    assert h.checker.said["step"] == 2


@cocotb.test()
async def test_reset_while_frozen(dut):
    h = await started(dut)
    await h.armed(ALL)
    h.free = 3
    await h.step(tok(0, h, eos=True))
    h.trim = True
    await h.step(tok(1, h, eos=True))
    await released(h)
    await h.reset()
    h.trim = False
    await h.feed([tok(n, h, eos=True) for n in range(3)])
    await h.armed(MEM_LOW)
    await h.step(tok(0, h))
    assert (await h.take())[-2:] == ["TOKINT 4 100", "FROZEN 100"]
