"""Readers of foreign dumps: the same batches and the same ledger as ``npuscope.records``, nothing invented."""

from __future__ import annotations

from npuscope.importers.aie.reader import AieReader
from npuscope.importers.fwrite import FwriteReader
from npuscope.importers.waves import WaveReader

__all__ = ["AieReader", "FwriteReader", "WaveReader"]
