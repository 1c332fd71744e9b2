# SPDX-License-Identifier: Apache-2.0
"""The records of a threshold monitor, compared in every clock with what a model says of the clock they belong to."""

from __future__ import annotations

from collections import deque
from typing import Any

from npuscope.encode.monitors import MonRecord
from tb.signals import known

__all__ = ["MON_LATENCY", "MonRecords"]

MON_LATENCY = 4
"""Clocks from the inputs of a monitor to its record."""


class MonRecords:
    """Call ``clock`` once after each edge. seen: records compared so far."""

    def __init__(self, dut: Any, latency: int = MON_LATENCY) -> None:
        self.dut = dut
        self.seen = 0
        self._coming: deque[MonRecord | None] = deque([None] * latency)

    def clock(self, expected: MonRecord | None) -> MonRecord | None:
        """expected: of the clock that ended with this edge. Returns the record of this edge."""
        self._coming.append(expected)
        due = self._coming.popleft()
        if not known(self.dut.ev_valid):
            assert due is None, f"no record, expected sub {due[0]}, payload {due[1]:#x}"
            return None
        found = known(self.dut.ev_sub), known(self.dut.ev_payload)
        assert due is not None, f"a record of sub {found[0]}, payload {found[1]:#x}, expected none"
        assert found == (int(due[0]), due[1]), f"sub {found[0]} payload {found[1]:#x}, expected {due[0]} {due[1]:#x}"
        self.seen += 1
        return found
