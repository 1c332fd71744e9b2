"""Golden model of what ``nps_top`` offers to its fabric, clock by clock from the inputs alone.

It holds one ``BpProbeModel`` per backpressure source and the models of the other sources that there are, makes MARK
records, derives the time quality, and keeps one ``Session`` per start. What the fabric then does with the offer depends
on the sink and is checked by ``framer``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from npuscope.encode.framer import Session
from npuscope.encode.jitter import JitterConfig
from npuscope.encode.jitter_source import JitterInputs, JitterModel
from npuscope.encode.mirror import BpLimits
from npuscope.encode.probe import BpProbeModel, Sample, TimeBus
from npuscope.encode.ras import RasConfig
from npuscope.encode.ras_source import Latches, RasMoment, RasSourceModel
from npuscope.encode.stream import Entry, StreamConfig
from npuscope.encode.token import TokenInjectModel, TokenInputs, TokenIrqModel, TokenView
from npuscope.layout import SRC_JITTER, SRC_MARK, SRC_RAS, SRC_TOKEN, THRESHOLDS, Cfg, Kind, RasClass, TimeQuality

__all__ = ["ACK_CLOCKS", "TokenInject", "TopClock", "TopModel"]

ACK_CLOCKS = 7
"""Clocks from the inputs of a moment to the acks that are collected with it."""
RAS_CFG_CLOCKS = 3
"""Clocks from the inputs of the first moment that a configuration judges, to its order."""
RAS_INJECT_CLOCKS = 6
"""Clocks from the inputs of the moment that injection meets, to its order."""


class TokenInject(NamedTuple):
    """Causes injected: see ``TokenInjectModel``."""

    first: int
    every: int
    layer: int
    cause: int


@dataclass(frozen=True, slots=True)
class TopClock:
    """The inputs of ``nps_top`` in one clock, and two outputs that say what becomes of them.

    rel_ns, ts_ns, ts_step, rel_step, step_ns: as in ``TimeBus``. samples, apply: by source. mark: (sub, value).
    sync, phy_changed, frac: of JITTER. acks (crc_reneg, phy_switch), reneg_done: of RAS. jitter_enable, jitter_apply,
    ras_enable: what the registers say as these inputs are judged; without registers None, and the source is enabled
    while sampling. ras_apply, ras_inject: what they order in this clock. sampling: output, inputs are offered. active:
    output, a stream is open. token: of TOKEN; its time, restart, reset and forced are those of the clock. inject: what
    TOKEN injects.
    """

    rel_ns: int
    ts_ns: int
    locked: bool = True
    holdover: bool = False
    ts_step: bool = False
    rel_step: bool = False
    step_ns: int = 0
    samples: Mapping[int, Sample] = field(default_factory=dict)
    mark: tuple[int, int] | None = None
    apply: Mapping[int, BpLimits] = field(default_factory=dict)
    enable: bool = True
    sampling: bool = True
    active: bool = True
    reset: bool = False
    frac: int = 0
    sync: bool = False
    phy_changed: bool = False
    jitter_enable: bool | None = None
    jitter_apply: JitterConfig | None = None
    acks: tuple[bool, bool] = (False, False)
    reneg_done: bool = False
    ras_enable: bool | None = None
    ras_apply: RasConfig | None = None
    ras_inject: frozenset[RasClass] = frozenset()
    token: TokenInputs | None = None
    inject: TokenInject | None = None


@dataclass(slots=True)
class _Late:
    """A moment on its way to the mapper: its clock, the list its entries go to, the words of a session that begins."""

    number: int
    moment: RasMoment
    entries: list[Entry]
    words: dict[int, int] | None


class TopModel:
    """All sources of one ``nps_top``.

    ``sessions``: one per start, in order, the last one still growing; ``starts``: their clocks. ``history``:
    (rel_ns, ts_ns, tq) of every clock, for ``schedule``. A reset cuts the open session: it is not complete, and
    ``resets`` has the clock and the number of sessions begun before it.
    """

    def __init__(
        self,
        config: StreamConfig,
        steady: int = THRESHOLDS["STEADY"].value,
        *,
        jitter: JitterConfig | None = None,
        ras: RasSourceModel | None = None,
        token: TokenIrqModel | None = None,
    ) -> None:
        """jitter: its configuration after reset. ras, token: models. Each is used if the stream has that source."""
        self.config, self.steady = config, steady
        self.sessions: list[Session] = []
        self.history: list[tuple[int, int, int]] = []
        self.starts: list[int] = []
        self.resets: list[tuple[int, int]] = []
        self._offered: dict[int, list[Entry]] = {}
        self._bp_samples: dict[int, int] = {}
        self._ras_words: dict[int, int] = {}
        self.jitter = JitterModel(jitter) if SRC_JITTER in config.others else None
        self.ras = ras if SRC_RAS in config.others else None
        self.token = token if SRC_TOKEN in config.others else None
        self._start_jitter = self.jitter.config if self.jitter else None
        self._reset(TopClock(0, 0))

    def _reset(self, inputs: TopClock) -> None:
        self.probes = {src: BpProbeModel(source, src, self.steady) for src, source in enumerate(self.config.sources)}
        if self.jitter:
            self.jitter.reset(self._start_jitter, inputs.sync)
        if self.ras:
            self.ras.reset()
        self.inject = TokenInjectModel(0, 0, 0, 0)
        if self.token and inputs.token:
            self.token.clock(replace(inputs.token, reset=True))
        self._untold: list[Entry] = []
        self._moments: deque[_Late] = deque()
        self._latches = Latches()
        self._doubt = self._had_time = False

    def clock(self, inputs: TopClock) -> None:
        """Take the next clock; entries offered go to the open session."""
        number = len(self.history)
        tq = self._quality(inputs)
        self.history.append((inputs.rel_ns, inputs.ts_ns, tq))
        if inputs.reset:
            if inputs.active and self.sessions:
                self.sessions[-1] = replace(self.sessions[-1], complete=False)
            self.resets.append((number, len(self.sessions)))
            return self._reset(inputs)
        restart = inputs.enable and not inputs.active
        time = TimeBus(inputs.rel_ns, inputs.ts_ns, tq, inputs.ts_step, inputs.rel_step, inputs.step_ns)
        entries: list[Entry | None] = []
        for src, probe in self.probes.items():
            sample = inputs.samples.get(src) if inputs.sampling else None
            entries.append(probe.clock(time, sample, inputs.apply.get(src), restart))
        if self.token and inputs.token:
            forced = self._forced(inputs.token, inputs.inject)
            entries.append(self.token.clock(replace(inputs.token, time=time, restart=restart, forced=forced)))
        moment = RasMoment(time)
        if self.jitter:
            entry, moment = self._jitter(self.jitter, inputs, time, restart)
            entries.append(entry)
        entries.append(self._mark(time, inputs.mark))
        if restart:
            self._start(number)
        elif inputs.sampling:
            self._offer(entries, number)
        if self.ras:
            self._judge(self.ras, moment, inputs, number, restart)
        return None

    @property
    def levels(self) -> tuple[bool, bool, bool]:
        """After the clock: sync_lost, crc_reneg_req, phy_switch_req; the last two are ACK_CLOCKS late."""
        lost = self.jitter is not None and self.jitter.sync_lost
        reneg, switch = (request.req for request in self.ras.requests) if self.ras else (False, False)
        return lost, reneg, switch

    def view(self, inputs: TopClock) -> TokenView | None:
        """What the stream of tokens shows in the clock that comes, with these inputs."""
        return self.token.look(inputs.token) if self.token and inputs.token else None

    def errors(self) -> dict[int, bool]:
        """By source: whether the limits applied in this clock were refused (rule 20)."""
        return {src: probe.cfg_error for src, probe in self.probes.items()}

    def _quality(self, inputs: TopClock) -> int:
        """locked, else holdover, else doubt if time was ever lost or jumped since it was locked, else free running."""
        has_time = inputs.locked or inputs.holdover
        lost = self._had_time and not has_time
        self._doubt = not inputs.locked and (self._doubt or inputs.rel_step or lost)
        self._had_time = has_time
        if inputs.locked:
            return TimeQuality.LOCKED
        if inputs.holdover:
            return TimeQuality.HOLDOVER
        return TimeQuality.DOUBT if self._doubt else TimeQuality.FREE_RUN

    def _forced(self, inputs: TokenInputs, setting: TokenInject | None) -> int:
        """The causes injected in this clock."""
        assert self.token is not None
        shown, inject = inputs.token, self.inject
        if setting is not None:
            inject.first, inject.every, inject.layer, inject.cause = setting
        forced = inject.forced(setting is not None, shown.layer) if shown is not None else 0
        enters = self.token.look(inputs).enters
        inject.clock(setting is not None, shown.layer if shown is not None and enters else None)
        return forced

    def _jitter(
        self, model: JitterModel, inputs: TopClock, time: TimeBus, restart: bool
    ) -> tuple[Entry | None, RasMoment]:
        """The entry of the clock, and what of it reaches the mapper."""
        enable = inputs.sampling if inputs.jitter_enable is None else inputs.jitter_enable
        drives_a = model.config.sync_lost_a
        made = model.clock(
            JitterInputs(
                time,
                inputs.frac,
                inputs.locked,
                inputs.holdover,
                enable,
                inputs.sync,
                inputs.phy_changed,
                inputs.jitter_apply,
                restart,
            )
        )
        sample = (made.sample.jitter, made.sample.ok) if made.sample is not None and made.mapped else None
        return made.entry, RasMoment(time, sample, made.lost, drives_a, inputs.phy_changed)

    def _judge(self, model: RasSourceModel, moment: RasMoment, inputs: TopClock, number: int, restart: bool) -> None:
        """The mapper takes the moment when it has its acks, and the stream gets its entries in its order."""
        enable = inputs.sampling if inputs.ras_enable is None else inputs.ras_enable
        moment = replace(moment, enable=enable, reneg_done=inputs.reneg_done)
        untold = self.sessions[-1].untold if restart else self._untold  # of no stream, but latched
        entries = self._offered[SRC_RAS] if inputs.sampling else untold
        words = self._ras_words if restart else None
        self._moments.append(_Late(number, moment, entries, words))
        config = inputs.ras_apply
        if config is not None and config.legal and len(self._moments) > RAS_CFG_CLOCKS:
            judged = self._moments[-1 - RAS_CFG_CLOCKS]
            judged.moment = replace(judged.moment, config=config)
        if inputs.ras_inject and len(self._moments) > RAS_INJECT_CLOCKS:
            met = self._moments[-1 - RAS_INJECT_CLOCKS]
            met.moment = replace(met.moment, inject=inputs.ras_inject)
        if len(self._moments) <= ACK_CLOCKS:
            return
        late = self._moments.popleft()
        made = model.clock(replace(late.moment, acks=inputs.acks))
        late.entries.extend(replace(entry, clock=late.number) for entry in made)
        if late.words is not None:
            late.words.update(model.words)

    def _mark(self, time: TimeBus, mark: tuple[int, int] | None) -> Entry | None:
        step_ns = time.step_ns if time.ts_step or time.rel_step else None
        if mark is None:
            return None if step_ns is None else Entry(time.ts_ns, SRC_MARK, None, tq=time.tq, step_ns=step_ns)
        return Entry(time.ts_ns, SRC_MARK, Kind.MARK, *mark, tq=time.tq, step_ns=step_ns)

    def _start(self, clock: int) -> None:
        """A new session; its first CFG words are the limits in force (rules 7 and 25)."""
        cfg = {
            src: {int(Cfg.BP_LIMITS): probe.limits.word, int(Cfg.STALE): probe.stale_ns}
            for src, probe in self.probes.items()
        }
        if self.jitter:
            cfg[SRC_JITTER] = self.jitter.words
        if self.ras:
            cfg[SRC_RAS] = self._ras_words = self.ras.words  # those of the first clock, once the mapper is there
        self._offered = {src: [] for src in [*self.probes, *sorted(self.config.others), SRC_MARK]}
        self._bp_samples = dict.fromkeys(self.probes, 0)
        self.starts.append(clock)
        self.sessions.append(Session(self._offered, cfg, self._bp_samples, latches=self._latches, untold=self._untold))
        self._untold = []

    def _offer(self, entries: list[Entry | None], clock: int) -> None:
        for entry in entries:
            if entry is not None:
                self._offered[entry.src].append(replace(entry, clock=clock))
        for src, probe in self.probes.items():
            self._bp_samples[src] = probe.bp_samples
        if self.token:
            self._bp_samples[SRC_TOKEN] = self.token.tokens
