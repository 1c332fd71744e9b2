# SPDX-License-Identifier: Apache-2.0
"""What the bench knows about a dump without looking at it: levels it drove, and what was offered and not delivered.

``HotTruth`` is no model of the RTL: it only applies the two limits to the levels seen on the pins.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npuscope.encode import TopClock, UnitKind
from npuscope.layout import MAX_LAYERS

if TYPE_CHECKING:
    from tb.nps_top.config import Build
    from tb.nps_top.scoreboard import Scoreboard

__all__ = ["HotTruth", "write_truth"]


class HotTruth:
    """Time in which each layer was hot: from a sample at TH_ON or above to the next one below TH_OFF.

    ``hot``: by (source, layer) a list of [start, end or None, whether an earlier sample showed it cool before].
    ``open``: by (source, layer) a list of [start, end or None] in which it may be hot or not: a jump of relative time
    can make the stale period end, and then a level between the limits is cool, until a sample decides.
    Times are ns on an axis that clock steps do not move. Limits are those of the build.
    """

    def __init__(self, build: Build) -> None:
        self.limits = build.limits
        self.hot: dict[tuple[int, int], list[list[Any]]] = {
            (src, layer): []
            for src, mask in enumerate(build.layers)
            for layer in range(MAX_LAYERS)
            if mask >> layer & 1
        }
        self.open: dict[tuple[int, int], list[list[Any]]] = {key: [] for key in self.hot}
        self._steps = 0
        self._seen: set[tuple[int, int]] = set()

    def clock(self, inputs: TopClock) -> None:
        """Take the inputs of one clock that is offered."""
        if inputs.ts_step or inputs.rel_step:
            self._steps += inputs.step_ns
        now = inputs.ts_ns - self._steps
        if inputs.rel_step:
            for key, spans in self.hot.items():
                if spans and spans[-1][1] is None:
                    spans[-1][1] = now
                    self.open[key].append([now, None])
        for src, sample in inputs.samples.items():
            if (src, sample.layer) in self.hot:
                self._sample(now, (src, sample.layer), sample.occ)

    def _sample(self, now: int, key: tuple[int, int], occ: int) -> None:
        spans, undecided = self.hot[key], self.open[key]
        is_hot, is_open = (bool(s) and s[-1][1] is None for s in (spans, undecided))
        if is_open and (occ >= self.limits.th_on or occ < self.limits.th_off):
            undecided[-1][1] = now
        if not is_hot and occ >= self.limits.th_on:
            spans.append([now, None, key in self._seen and not is_open])
        elif is_hot and occ < self.limits.th_off:
            spans[-1][1] = now
        self._seen.add(key)


def write_truth(path: Path, scoreboard: Scoreboard) -> None:
    """Write the dump to ``path`` and, beside it as .json, what was lost by source and when each layer was hot.

    sessions: starts whose first group is whole; stubs: others, of which a decoder may see one or not. cut: by a reset.
    """
    path.write_bytes(scoreboard.dump())
    sessions = scoreboard.model.sessions
    offered: dict[int, int] = {}
    for session in sessions:
        for src, entries in session.offered.items():
            offered[src] = offered.get(src, 0) + sum(entry.size for entry in entries)
    delivered = {src: sum(walk.delivered[src] for walk in scoreboard.walks) for src in offered}
    end = len(scoreboard.build.stream.cnt_order) + 1  # counters, then END; a reset may come before active falls
    ended = [sum(unit.kind == UnitKind.END for unit in walk.units) == end for walk in scoreboard.walks]
    truth = {
        "sessions": sum(bool(walk.units) for walk in scoreboard.walks),
        "stubs": sum(not walk.units for walk in scoreboard.walks),
        "cut": sum(bool(walk.units) and not done for walk, done in zip(scoreboard.walks, ended, strict=True)),
        "lost": {src: offered[src] - delivered[src] for src in offered},
        "hot": [[*key, spans, scoreboard.truth.open[key]] for key, spans in scoreboard.truth.hot.items()],
    }
    path.with_suffix(".json").write_text(json.dumps(truth))
