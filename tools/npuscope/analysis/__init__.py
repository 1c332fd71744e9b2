"""What the decoded records mean: who stalls whom."""

from npuscope.analysis.propagation import LINK, Chain, LinkFlag, Propagation, Tree, propagation
from npuscope.analysis.report import Cell, Cycle, Row, Stalls
from npuscope.analysis.verdict import stalls

__all__ = [
    "LINK",
    "Cell",
    "Chain",
    "Cycle",
    "LinkFlag",
    "Propagation",
    "Row",
    "Stalls",
    "Tree",
    "propagation",
    "stalls",
]
