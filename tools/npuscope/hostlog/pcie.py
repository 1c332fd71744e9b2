"""What a PCIe error status word says about layer and agent: a check of the text beside it."""

from __future__ import annotations

from typing import Final

__all__ = ["aer_agent", "aer_layer"]

_LINK: Final = {"corrected": 1 << 6 | 1 << 7 | 1 << 8 | 1 << 12, "": 1 << 4}
_PHYSICAL: Final = {"corrected": 1, "": 0}
_COMPLETER: Final = {"corrected": 0, "": 1 << 15}
_REQUESTER: Final = {"corrected": 0, "": 1 << 14 | 1 << 20}
_TRANSMITTER: Final = {"corrected": 1 << 8 | 1 << 12, "": 0}


def aer_layer(status: int, severity: str) -> str:
    """The layer that a status word (mask taken off) speaks of, as PCIe defines its bits."""
    key = severity if severity == "corrected" else ""
    if status & _PHYSICAL[key]:
        return "Physical Layer"
    return "Data Link Layer" if status & _LINK[key] else "Transaction Layer"


def aer_agent(status: int, severity: str) -> str:
    """Who noticed the error, by the status word."""
    key = severity if severity == "corrected" else ""
    for name, mask in (("Completer ID", _COMPLETER), ("Requester ID", _REQUESTER), ("Transmitter ID", _TRANSMITTER)):
        if status & mask[key]:
            return name
    return "Receiver ID"
