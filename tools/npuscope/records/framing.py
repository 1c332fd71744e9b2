"""From bytes to batches in stream order: verified runs of frames, salvage between them, and the holes that are left.

Every byte is booked in the ledger here. The result depends on the bytes alone, not on how they are read: unverified
bytes are handled in segments counted from where they begin, everything else frame by frame. A worker that decodes a
part of a file owns the frames whose SYNC A lies in its part, and the unverified bytes behind them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.layout import RECORD, RECORD_BYTES, Kind, SyncSub
from npuscope.ledger import Cause, Ledger
from npuscope.records.account import Account
from npuscope.records.batch import Batch, Hole
from npuscope.records.feed import Feed
from npuscope.records.frames import (
    FRAME_BYTES,
    GROUP_BYTES,
    Groups,
    Run,
    full_run,
    good_run,
    groups_anywhere,
    next_good,
)
from npuscope.records.glance import Glance
from npuscope.records.salvage import FORWARD_NS, POSITIONED, STEP_NS, Reference, Salvaged, salvage
from npuscope.source import HEADER, page_size, page_text

__all__ = ["Framing"]

U1 = npt.NDArray[np.uint8]

SEGMENT_BYTES: Final = 1 << 18
"""Unverified bytes are salvaged in steps of this size, counted from where they begin."""
AHEAD_BYTES: Final = SEGMENT_BYTES
"""What is looked at beyond a segment, to find the next group."""
NOTHING_BYTES: Final = 1 << 30
"""A stream without any record in its first bytes is given up here: /dev/zero has no end."""
HISTORY: Final = 1 << 16
"""Frames of which the CRC-32 is remembered, to know a copy."""
_SYNC_A: Final = np.uint8(Kind.SYNC | SyncSub.A << 4)
_END: Final = np.uint8(Kind.SYNC | SyncSub.END << 4)
_PAD: Final = np.uint8(Kind.PAD)
_TIMED: Final = ~POSITIONED | (np.arange(256) & 0xF == Kind.SYNC)
"""bool[256] over the kindsub byte: kinds whose ts bounds that of their neighbours."""


class Framing:
    """Iterate once: batches in stream order, already counted by ``account``. disorder: max_disorder_ns."""

    def __init__(self, feed: Feed, ledger: Ledger, account: Account, disorder: int) -> None:
        self._feed, self._ledger, self._account, self._disorder = feed, ledger, account, disorder
        self._before: Reference | None = None  # last valid group
        self._last_good = -1  # number of the last good frame of this run
        self._crcs = np.zeros(HISTORY, np.uint32)  # of the good frames of this run, by number modulo HISTORY
        self._full = False  # the last frames were full
        self._joined = False  # the bytes before the position are an accepted record
        self._ended = False  # the last frame ended with END
        self._opened = False  # a header page came behind it
        self._stray_until = 0  # dump byte up to which a frame reaches that cannot stand where it is
        self._astray = False  # the last frames were left out, nothing agreed with those before them since
        self._clock: int | None = None  # ts of the last event or group
        self._hole: tuple[Cause, int | None] | None = None  # open since that ts, None: since before all ts
        self._hole_is_blank = True  # nothing but blank bytes in it
        self._recent: U1 = np.empty((0, RECORD_BYTES), np.uint8)  # records that may not come again

    def __iter__(self) -> Iterator[Batch]:
        feed, synced = self._feed, False
        feed.need(FRAME_BYTES + GROUP_BYTES)
        while len(feed.data) and not self._endless():
            if not synced:
                synced = self._passed_page() or (yield from self._unverified())
                continue
            glance = self._look()
            run, batch = self._run(glance)
            if run.stop:
                yield from self._good(run, batch)
                if glance is not None and feed.unread is not None:
                    feed.took(run.stop, glance.ends[2])
                else:
                    feed.drop(run.stop)
                synced = not run.ended or self._group_here()
            elif run.settled:
                synced = False
            else:
                feed.more()
        self._ledger.end_seen = self._ended and not self._opened
        if self._hole is not None and not self._hole_is_blank:
            cause, since = self._hole
            hole = Hole(0, since or 0, since or 0, None, None, cause)
            yield self._counted(Batch(np.empty(0, RECORD), holes=(hole,)))

    def _endless(self) -> bool:
        """Whether this is a stream that has held nothing of a trace for so long that it never will."""
        ledger = self._ledger
        return self._feed.endless and self._feed.position >= NOTHING_BYTES and not ledger.records

    def _passed_page(self) -> bool:
        """Pass over a header page behind an END: another capture was appended. Returns whether a group follows it."""
        if not self._ended:
            return False
        feed = self._feed
        feed.need(HEADER.size)
        size = page_size(feed.data[: HEADER.size].tobytes())
        feed.need(size)
        if page_text(feed.data[:size].tobytes()) is None:
            return False
        feed.drop(size)
        self._ledger.header += size
        self._opened = True
        self._ledger.note("a header page behind END was passed over: another capture was appended")
        return self._group_here()

    def _group_here(self) -> bool:
        self._feed.need(FRAME_BYTES + GROUP_BYTES)
        return len(groups_anywhere(self._feed.data, 0, 1)) > 0

    # ---------------------------------------------------------------- good frames
    def _look(self) -> Glance | None:
        """Have the next frame and the group behind it, with a look at them where frames were full so far."""
        feed = self._feed
        if len(feed.data) >= FRAME_BYTES + GROUP_BYTES or feed.final:
            return None
        if self._full:
            return feed.frames()
        feed.need(FRAME_BYTES + GROUP_BYTES)
        return None

    def _run(self, glance: Glance | None) -> tuple[Run, Batch]:
        """The good frames at the position, and their records. glance: at the data, if there was one."""
        feed = self._feed
        if glance is not None and feed.unread is not None:
            seen = self._seen(full_run(glance), glance)
            if seen is not None:
                return seen
            feed.load()
        run = good_run(feed.data, 0, final=feed.final, glance=glance)
        self._full = run.stop == FRAME_BYTES * max(1, len(run.groups))
        batch = Batch(feed.data[: run.stop].view(RECORD), offset=feed.position, glance=glance if self._full else None)
        if batch.counts[_SYNC_A] != len(run.groups):  # one stands inside a frame
            run = good_run(feed.data, 0, final=feed.final, full=False)
            batch = batch.take(slice(0, run.stop // RECORD_BYTES))
        return run, batch

    def _seen(self, run: Run | None, glance: Glance) -> tuple[Run, Batch] | None:
        """``run`` and its records, if nothing calls for another look at the bytes."""
        unread = self._feed.unread
        if run is None or unread is None or (self._before and int(run.groups["number"][0]) <= self._before.number):
            return None
        batch = Batch(
            lambda: unread.bytes()[: run.stop].view(RECORD),
            offset=self._feed.position,
            glance=glance,
            count=run.stop // RECORD_BYTES,
        )
        inside = batch.counts[_SYNC_A] != len(run.groups)
        return None if inside else (run, batch)

    def _good(self, run: Run, batch: Batch) -> Iterator[Batch]:
        """The batch of a run of good frames, without those that cannot stand here."""
        strays = self._strays(run)
        groups = run.groups[strays:]
        skip = int(groups["at"][0]) if len(groups) else run.stop
        if strays:
            self._ledger.bad += skip
            self._ledger.behind_end += skip if self._ended else 0
            self._open_hole(Cause.DAMAGE, blank=False)
            self._joined = False
        if not len(groups):
            return
        if skip:
            batch = batch.take(slice(skip // RECORD_BYTES, len(batch)))
        self._seam(groups[0])
        self._recent = batch.last().view(np.uint8).reshape(-1, RECORD_BYTES).copy()
        batch.date((groups["at"] - skip) // RECORD_BYTES, groups["ts"])
        holes = self._close_hole(0, int(groups["ts"][0]))
        batch.holes = holes
        pads, syncs = batch.counts.reshape(16, 16).sum(axis=0)[[Kind.PAD, Kind.SYNC]].tolist()
        ledger = self._ledger
        ledger.frames += len(groups)
        ledger.pad += pads
        ledger.sync += syncs
        ledger.ok += len(batch) - pads - syncs
        if pads:
            batch = batch.take(batch.kindsub != _PAD).with_holes(holes)
        last = batch.last()
        self._clock = int(last["ts"][_TIMED[last["kindsub"]]][-1])
        self._crcs[groups["number"] % HISTORY] = run.crcs[strays:]
        self._last_good = int(groups["number"][-1])
        self._before = Reference(int(groups["ts"][-1]), self._last_good)
        self._joined, self._ended, self._astray = True, run.ended, False
        counted = self._counted(batch)
        self._account.group_hash(int(groups["hash"][0]))
        yield counted

    def _strays(self, run: Run) -> int:
        """How many leading frames of ``run`` cannot stand here: they come a second time, or from another capture.

        A clock that goes back is believed where the stream told all that came before, at a start, and up to STEP_NS
        behind damage that may hide its step. Elsewhere such frames were left behind in a buffer: they are left out, up
        to the first one that agrees with what was known before them in number and time.
        """
        groups = run.groups
        first = f"frames from number {int(groups['number'][0])} on"
        begins = groups["number"][0] == 0 and groups["count"][0] == 0
        if self._before is None or (self._ended and begins):
            return 0
        if copies := self._copies(run):
            self._ledger.conflict(f"{copies} {first} come a second time and are left out")
            return copies
        if begins or self._clock is None or int(groups["ts"][0]) >= self._clock - self._disorder:
            return 0
        ago = self._clock - int(groups["ts"][0])
        follows = int(groups["number"][0]) == self._last_good + 1 and self._hole is None
        damaged = self._hole is not None and self._hole[0] is Cause.DAMAGE and not self._astray and ago < STEP_NS
        if not self._ended and (follows or (damaged and groups["number"][0] > self._last_good)):
            return 0
        agrees = (groups["number"] > self._before.number) & (groups["ts"] >= max(0, self._clock - self._disorder))
        strays = int(np.argmax(agrees)) if agrees.any() and not self._ended else len(groups)
        self._ledger.conflict(f"{strays} {first} are {ago} ns older than what came before them and are left out")
        self._astray = True
        return strays

    def _copies(self, run: Run) -> int:
        """How many leading frames of ``run`` are ones that this run of the stream had already.

        Those that were good are known by number and CRC-32, one just salvaged by its SYNC B.
        """
        numbers = run.groups["number"]
        if self._before is None or int(numbers[0]) > self._before.number:
            return 0
        old = (numbers <= self._last_good) & (numbers > self._last_good - HISTORY)
        old &= self._crcs[numbers % HISTORY] == run.crcs
        for index in np.flatnonzero(numbers == self._before.number).tolist():
            at = int(run.groups["at"][index]) + RECORD_BYTES
            old[index] |= (self._recent == self._feed.data[at : at + RECORD_BYTES]).all(axis=1).any()
        return len(old) if old.all() else int(np.argmin(old))

    def _seam(self, group: np.void) -> None:
        """What lies between the records so far and the good frame that begins with ``group``."""
        number = int(group["number"])
        if self._before is None and number:
            return  # the capture begins in mid-stream
        if self._before is not None and number == self._before.number + 1 and not self._ended:
            return
        if number == 0 and group["count"] == 0:
            self._start(int(group["ts"]))
        elif self._ended or number <= self._last_good:
            self._start_unseen()
        else:
            self._open_hole(Cause.GAP, blank=False)

    def _start_unseen(self) -> None:
        """A new run whose frame 0 was not seen."""
        self._ledger.restarts += 1
        self._hole = Cause.RESTART, self._hole[1] if self._hole else self._floor()
        self._account.restart_unseen()
        self._last_good, self._ended, self._opened = -1, False, False

    def _start(self, ts: int) -> None:
        """Frame 0, with this ts: a new run of the stream."""
        ran = self._before is not None or self._ledger.salvaged > 0
        if self._ended:
            self._hole = Cause.STOPPED, self._floor()
            if self._clock is not None and ts < self._clock - self._disorder:
                self._ledger.note("a run begins before the one in front of it ended: more than one capture")
        elif ran:
            self._ledger.restarts += 1
            self._hole = Cause.RESTART, self._hole[1] if self._hole else self._floor()
        self._account.start()
        self._crcs[:] = 0
        self._last_good, self._ended, self._opened = -1, False, False

    # ---------------------------------------------------------------- unverified bytes
    def _unverified(self) -> Generator[Batch, None, bool]:
        """One segment of unverified bytes; returns whether a good frame begins behind it."""
        feed = self._feed
        feed.need(SEGMENT_BYTES + AHEAD_BYTES)
        if self._blank_segment():
            return False
        data = feed.data[: SEGMENT_BYTES + AHEAD_BYTES]
        groups = groups_anywhere(data, 0, len(data))
        good = next_good(data, groups)
        synced = good is not None and good <= SEGMENT_BYTES
        stop = good if synced and good is not None else min(len(data), SEGMENT_BYTES)
        if not stop:
            return True
        groups, strays = self._in_place(groups, stop, synced)
        at_end = feed.final and len(data) == len(feed.data)
        restarts = {int(group["at"]): int(group["ts"]) for group in groups if not group["number"] | group["count"]}
        edges = [0, *(at for at in restarts if 0 < at < stop), stop]
        used = 0
        for start, edge in pairwise(edges):
            if start in restarts:
                self._start(restarts[start])
            part = salvage(
                data,
                max(start, used),
                edge,
                groups=groups[groups["at"] >= start],
                strays=strays,
                before=self._before,
                disorder=self._disorder,
                expected=self._nothing if self._ended else self._account.expected,
                joined=self._joined,
                good_behind=edge < stop or synced,
                final=at_end,
                recent=frozenset(row.tobytes() for row in self._recent),
            )
            yield self._salvaged(part, data, max(start, used), groups, at_end and part.stop == len(data))
            used = part.stop
        feed.drop(used)
        return synced

    def _in_place(self, groups: Groups, stop: int, synced: bool) -> tuple[Groups, list[tuple[int, int]]]:
        """The ``groups`` that can stand where they are, and the ranges of bytes of the frames of the others.

        Numbers rise, not beyond the good frame at ``stop``, and where they jump time does not go back. A piece of the
        stream that was copied to another place, or of another capture, vouches neither for a time nor for a record.
        """
        last = self._before.number if self._before else -1
        clock = self._before.ts if self._before else 0
        end = groups["number"][groups["at"] == stop] if synced else groups["number"][:0]
        limit = int(end[0]) if len(end) and int(end[0]) > last else None
        kept = np.zeros(len(groups), bool)
        for index, group in enumerate(groups):
            number, ts = int(group["number"]), int(group["ts"])
            if number == 0 and group["count"] == 0:
                kept[index], last, limit, clock = True, 0, None, ts
            elif number > last and (limit is None or number < limit or group["at"] >= stop):
                room = STEP_NS if number == last + 1 else self._disorder
                if ts >= clock - room or last < 0:
                    kept[index], last, clock = True, number, ts
        here = self._feed.position
        strays = [(0, self._stray_until - here)] if self._stray_until > here else []
        ends = np.append(groups["at"][1:], len(self._feed.data))
        for at, end in zip(groups["at"][~kept].tolist(), ends[~kept].tolist(), strict=True):
            strays.append((at, min(end, at + FRAME_BYTES)))
        self._stray_until = here + max((end for at, end in strays if at < stop), default=0)
        placed: Groups = groups[kept]
        return placed, strays

    def _nothing(self, src: int) -> None:
        """No seq is expected of any source behind an END."""

    def _blank_segment(self) -> bool:
        """Pass over a segment in which no record can begin, as it and the record behind it are all zero."""
        data = self._feed.data
        if len(data) < SEGMENT_BYTES + RECORD_BYTES or data[: SEGMENT_BYTES + RECORD_BYTES].any():
            return False
        self._ledger.blank += SEGMENT_BYTES
        self._open_hole(Cause.DAMAGE, blank=True)
        self._joined = False
        self._feed.drop(SEGMENT_BYTES)
        if not self._feed.data.any():
            self._ledger.blank += self._feed.skip_hole(SEGMENT_BYTES)
        return True

    def _salvaged(self, part: Salvaged, data: U1, start: int, groups: Groups, at_end: bool) -> Batch:
        """Book the records of ``part`` and the bytes between them; one batch with its holes."""
        raw, ledger = part.raw, self._ledger
        ends, begins = np.append(start, part.at + RECORD_BYTES), np.append(part.at, part.stop)
        gap = begins > ends
        for left, right in zip(ends[gap].tolist(), begins[gap].tolist(), strict=True):
            if at_end and right == part.stop and right - left < RECORD_BYTES:
                ledger.tail += right - left
                ledger.behind_end += right - left if self._ended else 0
                gap[-1] = False
            else:
                self._waste(data, left, right)
        kind = raw["kindsub"] & np.uint8(0xF)
        syncs, pads = int(np.count_nonzero(kind == Kind.SYNC)), int(np.count_nonzero(kind == Kind.PAD))
        ledger.sync += syncs
        ledger.pad += pads
        ledger.salvaged += len(raw) - syncs - pads
        own = groups[(groups["at"] >= start) & (groups["at"] < part.stop)]
        self._date_groups(part, own, gap)
        ahead = groups[groups["at"] >= part.stop]
        limit = int(ahead["ts"][0]) if len(ahead) else None if at_end else (self._clock or 0) + FORWARD_NS
        if self._ended:
            if (part.quality < 2).any():
                self._start_unseen()
            else:
                ledger.behind_end += len(raw) * RECORD_BYTES
        holes = self._holes(part, gap, limit)
        shown = raw["kindsub"] != _PAD
        batch = Batch(raw[shown], quality=part.quality[shown], offset=self._feed.position + part.at[shown], holes=holes)
        if len(own):
            self._before = Reference(int(own["ts"][-1]), int(own["number"][-1]))
        ends_at = part.at[raw["kindsub"] == _END]
        if len(ends_at) and (not len(own) or ends_at[-1] > own["at"][-1]):
            self._ended = True
        if at_end and not self._ended and len(own):
            ledger.open_records += int(np.count_nonzero(part.at >= own["at"][-1]))
        self._joined = len(part.at) > 0 and int(part.at[-1]) + RECORD_BYTES == part.stop
        self._recent = raw.view(np.uint8).reshape(-1, RECORD_BYTES)[-FRAME_BYTES // RECORD_BYTES :]
        return self._counted(batch)

    def _waste(self, data: U1, left: int, right: int) -> None:
        """Book bytes that are no record: blank where a 16-byte cell of the dump is all 00 or all FF, else bad."""
        first = left + -(self._feed.position + left) % RECORD_BYTES
        count = max(0, right - first) // RECORD_BYTES
        cells = data[first : first + count * RECORD_BYTES].reshape(-1, RECORD_BYTES) if count else data[:0]
        same = (cells == cells[:, :1]).all(axis=1) if count else cells.astype(bool)
        blank = RECORD_BYTES * int(np.count_nonzero(same & ((cells[:, 0] == 0) | (cells[:, 0] == 255)))) if count else 0
        self._ledger.blank += blank
        self._ledger.bad += right - left - blank
        if self._ended:
            self._ledger.behind_end += right - left - blank
        self._hole_is_blank &= blank == right - left

    def _date_groups(self, part: Salvaged, own: Groups, gap: npt.NDArray[np.bool_]) -> None:
        """Give each SYNC A the ts of its group; where frame numbers jump, a gap."""
        raw = part.raw
        raw["ts"][raw["kindsub"] == _SYNC_A] = self._before.ts if self._before else 0
        number = self._before.number if self._before else None
        for group in own:
            index = int(np.searchsorted(part.at, group["at"]))
            if index < len(part.at) and part.at[index] == group["at"]:
                raw["ts"][index] = group["ts"]
                jump = number is not None and int(group["number"]) != number + 1
                gap[index] |= jump and not (group["number"] == 0 and group["count"] == 0)
            number = int(group["number"])

    # ---------------------------------------------------------------- holes
    def _holes(self, part: Salvaged, gap: npt.NDArray[np.bool_], limit: int | None) -> tuple[Hole, ...]:
        """The uncertain stretches: bytes that are no record, and records of quality 2, between the certain ones.

        gap[i]: bytes are missing before record i (or at the end). limit: ts of the next group ahead, None = the end.
        """
        raw, quality = part.raw, part.quality
        certain = np.flatnonzero(quality < 2)
        timed = certain[_TIMED[raw["kindsub"][certain]]]
        stamps = raw["ts"][timed].astype(np.int64)
        clocks = [self._clock, *stamps.tolist()]
        uncertain = np.append((certain[1:] - certain[:-1] > 1) | gap[certain[1:]], False)[: max(0, len(certain) - 1)]
        shown = np.cumsum(np.append(0, raw["kindsub"] != _PAD))
        holes: list[Hole] = []
        if len(certain) and (certain[0] > 0 or gap[0] or self._hole is not None):
            self._open_hole(Cause.DAMAGE if gap[: certain[0] + 1].any() else Cause.GAP, blank=False)
        for place, index in enumerate(certain.tolist()):
            if place and uncertain[place - 1]:
                self._clock = clocks[int(np.searchsorted(timed, certain[place - 1], side="right"))]
                inside = slice(int(certain[place - 1]) + 1, index + 1)
                self._open_hole(Cause.DAMAGE if gap[inside].any() else Cause.GAP, blank=False)
            if self._hole is not None:
                behind = int(np.searchsorted(timed, index))
                until = int(stamps[behind]) if behind < len(stamps) else limit
                holes += self._close_hole(int(shown[index]), until, _only_source(part, gap, certain, place))
        self._clock = clocks[-1]
        if gap[-1] or (len(raw) and quality[-1] == 2):
            self._open_hole(Cause.DAMAGE if gap[-1] else Cause.GAP, blank=False if len(raw) else self._hole_is_blank)
        return tuple(holes)

    def _floor(self) -> int | None:
        """Smallest ts that a record missing from here on can have; None without any record before it."""
        return None if self._clock is None else max(0, self._clock - self._disorder)

    def _open_hole(self, cause: Cause, *, blank: bool) -> None:
        """Records may be missing from here on, unless the stream has ended."""
        if self._ended:
            return
        if self._hole is None:
            self._hole, self._hole_is_blank = (cause, self._floor()), blank
        self._hole_is_blank &= blank

    def _close_hole(self, index: int, until: int | None, src: int | None = None) -> tuple[Hole, ...]:
        """The open hole, if any, ends before record ``index``; until: ts of what follows it."""
        if self._hole is None:
            return ()
        cause, since = self._hole
        self._hole, self._hole_is_blank = None, True
        since = max(0, (until or 0) - self._disorder) if since is None else since
        if until is None:
            return (Hole(index, since, since, src, None, cause),)
        latest = until + self._disorder
        if latest < since and cause not in (Cause.RESTART, Cause.STOPPED):  # the clock went back in the hole
            since, latest = max(0, until - STEP_NS), since + STEP_NS
        return (Hole(index, min(since, latest), max(since, latest), src, None, cause),)

    def _counted(self, batch: Batch) -> Batch:
        self._account.records(batch)
        return batch


def _only_source(part: Salvaged, gap: npt.NDArray[np.bool_], certain: npt.NDArray[np.intp], place: int) -> int | None:
    """The one source of the hole before ``certain[place]``: no bytes are missing and all its records are that one's."""
    first, index = int(certain[place - 1]) + 1 if place else 0, int(certain[place])
    sources = set((part.raw["srctq"][first:index] & 0x3F).tolist())
    return None if gap[first : index + 1].any() or len(sources) != 1 else sources.pop()
