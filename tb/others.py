# SPDX-License-Identifier: Apache-2.0
"""Fabric benches with and without the sources TOKEN, RAS and JITTER: OTHERS in the environment, a bit each."""

from __future__ import annotations

import os

from npuscope.encode.mirror import SourceConfig
from npuscope.encode.stream import StreamConfig
from npuscope.layout import (
    OWNED_CFG_JITTER,
    OWNED_CFG_RAS,
    OWNED_CFG_TOKEN,
    SRC_FRAMER,
    SRC_JITTER,
    SRC_MARK,
    SRC_RAS,
    SRC_TOKEN,
)

__all__ = ["BUILDS", "OWNED", "config", "env", "index_of", "parameters", "present"]

OWNED = {SRC_TOKEN: OWNED_CFG_TOKEN, SRC_RAS: OWNED_CFG_RAS, SRC_JITTER: OWNED_CFG_JITTER}
"""CFG words by source, in the order of the sources' bits in OTHERS."""
BUILDS = (0, 1, 2, 4, 7)
"""Values of OTHERS worth a run: none, each alone, all."""


def present() -> tuple[int, ...]:
    """The sources that the DUT was built with, of TOKEN, RAS, JITTER."""
    mask = int(os.environ.get("OTHERS", "0"))
    return tuple(src for bit, src in enumerate(OWNED) if mask >> bit & 1)


def parameters(others: int) -> dict[str, int]:
    """The Verilog parameters of OTHERS = ``others``."""
    return {name: others >> bit & 1 for bit, name in enumerate(("TOKEN", "RAS", "JITTER"))}


def env(others: int) -> dict[str, str]:
    """What tells the bench."""
    return {"OTHERS": str(others)}


def config(num_bp: int) -> StreamConfig:
    """A stream of these sources, for the order of its words."""
    words = {src: dict.fromkeys(map(int, OWNED[src]), 0) for src in present()}
    return StreamConfig((SourceConfig(1),) * num_bp, others=words)


def index_of(num_bp: int) -> dict[int, int]:
    """Source to index: BP sources, those present, MARK, framer."""
    sources = [*range(num_bp), *present(), SRC_MARK, SRC_FRAMER]
    return {src: index for index, src in enumerate(sources)}
