"""Records of a dump: bytes to batches of columns, with a ledger that balances (trace-format, "Decoding")."""

from __future__ import annotations

from npuscope.records.batch import Batch, Hole
from npuscope.records.decoder import Decoder, decode

__all__ = ["Batch", "Decoder", "Hole", "decode"]
