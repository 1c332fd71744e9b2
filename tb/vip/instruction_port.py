# SPDX-License-Identifier: Apache-2.0
"""Agent of a watched valid/ready instruction port (ins_valid, ins_ready, ins_word, ins_rs1): it drives both sides.

A value is an ``Issue``: a word, the value of its rs1, and for how many clocks it stalls before it is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from cocotb.triggers import RisingEdge
from pyuvm import uvm_agent, uvm_sequencer

from tb.vip.player import Player

__all__ = ["InstructionAgent", "InstructionPlayer", "Issue"]


@dataclass(frozen=True)
class Issue:
    """One instruction on its way."""

    word: int
    rs1: int
    stall: int = 0


class InstructionPlayer(Player):
    """Drives word and rs1 from the first clock of valid to that in which ready is 1."""

    def drive(self, value: Issue) -> None:
        self.show(ins_valid=1, ins_ready=int(value.stall == 0), ins_word=value.word, ins_rs1=value.rs1)

    def idle(self) -> None:
        self.show(ins_valid=0, ins_ready=1)

    async def run_phase(self) -> None:
        self.drive(Issue(0, 0))  # no pin is unknown
        self.idle()
        while True:
            item = await self.seq_item_port.get_next_item()
            for value in item.values:
                if value is None:
                    self.idle()
                    await RisingEdge(self.dut.clk)
                    continue
                for left in range(value.stall, -1, -1):
                    self.drive(Issue(value.word, value.rs1, left))
                    await RisingEdge(self.dut.clk)
            self.idle()
            self.seq_item_port.item_done()


class InstructionAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = InstructionPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
