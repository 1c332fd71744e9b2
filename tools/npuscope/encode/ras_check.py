"""The RAS mapper's decisions recomputed from what a stream tells: agree, disagree, or not comparable.

A reader of a stream does not know the mapper's state at the start or after a loss. ``RasCheck`` follows every state
that the stream still allows and judges a decision only when all of them decide alike; what it cannot judge it takes
over, so that the state becomes provable again as soon as the rules (``rtl/ras/README.md``) allow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum

from npuscope.encode.ras import RasConfig, exceeds
from npuscope.layout import OWNED_CFG_RAS, RasClass

__all__ = ["RasCheck", "Verdict"]

Row = tuple[bool, int]
"""State of R: armed, and the run (armed) or the row of good samples (not armed)."""


class Verdict(Enum):
    """What the recomputation says about one decision or silence."""

    AGREE = "agree"
    DISAGREE = "disagree"
    NOT_COMPARABLE = "not comparable"


def _verdict(told: bool, can: bool, must: bool) -> Verdict | None:
    """None: silence where nothing could have been said."""
    if told and must:
        return Verdict.AGREE
    if told != can and told != must:
        return Verdict.DISAGREE
    return Verdict.NOT_COMPARABLE if can else None


class RasCheck:
    """Follows one RAS source in stream order.

    Times are ns of elapsed time from any origin: ts minus the steps so far. Of records with the same time the
    informational ones come first, then the sample, with the decisions that were told for it (``told``: classes of the
    RAS records of that time that are not injected).

    reset: the mapper starts with the stream, disabled; else its state is not known. It is assumed that the
    configuration found first was in force for a window before. margin_ns: time within which a step of relative time
    makes the end of a budget window uncertain (a clock of the mapper).
    """

    def __init__(self, reset: bool = False, margin_ns: int = 1000) -> None:
        self.margin_ns = margin_ns
        self.enabled: bool | None = False if reset else None
        self._words: dict[int, int] = {}
        self._config: RasConfig | None = None
        # R: every state it may be in; None: any
        self._rows: set[Row] | None = {(True, 0)} if reset else None
        # S: stamps since the state was known, and until when others may count
        self._stamps: list[float] = []
        self._others_until = -math.inf if reset else math.inf
        # how far what began under configurations that are no longer in force may reach
        self._window_reach = self._held_reach = -math.inf
        # A: surely held before, surely not held from; the budget window
        self._held: tuple[float, float] = (-math.inf, -math.inf if reset else math.inf)
        self._unknown_window_until = -math.inf if reset else math.inf
        self._window_until = -math.inf
        self._left = 0
        self._exhausted_told = False

    @property
    def config(self) -> RasConfig | None:
        """The configuration in force; None until all its words were told."""
        return self._config

    @property
    def at_rest(self) -> bool:
        """Whether a sample that is no excess of R, and for which nothing is told, changes nothing."""
        return self.enabled is True and self._rows == {(True, 0)}

    def configure(self, words: Mapping[int, int], rel_ns: int) -> None:
        """CFG words of the RAS source, as told at ``rel_ns``; others are ignored."""
        self._words |= {word: value for word, value in words.items() if word in OWNED_CFG_RAS}
        if len(self._words) < len(OWNED_CFG_RAS):
            return
        old, new = self._config, RasConfig.from_words(self._words)
        if old == new:
            return
        self._config = new
        if old is None:
            self._others_until = min(self._others_until, rel_ns + new.s_window)
            self._unknown_window_until = min(self._unknown_window_until, rel_ns + new.s_window)
            self._held = (self._held[0], min(self._held[1], rel_ns + new.holdoff_ns))
            return
        # what began under the old one goes on by it; what is not known may have begun under the new one
        self._window_reach = max(self._window_reach, rel_ns + old.s_window)
        self._held_reach = max(self._held_reach, rel_ns + old.holdoff_ns)
        if rel_ns <= self._others_until:
            self._others_until = max(self._others_until, rel_ns + new.s_window)
        if rel_ns <= self._unknown_window_until:
            self._unknown_window_until = max(self._unknown_window_until, rel_ns + new.s_window)
        if self._held[0] < self._held[1]:
            self._held = (self._held[0], max(self._held[1], rel_ns + new.holdoff_ns))

    def forget(self, rel_ns: int, ras: bool = True) -> None:
        """Records were lost up to ``rel_ns``. ras: of the RAS source too; else of samples only.

        If the configuration changed meanwhile its words must be told next.
        """
        config = self._config
        window = math.inf if config is None else max(rel_ns + config.s_window, self._window_reach)
        held = math.inf if config is None else max(rel_ns + config.holdoff_ns, self._held_reach)
        self._rows, self._stamps, self._others_until = None, [], window
        if ras:
            self.enabled = None
            self._held = (-math.inf, held)
            self._lose_window(window)

    def note(self, what: RasClass, rel_ns: int) -> None:
        """An informational RAS record."""
        if what == RasClass.RENEG_DONE:
            self._rows = {(True, 0)}
        elif what in (RasClass.ENABLED, RasClass.DISABLED):
            self.enabled = what == RasClass.ENABLED
            self._rows = {(armed, 0) for armed in ((True, False) if self._rows is None else {a for a, _ in self._rows})}
            self._stamps, self._others_until = [], -math.inf
        elif what == RasClass.PHY_CHANGED:
            self._hold(rel_ns)
        elif what == RasClass.FLUSHED:
            self._hold(rel_ns)
            self._stamps, self._others_until = [], -math.inf
            self._restart_window(rel_ns)

    def _hold(self, rel_ns: float) -> None:
        """The hold-off starts now."""
        if self._config is None:
            self._held = (-math.inf, math.inf)
        else:
            self._held = (rel_ns + self._config.holdoff_ns,) * 2

    def _lose_window(self, until: float) -> None:
        """The budget window is not known; what is missed ends by ``until``."""
        self._unknown_window_until = max(self._unknown_window_until, until)
        self._window_until = -math.inf

    def _restart_window(self, rel_ns: float) -> None:
        """A running budget window starts again."""
        until = math.inf if self._config is None else rel_ns + self._config.s_window
        near = abs(rel_ns - self._window_until) < self.margin_ns
        if near or rel_ns <= self._unknown_window_until:
            self._lose_window(until)
        elif rel_ns <= self._window_until:
            self._window_until = until

    def sync_lost(self, rel_ns: int, drives_a: bool, told: Iterable[RasClass]) -> dict[RasClass, Verdict]:
        """A JITTER SYNC_LOST record. drives_a: the option in force (CFG 7). Returns as ``sample``."""
        said = set(told)
        if self.enabled is None or self._config is None:
            return self._follow(rel_ns, said)
        lost = _verdict(RasClass.SYNC_LOST in said, self.enabled, self.enabled)
        verdicts = {RasClass.SYNC_LOST: lost} if lost is not None else {}
        return verdicts | self._a(rel_ns, self.enabled and drives_a, said, self._config)

    def sample(self, rel_ns: int, jitter: int, ok: bool, told: Iterable[RasClass]) -> dict[RasClass, Verdict]:
        """A sample that reaches the mapper. jitter: 1/256 ns, signed. ok: a valid one.

        Returns a verdict for each class that was told, must have been, or may have been.
        """
        said, config = set(told), self._config
        if self.enabled is None or config is None:
            return self._follow(rel_ns, said)
        if not self.enabled:
            return dict.fromkeys(said, Verdict.DISAGREE)
        verdicts = self._r(ok and exceeds(jitter, config.r_limit), ok, RasClass.R in said, config)
        verdicts |= self._a(rel_ns, ok and exceeds(jitter, config.a_limit), said, config)
        return verdicts | self._s(rel_ns, ok and exceeds(jitter, config.s_limit), RasClass.S in said, config)

    def _follow(self, rel_ns: float, said: set[RasClass]) -> dict[RasClass, Verdict]:
        """Nothing can be judged yet; what was told shows that the mapper is enabled."""
        if said:
            self.enabled = True
        self._rows = {(False, 0)} if RasClass.R in said else None
        if RasClass.S in said:
            self._stamps, self._others_until = [], -math.inf
        else:  # the sample may be an excess
            until = math.inf if self._config is None else rel_ns + self._config.s_window
            self._others_until = max(self._others_until, until)
        if RasClass.A in said:
            self._hold(rel_ns)
        if said & {RasClass.A, RasClass.REDUNDANCY_EXHAUSTED}:
            until = math.inf if self._config is None else rel_ns + self._config.s_window
            self._lose_window(until)
        return dict.fromkeys(said, Verdict.NOT_COMPARABLE)

    # ---------------------------------------------------------------- R
    def _r(self, excess: bool, ok: bool, told: bool, config: RasConfig) -> dict[RasClass, Verdict]:
        rows = self._rows
        if rows is None:
            rows = {(True, n) for n in range(config.r_run)} | {(False, n) for n in range(config.r_rearm)}
        after: dict[bool, set[Row]] = {True: set(), False: set()}
        for armed, row in rows:
            grown = row + 1 if (excess if armed else ok and not excess) else 0
            turns = grown >= (config.r_run if armed else config.r_rearm)
            after[armed and turns].add((not armed, 0) if turns else (armed, grown))
        verdict = _verdict(told, bool(after[True]), not after[False])
        self._rows = None if verdict is Verdict.DISAGREE else after[told]
        return {} if verdict is None else {RasClass.R: verdict}

    # ---------------------------------------------------------------- A
    def _a(self, rel_ns: float, due: bool, said: set[RasClass], config: RasConfig) -> dict[RasClass, Verdict]:
        switch, exhausted = RasClass.A in said, RasClass.REDUNDANCY_EXHAUSTED in said
        may_be_due = due and rel_ns >= self._held[0]
        surely_due = due and rel_ns >= self._held[1]
        known = rel_ns > self._unknown_window_until
        runs = rel_ns <= self._window_until
        left = self._left if runs else config.a_budget
        silent = runs and self._exhausted_told
        can_switch = may_be_due and (not known or left > 0)
        can_exhaust = may_be_due and (not known or (left == 0 and not silent))
        verdicts = {
            RasClass.A: _verdict(switch, can_switch, surely_due and known and can_switch),
            RasClass.REDUNDANCY_EXHAUSTED: _verdict(exhausted, can_exhaust, surely_due and known and can_exhaust),
        }
        if switch:
            self._hold(rel_ns)
        if switch or exhausted:
            if Verdict.DISAGREE in verdicts.values() or not known:
                self._lose_window(rel_ns + config.s_window)
            else:
                if not runs:
                    self._window_until, self._exhausted_told = rel_ns + config.s_window, False
                self._left = left - switch
                self._exhausted_told |= exhausted
        elif Verdict.DISAGREE in verdicts.values():
            self._held = (-math.inf, max(rel_ns + config.holdoff_ns, self._held_reach))
            self._lose_window(max(rel_ns + config.s_window, self._window_reach))
        return {what: verdict for what, verdict in verdicts.items() if verdict is not None}

    # ---------------------------------------------------------------- S
    def _s(self, rel_ns: float, excess: bool, told: bool, config: RasConfig) -> dict[RasClass, Verdict]:
        self._stamps = [until for until in self._stamps if rel_ns <= until]
        must = excess and len(self._stamps) >= config.s_count - 1
        can = must or (excess and rel_ns <= self._others_until)
        verdict = _verdict(told, can, must)
        if told:
            self._stamps, self._others_until = [], -math.inf
        elif verdict is Verdict.DISAGREE:
            self._stamps, self._others_until = [], max(rel_ns + config.s_window, self._window_reach)
        elif excess:
            self._stamps.append(rel_ns + config.s_window)
        return {} if verdict is None else {RasClass.S: verdict}
