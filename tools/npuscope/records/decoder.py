"""The streaming decoder: bytes in, batches in total order out, the ledger filled on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.errors import Exit, NpuscopeError
from npuscope.ledger import Ledger
from npuscope.records.account import Account
from npuscope.records.ahead import Ahead
from npuscope.records.batch import Batch
from npuscope.records.feed import Feed
from npuscope.records.framing import Framing
from npuscope.records.glance import COMMON
from npuscope.records.order import Order
from npuscope.source import Source, foreign
from npuscope.units import size

__all__ = ["BLOCK_BYTES", "MAX_DISORDER_NS", "Decoder", "decode"]

BLOCK_BYTES: Final = 1 << 23
"""Bytes read at a time: large enough to hide the cost of a call, small enough for the caches (measured)."""
MAX_DISORDER_NS: Final = 1000
"""Default of the header page's max_disorder_ns."""
HASH_HINT: Final = "give the right one, or force it with --force-desc"


class Decoder:
    """Iterate once: batches in total order. ``ledger`` is complete when the iteration is over.

    Raises NpuscopeError: exit 2 for unreadable input and a wrong description, exit 5 for what is no trace.
    """

    def __init__(
        self,
        source: Source,
        *,
        keep: npt.NDArray[np.bool_] | None = None,
        max_disorder_ns: int = MAX_DISORDER_NS,
        desc_hash: int = 0,
        force_desc: bool = False,
        hash_hint: str = HASH_HINT,
        block_bytes: int = BLOCK_BYTES,
        across: bool = True,
        jobs: int = 1,
    ) -> None:
        self.source, self.ledger = source, Ledger()
        self._keep = keep
        self._ahead = Ahead(jobs, block_bytes) if jobs > 1 else None
        whole = keep is None or bool(keep[COMMON].any())
        self._feed = Feed(source, block_bytes, keep=whole, ahead=self._ahead)
        account = Account(self.ledger, name=source.names[0], desc_hash=desc_hash, force=force_desc, hint=hash_hint)
        self._account = account
        self._framing = Framing(self._feed, self.ledger, account, max_disorder_ns)
        self._order = Order(max_disorder_ns, self.ledger, across=across)

    def __iter__(self) -> Iterator[Batch]:
        try:
            for batch in self._framing:
                yield from map(self._finished, self._order.push(batch))
        finally:
            if self._ahead is not None:
                self._ahead.close()
        yield from map(self._finished, self._order.flush())
        self._finish()

    def _finished(self, batch: Batch) -> Batch:
        """The batch with places in the capture, cut down to the kinds that were asked for."""
        batch = batch.placed(self.source.place)
        return batch if self._keep is None else batch.only(self._keep)

    def _finish(self) -> None:
        ledger, source = self.ledger, self.source
        self._account.finish()
        ledger.header += source.header_bytes
        ledger.swap, ledger.files = source.swap, list(source.names)
        ledger.total = self._feed.position + source.header_bytes
        for note in source.notes:
            ledger.note(note)
        if source.swap:
            ledger.note(f"the dump is byte-swapped in {source.swap}-bit words and was turned back")
        ledger.check()
        ledger.complete = True
        if not ledger.records:
            where = f"its first {size(ledger.total)}" if self._feed.endless else "it"
            what = "blank" if ledger.blank and not ledger.bad else source.head_kind
            found = foreign("unknown" if what == "npt" else what)
            raise NpuscopeError(
                f"no frame of a trace in {where}",
                file=source.names[0],
                found=found,
                expected="SYNC A, B and C of one group at least",
                exit_code=Exit.NOT_RECOGNISED,
            )


def decode(
    source: Source,
    *,
    keep: npt.NDArray[np.bool_] | None = None,
    max_disorder_ns: int = MAX_DISORDER_NS,
    desc_hash: int = 0,
    force_desc: bool = False,
    hash_hint: str = HASH_HINT,
    block_bytes: int = BLOCK_BYTES,
    across: bool = True,
    jobs: int = 1,
) -> Decoder:
    """Decode ``source`` (of ``npuscope.source.open_source``); see ``Decoder``.

    keep: bool[256] over the kindsub byte, the records to give out; the ledger covers all of them anyhow.
    max_disorder_ns: slowest crossing plus pipeline, of the description. desc_hash: hash of the user's description,
    0 = none; one that differs from the trace's is an error, with ``hash_hint`` on what to try, unless ``force_desc``.
    block_bytes: read at a time, without influence on the result. across: False for those who need the records of each
    source in order, but not those of several: faster. jobs: processes, without influence on the result.
    """
    return Decoder(
        source,
        keep=keep,
        max_disorder_ns=max_disorder_ns,
        desc_hash=desc_hash,
        force_desc=force_desc,
        hash_hint=hash_hint,
        block_bytes=block_bytes,
        across=across,
        jobs=jobs,
    )
