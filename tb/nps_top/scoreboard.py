# SPDX-License-Identifier: Apache-2.0
"""Scoreboard of nps_top: ``TopModel`` says what is offered, ``StreamModel`` every bit of the dump, ``Schedule`` when.

In each clock it also checks cfg_error and what ``sampling`` and ``active`` say (FORMAT.md, rule 25).
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING

from pyuvm import ConfigDB, uvm_subscriber

from npuscope.encode import TopClock, TopModel, UnitKind, Walk, check_dump, unpack
from npuscope.encode.ras_source import RasSourceModel
from npuscope.encode.schedule import Schedule
from npuscope.encode.token import TokenIrqModel
from npuscope.layout import SRC_FRAMER, Cnt, Kind, SyncSub
from tb.nps_top.config import MEM_LOW, REQ_TIMEOUT
from tb.nps_top.truth import HotTruth

if TYPE_CHECKING:
    from tb.nps_top.config import Build
    from tb.vip.axis import AxisMonitor

__all__ = ["Scoreboard"]

CFG_ERROR_LATENCY = 3
"""Clocks from cfg_apply to cfg_error: the input register and two of the probe."""

Levels = tuple[bool, bool, bool]
"""sync_lost, crc_reneg_req, phy_switch_req."""
QUIET: Levels = (False, False, False)
LEVEL_LATENCY = 2
"""Clocks from what the model has come to, to these outputs."""


class Scoreboard(uvm_subscriber):
    """After ``judge``: ``walks`` (one per session), ``causes`` of groups, ``clocks`` compared."""

    axis: AxisMonitor
    late: int
    """Clocks until a clock of inputs comes."""

    def build_phase(self) -> None:
        super().build_phase()
        self.build: Build = ConfigDB().get(self, "", "BUILD")
        self.model = TopModel(
            self.build.stream,
            self.build.steady,
            jitter=self.build.jitter,
            ras=RasSourceModel(self.build.ras, timeout=REQ_TIMEOUT),
            token=TokenIrqModel(*MEM_LOW),
        )
        self.truth = HotTruth(self.build)
        self.clocks = self.refusals = 0
        self.walks: list[Walk] = []
        self.causes: Counter[str] = Counter()
        self._errors: deque[int] = deque([0] * CFG_ERROR_LATENCY)
        self._levels: deque[Levels] = deque([QUIET] * LEVEL_LATENCY)
        self.asked = 0
        self._before: TopClock | None = None
        self._judged = False
        self.period_ns = 5

    def write(self, item: tuple[int, TopClock, int, Levels, Levels]) -> None:
        """One clock of inputs, and what the outputs show in it; the last: tok_ready, pipe_valid, pipe_freeze."""
        clock, inputs, cfg_error, levels, stream = item
        view = self.model.view(inputs)
        if view is not None and not inputs.reset:
            wanted = view.tok_ready, view.pipe_valid, view.pipe_freeze
            if inputs.token is not None and inputs.token.token is None:  # ready means nothing without a token
                wanted = (stream[0], *wanted[1:])
            assert stream == wanted, (
                f"clock {clock}: tok_ready, pipe_valid, pipe_freeze are {stream}, expected {wanted}"
            )
        assert clock == self.clocks, f"clock {clock} follows clock {self.clocks - 1}"
        self.clocks += 1
        self._control(clock, inputs)
        self.model.clock(inputs)
        if inputs.sampling:
            self.truth.clock(inputs)
        self._before = inputs
        expected = self._errors.popleft()
        assert cfg_error == expected, f"clock {clock}: cfg_error is {cfg_error:#x}, expected {expected:#x}"
        refused = 0 if inputs.reset else sum(bad << src for src, bad in self.model.errors().items())
        self.refusals += refused.bit_count()
        self._errors.append(refused)
        wanted = self._levels.popleft()
        assert levels == wanted, f"clock {clock}: sync_lost, requests are {levels}, expected {wanted}"
        self._levels.append(self.model.levels)
        self.asked += sum(after > before for before, after in zip(wanted, self.model.levels, strict=True))
        if inputs.reset:
            self._errors = deque([0] * CFG_ERROR_LATENCY)
            self._levels = deque([QUIET] * LEVEL_LATENCY)

    def _control(self, clock: int, inputs: TopClock) -> None:
        """A start takes one clock; the offer ends with enable, in the same clock; a stream is open until its END."""
        before = self._before
        if before is None:
            return
        if before.reset:
            assert not inputs.active, f"clock {clock}: active after reset"
        elif not before.active:
            assert inputs.active == before.enable, (
                f"clock {clock}: active is {inputs.active} after enable {before.enable}"
            )
            assert inputs.sampling == (before.enable and inputs.enable), f"clock {clock}: sampling after a start"
        else:
            assert inputs.active or not before.enable or not before.sampling, (
                f"clock {clock}: the stream ended by itself"
            )
            continues = before.sampling and inputs.enable
            assert inputs.sampling == (continues and inputs.active), f"clock {clock}: sampling is {inputs.sampling}"

    # ---------------------------------------------------------------- end of test
    def judge(self) -> None:
        """Compare the whole dump; called once, at the end."""
        sessions, beats = self.model.sessions, self.axis.beats
        resets = [*self.model.resets, (self.clocks, len(sessions))]
        done = records = 0
        for clock, begun in resets:  # a reset cuts the stream: what comes after it belongs to later starts
            cut = sum(beat.clock <= clock for beat in beats)
            dump = b"".join(beat.data for beat in beats[records:cut])
            walks = check_dump(self.build.stream, sessions[done:begun], dump, records)
            for walk, start in zip(walks, self.model.starts[done:begun], strict=True):
                if walk.units:
                    self._schedule(walk, start)
            self.walks += walks
            done, records = begun, cut
        self._judged = True

    def _schedule(self, walk: Walk, start: int) -> None:
        taken = [beat.clock for beat in self.axis.beats]
        promises = replace(self.build.promises, jump_ns=2 * self.period_ns + 100)
        schedule = Schedule(promises, walk.units, taken, self.model.history, self.axis.stalls, start)
        self.causes += schedule.check()
        for unit in walk.units:
            for index in range(unit.index, unit.index + unit.count):
                record = unpack(self.axis.beats[index].data)
                if (record.src, record.kind, record.sub) == (SRC_FRAMER, Kind.CNT, Cnt.STALLED):
                    schedule.stalled(index, record.payload)
        self._last_beats(walk)

    def _last_beats(self, walk: Walk) -> None:
        """tlast on the last record of each group and on END, nowhere else."""
        for unit in walk.units:
            end = unit.index + unit.count - 1
            for index in range(unit.index, end + 1):
                record = unpack(self.axis.beats[index].data)
                expected = unit.kind == UnitKind.GROUP and index == end
                expected |= (record.kind, record.sub) == (Kind.SYNC, SyncSub.END)
                assert self.axis.beats[index].last == expected, f"record {index}: tlast is not {expected}"

    def dump(self) -> bytes:
        """What the sink took."""
        return b"".join(beat.data for beat in self.axis.beats)

    @property
    def lost(self) -> int:
        """Records lost, all sources and sessions."""
        return sum(sum(walk.lost.values()) for walk in self.walks)

    @property
    def steps(self) -> int:
        """Clock steps told by a pair of their own, all sources and sessions."""
        units = [unit for walk in self.walks for unit in walk.units]
        return sum(unit.entry is not None and unit.entry.step_ns is not None for unit in units)

    @property
    def configured(self) -> Counter[int]:
        """CFG words told by source behind those of the starts."""
        units = [unit for walk in self.walks for unit in walk.units]
        return Counter(u.src for u in units if u.entry is not None and u.entry.kind == Kind.CFG)

    @property
    def compared(self) -> int:
        """Records of the dump compared with the model."""
        return sum(walk.compared for walk in self.walks)

    def check_phase(self) -> None:
        assert self._judged, "the dump was never compared"
        assert self.clocks == len(self.axis.stalls) - 1 - self.late, "the monitors counted different clocks"
        self.logger.info(
            "%d clocks, %d records, %d lost, groups %s", self.clocks, self.compared, self.lost, dict(self.causes)
        )
