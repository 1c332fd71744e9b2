"""One pass over the jitter, RAS and token records in constant memory, for the verbs that keep only sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from npuscope.capture import Capture
from npuscope.cli.judge import Finding
from npuscope.cli.options import Options
from npuscope.cli.session import paths, resolve
from npuscope.errors import Exit, NpuscopeError
from npuscope.ledger import Ledger
from npuscope.tables import TABLE_KINDSUBS, Chunk, Reader, Setting
from npuscope.units import lower_percent, parse_percent

__all__ = ["Span", "coverage", "read", "span"]


@dataclass
class Span:
    """The window asked for. ns: [from, to) on the axis, None = all; known when the first batch was read."""

    ns: tuple[int, int] | None = None
    low: int | None = None
    high: int | None = None
    relative: tuple[bool, bool] = (False, False)

    _settled: bool = False

    def settle(self, origin: int | None) -> None:
        """The first record is at ``origin``; None: it was not met yet."""
        if origin is None or self._settled or (self.low is None and self.high is None):
            return
        self._settled = True
        low, high = self.low, self.high
        if low is not None and self.relative[0]:
            low += origin
        if high is not None and self.relative[1]:
            high += origin
        self.ns = (0 if low is None else low, (1 << 63) - 1 if high is None else high)
        if self.ns[0] >= self.ns[1]:
            raise NpuscopeError("the window is empty", found=f"{self.ns[0]} .. {self.ns[1]} ns TAI")


def span(capture: Capture, options: Options) -> Span:
    """The window of the options; a bound that names an episode or a token takes a pass of its own."""
    _, wanted = paths(options)
    if wanted is None:
        return Span()
    bounds, relative = [], []
    for bound, side in ((wanted.low, "start"), (wanted.high, "end")):
        plain = bound is not None and bound.is_time
        bounds.append(bound.ns if plain and bound else resolve(capture, bound, side, 0) if bound else None)
        relative.append(plain and bound is not None and not bound.tai)
    return Span(None, bounds[0], bounds[1], (relative[0], relative[1]))


def read(capture: Capture, window: Span, reader: Reader) -> Iterator[tuple[list[Chunk], list[Setting], list[Setting]]]:
    """Chunks and CFG words of each batch, and the CFG words last told before it (for sources that begin later)."""
    told: dict[tuple[int, int], Setting] = {}
    for batch in capture.batches(TABLE_KINDSUBS):
        window.settle(capture.first_ts)
        chunks, settings = reader.feed(batch)
        yield chunks, settings, list(told.values())
        told |= {(setting.src, setting.word): setting for setting in settings}


def coverage(ledger: Ledger, sources: Sequence[int], options: Options) -> list[Finding]:
    """Sources of which fewer records are here than ``--min-coverage`` asks for, or of which that is not known."""
    if options.min_coverage is None:
        return []
    wanted = Fraction(parse_percent(options.min_coverage)).limit_denominator(10**6)
    found: list[Finding] = []
    for src in sources:
        entry = ledger.sources[src]
        whole = entry.accepted + entry.dropped
        if not entry.exact and wanted:
            found.append((Exit.CHECK_FAILED, f"coverage of source {src} is not known: more may be lost than is told"))
        elif 100 * entry.decoded < wanted * whole:
            share = lower_percent(entry.decoded, whole)
            found.append((Exit.CHECK_FAILED, f"coverage below {float(wanted):g} %: source {src} {share} %"))
    return found
