"""The slow obvious twin of npuscope.pipeline.run: it steps clocks, rules P1 to P8 word by word."""

from __future__ import annotations

from npuscope.pipeline import Activity, Pipeline


def mix(word: int) -> int:
    word ^= word >> 16
    word = (word * 0x85EBCA6B) % 2**32
    word ^= word >> 13
    word = (word * 0xC2B2AE35) % 2**32
    word ^= word >> 16
    return word


class Clocked:
    """State and history of a pipeline that is stepped clock by clock."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.p = pipeline
        self.clock = 0
        self.used = [0] * len(pipeline.buffers)
        self.held = [False] * len(pipeline.stages)
        self.left = [0] * len(pipeline.stages)
        self.count = [0] * len(pipeline.stages)
        self.levels: list[list[int]] = []
        self.activity: list[list[Activity]] = []
        self.finished: list[int] = []
        self.samples: list[list[tuple[int, int, int, int]]] = [[] for _ in range(pipeline.sources)]

    def cost(self, s: int) -> int:
        stage, n = self.p.stages[s], self.count[s]
        word = mix((mix((self.p.seed + s) % 2**32) + n * 0x9E3779B9) % 2**32)
        cost = stage.service + ((word >> 16) * (stage.jitter + 1) >> 16)
        if stage.burst and n and n % stage.burst == 0:
            cost += stage.gap
        return cost + sum(w.extra or 0 for w in self.windows(s))

    def windows(self, s: int):
        return [w for w in self.p.windows if w.stage == self.p.stages[s].name and w.first <= self.clock < w.end]

    def step(self) -> None:
        p, t = self.p, self.clock
        self.levels.append(list(self.used))
        for src in range(p.sources):
            buffer = src * p.span + t % p.span
            if buffer < min(len(p.buffers), (src + 1) * p.span):
                used, depth = self.used[buffer], p.buffers[buffer].depth
                self.samples[src].append((t, t % p.span, min(63, 64 * used // depth), int(used == depth)))
        has = [u > 0 for u in self.used]
        room = [u < b.depth for u, b in zip(self.used, p.buffers, strict=True)]
        classes = []
        for s, stage in enumerate(p.stages):
            if any(w.extra is None for w in self.windows(s)):
                classes.append(Activity.STOPPED)
                continue
            inputs, outputs = p.inputs(stage.name), p.outputs(stage.name)
            puts = self.held[s] and self.left[s] == 0 and all(room[b] for b in outputs)
            more = bool(inputs) or not p.tokens or self.count[s] < p.tokens
            takes = (puts or not self.held[s]) and more and all(has[b] for b in inputs)
            if self.held[s] and self.left[s] == 0 and not puts:
                classes.append(Activity.BLOCKED)
            elif not self.held[s] and not takes:
                classes.append(Activity.STARVED)
            else:
                classes.append(Activity.WORKING)
            if puts:
                self.held[s] = False
                for b in outputs:
                    self.used[b] += 1
                if not outputs:
                    self.finished.append(t)
            if self.held[s] and self.left[s]:
                self.left[s] -= 1
            if takes:
                self.left[s] = self.cost(s) - 1
                self.held[s] = True
                self.count[s] += 1
                for b in inputs:
                    self.used[b] -= 1
        self.activity.append(classes)
        self.clock += 1
