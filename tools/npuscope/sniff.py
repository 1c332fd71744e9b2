"""What an input is, told from its first bytes: a trace of ours in any byte order, or a foreign format by name."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import MAGIC_BYTES

__all__ = ["HEADER_MAGIC", "SWAPS", "aie_headers", "foreign", "sniff", "swap_of", "swapped"]

HEADER_MAGIC: Final = b"NPUSCOPE"
SWAPS: Final = (0, 32, 64)


def swapped(data: bytes, bits: int) -> bytes:
    """``data`` with the bytes of each ``bits``-bit word reversed, 0 = as it is; a rest of a word stays."""
    if not bits:
        return data
    size = bits // 8
    whole = len(data) // size * size
    return np.frombuffer(data[:whole], f">u{size}").astype(f"<u{size}").tobytes() + data[whole:]


def swap_of(data: bytes) -> int | None:
    """0, 32 or 64 by the first form of the SYNC magic in ``data``, None without any."""
    found = [(place, bits) for bits in SWAPS if (place := data.find(swapped(MAGIC_BYTES, bits))) >= 0]
    return min(found)[1] if found else None


def _text(head: bytes) -> bool:
    """Whether ``head`` is text: no control bytes but white space, and UTF-8 or hardly any bytes above 127."""
    sample = np.frombuffer(head[:4096], np.uint8)
    if ((sample < 32) & (sample != 9) & (sample != 10) & (sample != 13)).any():
        return False
    few = bool(np.count_nonzero(sample > 127) * 10 <= len(sample))
    return few or "\ufffd" not in head[:4096].decode(errors="replace").rstrip("\ufffd")


_FWRITE: Final = re.compile(rb"\s*(?:time\s*,.*\n\s*)?[0-9xXzZ]+\s*,\s*[0-9xXzZ]+\s*,\s*[01xXzZ]\s*(?:[\r\n]|$)")
_ILA: Final = re.compile(rb'\s*"?Sample in (?:Buffer|Window)\b[^\n]*\n\s*"?Radix\s*-', re.I)
_LITESCOPE: Final = re.compile(
    rb"(?:[^\n,]+,)+[ \t]*\r?\n(?:[ \t]*[0-9]+[ \t]*,)+[ \t]*\r?\n(?:[ \t]*(?:[01]+|x)[ \t]*,)+"
)
_AIE_LINE: Final = re.compile(rb"\s*(?:0[xX])?[0-9a-fA-F]{8}\s*")
AIE_PACKET: Final = 32
_AIE_ZERO: Final = np.uint32(0x7000_8FE0)
_SIGNATURES: Final = (
    (b"\x1f\x8b", "gzip", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd data"),
    (b"\xfd7zXZ\0", "xz", "xz data; unpack it first"),
    (b"BZh", "bzip2", "bzip2 data; unpack it first"),
    (b"PK\x03\x04", "zip", "a zip archive; unpack it first"),
    (b"\x7fELF", "elf", "an ELF program"),
    (b"\x89PNG", "png", "a PNG picture"),
    (b"%PDF", "pdf", "a PDF document"),
    (b"SQLite format 3\0", "sqlite", "an SQLite database"),
    (b"PAR1", "parquet", "a Parquet table"),
    (b"GHDLwave", "ghw", "a GHW waveform"),
    (b"\0" + (329).to_bytes(8, "big"), "fst", "an FST waveform"),
    (b"\xc1\xfc\x1f\xc1", "ctf", "a CTF trace"),
)


def aie_headers(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Which ``words`` can head a packet of an AIE trace: odd parity, constant bits zero, a trace unit that exists."""
    parity = words.copy()
    for shift in (16, 8, 4, 2, 1):
        parity ^= parity >> np.uint32(shift)
    good: npt.NDArray[np.bool_] = (parity & np.uint32(1) == 1) & (words & _AIE_ZERO == 0)
    return good & (words >> np.uint32(12) & np.uint32(7) <= 3)


def _aie_text(body: bytes) -> bool:
    """Whether nearly every line is one 32-bit word."""
    lines = [line for line in body[:4096].splitlines()[: -1 if len(body) > 4096 else None] if line.strip()]
    return sum(bool(_AIE_LINE.fullmatch(line)) for line in lines) * 4 > len(lines) * 3


def _aie_raw(head: bytes) -> bool:
    """Whether nearly every packet has a header, and the first one begins with Start."""
    words = np.frombuffer(head[: len(head) // AIE_PACKET * AIE_PACKET], "<u4").reshape(-1, AIE_PACKET // 4)
    words = words[words.any(axis=1)]
    return len(words) > 0 and bool(words[0, 1] >> 27 == 0x1E) and bool(aie_headers(words[:, 0]).mean() > 0.75)


def sniff(head: bytes) -> str:
    """Name of the format that ``head``, the first bytes of an input, belongs to.

    ``npt`` (this format), ``fwrite`` (legacy simulation text), ``vcd``, ``aie``, ``gzip`` and so on, ``text``,
    ``blank``, or ``unknown`` binary data.
    """
    if any(swapped(head[:8], bits) == HEADER_MAGIC for bits in SWAPS) or swap_of(head) is not None:
        return "npt"
    for magic, name, _ in _SIGNATURES:
        if head.startswith(magic):
            return name
    if not head.strip(b"\0") or not head.strip(b"\xff"):
        return "blank"
    body = head.removeprefix(b"\xef\xbb\xbf")
    if not _text(body):
        return "aie" if _aie_raw(head) else "unknown"
    if re.match(rb"\s*\$(date|version|timescale|comment|scope|var|attrbegin|enddefinitions)\b", body):
        return "vcd"
    if _FWRITE.match(body):
        return "fwrite"
    if _ILA.match(body):
        return "ila"
    if _LITESCOPE.match(body):
        return "litescope"
    if _aie_text(body):
        return "aie"
    if re.match(rb"\s*(<!doctype|<html|<\?xml)", body, re.I):
        return "html"
    return "text"


_SENTENCES: Final = (
    {"npt": "a trace of npuscope"}
    | {name: sentence for _, name, sentence in _SIGNATURES}
    | {
        "fwrite": "$fwrite text (time,layer_id,backpressure_en)",
        "vcd": "a VCD waveform",
        "aie": "an AIE2 event trace",
        "ila": "a Vivado ILA export",
        "litescope": "a LiteScope dump",
        "html": "HTML or XML",
        "text": "text",
        "blank": "blank memory, nothing was written to it",
        "unknown": "binary data of no format known here",
    }
)


def foreign(name: str) -> str:
    """What to tell a user about an input of format ``name`` (of ``sniff``)."""
    return _SENTENCES[name]
