"""CRC as linear algebra over GF(2): the XOR masks that specgen writes into the Verilog header.

A row is an int whose bit j says that input bit j takes part in that output bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Rows = list[int]


def apply(rows: Rows, vector: int) -> int:
    """``rows`` times ``vector``."""
    return sum((bin(row & vector).count("1") & 1) << i for i, row in enumerate(rows))


def rows_of(function: Callable[[int], int], inputs: int, outputs: int) -> Rows:
    """The matrix of a linear ``function`` of ``inputs`` bits to ``outputs`` bits, by its basis vectors."""
    columns = [function(1 << j) for j in range(inputs)]
    return [sum((column >> i & 1) << j for j, column in enumerate(columns)) for i in range(outputs)]


def product(left: Rows, right: Rows, inputs: int) -> Rows:
    """The matrix that applies ``right`` (of ``inputs`` bits) first and ``left`` after it."""
    return rows_of(lambda v: apply(left, apply(right, v)), inputs, len(left))


def inverse(rows: Rows) -> Rows:
    """The inverse of a square matrix; raises ValueError if it is singular."""
    n = len(rows)
    work = [row | 1 << (n + i) for i, row in enumerate(rows)]
    for column in range(n):
        pivot = next((i for i in range(column, n) if work[i] >> column & 1), None)
        if pivot is None:
            raise ValueError("singular matrix")
        work[column], work[pivot] = work[pivot], work[column]
        for i in range(n):
            if i != column and work[i] >> column & 1:
                work[i] ^= work[column]
    return [row >> n for row in work]


def crc8_masks(poly: int, init: int, byte_order: list[int], ignore: int) -> tuple[Rows, int]:
    """Masks over the 128-bit record and the constant to XOR, for the bytes in ``byte_order``."""

    def crc(word: int, start: int) -> int:
        state = start
        for byte in byte_order:
            state ^= (word & ~ignore) >> (8 * byte) & 0xFF
            for _ in range(8):
                state = (state << 1 ^ (poly if state & 0x80 else 0)) & 0xFF
        return state

    return rows_of(lambda word: crc(word, 0), 128, 8), crc(0, init)


@dataclass(frozen=True)
class Crc32Matrices:
    """CRC-32 of fixed-width words with the state transformed to companion form.

    In that form one step of the state needs two terms a bit, so that the feedback
    loop is one level of logic and everything else can be pipelined.
    """

    init: int
    word: Rows
    next: Rows
    value: Rows

    @classmethod
    def of(cls, poly: int, width: int) -> Crc32Matrices:
        """Matrices for the reflected ``poly`` and words of ``width`` bits (a multiple of 8)."""

        def step(state: int, word: int) -> int:
            for i in range(width):
                state ^= word >> i & 1
                state = state >> 1 ^ (poly if state & 1 else 0)
            return state

        feedback = rows_of(lambda s: step(s, 0), 32, 32)
        into = rows_of(lambda d: step(0, d), width, 32)
        for seed in range(1, 1 << 16):
            columns = [seed]
            while len(columns) < 32:
                columns.append(apply(feedback, columns[-1]))
            back = [sum((c >> i & 1) << j for j, c in enumerate(columns)) for i in range(32)]
            try:
                forth = inverse(back)
            except ValueError:
                continue
            companion = product(product(forth, feedback, 32), back, 32)
            return cls(apply(forth, 0xFFFFFFFF), product(forth, into, width), companion, back)
        raise ValueError("no cyclic vector: the CRC step is not in companion form")
