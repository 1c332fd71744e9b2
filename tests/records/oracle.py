"""The decoder once more, slow and obvious: record by record in plain Python, whole file in memory, one segment.

Says for each record its byte, its 16 bytes and its quality, in stream order, and how many bytes are none. It shares
the constants of the format and the time limits of the salvage with the decoder, and nothing else.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import zlib
from dataclasses import dataclass

from npuscope.crc import crc8
from npuscope.layout import FRAME_RECORDS, GROUP_RECORDS, MAGIC, MAGIC_BYTES, SRC_FRAMER, Kind, SyncSub
from npuscope.records.salvage import EXEMPT_NS, FORWARD_NS, KNOWN, STEP_NS

DISORDER = 1000
OLD = {Kind.LOSS, Kind.STATE, Kind.CNT, Kind.CFG, Kind.SYNC, Kind.CLK}


@dataclass
class Rec:
    """A record at byte ``at``."""

    at: int
    data: bytes
    quality: int = 0

    @property
    def ts(self) -> int:
        return int.from_bytes(self.data[:8], "little")

    @property
    def kind(self) -> int:
        return self.data[8] & 0xF

    @property
    def sub(self) -> int:
        return self.data[8] >> 4

    @property
    def src(self) -> int:
        return self.data[9] & 0x3F

    @property
    def seq(self) -> int:
        return self.data[10]

    @property
    def payload(self) -> int:
        return int.from_bytes(self.data[12:], "little")

    def sync(self, sub: int) -> bool:
        return (
            self.kind == Kind.SYNC and self.sub == sub and self.src == SRC_FRAMER and crc8(self.data) == self.data[11]
        )


@dataclass
class Group:
    """A valid group."""

    at: int
    number: int
    ts: int
    crc: int
    count: int


def record(data: bytes, at: int) -> Rec:
    return Rec(at, data[at : at + 16])


def find_groups(data: bytes) -> list[Group]:
    groups = []
    for at in range(len(data) - 47):
        if data[at : at + 8] == MAGIC_BYTES:
            a, b, c = (record(data, at + 16 * i) for i in range(3))
            if a.sync(SyncSub.A) and b.sync(SyncSub.B) and c.sync(SyncSub.C) and b.ts < 1 << 63:
                groups.append(Group(at, a.payload, b.ts, b.payload, c.payload & 0xFFFF))
    return groups


def good_end(data: bytes, groups: list[Group], index: int) -> tuple[int, bool] | None:
    """Where the frame of ``groups[index]`` ends and whether an END ends it, if it is good."""
    group = groups[index]
    following = groups[index + 1] if index + 1 < len(groups) else None
    if following is not None:
        size = following.at - group.at
        agrees = following.number == (group.number + 1) % (1 << 32) and size == 16 * following.count
        if agrees and GROUP_RECORDS <= following.count <= FRAME_RECORDS:
            return (following.at, False) if zlib.crc32(data[group.at : following.at]) == following.crc else None
    stop = min(following.at if following else len(data), group.at + 16 * FRAME_RECORDS)
    for at in range(group.at + 16 * GROUP_RECORDS, stop - 15, 16):
        end = record(data, at)
        if end.sync(SyncSub.END) and end.payload == zlib.crc32(data[group.at : at]):
            return at + 16, True
    return None


class Oracle:
    """``records``: all records in stream order; ``waste``: bytes that are none."""

    def __init__(self, data: bytes) -> None:
        self.data, self.groups = data, find_groups(data)
        self.records: list[Rec] = []
        self.waste = 0
        self.before: Group | None = None
        self.next_seq: dict[int, int] = {}
        self.from_start = self.ended = self.joined = False
        self.recent: set[bytes] = set()
        self.strays: list[tuple[int, int]] = []
        at = index = 0
        while at < len(data):
            while index < len(self.groups) and self.groups[index].at < at:
                index += 1
            good = next((i for i in range(index, len(self.groups)) if good_end(data, self.groups, i)), None)
            stop = self.groups[good].at if good is not None else len(data)
            if stop > at:
                self.unverified(at, stop, good is not None)
                at = stop
                continue
            assert good is not None
            at = self.good(good)

    # ---------------------------------------------------------------- good frames
    def good(self, index: int) -> int:
        """Take the good frames from ``groups[index]`` on up to a bad one or an END."""
        run: list[Rec] = []
        while True:
            group = self.groups[index]
            found = good_end(self.data, self.groups, index)
            if found is None:
                break
            self.seam(group)
            stop, ended = found
            frame = [record(self.data, at) for at in range(group.at, stop, 16)]
            self.take(frame)
            run += frame
            self.before, self.joined, self.ended = group, True, ended
            index += 1
            if ended:
                self.recent = {each.data for each in run[-FRAME_RECORDS:]}
                return stop
        self.recent = {each.data for each in run[-FRAME_RECORDS:]}
        return self.groups[index].at

    def seam(self, group: Group) -> None:
        first = self.before is None
        if not first and self.before is not None and group.number == self.before.number + 1 and not self.ended:
            return
        if group.number == 0 and group.count == 0:
            self.start()
        elif not first and (self.ended or (self.before is not None and group.number <= self.before.number)):
            self.next_seq, self.from_start, self.ended = {}, False, False

    def start(self) -> None:
        self.next_seq, self.from_start, self.ended = {}, True, False

    def take(self, frame: list[Rec]) -> None:
        self.records += frame
        for each in frame:
            if each.quality < 2 and each.kind != Kind.PAD:
                self.next_seq[each.src] = (each.seq + 1) % 256

    # ---------------------------------------------------------------- salvage
    def unverified(self, start: int, stop: int, good_behind: bool) -> None:
        every = self.groups
        self.groups = self.in_place(start, stop, good_behind)
        self.unverified_in_place(start, stop, good_behind)
        self.groups = every

    def in_place(self, start: int, stop: int, good_behind: bool) -> list[Group]:
        """Groups from ``start`` on whose numbers rise, those before ``stop`` not beyond the good frame there."""
        kept = [g for g in self.groups if g.at < start]
        last = self.before.number if self.before else -1
        clock = self.before.ts if self.before else 0
        at_stop = next((g.number for g in self.groups if g.at == stop), None) if good_behind else None
        limit = at_stop if at_stop is not None and at_stop > last else None
        for g in self.groups:
            if g.at < start:
                continue
            back = g.ts < clock - (STEP_NS if g.number == last + 1 else DISORDER) and last >= 0
            if g.number == 0 and g.count == 0:
                kept.append(g)
                last, limit, clock = 0, None, g.ts
            elif g.number > last and (limit is None or g.number < limit or g.at >= stop) and not back:
                kept.append(g)
                last, clock = g.number, g.ts
        self.strays = []
        for g in self.groups:
            if g.at >= start and g not in kept:
                end = min([other.at for other in self.groups if other.at > g.at] + [g.at + 16 * FRAME_RECORDS])
                self.strays.append((g.at, end))
        return kept

    def unverified_in_place(self, start: int, stop: int, good_behind: bool) -> None:
        starts = [g.at for g in self.groups if start < g.at < stop and g.number == 0 and g.count == 0]
        for left, right in zip([start, *starts], [*starts, stop], strict=True):
            if any(g.at == left and g.number == 0 and g.count == 0 for g in self.groups):
                self.start()
            self.salvage(left, right, good_behind or right < stop)

    def window(self, at: int) -> tuple[int, int] | None:
        left = [g for g in self.groups if g.at <= at]
        before = left[-1] if left and left[-1].at >= self.low_edge else self.before
        after = next((g for g in self.groups if g.at > at), None)
        if before is None and after is None:
            return None
        if before is None:
            assert after is not None
            return max(0, after.ts - FORWARD_NS), after.ts + DISORDER
        if after is None or after.number == 0:
            return max(0, before.ts - DISORDER), before.ts + FORWARD_NS
        if after.ts + DISORDER < before.ts:
            return max(0, after.ts - STEP_NS), before.ts + STEP_NS
        return max(0, before.ts - DISORDER), after.ts + DISORDER

    def believable(self, each: Rec) -> bool:
        if not KNOWN[each.data[8]] or crc8(each.data) != each.data[11]:
            return False
        if (each.ts == MAGIC) != (each.kind == Kind.SYNC and each.sub == SyncSub.A):
            return False
        window = self.window(each.at)
        if window is None:
            return False
        if each.ts == MAGIC:
            return True
        if each.kind == Kind.PAD:
            return (each.ts == 0 and each.data[11] == crc8(bytes(16))) or window[0] <= each.ts <= window[1]
        low = window[0] - EXEMPT_NS if each.kind in OLD else window[0]
        return low <= each.ts <= window[1]

    def salvage(self, start: int, stop: int, good_behind: bool) -> None:
        self.low_edge = start
        limit = stop - 15 if good_behind else len(self.data) - 15
        places = [at for at in range(start, limit) if not any(low <= at < high for low, high in self.strays)]
        found = [each for at in places if self.believable(each := record(self.data, at))]
        found = self.settle(found)
        seen, fresh = set(self.recent), []
        for each in found:
            if each.data not in seen or each.kind == Kind.PAD:
                fresh.append(each)
            seen.add(each.data)
        self.judge(fresh, start, stop, good_behind)
        at = start
        for each in fresh:
            self.waste += each.at - at
            at = each.at + 16
        self.waste += stop - at
        if self.ended and any(each.quality < 2 for each in fresh):
            self.next_seq, self.from_start, self.ended = {}, False, False
        self.take(fresh)
        own = [g for g in self.groups if start <= g.at < stop]
        ends = [each.at for each in fresh if each.kind == Kind.SYNC and each.sub == SyncSub.END]
        if ends and (not own or ends[-1] > own[-1].at):
            self.ended = True
        self.before = own[-1] if own else self.before
        self.joined = bool(fresh) and fresh[-1].at + 16 == stop
        self.recent = {each.data for each in fresh[-FRAME_RECORDS:]}

    @staticmethod
    def settle(found: list[Rec]) -> list[Rec]:
        """Of overlapping records those of the longest seq-contiguous run, then of the lowest byte."""
        runs: list[list[Rec]] = []
        for each in found:
            run = next((run for run in runs if run[-1].at + 16 == each.at), None)
            own = [other.seq for other in run if other.src == each.src] if run else []
            if run is None or (own and (own[-1] + 1) % 256 != each.seq):
                runs.append([each])
            else:
                run.append(each)
        taken: list[Rec] = []
        for run in sorted(runs, key=lambda run: (-len(run), run[0].at)):
            for each in run:
                if all(abs(each.at - other.at) >= 16 for other in taken):
                    taken.append(each)
        return sorted(taken, key=lambda each: each.at)

    def judge(self, found: list[Rec], start: int, stop: int, good_behind: bool) -> None:
        places = {each.at for each in found}
        begins = any(g.at == start and g.number == 0 and g.count == 0 for g in self.groups)
        for index, each in enumerate(found):
            left = each.at - 16 in places or (each.at == start and (self.joined or begins))
            behind = each.at + 16
            at_end = not good_behind and index == len(found) - 1 and len(self.data) - behind < 16
            right = behind in places or (good_behind and behind == stop) or at_end
            sides = [2, 2]
            if each.kind != Kind.PAD:
                own = [other for other in found if other.src == each.src and other.kind != Kind.PAD]
                place = own.index(each)
                wanted = self.next_seq.get(each.src, 0 if self.from_start else None) if not self.ended else None
                if place:
                    wanted = (own[place - 1].seq + 1) % 256
                sides[0] = 1 if wanted is None else 2 if each.seq == wanted else 0
                if place + 1 < len(own):
                    sides[1] = 2 if own[place + 1].seq == (each.seq + 1) % 256 else 0
                else:
                    sides[1] = 1
            each.quality = 1 if left and right and min(sides) and sum(sides) > 2 else 2
        own_groups = [g for g in self.groups if start <= g.at <= stop]
        closed = [(one.at, two.at) for one, two in itertools.pairwise(own_groups) if two.number == one.number + 1]
        if own_groups:
            last = own_groups[-1].at
            ends = [r.at for r in found if r.kind == Kind.SYNC and r.sub == SyncSub.END and r.at > last]
            closed += [(last, ends[0])] if ends else []
        for low, high in closed:
            inside = [each for each in found if low <= each.at < high]
            if 16 * len(inside) == high - low:
                for each in inside:
                    each.quality = 2
