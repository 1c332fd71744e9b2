"""Golden model of the token interrupt and of its injection, clock by clock.

Written from the rules T1 to T16 and I1 to I3 of ``rtl/token/README.md``, not from the RTL. ``look`` says what a clock
shows before its end (ready, valid, what is held); ``clock`` lets it pass and returns the entry told for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.encode.bins import met
from npuscope.encode.probe import TimeBus
from npuscope.encode.record import payload
from npuscope.encode.stream import Entry
from npuscope.layout import SRC_TOKEN, THRESHOLDS, CtxSub, Kind, TokenSub

__all__ = [
    "BOUNDARY",
    "EOS",
    "EOSP",
    "MEM_LOW",
    "OPCODE",
    "OPCODE_BITS",
    "Order",
    "Snapshot",
    "Token",
    "TokenInjectModel",
    "TokenInputs",
    "TokenIrqModel",
    "TokenView",
    "instruction",
]

EOS, EOSP, MEM_LOW, BOUNDARY = 1, 2, 4, 8
"""Bits of a mask and of causes."""
OPCODE, OPCODE_BITS = 0x0000000B, 0x0000707F
"""``npu_token_int``: what an instruction word must be, and which of its bits count."""

_MASK_LSB = 20
_AHEAD = 1 << 31
_WORD = 0xFFFFFFFF
_NESTED_MAX = 255
_MEMORY_MAX = 0xFFFF
_ARM_LATENCY = 2
_CFG_LATENCY = 2


def instruction(mask: int, rd: int = 0, rs1: int = 0) -> int:
    """The word of ``npu_token_int``. mask: 12 bits, of which 4 are defined. rd, rs1: register numbers, unused here."""
    return mask << _MASK_LSB | rs1 << 15 | rd << 7 | OPCODE


@dataclass(frozen=True, slots=True)
class Token:
    """What is shown with a token. ptr, id: 32 bits. layer: 8. slot: 16. own: the pipeline's context words."""

    ptr: int
    id: int
    layer: int = 0
    slot: int = 0
    first: bool = False
    eos: bool = False
    eosp: bool = False
    boundary: bool = False
    own: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Order:
    """What to watch for: from which pointer on (32 bits, modular), which conditions (0 none)."""

    ptr: int
    mask: int


@dataclass(frozen=True, slots=True)
class TokenInputs:
    """The inputs of one clock.

    token: shown with tok_valid. ready: pipe_ready. free: memory, blocks. ins: (word, rs1 value) of an instruction that
    is taken. arm: the order of a register. forced: causes forced on the token shown. limits: (MEM_LOW_ON, MEM_LOW_OFF)
    given with cfg_apply.
    """

    time: TimeBus
    token: Token | None = None
    ready: bool = True
    free: int = 0xFFFF
    ins: tuple[int, int] | None = None
    arm: Order | None = None
    forced: int = 0
    resume: bool = False
    trim: bool = False
    limits: tuple[int, int] | None = None
    restart: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the registers and the CTX words say of the last hit."""

    cause: int
    token: int
    context: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenView:
    """What a clock shows. enters: the token goes into the pipeline in it; taken: that, or it is dropped."""

    tok_ready: bool
    pipe_valid: bool
    pipe_freeze: bool
    trimming: bool
    held: int
    enters: bool
    taken: bool


class TokenIrqModel:
    """One token interrupt. low_on, low_off: limits after reset, blocks of free memory.

    Between two clocks: ``armed``: tokens are watched; ``frozen_clocks``: 0 not frozen, 1 the next clock is the first
    frozen one, 2 a later one; ``snapshot``: that of the last hit; ``nested``: as T10 says; ``tokens``: how many entered
    since start (u32). ``ins_error``, ``cfg_error``: what was given in the last clock is refused.
    """

    def __init__(
        self,
        low_on: int = THRESHOLDS["MEM_LOW_ON"].value,
        low_off: int = THRESHOLDS["MEM_LOW_OFF"].value,
        opcode: int = OPCODE,
        opcode_bits: int = OPCODE_BITS,
    ) -> None:
        self._start_limits = low_on, low_off
        self.opcode, self.opcode_bits = opcode, opcode_bits
        self.snapshot: Snapshot | None = None
        self._reset(0)

    def _reset(self, free: int) -> None:
        self.limits = self._start_limits
        self.order = Order(0, 0)
        self.armed = self.trimming = False
        self.held = self.nested = self.tokens = 0
        self.frozen_clocks = 0
        self.ins_error = self.cfg_error = False
        self._number = 0
        self._orders: dict[int, Order] = {}
        self._new_limits: dict[int, tuple[int, int]] = {}
        self._memory = free, *self.limits
        self._told = self._resume_waits = False
        self._frozen_token = self._trim_slot = 0
        self._frozen_slot = 0

    def look(self, inputs: TokenInputs) -> TokenView:
        """What the clock with ``inputs`` shows; needs no more of them than token and ready."""
        token, frozen = inputs.token, self.frozen_clocks > 0
        drops = token is not None and self._drops(token)
        ready = not frozen and (inputs.ready or drops)
        valid = token is not None and not frozen and not drops
        return TokenView(
            ready, valid, frozen, self.trimming, self.held, valid and inputs.ready, token is not None and ready
        )

    def _drops(self, token: Token) -> bool:
        """T12."""
        return self.trimming and token.slot == self._trim_slot and not token.first

    def clock(self, inputs: TokenInputs) -> Entry | None:
        """One clock; the entry told for it, or None."""
        if inputs.reset:
            self._reset(inputs.free)
            return None
        self._number += 1
        view, held_before = self.look(inputs), self.held
        self._take_orders(inputs)
        record: tuple[int, int, int] | None = None
        context: tuple[int, ...] = ()
        if view.pipe_freeze:
            record = self._frozen(inputs)
        elif view.taken and inputs.token is not None:
            cause = self._causes(inputs, inputs.token) if view.enters else 0
            if cause:
                context = self._hit(inputs, inputs.token, cause)
            record = self._token(inputs.token, view.enters, cause)
            self._memory_told(inputs, view.enters, cause)
            self.held = 0
        self._trim(inputs, view)
        self._in_force()
        if self.held and not held_before:
            self.nested = min(self.nested + 1, _NESTED_MAX)
        return self._entry(inputs, record, context)

    # ---------------------------------------------------------------- orders and limits
    def _take_orders(self, inputs: TokenInputs) -> None:
        """T1, T6: what this clock gives, or why not."""
        self.ins_error, order = False, inputs.arm
        if inputs.ins is not None and inputs.ins[0] & self.opcode_bits == self.opcode:
            mask = inputs.ins[0] >> _MASK_LSB
            self.ins_error = mask > EOS | EOSP | MEM_LOW | BOUNDARY
            if not self.ins_error:
                order = Order(inputs.ins[1], mask)
        if order is not None:
            self._orders[self._number + _ARM_LATENCY] = order
        self.cfg_error = inputs.limits is not None and inputs.limits[0] >= inputs.limits[1]
        if inputs.limits is not None and not self.cfg_error:
            self._new_limits[self._number + _CFG_LATENCY] = inputs.limits
        self._seen = inputs.free, *self.limits

    def _in_force(self) -> None:
        """T2, T5, T6: the orders, the limits and the memory of the next clock."""
        following = self._number + 1
        if following in self._orders:
            self.order = self._orders.pop(following)
            self.armed, self.held = self.order.mask != 0, 0
        self._memory = self._seen
        self.limits = self._new_limits.pop(following, self.limits)

    # ---------------------------------------------------------------- conditions
    def _met(self, inputs: TokenInputs, token: Token) -> int:
        """Conditions of the mask that ``token`` meets as if armed: T3, T5, T16."""
        if (token.ptr - self.order.ptr) & _WORD >= _AHEAD:
            return 0
        free, low_on, _ = self._memory
        met("MEM_LOW_ON", free, low_on, _MEMORY_MAX)
        low = free <= low_on and not self._told
        found = EOS * token.eos | EOSP * token.eosp | MEM_LOW * low | BOUNDARY * token.boundary
        return (found | inputs.forced) & self.order.mask

    def _causes(self, inputs: TokenInputs, token: Token) -> int:
        """T7."""
        return (self._met(inputs, token) if self.armed else 0) | self.held

    def _memory_told(self, inputs: TokenInputs, enters: bool, cause: int) -> None:
        """T5, T16: told by a hit, untold by ample memory at a token that enters."""
        free, _, low_off = self._memory
        if cause & ~inputs.forced & MEM_LOW:
            self._told = True
        if enters:
            met("MEM_LOW_OFF", free, low_off, _MEMORY_MAX)
        if enters and free >= low_off:
            self._told = False

    # ---------------------------------------------------------------- hit and freeze
    def _hit(self, inputs: TokenInputs, token: Token, cause: int) -> tuple[int, ...]:
        """T7, T8: the context."""
        head = payload(
            Kind.CTX,
            CtxSub.HEAD,
            words=3 + len(token.own),
            layer=token.layer,
            slot=token.slot,
            injected=int(inputs.forced & cause != 0),
            first=int(token.first),
            nested=int(self.held != 0),
        )
        free, low_on, _ = self._memory
        memory = payload(Kind.CTX, CtxSub.MEMORY, free=free, limit=low_on)
        self.snapshot = Snapshot(cause, token.id, (head, token.ptr, memory, *token.own))
        self.armed = False
        self.frozen_clocks = 1
        self._frozen_token, self._frozen_slot = token.id, token.slot
        return self.snapshot.context

    def _token(self, token: Token, enters: bool, cause: int) -> tuple[int, int, int]:
        """T13: the record of a token that is taken."""
        self.tokens = self.tokens + enters & _WORD
        if cause:
            return Kind.TOKINT, cause, token.id
        entered = TokenSub.FIRST if token.first else TokenSub.NEXT
        return Kind.TOKEN, entered if enters else TokenSub.TRIMMED, token.id

    def _frozen(self, inputs: TokenInputs) -> tuple[int, int, int] | None:
        """T10, T11, T13: one frozen clock."""
        if inputs.token is not None:
            self.held |= self._met(inputs, inputs.token)
        if self.frozen_clocks == 1:
            self._resume_waits = inputs.resume
            self.frozen_clocks = 2
            return Kind.TOKEN, TokenSub.FROZEN, self._frozen_token
        if not (inputs.resume or self._resume_waits):
            return None
        self.frozen_clocks = 0
        return Kind.TOKEN, TokenSub.RESUMED, self._frozen_token

    def _trim(self, inputs: TokenInputs, view: TokenView) -> None:
        """T12: whether tokens are dropped from the next clock on, and of which slot."""
        if view.pipe_freeze and not self.frozen_clocks:
            self.trimming, self._trim_slot = self.trimming or inputs.trim, self._frozen_slot
        if view.enters and inputs.token is not None and inputs.token.slot == self._trim_slot:
            self.trimming = False  # only a first token of that slot can enter
        self.trimming = self.trimming and inputs.trim

    # ---------------------------------------------------------------- telling
    def _entry(
        self, inputs: TokenInputs, record: tuple[int, int, int] | None, context: tuple[int, ...]
    ) -> Entry | None:
        """T13 to T15."""
        if inputs.restart:
            self.tokens = 0
            return None
        time = inputs.time
        step_ns = time.step_ns if time.ts_step or time.rel_step else None
        if record is None:
            if step_ns is None:
                return None
            return Entry(time.ts_ns, SRC_TOKEN, None, tq=time.tq, step_ns=step_ns, bp_samples=self.tokens)
        return Entry(
            time.ts_ns, SRC_TOKEN, *record, tq=time.tq, step_ns=step_ns, context=context, bp_samples=self.tokens
        )


class TokenInjectModel:
    """Causes forced on tokens: I1 to I3. first: number of the token, from 1; every: 0 once. cause: 4 bits."""

    def __init__(self, first: int, every: int, layer: int, cause: int) -> None:
        self.first, self.every, self.layer, self.cause = first, every, layer, cause
        self._counts = False
        self._entered = 0

    def forced(self, enable: bool, layer: int) -> int:
        """The causes forced on a token of ``layer`` that is shown in this clock."""
        number = self._entered + 1
        turn = number == self.first or (self.every and number > self.first and (number - self.first) % self.every == 0)
        return self.cause if enable and self._counts and self.first and turn and layer == self.layer else 0

    def clock(self, enable: bool, entered: int | None) -> None:
        """One clock; entered: the layer of the token that entered the pipeline in it, if one did."""
        if not enable:
            self._counts, self._entered = False, 0
            return
        if self._counts and entered == self.layer:
            self._entered += 1
        self._counts = True
