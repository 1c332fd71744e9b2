"""AMD AIE2 event traces (Ryzen AI NPU, Versal): decoder, labels, and the tiles' stalls as backpressure records."""

from __future__ import annotations

from npuscope.importers.aie.decode import AieTrace, read_aie
from npuscope.importers.aie.tile import SPAN, Mode, Tile, Unit

__all__ = ["SPAN", "AieTrace", "Mode", "Tile", "Unit", "read_aie"]
