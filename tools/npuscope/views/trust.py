"""One statement of trust: what every view says about how far its answer can be believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Mood", "Trust"]

Mood = Literal["ok", "warn", "bad", "plain"]


@dataclass(frozen=True)
class Trust:
    """``name: text``, and whether that is good news."""

    name: str
    text: str
    mood: Mood = "plain"
