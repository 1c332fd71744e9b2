"""A capture in a few hundred numbers, each an interval that loss makes wide, small enough for git."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from npuscope.analysis.report import Stalls
from npuscope.errors import NpuscopeError
from npuscope.intervals import clip, union
from npuscope.timeline import Timeline

__all__ = ["SCHEMA", "Range", "Summary", "summarise"]

SCHEMA: Final = 1
Range = tuple[int, int | None]
"""Least and most that the capture allows; None: not bounded."""

METRICS: Final = ("full_ns", "longest_ns")


@dataclass(frozen=True)
class Summary:
    """Integer ns over the window of a capture.

    layers: name of a buffer -> ``id`` and the METRICS: time full, longest episode. culprits: name -> stall time that it
    caused. others_ns: what any other culprit may have caused. graph: hash in hex, None if assumed. tokens: how many
    arrived, None when none of the sources tells tokens. time_unit: what stands for ns (``Ledger.time_unit``).
    """

    title: str
    graph: str | None
    span_ns: int
    tokens: Range | None
    layers: dict[str, dict[str, Any]]
    culprits: dict[str, Range]
    others_ns: int
    time_unit: str = "ns"

    def to_json(self) -> dict[str, Any]:
        """As ``from_json`` reads it back."""
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, data: Any, file: str) -> Summary:
        """Raises NpuscopeError for what is no summary of this schema."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA or "layers" not in data:
            raise NpuscopeError("no summary of a capture", file=file, expected=f"JSON with schema {SCHEMA}")
        try:
            layers = {
                name: {"id": int(layer["id"]), **{metric: _range(layer[metric]) for metric in METRICS}}
                for name, layer in data["layers"].items()
            }
            culprits = {name: _range(value) for name, value in data["culprits"].items()}
            tokens = None if data["tokens"] is None else _range(data["tokens"])
            return cls(
                str(data["title"]),
                data["graph"],
                int(data["span_ns"]),
                tokens,
                layers,
                culprits,
                int(data["others_ns"]),
                str(data.get("time_unit", "ns")),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NpuscopeError(f"the summary is damaged: {error!r}", file=file, hint="save it again") from error


def _range(value: Any) -> Range:
    low, high = value
    return int(low), None if high is None else int(high)


def summarise(timeline: Timeline, stalls: Stalls, tokens: Range | None = None, time_unit: str = "ns") -> Summary:
    """The summary of the window of ``stalls``; tokens, time_unit: see ``Summary``."""
    window = stalls.from_ns, stalls.to_ns
    description, episodes = timeline.description, timeline.episodes
    inside = np.minimum(episodes["end"], window[1]) - np.maximum(episodes["start"], window[0])
    layers: dict[str, dict[str, Any]] = {}
    for u, buffer in enumerate(description.buffers):
        lane = timeline.hot[u]
        mine = (episodes["buffer"] == u) & (inside > 0)
        runs = union(clip(lane.true, *window), clip(lane.unknown, *window))
        layers[buffer.name] = {
            "id": buffer.id,
            "full_ns": (stalls.hot_ns[u], stalls.hot_ns[u] + stalls.unseen_ns[u]),
            "longest_ns": (int(inside[mine].max(initial=0)), int((runs[:, 1] - runs[:, 0]).max(initial=0))),
        }
    culprits: dict[str, Range] = {row.culprit: (row.min_ns, row.max_ns) for row in stalls.rows}
    graph = None if description.assumed else f"{description.hash:016x}"
    span = window[1] - window[0]
    return Summary(description.title, graph, span, tokens, layers, culprits, sum(stalls.anybody_ns), time_unit)
