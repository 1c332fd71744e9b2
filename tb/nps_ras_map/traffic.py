# SPDX-License-Identifier: Apache-2.0
"""Constrained random stimulus of nps_ras_map: samples around the limits, notes, other sides of the requests."""

from __future__ import annotations

import random
from typing import Any

from npuscope.encode.ras import LATCHED, SATURATED, RasConfig
from tb.nps_ras_map.harness import Harness

__all__ = ["Responder", "Traffic", "random_config"]


def random_config(rng: random.Random, s_count: int) -> RasConfig:
    """Mostly legal, at the edges of what is; times short enough that all of them end within a run."""
    limits = sorted(rng.choice([0, 1, 1000, 70_000, (1 << 30) - 1, rng.getrandbits(30)]) for _ in range(3))
    if rng.random() < 0.15:
        rng.shuffle(limits)
    return RasConfig(
        *limits, r_run=rng.choice([0, 1, 2, 3, 5, 255]) if rng.random() < 0.3 else rng.randint(1, 3),
        r_rearm=rng.choice([0, 1, 2, 255]) if rng.random() < 0.3 else rng.randint(1, 3), s_count=s_count,
        a_budget=rng.choice([0, 1, 2, 3, 255]), s_window=rng.choice([999, 1000, 2000, 5000, 5000, (1 << 31) - 1]),
        a_holdoff=rng.choice([0, 1, 1, 2, 2, 3]),
    )  # fmt: skip


class Responder:
    """The other side of one request: prompt, slow, silent, stuck or out of turn, for a while each."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.ack, self.left, self.manner = rng, 0, 0, "prompt"

    def next(self, req: int) -> int:
        """The ack of this clock, from the req of the clock before."""
        rng = self.rng
        if rng.random() < 0.005:
            self.manner = rng.choice(["prompt", "prompt", "slow", "silent", "stuck", "wild"])
        if self.manner == "wild":
            self.ack = int(rng.random() < 0.5)
        elif self.manner == "prompt":
            self.ack = req
        elif self.manner == "silent":
            self.ack = 0
        elif self.manner == "stuck":
            self.ack |= req
        elif req != self.ack:
            self.left = self.left - 1 if self.left else rng.randint(1, 80)
            self.ack = req if self.left == 1 else self.ack
        return self.ack


class Traffic:
    """Options for ``Harness.step``, clock by clock; moods change the mixture."""

    def __init__(self, rng: random.Random, harness: Harness) -> None:
        self.rng, self.h = rng, harness
        self.sides = Responder(rng), Responder(rng)
        self.mood()

    def mood(self) -> None:
        """Share of clocks with a sample, of bad ones, of invalid ones, of notes, and the time a clock takes."""
        rng = self.rng
        self.samples = rng.choice([0.02, 0.1, 0.5, 1.0])
        self.bad = rng.choice([0.1, 0.5, 0.8, 0.97])
        self.invalid = rng.choice([0.0, 0.02, 0.3])
        self.notes = rng.choice([0.0, 0.002, 0.002, 0.01, 0.2])
        self.periods = rng.choice([[5], [5], [5, 90], [900, 999], [0, 5]])

    def jitter(self) -> int:
        """Around a limit in force, or anything."""
        rng, config = self.rng, self.h.mapper.config
        sign = rng.choice([-1, 1])
        if rng.random() < 0.05:
            return sign * rng.choice([0, SATURATED, SATURATED - 1])
        if rng.random() >= self.bad:
            return sign * rng.randint(0, config.r_limit)
        limit = rng.choice([config.r_limit, config.a_limit, config.s_limit, config.s_limit])
        return sign * min(SATURATED, limit + rng.choice([0, 1, 1, 1, 2, 1 << 20]))

    def __call__(self, clear: bool = False) -> dict[str, Any]:
        """The next clock. clear: latches may be cleared in it."""
        rng, h = self.rng, self.h
        if rng.random() < 0.01:
            self.mood()
        reqs = (h.requests[0].req, h.requests[1].req)
        options: dict[str, Any] = {
            "period": rng.choice(self.periods),
            "acks": tuple(side.next(int(req)) for side, req in zip(self.sides, reqs, strict=True)),
        }
        if rng.random() < self.samples:
            options |= {"jitter": self.jitter(), "ok": rng.random() >= self.invalid}
            options["saturated"] = abs(options["jitter"]) == SATURATED
            if not options["ok"]:
                options |= {"jitter": 0, "saturated": False}
        elif rng.random() < self.notes:
            options |= {"lost": True, "lost_a": rng.getrandbits(1)}
        if rng.random() < self.notes:
            name = rng.choice(["reneg", "reneg", "phy", "enable", "ts_step", "rel_step"])
            jump = rng.choice([-1, 1]) * rng.getrandbits(rng.randint(1, 40))
            values = {"enable": not h.enabled or rng.random() < 0.3, "ts_step": jump, "rel_step": jump}
            options[name] = values.get(name, True)
        elif not h.enabled and rng.random() < 0.02:
            options["enable"] = True
        if rng.random() < self.notes:
            options["inject"] = {rng.choice(LATCHED)}
        if clear and rng.random() < 0.01:
            options["clear"] = {what for what in LATCHED if rng.random() < 0.5}
        h.tq = rng.randrange(4) if rng.random() < 0.01 else h.tq
        return options
