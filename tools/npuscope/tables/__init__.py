"""What the jitter, RAS and token sources told, as numpy tables, and the statistics made of them.

A row never stands for records that were lost: where some may be missing before it, it says so (``Break``), and nothing
is measured across that place. Records of quality 2 are left out. Everything is made chunk by chunk; ``Tables`` keeps
the rows, the command line's statistics keep only sums.
"""

from __future__ import annotations

from npuscope.tables.events import TABLE_KINDSUBS, Break, Chunk, Reader, Setting
from npuscope.tables.rows import INTERRUPT, JITTER, RAS, TOKEN, InterruptRows, RowMaker
from npuscope.tables.tables import CLOCK_EPOCH, Tables, clock_epochs

__all__ = [
    "CLOCK_EPOCH",
    "INTERRUPT",
    "JITTER",
    "RAS",
    "TABLE_KINDSUBS",
    "TOKEN",
    "Break",
    "Chunk",
    "InterruptRows",
    "Reader",
    "RowMaker",
    "Setting",
    "Tables",
    "clock_epochs",
]
