# SPDX-License-Identifier: Apache-2.0
"""The CRC test vectors that traces/FORMAT.md publishes, for the benches."""

import re
from pathlib import Path

__all__ = ["crc_vectors"]

FORMAT = Path(__file__).resolve().parents[1] / "traces" / "FORMAT.md"


def crc_vectors() -> list[tuple[bytes, int, int]]:
    """(16 bytes in memory order, CRC-8, CRC-32) of each published vector."""
    rows = re.findall(r"\| ([0-9a-f]{32}) \| (0x\w{2}) \| (0x\w{8}) \|", FORMAT.read_text())
    assert rows, "FORMAT.md publishes no vectors"
    return [(bytes.fromhex(text), int(crc8, 16), int(crc32, 16)) for text, crc8, crc32 in rows]
