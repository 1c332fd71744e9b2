# SPDX-License-Identifier: Apache-2.0
"""Agent of a valid/ready stream of tokens (tok_valid, tok_ready, tok_ptr, ...). A value is a ``Token``; None is a clock
without one. ``TokenTraffic`` makes endless, seeded tokens of several sequences."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cocotb.triggers import RisingEdge
from pyuvm import uvm_agent, uvm_sequencer

from npuscope.encode import Token
from tb.vip.player import Player

__all__ = ["SHAPES", "TokenAgent", "TokenPlayer", "TokenTraffic"]


class TokenPlayer(Player):
    """Drives the tokens; one that is shown stays shown, unchanged, until it is taken."""

    def drive(self, value: Token) -> None:
        own = sum(word << 32 * i for i, word in enumerate(value.own))
        self.show(
            tok_valid=1, tok_ptr=value.ptr, tok_id=value.id, tok_layer=value.layer, tok_slot=value.slot,
            tok_first=int(value.first), tok_eos=int(value.eos), tok_eosp=int(value.eosp),
            tok_boundary=int(value.boundary), tok_ctx=own,
        )  # fmt: skip

    def idle(self) -> None:
        self.show(tok_valid=0)

    async def run_phase(self) -> None:
        self.drive(Token(0, 0))  # no pin is unknown
        self.idle()
        while True:
            item = await self.seq_item_port.get_next_item()
            for value in item.values:
                if value is None:
                    self.idle()
                    await RisingEdge(self.dut.clk)
                    continue
                self.drive(value)
                await RisingEdge(self.dut.clk)
                while not int(self.dut.tok_ready.value):
                    await RisingEdge(self.dut.clk)
            self.idle()
            self.seq_item_port.item_done()


class TokenAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = TokenPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


SHAPES = {"plain": (0.05, 0.05, 0.1), "busy": (0.3, 0.3, 0.5), "dense": (1.0, 0.5, 1.0)}
"""Shares of tokens with EOS, EOSP, BOUNDARY."""


class TokenTraffic:
    """Tokens of a few slots and layers, mostly with ascending pointers that wrap early.

    words: context words of a token. ``ptr``: pointer of the next one.
    """

    def __init__(self, rng: random.Random, words: int = 1, slots: int = 3) -> None:
        self.rng, self.words, self.slots = rng, words, slots
        self.ptr = (1 << 32) - 50
        self.begun: set[int] = set()

    def token(self, shape: str) -> Token:
        rng = self.rng
        eos, eosp, boundary = (rng.random() < share for share in SHAPES[shape])
        slot = rng.randrange(self.slots)
        first = slot not in self.begun
        self.begun.add(slot)
        if eos and rng.random() < 0.7:
            self.begun.discard(slot)
        self.ptr = rng.getrandbits(32) if rng.random() < 0.002 else self.ptr + 1 & 0xFFFFFFFF
        own = tuple(rng.getrandbits(32) for _ in range(self.words))
        return Token(self.ptr, rng.getrandbits(32), rng.choice([0, 0, 1, 255]), slot, first, eos, eosp, boundary, own)

    def stream(self, shapes: list[str], tokens: int, share: float) -> Iterator[Token | None]:
        """``tokens`` tokens in stretches of one shape, a clock without one in between with 1 - ``share``."""
        while tokens > 0:
            shape = self.rng.choice(shapes)
            for _ in range(min(tokens, self.rng.randrange(10, 100))):
                while self.rng.random() >= share:
                    yield None
                yield self.token(shape)
                tokens -= 1
