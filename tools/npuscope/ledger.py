"""What became of every byte and every record of a capture: the ledger that each decode writes.

Law, checked at the end of every decode: ``total = 16 * (ok + salvaged + sync + pad) + bad + blank + tail + header``
(and ``text`` for a text dump).
Per source ``accepted = decoded + missing``; ``dropped`` is what the hardware told of its own losses. Where a number
is not provable the ledger says so (``exact`` false, ``count`` None) and never guesses.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final

from npuscope.errors import Exit, NpuscopeError
from npuscope.layout import RECORD_BYTES, LossCause

__all__ = ["Cause", "ClockStep", "Ledger", "SourceCount", "Window", "Windows"]

MAX_LISTED: Final = 4096
"""Entries kept one by one in each list of the ledger; later ones are merged or counted: memory stays constant."""


class Cause(StrEnum):
    """Why something is not known. The first four are found by the decoder, the others told by LOSS records."""

    DAMAGE = "damage"  # bytes that are no record
    GAP = "gap"  # frames or records missing between bytes that are all good
    RESTART = "restart"  # frame 0 without END before it
    STOPPED = "stopped"  # between END and the next start
    FIFO_FULL = "fifo full"
    COLLECTOR = "collector"
    CROSSING = "crossing"
    DISABLED = "disabled"
    UNKNOWN_VALUE = "unknown value"  # x or z in a text
    NOT_RECORDED = "not recorded"  # $dumpoff of a waveform
    OTHER_LOSS = "loss of another cause"

    @classmethod
    def of_loss(cls, code: int) -> Cause:
        """The cause of a LOSS record's 3-bit code."""
        names = {member.value: member.name for member in LossCause}
        return cls[names[code]] if code in names else cls.OTHER_LOSS


@dataclass(slots=True)
class Window:
    """A time in which records may be missing. src None: every source. layers 0: every layer of it.

    from_ns, to_ns: earliest and latest ts that a missing record can have, both inclusive; in the clock epoch of the
    records beside it. count: records lost, None = not known. merged: windows that this entry stands for.
    """

    src: int | None
    layers: int
    from_ns: int
    to_ns: int
    cause: Cause
    count: int | None
    merged: int = 1


class Windows(list[Window]):
    """The unknown windows in stream order; beyond ``MAX_LISTED`` the last one of same source and cause grows."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[int | None, Cause], Window] = {}

    def note(self, window: Window) -> Window:
        """Add ``window``; returns the entry that now stands for it."""
        key = (window.src, window.cause)
        last = self._last.get(key)
        if len(self) < MAX_LISTED or last is None:
            self.append(window)
            self._last[key] = window
            return window
        last.from_ns = min(last.from_ns, window.from_ns)
        last.to_ns = max(last.to_ns, window.to_ns)
        last.layers = last.layers | window.layers if last.layers and window.layers else 0
        last.count = None if last.count is None or window.count is None else last.count + window.count
        last.merged += window.merged
        return last


@dataclass(slots=True)
class SourceCount:
    """Records of one source since the start of the capture.

    decoded: with quality 0 or 1. possible: with quality 2, beside ``decoded``. missing: accepted by the framer, not
    decoded. exact: ``missing`` is proven by a CNT record; else it is a lower bound (seq counts modulo 256).
    dropped: told by LOSS and CNT DROPPED, never in the stream.
    """

    decoded: int = 0
    possible: int = 0
    missing: int = 0
    dropped: int = 0
    exact: bool = False

    @property
    def accepted(self) -> int:
        """Records that the framer put into the stream."""
        return self.decoded + self.missing


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A clock step as the first source told it: ts in the new time, signed size in ns."""

    src: int
    ts: int
    step_ns: int


@dataclass(slots=True)
class Ledger:
    """See the module. ``total``, ``bad``, ``blank``, ``tail``, ``header`` are bytes; ok .. pad are records.

    ok: records of good frames. salvaged: of open and damaged frames (quality 1 and 2). sync: SYNC records of both.
    bad: bytes that are no record. blank: the 16-byte cells of them that are all 00 or all FF. tail: a cut last record.
    behind_end: bytes of ``bad``, ``tail`` and doubtful records that stand behind an END, where nothing can be.
    importer: format of a foreign dump, empty for a trace of ours. time_unit: what stands for ns everywhere, where the
    dump does not tell how long it is: ``tick``, ``cycle``.
    text: bytes of a text dump that were understood, lines: samples in them; both are 0 for a binary dump.
    frames: good ones. open_records: records after the last group of a stream without END, quality 1.
    runs: starts seen. restarts: starts without END before them. end_seen: the last run ended with END.
    late: good records older than the format's ``max_disorder_ns`` allows; they keep their place.
    conflicts: contradictions between parts of the stream; any of them means exit code 4.
    kinds, unknown: records by kind name, and by ``kind.sub`` for those this version does not know.
    version: (major, minor) told by CFG; hash: description hash told by CFG, 0 = none, None = not seen.
    config: CFG words last told, by source and word. clock: time quality -> records.
    """

    total: int = 0
    header: int = 0
    ok: int = 0
    salvaged: int = 0
    sync: int = 0
    pad: int = 0
    bad: int = 0
    blank: int = 0
    tail: int = 0
    behind_end: int = 0
    text: int = 0
    lines: int = 0
    frames: int = 0
    open_records: int = 0
    runs: int = 0
    restarts: int = 0
    end_seen: bool = False
    late: int = 0
    possible: int = 0
    conflict_count: int = 0
    conflicts: list[str] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    sources: dict[int, SourceCount] = field(default_factory=dict)
    windows: Windows = field(default_factory=Windows)
    step_count: int = 0
    steps: list[ClockStep] = field(default_factory=list)
    version: tuple[int, int] | None = None
    hash: int | None = None
    clock: dict[int, int] = field(default_factory=dict)
    config: dict[int, dict[int, int]] = field(default_factory=dict)
    first_ts: int | None = None
    last_ts: int | None = None
    files: list[str] = field(default_factory=list)
    importer: str = ""
    time_unit: str = "ns"
    swap: int = 0
    notes: list[str] = field(default_factory=list)
    complete: bool = False

    @property
    def records(self) -> int:
        """Records of any kind but PAD that were found, doubtful ones included."""
        return self.ok + self.salvaged + self.sync

    @property
    def epochs(self) -> int:
        """Clock epochs: stretches of time without a step."""
        return self.step_count + 1

    @property
    def missing(self) -> int:
        """Records accepted but not decoded, all sources."""
        return sum(count.missing for count in self.sources.values())

    @property
    def dropped(self) -> int:
        """Records lost in the hardware and told, all sources."""
        return sum(count.dropped for count in self.sources.values())

    @property
    def exact(self) -> bool:
        """Whether every ``missing`` is proven."""
        return all(count.exact for count in self.sources.values())

    @property
    def damaged(self) -> bool:
        """Whether bytes were bad or records are missing that the framer accepted."""
        return bool(self.bad or self.tail or self.missing or self.possible)

    def conflict(self, text: str) -> None:
        """Note a contradiction."""
        self.conflict_count += 1
        if len(self.conflicts) < MAX_LISTED:
            self.conflicts.append(text)

    def note(self, text: str) -> None:
        """Note something a user should know, once."""
        if text not in self.notes and len(self.notes) < MAX_LISTED:
            self.notes.append(text)

    def accounted(self) -> int:
        """Bytes that the law explains."""
        records = self.ok + self.salvaged + self.sync + self.pad
        return RECORD_BYTES * records + self.text + self.bad + self.blank + self.tail + self.header

    def check(self) -> None:
        """Raise NpuscopeError (exit 4) unless the law holds."""
        if self.accounted() != self.total:
            raise NpuscopeError(
                "the ledger does not balance, which is a defect of npuscope",
                found=f"{self.accounted()} bytes explained",
                expected=str(self.total),
                hint="please report it",
                exit_code=Exit.CONFLICT,
            )

    def to_json(self) -> dict[str, Any]:
        """Plain dict with stable keys; integers are bytes, records or ns as in the class."""
        listed = ("sources", "config", "windows", "steps")
        table = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in listed}
        table |= {"missing": self.missing, "dropped": self.dropped, "exact": self.exact, "epochs": self.epochs}
        table["sources"] = {
            str(src): {"accepted": count.accepted, **asdict(count)} for src, count in sorted(self.sources.items())
        }
        table["config"] = {
            str(src): {str(word): value for word, value in sorted(words.items())}
            for src, words in sorted(self.config.items())
        }
        table["clock"] = {str(quality): count for quality, count in sorted(self.clock.items())}
        table["windows"] = [asdict(window) for window in self.windows]
        table["steps"] = [asdict(step) for step in self.steps]
        table["version"] = list(self.version) if self.version else None
        return table
