"""Readers of foreign dumps: the same batches and the same ledger as ``npuscope.records``, nothing invented."""

from __future__ import annotations

from npuscope.importers.fwrite import FwriteReader

__all__ = ["FwriteReader"]
