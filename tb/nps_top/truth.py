# SPDX-License-Identifier: Apache-2.0
"""Leaves the dump of a test and what the bench knows about it, for the decoder's side of the end-to-end test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tb.nps_top.scoreboard import Scoreboard

__all__ = ["write_truth"]


def write_truth(path: Path, scoreboard: Scoreboard) -> None:
    """Write the dump to ``path`` and, beside it as .json, losses and deliveries by source and session."""
    path.write_bytes(scoreboard.dump())
    sessions = [{"delivered": walk.delivered, "lost": walk.lost, "records": walk.compared} for walk in scoreboard.walks]
    path.with_suffix(".json").write_text(json.dumps({"sessions": sessions}))
