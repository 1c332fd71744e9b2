"""What the decoded records mean: who stalls whom."""

from npuscope.analysis.report import Cell, Cycle, Row, Stalls
from npuscope.analysis.verdict import stalls

__all__ = ["Cell", "Cycle", "Row", "Stalls", "stalls"]
