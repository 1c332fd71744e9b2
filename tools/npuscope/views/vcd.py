"""A capture as a VCD file, to lay beside the simulation: per buffer full, empty, backpressure and occupancy.

Times are ns after the first record; x is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from npuscope.episodes import Lane
from npuscope.intervals import contains
from npuscope.occupancy import Level
from npuscope.timeline import Timeline
from npuscope.units import time_unit

__all__ = ["vcd_lines"]

I8 = npt.NDArray[np.int64]
SIGNALS: Final = (("full", 1), ("empty", 1), ("bp_en", 1), ("occ", 6))
"""Signals of each buffer and their bits."""
_FIRST, _CODES = ord("!"), 94
_CHUNK: Final = 1 << 16


def vcd_lines(timeline: Timeline, levels: Sequence[Level], title: str) -> Iterator[str]:
    """The file in pieces of whole lines. levels: occupancy per buffer, or an empty sequence."""
    buffers = timeline.description.buffers
    if time_unit() == "ns":
        yield f"$comment npuscope: {_word(title)}, time 0 is {timeline.start_ns} ns TAI $end\n$timescale 1 ns $end\n"
    else:  # without a timescale: how long a count is nobody knows
        yield f"$comment npuscope: {_word(title)}, times are {time_unit()}s, 0 is {timeline.start_ns} $end\n"
    yield "$scope module npuscope $end\n"
    for u, name in enumerate(_names([buffer.name for buffer in buffers])):
        wires = "".join(
            f"$var wire {bits} {_code(len(SIGNALS) * u + i)} {signal} $end\n"
            for i, (signal, bits) in enumerate(SIGNALS)
        )
        yield f"$scope module {name} $end\n{wires}$upscope $end\n"
    yield "$upscope $end\n$enddefinitions $end\n"
    times, signals, values = _changes(timeline, levels)
    order = np.lexsort((signals, times))
    codes = [_code(i) for i in range(len(SIGNALS) * len(buffers))]
    wide = [signal % len(SIGNALS) == len(SIGNALS) - 1 for signal in range(len(codes))]
    now = -1
    for low in range(0, len(order), _CHUNK):
        some = order[low : low + _CHUNK]
        lines = []
        for time, signal, value in zip(
            times[some].tolist(), signals[some].tolist(), values[some].tolist(), strict=True
        ):
            if time != now:
                lines.append(f"#{time}")
                now = time
            if wide[signal]:
                lines.append(f"b{value:06b} {codes[signal]}" if value >= 0 else f"bx {codes[signal]}")
            else:
                lines.append(f"{'x' if value < 0 else value}{codes[signal]}")
        yield "\n".join(lines) + "\n"
    end = timeline.end_ns - timeline.start_ns
    yield f"#{end}\n" if end > now else ""


def _changes(timeline: Timeline, levels: Sequence[Level]) -> tuple[I8, I8, I8]:
    """Time after the first record, number of the signal and new value (-1 = x) of every change."""
    found = []
    origin, end = timeline.start_ns, timeline.end_ns
    for u in range(len(timeline.hot)):
        for i, lanes in enumerate((timeline.hot, timeline.dry, timeline.bp)):
            time, value = _lane(lanes[u], origin)
            found.append((time, np.full(len(time), len(SIGNALS) * u + i), value))
        told = (levels[u].time, levels[u].occ) if levels else (np.empty(0, np.int64), np.empty(0, np.uint8))
        time, value = _known(np.clip(told[0], origin, end), told[1], timeline.hot[u], origin)
        found.append((time, np.full(len(time), len(SIGNALS) * u + len(SIGNALS) - 1), value))
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    times, signals, values = (np.concatenate(column) for column in zip(*found, strict=True))
    return times - origin, signals, values


def _lane(lane: Lane, origin: int) -> tuple[I8, I8]:
    time = np.unique(np.concatenate([[origin], lane.true.ravel(), lane.unknown.ravel()]).astype(np.int64))
    value = np.where(contains(lane.unknown, time), -1, contains(lane.true, time).astype(np.int64))
    return _thin(time, value)


def _known(time: I8, code: npt.NDArray[np.uint8], hot: Lane, origin: int) -> tuple[I8, I8]:
    """The occupancy that was told last; x before the first record and from each stretch of unknown on."""
    lost = np.concatenate([[origin], hot.unknown[:, 0]]).astype(np.int64)
    at = np.concatenate([lost, time])
    value = np.concatenate([np.full(len(lost), -1), code.astype(np.int64)])
    order = np.argsort(at, kind="stable")
    return _thin(at[order], value[order])


def _thin(time: I8, value: I8) -> tuple[I8, I8]:
    """Of changes at one time the last, of equal values that follow one another the first."""
    last = np.append(np.diff(time) > 0, True)
    time, value = time[last], value[last]
    new = np.append(True, value[1:] != value[:-1])
    return time[new], value[new]


def _names(names: Sequence[str]) -> list[str]:
    """Names that every reader of VCD takes, all different."""
    words = [_word(name) for name in names]
    return [word if words.count(word) == 1 else f"{word}_{i}" for i, word in enumerate(words)]


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", text) or "_"


def _code(number: int) -> str:
    """Identifier of a signal: printable characters, few for the first."""
    out = ""
    while True:
        number, digit = divmod(number, _CODES)
        out += chr(_FIRST + digit)
        if not number:
            return out
        number -= 1
