"""Dumps of the sources beside backpressure, made by the Writer: a drifting sync source, RAS events, tokens."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from npuscope.encode import Entry, SourceConfig, Writer, payload
from npuscope.layout import (
    SRC_JITTER,
    SRC_RAS,
    SRC_TOKEN,
    BpSub,
    Cfg,
    CtxSub,
    JitterSub,
    Kind,
    RasClass,
    Severity,
    TokenSub,
)

__all__ = ["LIMITS", "NOMINAL_NS", "START", "Sync", "context", "others", "ras", "token", "tokint", "writer"]

START = 1_764_475_200_000_000_000
NOMINAL_NS = 125_000
LIMITS = {"R": 12_500 * 256, "A": 40_000 * 256, "S": 100_000 * 256}


def others(nominal_ns: int = NOMINAL_NS, options: int = 1) -> dict[int, dict[int, int]]:
    """The CFG words of the token, RAS and jitter sources, limits of the article."""
    nominal = nominal_ns * 256
    counts = payload(Kind.CFG, Cfg.RAS_COUNTS, r_run=5, r_rearm=5, s_count=3, a_budget=2)
    limits = {Cfg.R_LIMIT: LIMITS["R"], Cfg.A_LIMIT: LIMITS["A"], Cfg.S_LIMIT: LIMITS["S"]}
    ras_words = limits | {Cfg.RAS_COUNTS: counts, Cfg.S_WINDOW: 1_000_000_000, Cfg.A_HOLDOFF: 1_000}
    jitter = {Cfg.T_NOMINAL_LO: nominal & 0xFFFFFFFF, Cfg.T_NOMINAL_HI: nominal >> 32 | options << 16}
    return {
        SRC_TOKEN: {},
        SRC_RAS: {int(word): value for word, value in ras_words.items()},
        SRC_JITTER: {int(word): value for word, value in jitter.items()},
    }


def writer(frame_records: int = 64, **kwargs: int) -> Writer:
    """A stream of one buffer and the three sources, started."""
    made = Writer([SourceConfig(1)], start_ts=START, frame_records=frame_records, others=others(**kwargs))
    made.bp(START + 1, 0, BpSub.KNOWN, layer=0, occ=3)
    return made


def pulse(ts: int, jitter: int, sub: int = JitterSub.OK, tq: int = 2) -> Entry:
    """One JITTER record; jitter in 1/256 ns."""
    return Entry(ts, SRC_JITTER, Kind.JITTER, sub, payload(Kind.JITTER, sub, jitter=jitter), tq)


@dataclass
class Sync:
    """A sync source whose interval drifts: nominal + drift_ppb + noise of ``noise_ns`` (standard deviation).

    ``pulses(n)`` gives n JITTER entries from ``ts`` on, the first one FIRST.
    """

    ts: int = START + 1_000
    drift_ppb: int = 200
    noise_ns: float = 40.0
    seed: int = 1

    def pulses(self, number: int) -> list[Entry]:
        """The next ``number`` pulses."""
        chance, exact, found = random.Random(self.seed), float(self.ts), [pulse(self.ts, 0, JitterSub.FIRST)]
        for _ in range(number - 1):
            jitter = NOMINAL_NS * self.drift_ppb / 1e9 + chance.gauss(0.0, self.noise_ns)
            exact += NOMINAL_NS + jitter
            found.append(pulse(int(exact), round(jitter * 256)))
        self.ts, self.seed = int(exact) + NOMINAL_NS, self.seed + 1
        return found


def ras(
    ts: int,
    kind: RasClass,
    *,
    severity: Severity = Severity.INFORMATIONAL,
    first: int = 1,
    overflow: int = 0,
    injected: int = 0,
    count: int = 1,
    syndrome: int = 0,
) -> Entry:
    """One RAS record; syndrome in 256 ns."""
    fields = {"class": int(kind), "injected": injected, "count": count, "syndrome": syndrome}
    sub = int(severity) | first << 2 | overflow << 3
    return Entry(ts, SRC_RAS, Kind.RAS, sub, payload(Kind.RAS, sub, **fields))


def token(ts: int, number: int, sub: TokenSub = TokenSub.NEXT) -> Entry:
    """One TOKEN record."""
    return Entry(ts, SRC_TOKEN, Kind.TOKEN, sub, number)


def context(layer: int = 3, slot: int = 0, injected: int = 0, own: Sequence[int] = (), first: int = 0) -> list[int]:
    """Words of a snapshot: head, pointer, memory, then ``own``."""
    head = payload(
        Kind.CTX, CtxSub.HEAD, words=3 + len(own), layer=layer, slot=slot, injected=injected, first=first, nested=0
    )
    return [head, 0x1000 + slot, payload(Kind.CTX, CtxSub.MEMORY, free=70, limit=64), *own]


def tokint(ts: int, number: int, cause: int, words: Sequence[int] = ()) -> Entry:
    """TOKINT with its CTX words."""
    return Entry(ts, SRC_TOKEN, Kind.TOKINT, cause, number, context=tuple(words))
