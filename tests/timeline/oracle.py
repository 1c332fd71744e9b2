"""The state machine of one layer, record by record: slow and obvious, the judge of ``npuscope.episodes``."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from npuscope.layout import BpSub, Cfg, ClkSub, Kind, State

COOL, HOT, LOST, STALE = 0, 1, 2, 3


@dataclass
class Rec:
    """One record of the source under test, or a hole / END between records (kind as text)."""

    kind: int | str
    sub: int = 0
    ts: int = 0
    layer: int = 0
    occ: int = 0
    bp_en: int = 0
    peak: int = 0
    dwell: int = 0
    word: int = 0


@dataclass
class Signal:
    """Pieces (from, state, what said so); the state of the last piece is the present one."""

    pieces: list[list] = field(default_factory=lambda: [[-(10**18), LOST, "start"]])
    conflicts: list[tuple[int, int]] = field(default_factory=list)

    @property
    def now(self) -> int:
        return self.pieces[-1][1]

    def say(self, time: int, state: int, what: str, impossible_after: tuple[int, ...] = ()) -> None:
        if self.now in impossible_after:
            self.conflicts.append((self.pieces[-1][0], time))
            self.pieces[-1][1] = LOST
        self.pieces.append([time, state, what])

    def at(self, time: int) -> int:
        """State in the nanosecond that begins at ``time``."""
        return min([state for start, state, _ in self.pieces if start <= time][-1], LOST)

    def episodes(self) -> list[tuple[int, int, bool, bool]]:
        """(start, end, left-censored, right-censored) of each run of HOT."""
        found = []
        opened = None
        for before, piece in pairwise(self.pieces):
            time, state, what = piece
            if opened is not None and state != HOT:
                found.append((*opened, time, what != "EXIT"))
                opened = None
            if opened is None and state == HOT:
                opened = (time, not (what == "ENTER" and before[1] == COOL))
        return [(start, end, left, right) for start, left, end, right in found]


def axis_times(records: list[Rec], disorder: int) -> list[int]:
    """Axis time of each record of a source; holes and END get the time of the last record before them."""
    offset, previous, raw = 0, None, []
    for i, record in enumerate(records):
        if record.kind in ("hole", "end"):
            raw.append(None if record.kind == "hole" else record.ts + offset)
            continue
        low = record.kind == Kind.CLK and record.sub == ClkSub.STEP_LO
        if low and i + 1 < len(records) and records[i + 1].kind == Kind.CLK and records[i + 1].sub == ClkSub.STEP_HI:
            size = record.word | records[i + 1].word << 32
            offset -= size - (1 << 64 if size >> 63 else 0)
        time = record.ts + offset
        minor = record.kind == Kind.BP and record.sub in NO_EVIDENCE
        own = record.kind in (Kind.BP, Kind.CLK) or (record.kind == Kind.LOSS and record.sub < 8)
        own = own and (record.kind, record.sub) != (Kind.CLK, ClkSub.STATE)
        own = own and not minor
        if record.kind == Kind.LOSS and record.sub < 8 and tells_step(records[i + 1 : i + 5]):
            raw.append((10**18, False, False) if previous is None else (previous, True, False))  # as early as it can be
            continue
        if own:
            if previous is not None and time < previous - disorder:
                offset += previous - time
                time = previous
            previous = time
        raw.append((time, own, minor))
    times, floor = [], None
    for i, entry in enumerate(raw):
        if entry is None:
            times.append(floor if floor is not None else 0)
            continue
        if isinstance(entry, int):
            floor = entry if floor is None else max(floor, entry)
            times.append(floor)
            continue
        time, own, minor = entry
        if minor:
            times.append(floor if floor is not None else time)  # it moves nothing
            continue
        if not own:
            later = [t for t, o, _ in (e for e in raw[i:] if isinstance(e, tuple)) if o]
            later += [raw[-1]] if isinstance(raw[-1], int) else []  # END
            if later:
                ahead = max([later[0], *([floor] if floor is not None else [])])
                time = min(time, ahead)
        floor = time if floor is None else max(floor, time)
        times.append(floor)
    return times


def tells_step(after: list[Rec]) -> bool:
    """Whether a LOSS burst goes on with a dropped step."""
    wanted = [(Kind.CLK, sub) for sub in (ClkSub.STATE, ClkSub.STEP_LO, ClkSub.STEP_HI)]
    return [(r.kind, r.sub) for r in after[1:]] == wanted


def replay(records: list[Rec], layer: int, disorder: int = 1000) -> tuple[Signal, Signal]:
    """hot and dry of one layer; ``records`` must end with a hole or an end."""
    hot, dry = Signal(), Signal()
    limits = None
    times = axis_times(records, disorder)
    evidence = times[0]
    bit = 1 << layer
    i = 0
    while i < len(records):
        record, time, step = records[i], times[i], 1
        if record.kind == "hole":
            both(hot, dry, evidence, LOST, "lost")
        elif record.kind == "end" or (record.kind == Kind.CLK and record.sub != ClkSub.STATE):
            both(hot, dry, time, LOST, "lost")
        elif record.kind == Kind.CFG and record.sub == Cfg.BP_LIMITS:
            limits = record.word
        elif record.kind == Kind.LOSS:
            mask = 0
            following = records[i + 1]
            if record.sub < 8 and following.kind == Kind.LOSS and following.sub == record.sub | 8:
                mask, step = following.word, 2
            if mask == 0 or mask & bit:
                both(hot, dry, time, LOST, "lost")
        elif record.kind == Kind.STATE:
            four = records[i : i + 4]
            if [(r.kind, r.sub) for r in four] == [(Kind.STATE, sub) for sub in range(4)]:
                step = 4
                if four[State.UNKNOWN].word & bit:
                    both(hot, dry, time, STALE, "keyframe", (COOL, HOT))
                else:
                    for signal, word in ((hot, four[State.HOT].word), (dry, four[State.DRY].word)):
                        state = HOT if word & bit else COOL
                        signal.say(time, state, "keyframe", (COOL if state == HOT else HOT, STALE))
            elif record.sub == State.UNKNOWN and record.word & bit:
                both(hot, dry, time, STALE, "tick")
        elif record.kind == Kind.BP and record.layer == layer:
            own_record(hot, dry, record, time, limits)
        if record.kind not in ("hole", "end") and not (record.kind == Kind.BP and record.sub in NO_EVIDENCE):
            evidence = times[i + step - 1]
        i += step
    return hot, dry


NO_EVIDENCE = (BpSub.LEVEL, BpSub.BP_ON, BpSub.BP_OFF, BpSub.RAW)


def both(hot: Signal, dry: Signal, time: int, state: int, what: str, impossible_after: tuple[int, ...] = ()) -> None:
    hot.say(time, state, what, impossible_after)
    dry.say(time, state, what, impossible_after)


def own_record(hot: Signal, dry: Signal, record: Rec, time: int, limits: int | None) -> None:
    """What a BP record of the layer itself says."""
    if record.sub in NO_EVIDENCE:
        return
    if record.sub == BpSub.ENTER:
        hot.say(time, HOT, "ENTER", (HOT,))
    elif record.sub == BpSub.EXIT:
        hot.say(time, COOL, "EXIT", (COOL, STALE))
    elif record.sub == BpSub.KNOWN:
        hot.say(time, COOL, "KNOWN", (COOL, HOT))
    elif record.sub == BpSub.DRY:
        hot.say(time, COOL, "DRY", (HOT, STALE))
    if record.sub == BpSub.DRY:
        dry.say(time, HOT, "DRY", (HOT, STALE))
    elif record.sub == BpSub.WET:
        dry.say(time, COOL, "WET", (COOL, STALE))
    elif record.occ == 0:
        dry.say(time, HOT, "occupancy")
    elif limits is not None and record.occ >= limits >> 24 & 63:
        dry.say(time, COOL, "occupancy")
    elif dry.now == STALE and dry.pieces[-1][2] in ("keyframe", "tick"):
        dry.say(time, COOL, "first report")
    elif limits is None:
        dry.say(time, LOST, "limits not known")
    else:
        dry.say(time, dry.now, "as before")
