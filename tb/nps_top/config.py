# SPDX-License-Identifier: Apache-2.0
"""The builds of nps_top that are tested, as parameters for the simulator and as configuration for the models."""

from __future__ import annotations

import os
from dataclasses import dataclass

from npuscope.encode import BpLimits, SourceConfig, StreamConfig
from npuscope.encode.jitter import JitterConfig
from npuscope.encode.ras import RasConfig
from npuscope.encode.schedule import Limits
from npuscope.layout import OWNED_CFG_JITTER, SRC_JITTER, SRC_MARK, SRC_RAS, SRC_TOKEN

__all__ = ["BUILDS", "PERIOD_NS", "SYNC_GAP", "Build", "chosen"]


SYNC_GAP = 20
"""Clocks from a sync pulse to the next, nominally."""
PERIOD_NS = 5
MAPPER = RasConfig(20 << 8, 50 << 8, 80 << 8, r_run=3, r_rearm=3, s_count=3, a_budget=2, s_window=5000, a_holdoff=2)
REQ_TIMEOUT = 60
WORDS, MEM_LOW = 5, (10, 20)
RAS_LIMITS = ("r_limit", "a_limit", "s_limit", "r_run", "r_rearm", "s_count", "a_budget", "s_window", "a_holdoff")
ALL = (SRC_TOKEN, SRC_RAS, SRC_JITTER)
SYNC = JitterConfig(t_nominal=SYNC_GAP * PERIOD_NS << 8, watchdog=4 * SYNC_GAP)


@dataclass(frozen=True)
class Build:
    """One parameter set. layers, dry: masks, one per source. others: sources beside the trace ports and MARK. regs: it
    is driven by registers."""

    layers: tuple[int, ...]
    dry: tuple[int, ...]
    steady: int
    limits: BpLimits
    fifo_depth: int
    frame_records: int
    age_ns: int
    heartbeat_ns: int
    clk_period_ps: int = 5000
    desc_hash: int = 0x0123_4567_89AB_CDEF
    others: tuple[int, ...] = ()
    jitter: JitterConfig = SYNC
    ras: RasConfig = MAPPER
    regs: bool = False

    @property
    def parameters(self) -> dict[str, int]:
        """Verilog parameters."""
        return {
            "NUM_BP": len(self.layers),
            "LAYERS": sum(mask << 32 * port for port, mask in enumerate(self.layers)),
            "DRY_MASK": sum(mask << 32 * port for port, mask in enumerate(self.dry)),
            "STEADY": self.steady,
            "TH_ON": self.limits.th_on,
            "TH_OFF": self.limits.th_off,
            "TH_WET": self.limits.th_wet,
            "LEVEL_STEP": self.limits.level_step,
            "DWELL_SHIFT": self.limits.k,
            "STALE_NS": self.limits.stale_ns,
            "RAW": self.limits.raw,
            "FIFO_DEPTH": self.fifo_depth,
            "CLK_PERIOD_PS": self.clk_period_ps,
            "DESC_HASH": self.desc_hash,
            "FRAME_RECORDS": self.frame_records,
            "FRAME_AGE_NS": self.age_ns,
            "HEARTBEAT_NS": self.heartbeat_ns,
            "JITTER": int(SRC_JITTER in self.others),
            "T_NOMINAL": self.jitter.t_nominal,
            "WATCHDOG": self.jitter.watchdog,
            "JITTER_OPTIONS": self.jitter.options,
            "TOKEN": int(SRC_TOKEN in self.others),
            "WORDS": WORDS,
            "MEM_LOW_ON": MEM_LOW[0],
            "MEM_LOW_OFF": MEM_LOW[1],
            "RAS": int(SRC_RAS in self.others),
            "REQ_TIMEOUT": REQ_TIMEOUT,
            "REGS": int(self.regs),
            **{name.upper(): getattr(self.ras, name) for name in RAS_LIMITS},
        }

    @property
    def stream(self) -> StreamConfig:
        """For the models."""
        sources = tuple(
            SourceConfig(layers, dry, self.limits) for layers, dry in zip(self.layers, self.dry, strict=True)
        )
        words = {
            SRC_TOKEN: {},
            SRC_JITTER: dict(zip(OWNED_CFG_JITTER, self.jitter.words, strict=True)),
            SRC_RAS: self.ras.words(),
        }
        others = {src: words[src] for src in self.others}
        return StreamConfig(sources, self.clk_period_ps, self.desc_hash, self.frame_records, others)

    @property
    def promises(self) -> Limits:
        """For the schedule checks."""
        sources = (*range(len(self.layers)), *self.others, SRC_MARK)
        return Limits(sources, self.frame_records, self.age_ns, self.heartbeat_ns, late=(SRC_RAS,))


BUILDS = {
    "one": Build((0x0000_000F,), (0x0000_0006,), 4, BpLimits(stale_ns=2000), 8, 32, 1500, 6000),
    "two": Build((0xFFFF_FFFF, 0x8000_0001), (0xFFFF_FFFF, 0), 8, BpLimits(level_step=9, k=3), 16, 48, 4000, 20000),
    "three": Build((0xFFF, 0x111, 0x1), (0x0F0, 0x111, 0), 64, BpLimits(), 64, 512, 1 << 20, 1 << 27),
    "full": Build((0xFFF, 0x3), (0x0F0, 0), 16, BpLimits(stale_ns=3000), 16, 64, 4000, 20000, others=ALL, regs=True),
}
"""By name: small queues and short frames; wide masks; three sources with the default limits and frame; all sources, and
registers."""


def chosen() -> Build:
    """The build this bench runs on, from the variable NPS_TOP_BUILD."""
    return BUILDS[os.environ["NPS_TOP_BUILD"]]
