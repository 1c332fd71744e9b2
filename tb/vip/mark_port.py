# SPDX-License-Identifier: Apache-2.0
"""Agent of the MARK input; a value is (sub, value)."""

from __future__ import annotations

from pyuvm import uvm_agent, uvm_sequencer

from tb.vip.player import Player

__all__ = ["MarkAgent", "MarkPlayer"]


class MarkPlayer(Player):
    """Drives mark_valid, mark_sub, mark_value."""

    def drive(self, value: tuple[int, int]) -> None:
        self.show(mark_valid=1, mark_sub=value[0], mark_value=value[1])

    def idle(self) -> None:
        self.show(mark_valid=0)


class MarkAgent(uvm_agent):
    """Sequencer and driver."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = MarkPlayer("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
