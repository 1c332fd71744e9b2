"""CRC as linear algebra over GF(2): the XOR masks that specgen writes into the Verilog header.

A row is an int whose bit j says that input bit j takes part in that output bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

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


def levels_of(rows: Rows, inputs: int, fan_in: int = 4) -> list[Rows]:
    """``rows`` as a product of matrices of at most ``fan_in`` terms a row, first to apply first: gates that are shared.

    Sums that many rows have in common become a gate first, greedily: the one that saves most of the ``fan_in``-input
    gates. A level's outputs are its gates and what later levels still need of the levels before.
    """
    terms = [{j for j in range(inputs) if row >> j & 1} for row in rows]
    gates: dict[int, tuple[int, ...]] = {}
    level = dict.fromkeys(range(inputs), 0)

    def add(gate: set[int]) -> int:
        number = inputs + len(gates)
        gates[number] = tuple(sorted(gate))
        level[number] = 1 + max(level[term] for term in gate)
        return number

    while (gate := _most_shared(terms, fan_in)) is not None:
        number = add(gate)
        for row in terms:
            if gate <= row:
                row -= gate
                row.add(number)
    for row in terms:
        while len(row) > 1:
            first = set(sorted(row, key=lambda term: (level[term], term))[:fan_in])
            row -= first
            row.add(add(first))
    outputs = [next(iter(row)) for row in terms]
    out, before = [], list(range(inputs))
    for depth in range(1, max(level[output] for output in outputs) + 1):
        later = {term for number, gate in gates.items() if level[number] > depth for term in gate} | set(outputs)
        after = sorted(term for term in later if level[term] <= depth)
        if depth == max(level[output] for output in outputs):
            after = outputs
        at = {term: i for i, term in enumerate(before)}
        out.append([sum(1 << at[term] for term in (gates[t] if level[t] == depth else (t,))) for t in after])
        before = after
    return out


def _most_shared(terms: list[set[int]], fan_in: int) -> set[int] | None:
    """The sum of up to ``fan_in`` terms whose gate saves most gates, None if none saves any."""
    best: tuple[float, tuple[int, ...]] = (0.01, ())
    pairs = Counter(pair for row in terms for pair in combinations(sorted(row), 2))
    for pair, _ in pairs.most_common(60):
        chosen, rows = list(pair), [row for row in terms if row.issuperset(pair)]
        while True:
            best = max(best, (len(rows) * (len(chosen) - 1) / (fan_in - 1) - 1, tuple(sorted(chosen))))
            others = Counter(term for row in rows for term in sorted(row) if term not in chosen)
            if len(chosen) == fan_in or not others:
                break
            term = others.most_common(1)[0][0]
            chosen.append(term)
            rows = [row for row in rows if term in row]
    return set(best[1]) or None


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
