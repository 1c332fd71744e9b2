"""What a notebook shows for a capture: verdict, trust and heat map in a few kB, without script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from npuscope.views.html import asset, text
from npuscope.views.picture import picture
from npuscope.views.svg import heat_map

if TYPE_CHECKING:
    from npuscope.capture import Capture

__all__ = ["notebook"]

COLUMNS: Final = 500


def notebook(capture: Capture) -> str:
    """An HTML fragment; its style is confined to itself by a shadow root."""
    timeline, stalls = capture.timeline, capture.stalls()
    drawn = picture(timeline, capture.losses, stalls.from_ns, stalls.to_ns, COLUMNS)
    trust = "".join(
        f'<div class="{item.mood}"><dt>{text(item.name)}</dt><dd>{text(item.text)}</dd></div>'
        for item in capture.trust()
    )
    return (
        f'<div><template shadowrootmode="open"><style>{asset("report.css").replace(":root", ":host")}</style>'
        f'<div class="verdict"><p>{text(stalls.verdict)}</p></div><dl class="trust">{trust}</dl>'
        f"{heat_map(drawn.cells, drawn.losses, origin=drawn.origin, name='map')}</template></div>"
    )
