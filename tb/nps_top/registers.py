# SPDX-License-Identifier: Apache-2.0
"""What the registers give to the blocks in each clock: from the pins of their port, not from their RTL.

When a write takes effect the port says itself: ``SHOWN`` clocks before its response is valid (``rtl/regs/README.md``).
So ``Bus`` waits for the response, and what is judged is ``LATE`` clocks old.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from npuscope.encode import BpLimits, Order, TokenInject, TopClock
from npuscope.encode.jitter import JitterConfig
from npuscope.encode.ras import RasConfig
from npuscope.layout import RasClass
from npuscope.registers import Kind
from tb.nps_regs.map import Model

__all__ = ["CLASSES", "LATE", "SHOWN", "Bus", "Orders", "Write"]

SHOWN = 3
LATE = SHOWN + 1
"""Clocks until all is known of a clock: what belongs to its inputs behind their register shows a clock later."""
Write = tuple[int, int, int]
"""Address, data, strobe."""


class Bus:
    """Follows the port: ``clock`` returns the write that shows ``SHOWN`` clocks earlier. pin: reads one of its pins."""

    def __init__(self, pin: Callable[[str], int]) -> None:
        self.pin = pin
        self.writes = 0
        self._reset()

    def _reset(self) -> None:
        self._addresses: deque[int] = deque()
        self._data: deque[tuple[int, int]] = deque()
        self._answered = False

    def clock(self, reset: bool) -> Write | None:
        """One clock."""
        pin = self.pin
        if reset:
            self._reset()
            return None
        if pin("s_axil_awvalid") and pin("s_axil_awready"):
            self._addresses.append(pin("s_axil_awaddr"))
        if pin("s_axil_wvalid") and pin("s_axil_wready"):
            self._data.append((pin("s_axil_wdata"), pin("s_axil_wstrb")))
        answers = bool(pin("s_axil_bvalid"))
        new, self._answered = answers and not self._answered, answers and not pin("s_axil_bready")
        if not new:
            return None
        self.writes += 1
        return self._addresses.popleft(), *self._data.popleft()


class Orders:
    """The registers as the blocks see them. ports: number of trace ports."""

    def __init__(self, ports: int, s_count: int) -> None:
        self.ports, self.s_count = ports, s_count
        self.reset()

    def reset(self) -> None:
        """As after reset."""
        self.model = Model()
        self.pulses: frozenset[tuple[str, str]] = frozenset()
        self._port: int | None = None
        self._waits = False

    def of(self, register: str, field: str | None = None) -> int:
        """The value of a field, of the only one if it is not named."""
        if field is None:
            (field,) = (name for owner, name in self.model.value if owner == register)
        return self.model.value[register, field]

    def clock(self, write: Write | None, inputs: TopClock) -> TopClock:
        """One clock, with the write that shows in it; completes its inputs with all that the registers give in it."""
        was, self.pulses = self.pulses, frozenset()
        if write is not None and write[0] & ~3 in self.model.at:
            self.model.write(write[0] & ~3, *write[1:])
            register, _ = self.model.at[write[0] & ~3]
            lanes = sum(0xFF << 8 * i for i in range(4) if write[2] >> i & 1)
            hit = (
                field
                for field in register.fields
                if (field.kind is Kind.PULSE and write[1] & field.mask & lanes)
                or (field.kind is Kind.VALUE and field.mask & lanes)
            )
            self.pulses = frozenset((register.name, field.name) for field in hit)
        self._waits = ("MARK", "value") in was or self._waits
        mark = inputs.mark
        if mark is None and self._waits:
            mark, self._waits = (self.of("MARK_SUB"), self.of("MARK")), False
        apply = {self._port: self._limits()} if self._port is not None and self._port < self.ports else {}
        self._port = self.of("BP_PORT") if ("APPLY", "bp") in self.pulses else None
        token = inputs.token
        if token is not None:
            token = replace(
                token,
                arm=Order(self.of("TOK_PTR"), self.of("TOK_CONTROL", "mask"))
                if ("TOK_CMD", "arm") in self.pulses
                else None,
                resume=token.resume or ("TOK_CMD", "resume") in self.pulses,
                trim=token.trim or bool(self.of("TOK_CONTROL", "trim")),
                limits=(self.of("MEM_LOW", "on"), self.of("MEM_LOW", "off"))
                if ("APPLY", "token") in self.pulses
                else None,
            )
        injects = TokenInject(
            self.of("INJ_TOKEN", "first"), self.of("INJ_TOKEN", "every"), self.of("INJ_CONTROL", "layer"),
            self.of("INJ_CONTROL", "cause"),
        )  # fmt: skip
        return replace(
            inputs,
            enable=bool(self.of("CONTROL", "enable")),
            mark=mark,
            apply=apply,
            ras_apply=self._ras() if ("APPLY", "ras") in self.pulses else None,
            ras_inject=frozenset(what for name, what in CLASSES.items() if ("RAS_INJECT", name) in self.pulses),
            token=token,
            inject=injects if self.of("INJ_CONTROL", "enable") else None,
        )

    @property
    def behind(self) -> dict[str, object]:
        """What belongs to the inputs of the clock before, which are a register further on."""
        return {
            "jitter_enable": bool(self.of("CONTROL", "jitter")),
            "ras_enable": bool(self.of("CONTROL", "ras")),
            "jitter_apply": self._jitter() if ("APPLY", "jitter") in self.pulses else None,
        }

    def _limits(self) -> BpLimits:
        names = ("th_on", "th_off", "th_wet", "level_step", "k", "raw")
        return BpLimits(**{name: self.of("BP_LIMITS", name) for name in names}, stale_ns=self.of("BP_STALE"))

    def _jitter(self) -> JitterConfig:
        names = ("need_lock", "exclude", "strobe", "sync_lost_a")
        return JitterConfig(
            t_nominal=self.of("T_NOMINAL_HI", "hi") << 32 | self.of("T_NOMINAL_LO"),
            **{name: bool(self.of("T_NOMINAL_HI", name)) for name in names},
            watchdog=self.of("WATCHDOG"),
        )

    def _ras(self) -> RasConfig:
        counts = {name: self.of("RAS_COUNTS", name) for name in ("r_run", "r_rearm", "a_budget")}
        limits = (self.of(name) for name in ("R_LIMIT", "A_LIMIT", "S_LIMIT"))
        times = {"s_window": self.of("S_WINDOW"), "a_holdoff": self.of("A_HOLDOFF")}
        return RasConfig(*limits, **counts, s_count=self.s_count, **times)


CLASSES = {
    "reliability": RasClass.R,
    "availability": RasClass.A,
    "serviceability": RasClass.S,
    "sync_lost": RasClass.SYNC_LOST,
    "exhausted": RasClass.REDUNDANCY_EXHAUSTED,
}
"""Fields of RAS_INJECT."""
