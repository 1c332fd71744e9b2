"""The gate of the blame rules: culprits against what happens when the stops are taken away.

Random pipelines run on the cycle-level model with and without their windows. For each buffer and clock that is hot,
the *minimal clearing sets* are the smallest sets of windows without which it is not; an answer is right if each named
stage has a window in one of them. Active stall time is gated; draining is told beside it, what no window clears and
what the rules call ambiguous too.

    python -m tests.analysis.closed_loop --pipelines 500 --seed 1
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from npuscope.analysis.blame import tally
from npuscope.analysis.book import Status
from npuscope.episodes import EPISODE, Lane
from npuscope.errors import leave
from npuscope.intervals import EMPTY, Intervals, make
from npuscope.layout import THRESHOLDS
from npuscope.pipeline import KINDS, Pipeline, Run, describe, random_pipeline, run
from npuscope.timeline import Timeline

CLOCKS = 30_000
GATE = 0.99
DRAWN_LOAD = 0.8
"""Largest service time of a stage of ``random_pipeline``, in paces of the source."""
GATED_LOAD = 0.5
"""The gate's. Rule 4 keeps a cause as long as the wait on it lasted; a backlog lasts load / (1 - load) times its stop:
it is gone by then if no stage is more than half loaded. ``--load 0.8`` shows what is lost beyond."""
Bools = npt.NDArray[np.bool_]


@dataclass
class Score:
    """Clocks of stall time by (what, right or not)."""

    clocks: Counter[str]

    def share(self, what: str) -> float:
        """Part of the time of this kind that is right; 1 if there is none."""
        whole = self.clocks[what]
        return self.clocks[f"{what} right"] / whole if whole else 1.0

    def __str__(self) -> str:
        parts = [f"{what} {100 * self.share(what):.2f} % of {self.clocks[what]}" for what in ("active", "draining")]
        return ", ".join([*parts, f"ambiguous {self.clocks['ambiguous']}, not cleared {self.clocks['not cleared']}"])


def lighten(pipeline: Pipeline, load: float) -> Pipeline:
    """The same pipeline with faster stages: none busier than ``load``."""
    part = load / DRAWN_LOAD
    stages = [replace(s, service=max(1, int(s.service * part)), jitter=int(s.jitter * part)) for s in pipeline.stages]
    stages[0], stages[-1] = pipeline.stages[0], pipeline.stages[-1]
    return replace(pipeline, stages=tuple(stages))


def spans(marks: Bools) -> Intervals:
    """The stretches of set clocks."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    return make(edges[::2], edges[1::2]) if len(edges) else EMPTY


def dry(result: Run, buffer: int) -> Bools:
    """DRY from code 0 until TH_WET, as the probe tells it."""
    codes = result.codes(buffer)
    decides = (codes == 0) | (codes >= THRESHOLDS["TH_WET"].value)
    last = np.maximum.accumulate(np.where(decides, np.arange(len(codes)), -1))
    return (codes[last] == 0) & (last >= 0)


def as_timeline(pipeline: Pipeline, result: Run) -> Timeline:
    """What a lossless recording of the run says, one nanosecond a clock."""
    count = len(pipeline.buffers)
    hot = tuple(Lane(spans(result.hot(b)), EMPTY) for b in range(count))
    dries = tuple(Lane(spans(dry(result, b)), EMPTY) for b in range(count))
    return Timeline(describe(pipeline), 0, result.clocks, hot, dries, hot, np.empty(0, EPISODE))


def clearing(pipeline: Pipeline, base: list[Bools], clocks: int) -> tuple[list[list[Bools]], list[Bools]]:
    """Per buffer: for each window whether it is in a minimal clearing set, and whether any set clears; by clock."""
    count = len(pipeline.windows)
    in_set = [[np.zeros(clocks, np.bool_) for _ in range(count)] for _ in base]
    cleared = [np.zeros(clocks, np.bool_) for _ in base]
    tried: list[tuple[set[int], list[Bools]]] = []
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            other = run(pipeline.without(*chosen), clocks)
            clears = [base[b] & ~other.hot(b) for b in range(len(base))]
            for b, clear in enumerate(clears):
                minimal = clear.copy()
                for smaller, done in tried:
                    if smaller < set(chosen):
                        minimal &= ~done[b]
                for w in chosen:
                    in_set[b][w] |= minimal
                cleared[b] |= clear
            tried.append((set(chosen), clears))
    return in_set, cleared


def judge(pipeline: Pipeline, clocks: int = CLOCKS) -> Score:
    """Run the analysis on one pipeline and compare every hot clock of every buffer."""
    result = run(pipeline, clocks)
    timeline = as_timeline(pipeline, result)
    base = [result.hot(b) for b in range(len(pipeline.buffers))]
    in_set, cleared = clearing(pipeline, base, clocks)
    told = tally(timeline, timeline.description, (0, clocks), spans=True)
    score: Counter[str] = Counter()
    for b, (begin, end, entry) in enumerate(told.spans):
        by_clock = np.full(clocks, -1)
        lengths = end - begin
        clock = np.repeat(begin - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        by_clock[clock] = np.repeat(entry, lengths)
        score["not cleared"] += int((base[b] & ~cleared[b]).sum())
        for number in np.unique(entry).tolist():
            what = told.book.entries[number]
            here = (by_clock == number) & cleared[b]
            if what.status == Status.AMBIGUOUS:
                score["ambiguous"] += int(here.sum())
                continue
            right = np.zeros(clocks)
            tokens = [name for _, name in what.may]
            for name in tokens:
                mine = [w for w, window in enumerate(pipeline.windows) if window.stage == name]
                right += np.any([in_set[b][w] for w in mine], axis=0) if mine else False
            kind = "draining" if what.status == Status.DRAINING else "active"
            score[kind] += int(here.sum())
            score[f"{kind} right"] += int((right[here] / len(tokens)).sum())
    return Score(score)


def campaign(
    pipelines: int, seed: int, *, load: float = GATED_LOAD, quiet: bool = True
) -> tuple[Score, dict[str, Score], list[str]]:
    """``pipelines`` pipelines, the kinds in turn: the whole score, by kind, and the worst ones (below the gate)."""
    whole, kinds, misses = Score(Counter()), {kind: Score(Counter()) for kind in KINDS}, []
    for i in range(pipelines):
        kind = KINDS[i % len(KINDS)]
        score = judge(lighten(random_pipeline(seed + i // len(KINDS), kind, CLOCKS), load))
        whole.clocks.update(score.clocks)
        kinds[kind].clocks.update(score.clocks)
        if score.share("active") < GATE:
            misses.append(f"{kind} {seed + i // len(KINDS)}: {score}")
            if not quiet:
                print(f"  {misses[-1]}", flush=True)
    return whole, kinds, misses


def main() -> int:
    """Command line; exit 1 below the gate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pipelines", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--load", type=float, default=GATED_LOAD, help="largest load of a stage, up to 0.8")
    parser.add_argument("--verbose", action="store_true", help="print each pipeline below the gate")
    options = parser.parse_args()
    whole, kinds, misses = campaign(options.pipelines, options.seed, load=options.load, quiet=not options.verbose)
    for kind, score in kinds.items():
        print(f"{kind:13} {score}")
    print(f"{options.pipelines} pipelines, {len(misses)} below the gate each: {whole}")
    return 0 if whole.share("active") >= GATE else 1


if __name__ == "__main__":
    leave(main)
