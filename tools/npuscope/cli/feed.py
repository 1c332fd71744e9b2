"""The newest bytes of a capture that is still being written: a growing file, a pipe, a socket.

A file is read at its end and never held. Pipes and sockets are emptied by a thread of their own as fast as they come,
of which only the head (the header page) and the newest bytes are kept: whoever writes never waits for what is drawn.
"""

from __future__ import annotations

import os
import re
import select
import socket
import stat
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.layout import RECORD_BYTES
from npuscope.source import MAX_HEADER, page_size

__all__ = ["Feed", "Growing", "Stream", "open_feed"]

_SOCKET: Final = re.compile(r"tcp://([^:/]+|\[[0-9a-fA-F:]+\]):(\d+)")
_READ: Final = 1 << 18
_CONNECT_S: Final = 5.0


class Feed(ABC):
    """total: bytes so far. ended: no more will come."""

    total = 0
    ended = False

    @abstractmethod
    def newest(self, most: int) -> tuple[bytes, bytes]:
        """The header page, or nothing, and the newest whole records: ``most`` bytes at most, in record phase."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the input."""


class Growing(Feed):
    """A file at ``path``; one that is replaced or cut short is read anew."""

    def __init__(self, path: str) -> None:
        self.path = path

    def newest(self, most: int) -> tuple[bytes, bytes]:
        """See ``Feed``."""
        try:
            with open(self.path, "rb") as file:
                number = file.fileno()
                self.total = os.fstat(number).st_size
                page = _page(os.pread(number, 4096, 0), lambda size: os.pread(number, size, 0))
                start = max(len(page), _aligned(self.total - most, len(page)))
                return page, os.pread(number, max(0, self.total - start), start)
        except OSError as error:
            raise NpuscopeError(f"cannot be read: {error.strerror}", file=self.path) from error

    def close(self) -> None:
        """Nothing is held open between two looks."""


class Stream(Feed):
    """A pipe or socket, by its descriptor; keep: newest bytes that are held."""

    def __init__(self, descriptor: int, keep: int, name: str) -> None:
        self._fd, self._keep, self.name = descriptor, keep, name
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()
        self._stop = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while not self._stop:
            if not select.select([self._fd], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self._fd, _READ)
            except OSError:
                data = b""  # the other side is gone
            with self._lock:
                if not data:
                    self.ended = True
                    return
                self.total += len(data)
                if len(self._head) < max(4096, page_size(bytes(self._head[:4096]))):
                    self._head += data[: MAX_HEADER - len(self._head)]
                self._tail += data
                if len(self._tail) > 2 * self._keep:
                    del self._tail[: len(self._tail) - self._keep]

    def newest(self, most: int) -> tuple[bytes, bytes]:
        """See ``Feed``."""
        with self._lock:
            head = bytes(self._head)
            page = _page(head[:4096], lambda size: head[:size])
            first = self.total - len(self._tail)
            start = max(len(page), _aligned(max(first, self.total - most), len(page)))
            return page, bytes(self._tail[start - first :])

    def close(self) -> None:
        """Stop the thread."""
        self._stop = True
        self._thread.join()


def _aligned(place: int, page: int) -> int:
    """The first record boundary at or behind ``place``."""
    return page + -(-(place - page) // RECORD_BYTES) * RECORD_BYTES


def _page(head: bytes, read: Callable[[int], bytes]) -> bytes:
    """The header page that ``head`` begins, read whole; nothing if there is none or it is not all there."""
    size = page_size(head)
    page = read(size) if size else b""
    return page if len(page) == size else b""


def open_feed(name: str, keep: int) -> Feed:
    """``-``, a named pipe, ``tcp://HOST:PORT`` to connect to, or a file; raises NpuscopeError."""
    match = _SOCKET.fullmatch(name)
    if match:
        try:
            connection = socket.create_connection((match[1].strip("[]"), int(match[2])), _CONNECT_S)
        except OSError as error:
            raise NpuscopeError(f"cannot connect: {error.strerror or error}", file=name) from error
        return Stream(connection.detach(), keep, name)
    if name == "-":
        return Stream(sys.stdin.fileno(), keep, "stdin")
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise NpuscopeError(f"cannot be read: {error.strerror}", file=name) from error
    if stat.S_ISDIR(mode):
        raise NpuscopeError("a folder cannot be watched", file=name, hint="give the file that is being written")
    if stat.S_ISREG(mode):
        return Growing(name)
    return Stream(os.open(name, os.O_RDONLY | os.O_NONBLOCK), keep, name)
