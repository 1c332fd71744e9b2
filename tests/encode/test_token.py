"""The golden model of the token interrupt, rule by rule, on examples computed by hand (rules: rtl/token/README.md)."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.encode import Entry, Order, TimeBus, Token, TokenInjectModel, TokenInputs, TokenIrqModel
from npuscope.encode.token import BOUNDARY, EOS, EOSP, MEM_LOW, OPCODE, instruction
from npuscope.layout import SRC_TOKEN, CtxSub, Kind, TokenSub

ALL = EOS | EOSP | MEM_LOW | BOUNDARY
AMPLE = 1000
EOS_TOKEN = Token(8, 80, eos=True)


def name(entry: Entry | None) -> str | None:
    """ "TOKINT 5 id" or "NEXT id"."""
    if entry is None or entry.kind is None:
        return None
    if entry.kind == Kind.TOKINT:
        return f"TOKINT {entry.sub} {entry.payload}"
    assert entry.kind == Kind.TOKEN
    return f"{TokenSub(entry.sub).name} {entry.payload}"


@dataclass
class Rig:
    """A model with limits 10 and 20, a clock of 10 ns, and a short way to see what it says."""

    model: TokenIrqModel = field(default_factory=lambda: TokenIrqModel(10, 20))
    now: int = 1000

    def step(self, token: Token | None = None, **inputs: object) -> str | None:
        return name(self.entry(token, **inputs))

    def entry(self, token: Token | None = None, **inputs: object) -> Entry | None:
        self.now += 10
        given = {"free": AMPLE} | inputs
        return self.model.clock(TokenInputs(TimeBus(self.now, self.now), token, **given))  # type: ignore[arg-type]

    def armed(self, mask: int, ptr: int = 0) -> Rig:
        assert self.step(ins=(instruction(mask), ptr)) is None
        assert self.step() is None
        return self

    def resume(self, **inputs: object) -> None:
        assert (self.step(**inputs) or "").startswith("FROZEN")
        assert (self.step(resume=True, **inputs) or "").startswith("RESUMED")


def test_tokens_are_told_in_their_clock() -> None:
    rig = Rig()
    assert rig.entry(Token(0, 7, first=True)) == Entry(1010, SRC_TOKEN, Kind.TOKEN, TokenSub.FIRST, 7, bp_samples=1)
    assert rig.step(Token(1, 8)) == "NEXT 8"
    assert rig.step() is None
    assert rig.step(Token(2, 9), ready=False) is None
    assert rig.step(Token(2, 9)) == "NEXT 9"
    assert rig.model.tokens == 3


def test_hit_freezes_one_clock_later_and_keeps_the_token() -> None:
    rig = Rig().armed(EOS)
    assert rig.step(Token(0, 70)) == "NEXT 70"
    token = Token(5, 75, layer=3, slot=9, eos=True, eosp=True, own=(11, 12))
    before = rig.model.look(TokenInputs(TimeBus(0, 0), token))
    assert (before.tok_ready, before.pipe_valid, before.pipe_freeze, before.enters) == (True, True, False, True)
    entry = rig.entry(token)
    head = 5 | 3 << 5 | 9 << 13
    assert entry == Entry(
        rig.now, SRC_TOKEN, Kind.TOKINT, EOS, 75, bp_samples=2, context=(head, 5, AMPLE | 10 << 16, 11, 12)
    )
    assert rig.model.snapshot is not None
    assert (rig.model.snapshot.cause, rig.model.snapshot.token) == (EOS, 75)
    after = rig.model.look(TokenInputs(TimeBus(0, 0), Token(6, 76)))
    assert (after.tok_ready, after.pipe_valid, after.pipe_freeze, after.taken) == (False, False, True, False)
    assert rig.step(Token(6, 76)) == "FROZEN 75"
    assert rig.step(Token(6, 76)) is None
    assert rig.step(Token(6, 76), resume=True) == "RESUMED 75"
    assert rig.step(Token(6, 76, eos=True)) == "NEXT 76"  # a hit disarms


@pytest.mark.parametrize("mask", range(16))
def test_all_causes_of_the_mask_and_no_other(mask: int) -> None:
    rig = Rig().armed(mask)
    rig.step(free=10)
    said = rig.step(Token(0, 1, eos=True, eosp=True, boundary=True))
    assert said == (f"TOKINT {mask} 1" if mask else "NEXT 1")


@pytest.mark.parametrize(
    ("since", "ptr", "hits"),
    [
        (5, 4, False),
        (5, 5, True),
        (5, 6, True),
        (5, 5 + (1 << 31) - 1, True),
        (5, 5 + (1 << 31), False),
        (0xFFFFFFFE, 0xFFFFFFFD, False),
        (0xFFFFFFFE, 0xFFFFFFFE, True),
        (0xFFFFFFFE, 0, True),
        (0xFFFFFFFE, 3, True),
    ],
)
def test_the_pointer_wraps(since: int, ptr: int, hits: bool) -> None:
    assert Rig().armed(EOS, since).step(Token(ptr, 1, eos=True)) == ("TOKINT 1 1" if hits else "NEXT 1")


def test_an_order_judges_from_its_second_clock_on() -> None:
    rig = Rig()
    assert rig.step(EOS_TOKEN, ins=(instruction(EOS), 0)) == "NEXT 80"
    assert rig.step(EOS_TOKEN) == "NEXT 80"
    assert rig.step(EOS_TOKEN) == "TOKINT 1 80"


def test_mask_0_disarms_and_reserved_bits_are_refused() -> None:
    rig = Rig().armed(EOS)
    rig.step(ins=(instruction(0x10), 0))
    assert rig.model.ins_error
    rig.step()
    assert not rig.model.ins_error
    assert rig.model.armed
    rig.armed(0)
    assert not rig.model.armed
    assert rig.step(EOS_TOKEN) == "NEXT 80"


def test_other_instructions_are_not_ours_and_ours_may_name_any_register() -> None:
    rig = Rig()
    for word in (OPCODE | 1 << 12 | EOS << 20, OPCODE ^ 1 | EOS << 20):
        rig.step(ins=(word, 0))
        rig.step()
        assert not rig.model.armed
    rig.step(ins=(instruction(EOS, rd=31, rs1=31), 0))
    rig.step()
    assert rig.model.armed


def test_an_instruction_wins_over_a_register() -> None:
    rig = Rig()
    rig.step(ins=(instruction(EOS), 7), arm=Order(9, EOSP))
    rig.step()
    assert rig.model.order == Order(7, EOS)
    rig.step(ins=(instruction(0x20), 7), arm=Order(9, EOSP))  # refused: the register's stands
    rig.step()
    assert rig.model.order == Order(9, EOSP)


def test_an_order_in_the_clock_of_the_hit_or_before_stands() -> None:
    for early in (0, 1):
        rig = Rig().armed(EOS)
        if early:
            rig.step(ins=(instruction(EOSP), 0))
        assert rig.step(EOS_TOKEN, ins=None if early else (instruction(EOSP), 0)) == "TOKINT 1 80"
        rig.resume()
        assert rig.model.armed
        assert rig.step(Token(9, 90, eosp=True)) == "TOKINT 2 90"


def test_mem_low_at_its_limit_once_until_the_memory_recovers() -> None:
    levels = [11, 10, 9, 10, 19, 10, 20, 10, 10]  # the memory shown one clock before each token
    rig, said = Rig().armed(MEM_LOW), []
    rig.step(free=levels[0])
    for number, following in enumerate([*levels[1:], AMPLE]):
        said.append(rig.step(Token(number, number), free=following))
        if said[-1].startswith("TOKINT"):  # type: ignore[union-attr]
            rig.step(ins=(instruction(MEM_LOW), 0))
            rig.step(resume=True, free=following)
    assert said == [
        "NEXT 0", "TOKINT 4 1", "NEXT 2", "NEXT 3", "NEXT 4", "NEXT 5", "NEXT 6", "TOKINT 4 7", "NEXT 8"
    ]  # fmt: skip


def test_memory_without_a_token_is_no_condition() -> None:
    rig = Rig().armed(MEM_LOW)
    rig.step(free=0)
    rig.step(Token(0, 1), ready=False, free=AMPLE)
    assert rig.step(Token(0, 1)) == "NEXT 1"


def test_new_limits() -> None:
    rig = Rig().armed(MEM_LOW)
    rig.step(limits=(50, 50))
    assert rig.model.cfg_error
    rig.step(limits=(50, 51))
    assert not rig.model.cfg_error
    assert rig.step(Token(0, 1), free=50) == "NEXT 1"  # one clock after: the old limits
    assert rig.step(Token(1, 2), free=50) == "NEXT 2"  # judged by the clock before
    assert rig.step(Token(2, 3), free=50) == "TOKINT 4 3"


def test_what_the_waiting_token_meets_is_held_and_counted() -> None:
    rig = Rig().armed(EOS | EOSP)
    rig.step(EOS_TOKEN)
    waiting = Token(9, 90, eosp=True)
    assert rig.step(waiting) == "FROZEN 80"
    assert (rig.model.held, rig.model.nested) == (EOSP, 1)
    rig.step(waiting)
    assert (rig.model.held, rig.model.nested) == (EOSP, 1)
    assert rig.step(waiting, resume=True) == "RESUMED 80"
    entry = rig.entry(waiting)
    assert name(entry) == "TOKINT 2 90"  # not armed again, and yet
    assert entry is not None
    assert entry.context[CtxSub.HEAD] >> 31 == 1
    assert rig.model.held == 0


def test_memory_that_is_low_while_a_token_waits_is_held() -> None:
    rig = Rig().armed(EOS | MEM_LOW)
    rig.step(EOS_TOKEN, free=10)
    waiting = Token(9, 90)
    rig.step(waiting)
    rig.step(waiting, resume=True)
    assert rig.step(waiting) == "TOKINT 4 90"


def test_held_conditions_go_with_an_order_and_are_judged_anew() -> None:
    rig = Rig().armed(ALL)
    rig.step(EOS_TOKEN)
    waiting = Token(9, 90, eosp=True)
    rig.step(waiting, ins=(instruction(0), 0))
    assert rig.model.held == EOSP
    rig.step(waiting)
    assert (rig.model.held, rig.model.nested) == (0, 1)
    rig.step(waiting, ins=(instruction(EOSP), 0))
    rig.step(waiting)
    rig.step(waiting)
    assert (rig.model.held, rig.model.nested) == (EOSP, 2)


def test_resume() -> None:
    rig = Rig().armed(EOS)
    rig.step(resume=True)  # not frozen: nothing
    assert rig.step(EOS_TOKEN, resume=True) == "TOKINT 1 80"  # the clock of the hit: nothing
    assert rig.step(resume=True) == "FROZEN 80"
    assert rig.step() == "RESUMED 80"
    assert rig.step(Token(9, 90)) == "NEXT 90"


def frozen_and_released(rig: Rig, slot: int, **inputs: object) -> None:
    rig.armed(EOS)
    assert rig.step(replace(EOS_TOKEN, slot=slot, ptr=0), **inputs) == "TOKINT 1 80"
    rig.resume(trim=True)


def test_trim_drops_the_rest_of_the_sequence_and_no_other_token() -> None:
    rig = Rig()
    frozen_and_released(rig, 3)
    tokens = [(3, False), (4, False), (3, False), (4, True), (3, False), (3, True), (3, False)]
    said = [
        rig.step(Token(n, n, slot=slot, first=first, eos=True), trim=True) for n, (slot, first) in enumerate(tokens)
    ]
    assert said == ["TRIMMED 0", "NEXT 1", "TRIMMED 2", "FIRST 3", "TRIMMED 4", "FIRST 5", "NEXT 6"]
    assert rig.model.tokens == 1 + 4


def test_a_dropped_token_needs_no_room_and_meets_nothing() -> None:
    rig = Rig()
    frozen_and_released(rig, 3)
    rig.step(ins=(instruction(EOS), 0), trim=True)
    rig.step(trim=True)
    view = rig.model.look(TokenInputs(TimeBus(0, 0), Token(0, 1, slot=3), ready=False))
    assert (view.tok_ready, view.pipe_valid, view.taken, view.enters) == (True, False, True, False)
    assert rig.step(Token(0, 1, slot=3, eos=True), ready=False, trim=True) == "TRIMMED 1"
    assert rig.model.armed


def test_trim_ends_in_the_clock_after_its_level_falls() -> None:
    rig = Rig()
    frozen_and_released(rig, 3)
    assert rig.step(Token(0, 1, slot=3)) == "TRIMMED 1"
    assert rig.step(Token(0, 2, slot=3), trim=True) == "NEXT 2"


def test_restart_voids_the_count_and_the_record_but_not_the_freeze() -> None:
    rig = Rig().armed(EOS)
    rig.step(Token(0, 1))
    assert rig.step(EOS_TOKEN, restart=True) is None
    assert rig.model.tokens == 0
    assert rig.step() == "FROZEN 80"


def test_steps_pass_with_and_without_a_record() -> None:
    rig = Rig()
    bus = TimeBus(5, 6, 1, True, False, -7)
    assert rig.model.clock(TokenInputs(bus)) == Entry(6, SRC_TOKEN, None, tq=1, step_ns=-7, bp_samples=0)
    assert rig.model.clock(TokenInputs(bus, Token(0, 4))) == Entry(6, SRC_TOKEN, Kind.TOKEN, 1, 4, 1, -7, 1)


def test_forced_causes_need_the_mask_and_leave_mem_low_untold() -> None:
    rig = Rig().armed(MEM_LOW)
    assert rig.step(Token(0, 1), forced=EOS) == "NEXT 1"
    entry = rig.entry(Token(1, 2), forced=MEM_LOW)
    assert name(entry) == "TOKINT 4 2"
    assert entry is not None
    assert entry.context[CtxSub.HEAD] >> 29 & 1 == 1
    rig.resume(free=10)
    rig.armed(MEM_LOW)
    rig.step(free=10)
    assert rig.step(Token(2, 3)) == "TOKINT 4 3"  # the real one


@pytest.mark.parametrize(
    ("first", "every", "turns"), [(0, 3, []), (1, 0, [1]), (3, 0, [3]), (1, 1, [1, 2, 3, 4, 5, 6, 7]), (2, 3, [2, 5])]
)
def test_injection_counts_tokens_of_its_layer(first: int, every: int, turns: list[int]) -> None:
    model = TokenInjectModel(first, every, 5, EOSP)
    model.clock(True, 5)  # the first clock of enable does not count
    forced = []
    for number in range(1, 8):
        assert model.forced(True, 4) == 0
        model.clock(True, 4)
        model.clock(True, None)
        if model.forced(True, 5):
            forced.append(number)
        model.clock(True, 5)
    assert forced == turns
    assert model.forced(False, 5) == 0


TOKENS = st.builds(
    Token, st.integers(0, 6), st.integers(0, 99), slot=st.integers(0, 1), first=st.booleans(), eos=st.booleans(),
    eosp=st.booleans(), boundary=st.booleans(),
)  # fmt: skip
CLOCKS = st.lists(
    st.fixed_dictionaries(
        {
            "token": st.none() | TOKENS,
            "ready": st.booleans(),
            "free": st.sampled_from([9, 10, 11, 19, 20, 21]),
            "arm": st.none() | st.builds(Order, st.integers(0, 5), st.integers(0, 15)),
            "resume": st.booleans(),
            "trim": st.booleans(),
        }
    ),
    max_size=80,
)


@given(CLOCKS)
def test_every_token_taken_is_told_once_and_none_passes_a_freeze(clocks: list[dict[str, object]]) -> None:
    """From the records alone: one a token, TOKINT then FROZEN in the next clock, no token until RESUMED."""
    rig = Rig()
    frozen_since, waiting = None, None
    for number, given_inputs in enumerate(clocks):
        inputs = dict(given_inputs)
        waiting = waiting or inputs.pop("token")  # a token shown is kept until it is taken
        inputs.pop("token", None)
        view = rig.model.look(TokenInputs(TimeBus(0, 0), waiting, bool(inputs["ready"])))  # type: ignore[arg-type]
        said = rig.step(waiting, **inputs)  # type: ignore[arg-type]
        what = said.split()[0] if said else None
        assert view.taken == (what in ("FIRST", "NEXT", "TRIMMED", "TOKINT"))
        assert view.enters == (what in ("FIRST", "NEXT", "TOKINT"))
        if frozen_since is not None:
            assert not view.taken
            assert view.pipe_freeze
            assert (what == "FROZEN") == (number == frozen_since + 1)
        else:
            assert not view.pipe_freeze
        if view.taken:
            waiting = None
        if what == "TOKINT":
            frozen_since = number
        elif what == "RESUMED":
            frozen_since = None
