# SPDX-License-Identifier: Apache-2.0
"""What a polling loop makes of the same tokens: it looks every ``interval`` clocks, and cuts when it has seen.

The workload: sequences whose end (EOS) lies somewhere among tokens that are generated anyway; what follows it is waste.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from npuscope.encode import Token

__all__ = ["Cut", "Paced", "poll", "workload"]


@dataclass(frozen=True)
class Paced:
    """A token and the clocks since the one before it."""

    gap: int
    token: Token
    waste: bool


@dataclass(frozen=True)
class Cut:
    """The end of one sequence. latency: clocks from its EOS to the stop. late: waste that got through until then.
    dropped: waste that was kept out."""

    latency: int
    late: int
    dropped: int


def workload(rng: random.Random, sequences: int, gap: int) -> list[Paced]:
    """``sequences`` sequences of one slot, their tokens ``gap`` clocks apart on average."""
    tokens: list[Paced] = []
    for _ in range(sequences):
        useful, waste = rng.randrange(3, 20), rng.randrange(5, 60)
        for i in range(useful + waste):
            number = len(tokens)
            token = Token(number, number, slot=1, first=i == 0, eos=i == useful - 1)
            tokens.append(Paced(rng.randrange(1, 2 * gap), token, i >= useful))
    return tokens


def poll(tokens: list[Paced], interval: int, phase: int) -> list[Cut]:
    """One ``Cut`` a sequence by a loop that looks in the clocks ``phase`` + n * ``interval`` (phase < interval).

    It acts at once: what it costs more than the interrupt is the interval alone.

    A look in the clock of the EOS does not see it yet. Tokens in the clock of the cut still get through.
    """
    cuts: list[Cut] = []
    now, ended, seen_at, late, dropped = 0, 0, 0, 0, 0
    for paced in tokens:
        now += paced.gap
        if paced.token.first and now > 0 and ended:
            cuts.append(Cut(seen_at - ended, late, dropped))
            ended = late = dropped = 0
        if paced.token.eos:
            ended = now
            seen_at = now + interval - (now - phase) % interval
        elif paced.waste:
            late += now <= seen_at
            dropped += now > seen_at
    cuts.append(Cut(seen_at - ended, late, dropped))
    return cuts
