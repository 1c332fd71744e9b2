"""Bytes of a capture: files, a folder, a named pipe or stdin as one stream, header pages taken off, byte order mended.

A header page is ``4096 * n`` bytes in front of a dump: ``HEADER`` (magic, major, minor, header bytes, JSON bytes,
CRC-32 of the JSON, all little endian), the JSON, zeros. Byte-swapped dumps are recognised by the SYNC magic.
Reading never holds more than one buffer and never waits for ever on a named pipe.
"""

from __future__ import annotations

import errno
import glob
import gzip
import importlib
import io
import os
import re
import select
import stat
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from npuscope.crc import crc32
from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import FORMAT_MAJOR, FORMAT_MINOR
from npuscope.sniff import HEADER_MAGIC, SWAPS, foreign, sniff, swap_of, swapped

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "HEADER",
    "HEADER_MAGIC",
    "HEADER_PAGE",
    "Again",
    "Source",
    "foreign",
    "header_page",
    "open_source",
    "page_size",
    "page_text",
    "sniff",
]

HEADER: Final = struct.Struct("<8sHHIII")
HEADER_PAGE: Final = 4096
MAX_HEADER: Final = 1 << 28
HEAD_BYTES: Final = 1 << 16
"""How much of an input is looked at to tell what it is."""
PIPE_OPEN_S: Final = 5.0
"""How long a named pipe may be without writer."""
PIPE_IDLE_S: Final = 30.0
"""How long the writer of a named pipe may be silent; idle probes send a heartbeat every 0.13 s."""
STDIN: Final = "-"
PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{bytes((low, 0x2A, 0x4D, 0x18)): "zstd" for low in range(0x50, 0x60)},  # a frame to skip, RFC 8878
}
"""First bytes of what is unpacked while it is read."""


def header_page(json_text: bytes) -> bytes:
    """The header page(s) to put in front of a dump."""
    size = -(-(HEADER.size + len(json_text)) // HEADER_PAGE) * HEADER_PAGE
    fixed = HEADER.pack(HEADER_MAGIC, FORMAT_MAJOR, FORMAT_MINOR, size, len(json_text), crc32(json_text))
    return (fixed + json_text).ljust(size, b"\0")


def page_size(head: bytes) -> int:
    """Bytes of the header page that begins with ``head``, as it says itself; 0 without one that can be."""
    if len(head) < HEADER.size:
        return 0
    magic, _, _, size, length, _ = HEADER.unpack(head[: HEADER.size])
    fits = magic == HEADER_MAGIC and size % HEADER_PAGE == 0 and HEADER.size + length <= size <= MAX_HEADER
    return size if fits else 0


def page_text(page: bytes) -> bytes | None:
    """The JSON of a whole header page, None if it is cut or damaged."""
    size = page_size(page)
    if not size or len(page) < size:
        return None
    length, check = HEADER.unpack(page[: HEADER.size])[4:]
    text = page[HEADER.size : HEADER.size + length]
    return text if crc32(text) == check else None


# ---------------------------------------------------------------- one input
class _Input:
    """One file, named pipe or stdin: opened when first read, closed at its end."""

    def __init__(self, name: str, accept: Sequence[str]) -> None:
        self._accept = accept
        self.name = "stdin" if name == STDIN else name
        self._fd = self._open(name)
        self._pipe_deadline: float | None = None
        mode = os.fstat(self._fd)
        self.size = mode.st_size if stat.S_ISREG(mode.st_mode) else None
        self.fifo = stat.S_ISFIFO(mode.st_mode) and name != STDIN
        self.note: str | None = None
        self.cut: str | None = None
        self.header: bytes | None = None
        self.header_bytes = 0
        self.swap = 0
        self._head = b""
        self._unpacked: io.BufferedIOBase | None = None
        self._packing = ""

    def _open(self, name: str) -> int:
        if name == STDIN:
            if sys.stdin is not None and sys.stdin.isatty():
                raise NpuscopeError("stdin is a terminal", hint="give a file, or pipe a dump into it")
            try:
                return os.dup(0)
            except OSError as error:
                raise NpuscopeError("stdin is closed", hint="give a file, or pipe a dump into it") from error
        try:
            mode = os.stat(name).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                hint = f"pipe it: cat {name} | npuscope info -"
                raise NpuscopeError("no file, folder or named pipe", file=name, hint=hint)
            return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _unreadable(error, name) from error

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read(self, view: memoryview) -> int:
        """Fill ``view`` with unpacked bytes; less only at the end of the input."""
        if self._unpacked is None:
            return self._read_raw(view)
        filled = 0
        try:
            while filled < len(view) and (got := self._unpacked.readinto1(view[filled:])):
                filled += got
        except (EOFError, zlib.error, gzip.BadGzipFile, _zstd().ZstdError) as error:
            cut = isinstance(error, EOFError)
            self.cut = f"{self.name}: the {self._packing} data {'breaks off' if cut else f'is damaged ({error})'}"
            self._unpacked = io.BufferedReader(io.BytesIO())  # nothing follows
        return filled

    def _read_raw(self, view: memoryview) -> int:
        """Fill ``view`` from the descriptor; less only at the end of the input."""
        filled = 0
        while filled < len(view):
            if self.fifo and not self._wait():
                break
            try:
                got = os.readv(self._fd, [view[filled:]])
            except BlockingIOError:
                select.select([self._fd], [], [])
                continue
            except OSError as error:
                raise _unreadable(error, self.name) from error
            if not got:
                if self.fifo and self._no_writer_yet:
                    time.sleep(0.01)
                    continue
                break
            self._no_writer_yet = False
            filled += got
        return filled

    _no_writer_yet = True

    def _wait(self) -> bool:
        """Wait for the writer of a named pipe; False: it is silent, treat that as the end."""
        limit = PIPE_OPEN_S if self._no_writer_yet else PIPE_IDLE_S
        now = time.monotonic()
        if self._no_writer_yet and self._pipe_deadline is None:
            self._pipe_deadline = now + limit
        wait = (self._pipe_deadline - now) if self._no_writer_yet and self._pipe_deadline is not None else limit
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        if wait > 0 and poll.poll(wait * 1000):
            return True
        if self._no_writer_yet:
            raise NpuscopeError(
                f"nothing came through the named pipe within {limit:.0f} s",
                file=self.name,
                hint="start its writer first",
            )
        self.note = f"{self.name}: the writer of the named pipe was silent for {limit:.0f} s, taken as its end"
        return False

    def begin(self) -> None:
        """Read the head: header page, byte order, and whether this is a dump at all."""
        self._head = self._take(HEAD_BYTES)
        if not self._head:
            raise NpuscopeError("the input is empty", file=self.name)
        if (packing := _packing(self._head)) is not None:
            self._packing, packed = packing, io.BufferedReader(_Packed(self._head, self._read_raw))
            self._unpacked = gzip.GzipFile(fileobj=packed) if packing == "gzip" else _zstd().ZstdFile(packed)
            self.size = None
            self._head = self._take(HEAD_BYTES)
            if not self._head:
                raise NpuscopeError(self.cut or f"the {packing} data is empty", file=None if self.cut else self.name)
        for bits in SWAPS:
            if swapped(self._head[:8], bits) == HEADER_MAGIC:
                self._header(bits)
        self.swap = swap_of(self._head) or 0
        kind = sniff(self._head) if self.header is None else "npt"
        if kind not in ("npt", "blank", "unknown", *self._accept):
            raise not_recognised(self.name, kind)
        self._head = swapped(self._head, self.swap)

    def _take(self, size: int) -> bytes:
        buffer = bytearray(size)
        return bytes(buffer[: self._read(memoryview(buffer))])

    def _header(self, bits: int) -> None:
        """Take a header page off the head. One that does not check stays and is counted as bad bytes."""
        page = HEADER.unpack(swapped(self._head[: HEADER.size].ljust(HEADER.size, b"\0"), bits))
        if len(self._head) >= HEADER.size and page[1] != FORMAT_MAJOR:
            raise NpuscopeError(
                "the header page is of another version of the format",
                file=self.name,
                found=f"{page[1]}.{page[2]}",
                expected=f"{FORMAT_MAJOR}.x",
                exit_code=Exit.NOT_RECOGNISED,
            )
        size = page_size(swapped(self._head[: HEADER.size], bits))
        self._head += self._take(max(0, size - len(self._head)))
        text = page_text(swapped(self._head[:size], bits))
        if text is None:
            self.note = f"{self.name}: the header page is damaged and was not used"
            return
        self.header, self.header_bytes = text, size
        rest = self._head[size:]
        self._head = rest + self._take(HEAD_BYTES - len(rest)) if len(rest) < HEAD_BYTES else rest

    def fill(self, view: memoryview) -> int:
        """Fill ``view`` with dump bytes in record order; less only at the end."""
        done = min(len(view), len(self._head))
        view[:done] = self._head[:done]
        self._head = self._head[done:]
        if done < len(view) and not self._head:
            if not self.swap:
                return done + self._read(view[done:])
            while done < len(view):
                self._head = swapped(self._take(HEAD_BYTES), self.swap)
                if not self._head:
                    break
                done += self.fill(view[done : done + len(self._head)])
        return done

    def reread(self, size: int) -> Again | None:
        """What fills memory with the next ``size`` bytes, also later; None where they cannot be read twice."""
        if self.size is None or self._head or self.swap or self._unpacked is not None:
            return None
        place = os.lseek(self._fd, 0, os.SEEK_CUR)
        return Again(self.name, os.dup(self._fd), place, self.size) if place + size <= self.size else None

    def skip(self, size: int) -> None:
        """Pass over ``size`` bytes of a regular file."""
        os.lseek(self._fd, size, os.SEEK_CUR)

    def skip_hole(self, least: int) -> int:
        """Skip a hole of a sparse file: bytes skipped, a multiple of ``least``, 0 if there is none here."""
        if self.size is None or self._head:
            return 0
        here = os.lseek(self._fd, 0, os.SEEK_CUR)
        try:
            data = os.lseek(self._fd, here, os.SEEK_DATA)
        except OSError as error:
            data = self.size if error.errno == errno.ENXIO else here
        size = max(0, data - here) // least * least
        os.lseek(self._fd, here + size, os.SEEK_SET)
        return size


class Again:
    """Reads bytes of a regular file, ``size`` long, from ``place`` on."""

    def __init__(self, name: str, fd: int, place: int, size: int) -> None:
        self.name, self._fd, self.place, self.size = name, fd, place, size

    def __call__(self, view: memoryview) -> None:
        done = 0
        while done < len(view):
            got = os.preadv(self._fd, [view[done:]], self.place + done)
            if not got:
                raise NpuscopeError("the file became shorter while it was read", file=self.name)
            done += got

    def __del__(self) -> None:
        os.close(self._fd)


class _Packed(io.RawIOBase):
    """The packed bytes of an input: ``head``, then what ``read`` gives."""

    def __init__(self, head: bytes, read: Callable[[memoryview], int]) -> None:
        self._head, self._more = head, read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        if not self._head:
            return self._more(view)
        size = min(len(view), len(self._head))
        view[:size] = self._head[:size]
        self._head = self._head[size:]
        return size


def _packing(head: bytes) -> str | None:
    """``gzip``, ``zstd``, None for what is not packed."""
    return next((name for magic, name in PACKED.items() if head.startswith(magic)), None)


def _zstd() -> Any:
    """Python's own module from 3.14 on, its backport before."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _unreadable(error: OSError, name: str) -> NpuscopeError:
    reason = {
        errno.ENOENT: "no such file",
        errno.EACCES: "no permission to read it",
        errno.EISDIR: "is a folder",
    }.get(error.errno or 0, f"cannot be read: {error.strerror}")
    return NpuscopeError(reason, file=name)


def not_recognised(name: str, kind: str) -> NpuscopeError:
    """The error for an input of format ``kind`` (of ``sniff``)."""
    return NpuscopeError(
        f"not an npuscope trace, it looks like {foreign(kind)}", file=name, exit_code=Exit.NOT_RECOGNISED
    )


# ---------------------------------------------------------------- the capture
class Source:
    """The bytes of one capture, read once from front to back.

    names: the inputs in order. header: JSON of the first header page, None without one. swap: 0, 32 or 64-bit words
    that were byte-reversed (in any input). head_kind: format of the first input (of ``sniff``). size: bytes of all
    inputs, None if one is a pipe or packed. again: whether they can be read once more. cut: where packed data breaks
    off, None if it does not. notes: what a user should know.
    Positions given out by ``fill`` count dump bytes only; ``place`` adds the header pages.
    """

    def __init__(self, names: Sequence[str], accept: Sequence[str] = ()) -> None:
        if not names:
            raise NpuscopeError("no input given")
        self._accept = accept
        self.names = list(names)
        self.notes: list[str] = []
        self.swap = 0
        self.header_bytes = 0
        self.position = 0
        self.head_kind = ""
        self.cut: str | None = None
        self._starts: list[int] = []  # first dump byte of each input begun
        self._shifts: list[int] = []  # header bytes up to and with each input begun
        self._current = self._begin(0)
        self.header = self._current.header
        sizes = [self._current.size, *(_size(name) for name in self.names[1:])]
        self.size = None if None in sizes else sum(size for size in sizes if size is not None)
        self.again = all(os.path.isfile(name) for name in names)

    def _begin(self, index: int) -> _Input:
        entry = _Input(self.names[index], self._accept)
        try:
            entry.begin()
        except BaseException:
            entry.close()
            raise
        self.names[index] = entry.name
        self._next = index + 1
        self.header_bytes += entry.header_bytes
        self.swap = self.swap or entry.swap
        self._starts.append(self.position)
        self._shifts.append(self.header_bytes)
        kind = sniff(entry._head) if entry.header is None else "npt"
        if index and (kind in self._accept) != (self.head_kind in self._accept):
            other = foreign(kind if kind in self._accept else self.head_kind)
            entry.close()
            raise NpuscopeError(
                f"a trace dump and {other} are not one capture",
                file=entry.name,
                hint=f"read it apart from {self.names[0]}",
            )
        self.head_kind = self.head_kind if index else kind
        if index and entry.header not in (None, self.header):
            self.notes.append(f"{entry.name}: its header page differs from that of {self.names[0]} and was not used")
        return entry

    def fill(self, view: memoryview) -> int:
        """Fill ``view`` with the next dump bytes; less only at the end of the capture."""
        done = 0
        while done < len(view):
            got = self._current.fill(view[done:])
            done += got
            self.position += got
            if done < len(view) and not self._advance():
                break
        return done

    def _advance(self) -> bool:
        if self._current.cut:
            self.cut = self.cut or self._current.cut
            self.notes.append(f"{self._current.cut}; everything before that was read")
            self._current.cut = None
        if self._current.note:
            self.notes.append(self._current.note)
            self._current.note = None
        if self._next >= len(self.names):
            return False
        self._current.close()
        self._current = self._begin(self._next)
        return True

    def reread(self, size: int) -> Again | None:
        """What fills memory with the next ``size`` dump bytes, also later; None where they cannot be read twice."""
        return self._current.reread(size)

    def skip(self, size: int) -> None:
        """Pass over ``size`` bytes that can be read again."""
        self._current.skip(size)
        self.position += size

    def skip_hole(self, least: int) -> int:
        """Bytes of a sparse file's hole skipped at this position; a multiple of ``least``."""
        size = self._current.skip_hole(least)
        self.position += size
        return size

    def place(self, offset: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Bytes in the capture, header pages and earlier inputs included, of the dump bytes ``offset``, i8 (n,)."""
        where = np.searchsorted(np.asarray(self._starts), offset, side="right") - 1
        moved: npt.NDArray[np.int64] = offset + np.asarray(self._shifts)[where]
        return moved

    def locate(self, offset: int) -> tuple[str, int]:
        """Name of the input and byte in it of a byte in the capture (as in ``Batch.offset``)."""
        bases = [start + shift for start, shift in zip(self._starts, [0, *self._shifts[:-1]], strict=True)]
        index = max(i for i, base in enumerate(bases) if base <= offset)
        return self.names[index], offset - bases[index]

    def close(self) -> None:
        """Close the input being read."""
        self._current.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _size(name: str) -> int | None:
    return os.path.getsize(name) if os.path.isfile(name) else None


def _natural(path: Path) -> list[object]:
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", path.name)]


def _is_dump(path: Path) -> bool:
    """Whether the regular file ``path`` begins like a dump."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            if (packing := _packing(head)) is not None:
                unpack = zlib.decompressobj(wbits=31) if packing == "gzip" else _zstd().ZstdDecompressor()
                head = unpack.decompress(head, HEAD_BYTES)
            return sniff(head) == "npt"
    except (zlib.error, _zstd().ZstdError):
        return False
    except OSError as error:
        raise _unreadable(error, str(path)) from error


def expand(paths: Iterable[str | os.PathLike[str]], notes: list[str] | None = None) -> list[str]:
    """Files of ``paths``: globs without a file of that name, and the dumps in folders in natural order.

    A file that is there twice, also by another name, is taken once, in its first place; ``notes`` gets a line of it.
    """
    names: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if path == STDIN:
            names.append(path)
        elif os.path.isdir(path):
            try:
                inside = sorted(filter(Path.is_file, Path(path).iterdir()), key=_natural)
            except OSError as error:
                raise _unreadable(error, path) from error
            found = [str(entry) for entry in inside if _is_dump(entry)]
            if not found:
                raise NpuscopeError("no dump in this folder", file=path, found=f"{len(inside)} other files")
            names += found
        elif not os.path.lexists(path) and glob.has_magic(path):
            matches = sorted(glob.glob(path), key=lambda name: _natural(Path(name)))
            if not matches:
                raise NpuscopeError("no file matches", file=path)
            names += matches
        else:
            names.append(path)
    return _once(names, [] if notes is None else notes)


def _once(names: list[str], notes: list[str]) -> list[str]:
    """``names`` without those of a regular file that an earlier one names too."""
    taken: dict[object, str] = {}
    for place, name in enumerate(names):
        key: object = place
        if name != STDIN and os.path.isfile(name):
            info = os.stat(name)
            key = info.st_dev, info.st_ino
        if key not in taken:
            taken[key] = name
            continue
        first = taken[key]
        notes.append(f"{name} is named twice, read once" if name == first else f"{name} is {first}, read once")
    return list(taken.values())


def open_source(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, accept: Sequence[str] = ()
) -> Source:
    """The capture in ``paths``: files, globs, folders, a named pipe, ``-`` for stdin; several are one, in order.

    accept: formats of ``sniff`` to take beside our own, for an importer; ``Source.head_kind`` tells what came.
    Raises NpuscopeError: exit 2 for what cannot be read or is empty, exit 5 for a format that is not ours.
    """
    return Source(expand([paths] if isinstance(paths, str | os.PathLike) else paths), accept)
