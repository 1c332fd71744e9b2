"""Value change dumps (IEEE 1364, clause 18), whoever wrote them: rules and limits in ``tools/README.md``."""

from __future__ import annotations

from npuscope.importers.vcd.header import Header
from npuscope.importers.vcd.reader import VcdReader

__all__ = ["Header", "VcdReader"]
