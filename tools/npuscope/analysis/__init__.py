"""What the decoded records mean: who stalls whom."""

from npuscope.analysis.report import Cell, Cycle, Row, Stalls

__all__ = ["Cell", "Cycle", "Row", "Stalls"]
