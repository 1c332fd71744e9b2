"""What a notebook shows for a capture: verdict, trust and heat map in a few kB, without script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from npuscope.views.html import asset, text
from npuscope.views.picture import picture
from npuscope.views.svg import heat_map

if TYPE_CHECKING:
    from npuscope.capture import Capture

__all__ = ["notebook"]

COLUMNS: Final = 500
TRUST_HEIGHT: Final = 460
"""Pixels of verdict and trust box, with some to spare."""


def notebook(capture: Capture) -> str:
    """An HTML fragment: a frame of its own, so that neither style reaches the other."""
    timeline, stalls = capture.timeline, capture.stalls()
    drawn = picture(timeline, capture.losses, stalls.from_ns, stalls.to_ns, COLUMNS)
    boxes = "".join(
        f'<div class="{item.mood}"><dt>{text(item.name)}</dt><dd>{text(item.text)}</dd></div>'
        for item in capture.trust()
    )
    page = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>{asset("report.css")}</style></head><body>'
        f'<div class="verdict"><p>{text(stalls.verdict)}</p></div><dl class="trust">{boxes}</dl>'
        f"{heat_map(drawn.cells, drawn.losses, origin=drawn.origin, name='map')}</body></html>"
    )
    height = TRUST_HEIGHT + 20 * len(drawn.cells.tracks)
    return f'<iframe srcdoc="{escape(page)}" style="width:100%;height:{height}px;border:0"></iframe>'
