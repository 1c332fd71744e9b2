"""The golden model of the trace: what the RTL must emit, plain, slow and obvious.

``writer.Writer`` writes dumps from events; ``probe.BpProbeModel`` says what a backpressure source offers;
``framer.StreamModel`` checks a dump of the RTL bit by bit; ``bulk`` makes big dumps fast. All rules are those of
``traces/FORMAT.md``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from npuscope.encode.framer import Session, StreamModel, Unit, UnitKind, Walk, check_dump
    from npuscope.encode.jitter import (
        JitterConfig,
        JitterMeter,
        JitterSample,
        JitterSnapshot,
        JitterStatistics,
        JitterUnit,
        SyncPulse,
        measure,
    )
    from npuscope.encode.jitter_source import JitterClock, JitterInputs, JitterModel
    from npuscope.encode.mirror import BpLimits, Mirror, SourceConfig
    from npuscope.encode.probe import BpProbeModel, Sample, TimeBus
    from npuscope.encode.record import Record, describe, pack, payload, unpack, unpack_payload
    from npuscope.encode.stream import Dropped, Entry, StreamConfig, StreamState
    from npuscope.encode.token import Order, Snapshot, Token, TokenInjectModel, TokenInputs, TokenIrqModel, TokenView
    from npuscope.encode.top import TokenInject, TopClock, TopModel
    from npuscope.encode.writer import Writer

__all__ = [
    "BpLimits",
    "BpProbeModel",
    "Dropped",
    "Entry",
    "JitterClock",
    "JitterConfig",
    "JitterInputs",
    "JitterMeter",
    "JitterModel",
    "JitterSample",
    "JitterSnapshot",
    "JitterStatistics",
    "JitterUnit",
    "Mirror",
    "Order",
    "Record",
    "Sample",
    "Session",
    "Snapshot",
    "SourceConfig",
    "StreamConfig",
    "StreamModel",
    "StreamState",
    "SyncPulse",
    "TimeBus",
    "Token",
    "TokenInject",
    "TokenInjectModel",
    "TokenInputs",
    "TokenIrqModel",
    "TokenView",
    "TopClock",
    "TopModel",
    "Unit",
    "UnitKind",
    "Walk",
    "Writer",
    "check_dump",
    "describe",
    "measure",
    "pack",
    "payload",
    "unpack",
    "unpack_payload",
]

_MODULES = {
    "framer": ("Session", "StreamModel", "Unit", "UnitKind", "Walk", "check_dump"),
    "jitter": (
        "JitterConfig",
        "JitterMeter",
        "JitterSample",
        "JitterSnapshot",
        "JitterStatistics",
        "JitterUnit",
        "SyncPulse",
        "measure",
    ),
    "jitter_source": ("JitterClock", "JitterInputs", "JitterModel"),
    "mirror": ("BpLimits", "Mirror", "SourceConfig"),
    "probe": ("BpProbeModel", "Sample", "TimeBus"),
    "record": ("Record", "describe", "pack", "payload", "unpack", "unpack_payload"),
    "stream": ("Dropped", "Entry", "StreamConfig", "StreamState"),
    "token": ("Order", "Snapshot", "Token", "TokenInjectModel", "TokenInputs", "TokenIrqModel", "TokenView"),
    "top": ("TokenInject", "TopClock", "TopModel"),
    "writer": ("Writer",),
}


def __getattr__(name: str) -> Any:
    """Imported when first used: a bench needs one model and starts often."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"npuscope.encode.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
