"""Big NPT1 dumps fast: full frames of backpressure traffic, for benches and for tests with many records.

Head (start sequence) and tail (counters, END) come from ``writer.Writer``; the frames between are made by numpy, and
must be such as the Writer would have written: the tests replay them record by record. Each layer walks through one
cycle of events, so that keyframes follow from the number of events alone. Which layer has the next event is random
(``fronts=False``: all layers independent, the worst case for an analysis), or congestion fronts go up the chain of all
layers (``fronts=True``): from a layer picked at random, those upstream of it become hot in turn and cool in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from npuscope.crc import crc8, crc8_records, crc32
from npuscope.encode.mirror import BpLimits, SourceConfig
from npuscope.encode.record import payload, payload_fields
from npuscope.encode.stream import StreamState
from npuscope.encode.writer import Writer
from npuscope.layout import (
    FRAME_RECORDS,
    GROUP_RECORDS,
    MAGIC,
    MAX_LAYERS,
    RECORD,
    RECORD_BYTES,
    SRC_FRAMER,
    BpSub,
    Cnt,
    Kind,
    State,
    SyncSub,
    TimeQuality,
)

__all__ = ["Bulk", "damage"]

CYCLE = (
    (BpSub.WET, {"occ": 8, "peak": 8}),
    (BpSub.ENTER, {"occ": 57, "peak": 57}),
    (BpSub.LEVEL, {"occ": 60, "peak": 60}),
    (BpSub.BP_ON, {"occ": 62, "peak": 62, "bp_en": 1}),
    (BpSub.LEVEL, {"occ": 63, "peak": 63, "bp_en": 1}),
    (BpSub.EXIT, {"occ": 40, "peak": 63, "bp_en": 1}),
    (BpSub.BP_OFF, {"occ": 20, "peak": 20}),
    (BpSub.DRY, {"occ": 0, "peak": 0}),
)
"""What a layer reports in turn; a layer of phase j has reported the events before j since it was dry last."""

_AGAIN = ((BpSub.LEVEL, {"occ": 60, "peak": 63, "bp_en": 1}), (BpSub.LEVEL, {"occ": 63, "peak": 63, "bp_en": 1}))
_ENTER, _BP_ON, _EXIT = 1, 3, 5
_DWELL = next(field for field in payload_fields(Kind.BP, BpSub.EXIT) if field.name == "dwell")
_DWELL_LSB, _DWELL_MAX, _DWELL_SHIFT = _DWELL.lsb, (1 << _DWELL.width) - 1, BpLimits().k
_CONTENT = FRAME_RECORDS - GROUP_RECORDS
_CHUNK_FRAMES = 64


@dataclass
class Bulk:
    """A dump of about ``size`` bytes (at least one frame of traffic), the same for the same arguments.

    sources, layers: 1 to 8 sources of 1 to 32 layers, all of them in the dry mask. gap_ns: mean time between events.
    fronts: see above. levels: pairs of LEVEL records added to each episode, so that it has 8 + 2 * levels records.
    After iteration ``episodes`` counts the hot episodes closed, ``hot_ns`` their time, i8[sources, layers], and
    ``records`` all records.
    """

    size: int
    sources: int = 4
    layers: int = 12
    gap_ns: int = 40
    start_ts: int = 1_700_000_000_000_000_000
    seed: int = 1
    desc_hash: int = 0
    header: bytes = b""
    fronts: bool = False
    levels: int = 0
    records: int = field(default=0, init=False)
    episodes: int = field(default=0, init=False)
    hot_ns: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        if not (1 <= self.sources <= 8 and 1 <= self.layers <= MAX_LAYERS and self.gap_ns >= 1 and self.levels >= 0):
            raise ValueError("sources is 1 to 8, layers 1 to 32, gap_ns at least 1, levels at least 0")
        self._lanes = self.sources * self.layers
        cycle = CYCLE[:_EXIT] + _AGAIN * self.levels + CYCLE[_EXIT:]
        self._exit = _EXIT + len(_AGAIN) * self.levels
        self._length, phases = len(cycle), np.arange(len(cycle))
        self._hot = (phases > _ENTER) & (phases <= self._exit)
        self._bp_en = (phases > _BP_ON) & (phases <= self._exit + 1)
        self._dry = phases == 0
        self._sub = np.array([sub for sub, _ in cycle], np.uint8)
        self._word = np.array([payload(Kind.BP, sub, **fields) for sub, fields in cycle], np.uint32)
        self.hot_ns = np.zeros((self.sources, self.layers), np.int64)

    def __iter__(self) -> Iterator[bytes]:
        """The dump in pieces: head, chunks of up to 64 frames (512 KiB), tail."""
        self.episodes = 0
        self.hot_ns[:] = 0
        self._waiting = np.empty(0, np.int64)
        self._rng = np.random.default_rng(self.seed)
        self._count = np.zeros(self._lanes, np.int64)
        self._enter = np.zeros(self._lanes, np.int64)
        writer = self._head()
        self._last = bytes(writer.data()[-FRAME_RECORDS * RECORD_BYTES :])
        self.records = head = writer.records
        yield writer.data()
        frames = max(1, self.size // (FRAME_RECORDS * RECORD_BYTES) - head // FRAME_RECORDS)
        while frames:
            count = min(frames, _CHUNK_FRAMES)
            yield self._chunk(writer.state, count)
            frames -= count
            self.records += count * FRAME_RECORDS
        for src, mirror in enumerate([writer.state.mirrors[src] for src in range(self.sources)]):
            phase = (self._count % self._length).reshape(self.sources, self.layers)[src]
            mirror.hot, mirror.bp_en, mirror.dry = (
                int(self._mask(flags[phase])) for flags in (self._hot, self._bp_en, self._dry)
            )
        writer.resume(self._last, self._ts, TimeQuality.LOCKED)
        writer.flush()
        self.records += writer.records - head
        yield writer.data()[len(self.header) + head * RECORD_BYTES :]

    def data(self) -> bytes:
        """The whole dump."""
        return b"".join(self)

    def _head(self) -> Writer:
        """Start, a first report of each layer (all dry), then marks until the frame is full."""
        mask = (1 << self.layers) - 1
        config = [SourceConfig(mask, mask)] * self.sources
        writer = Writer(config, start_ts=self.start_ts, desc_hash=self.desc_hash, header=self.header)
        self._ts = self.start_ts
        for lane in range(self._lanes):
            self._ts += self.gap_ns
            writer.bp(self._ts, lane // self.layers, BpSub.KNOWN, layer=lane % self.layers, occ=0)
        while writer.records % FRAME_RECORDS:
            writer.mark(self._ts, writer.records)
        return writer

    def _chunk(self, state: StreamState, frames: int) -> bytes:
        """``frames`` full frames: contents, groups, then seq, CRC-8 and the chain of CRC-32."""
        records = np.zeros((frames, FRAME_RECORDS), RECORD)
        counts = self._contents(records[:, GROUP_RECORDS:])
        owner, ring = self._groups(records, state, counts)
        self._number(records, state, owner, ring)
        rows = records.view(np.uint8).reshape(-1, RECORD_BYTES)
        rows[:, 11] = crc8_records(rows)
        state.frame += frames
        self._ts = int(records["ts"][-1, -1])
        return self._chain(rows.reshape(frames, FRAME_RECORDS * RECORD_BYTES))

    def _contents(self, out: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
        """Fill ``out``, shape (frames, 503), with events; returns each lane's count at each frame's start."""
        n, lanes = out.size, self._lanes
        lane = self._fronts(n) if self.fronts else self._rng.integers(0, lanes, n, np.uint8)
        ts = self._ts + np.cumsum(self._rng.integers(1, 2 * self.gap_ns, n))
        order = np.argsort(lane, kind="stable")
        per_lane = np.bincount(lane, minlength=lanes)
        by_lane, by_ts, place = lane[order].astype(np.int64), ts[order], np.arange(n)
        rank = place - (np.cumsum(per_lane) - per_lane)[by_lane]
        phase = (self._count[by_lane] + rank) % self._length
        hot, back = self._hot[phase], phase - _ENTER
        entered = np.where(rank >= back, by_ts[place - np.where(hot, back, 0)], self._enter[by_lane])
        dwell = np.where(hot, by_ts - entered, 0)
        words = np.minimum(dwell >> _DWELL_SHIFT, _DWELL_MAX).astype(np.uint32) << np.uint32(_DWELL_LSB)
        words |= self._word[phase] | (by_lane % self.layers).astype(np.uint32)
        kindsub, word = np.empty(n, np.uint8), np.empty(n, np.uint32)
        kindsub[order], word[order] = self._sub[phase] << 4 | Kind.BP, words
        source = (np.arange(lanes) // self.layers).astype(np.uint8) | np.uint8(TimeQuality.LOCKED << 6)
        shape = out.shape
        out["ts"], out["payload"] = ts.reshape(shape), word.reshape(shape)
        out["kindsub"], out["srctq"] = kindsub.reshape(shape), source[lane].reshape(shape)
        enters, exits = phase == _ENTER, phase == self._exit
        self._enter[by_lane[enters]] = by_ts[enters]
        self.episodes += int(exits.sum())
        np.add.at(self.hot_ns.reshape(-1), by_lane[exits], dwell[exits])
        frame = place // _CONTENT
        made = np.bincount(frame * lanes + lane, minlength=shape[0] * lanes).reshape(shape[0], lanes)
        before = self._count + np.cumsum(made, axis=0) - made
        self._count += per_lane
        return before

    def _fronts(self, n: int) -> npt.NDArray[np.uint8]:
        """Lanes of the next ``n`` events: fronts one after the other, each a run of lanes up from its root."""
        parts, have = [self._waiting], len(self._waiting)
        while have < n:
            root = int(self._rng.integers(self._lanes // 2, self._lanes))
            depth = int(self._rng.integers(1, root + 2))
            parts.append(np.tile(np.arange(root, root - depth, -1), self._length))
            have += len(parts[-1])
        lanes = np.concatenate(parts)
        self._waiting = lanes[n:]
        return lanes[:n].astype(np.uint8)

    def _groups(
        self, out: npt.NDArray[np.void], state: StreamState, counts: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """The nine records of each frame but seq and CRCs; returns src of all records and which are CNT ACCEPTED."""
        number = state.frame + np.arange(len(out))
        group, sync = out[:, :GROUP_RECORDS], np.uint8(TimeQuality.LOCKED << 6)
        group["ts"] = np.concatenate([[self._ts], out["ts"][:-1, -1].astype(np.int64)])[:, None]
        group["ts"][:, 0] = MAGIC
        group["kindsub"][:, :3] = [sub << 4 | Kind.SYNC for sub in (SyncSub.A, SyncSub.B, SyncSub.C)]
        group["srctq"][:, :3] = SRC_FRAMER | sync
        group["payload"][:, 0] = number
        group["payload"][:, 2] = FRAME_RECORDS | (self.desc_hash & 0xFFFF) << 16
        cnt = np.array(state.config.cnt_order, np.uint8)[number % len(state.config.cnt_order)]
        cfg_order = state.config.cfg_order
        words = np.array([state.cfg_word(src, word) for src, word in cfg_order], np.uint32)
        cfg = np.array(cfg_order, np.uint8)[number % len(cfg_order)]
        for column, kind, ring in ((3, Kind.CNT, cnt), (4, Kind.CFG, cfg)):
            group["kindsub"][:, column] = ring[:, 1] << 4 | kind
            group["srctq"][:, column] = ring[:, 0] | sync
        group["payload"][:, 4] = words[number % len(cfg_order)]
        turn = number % self.sources
        phase = (counts % self._length).reshape(-1, self.sources, self.layers)[np.arange(len(out)), turn]
        group["kindsub"][:, 5:] = [sub << 4 | Kind.STATE for sub in (State.HOT, State.BP_EN, State.UNKNOWN, State.DRY)]
        group["srctq"][:, 5:] = turn[:, None].astype(np.uint8) | sync
        for column, flags in ((5, self._hot), (6, self._bp_en), (8, self._dry)):
            group["payload"][:, column] = self._mask(flags[phase])
        return (out["srctq"].reshape(-1) & 0x3F).astype(np.uint8), cnt[:, 1] == Cnt.ACCEPTED

    def _number(
        self, out: npt.NDArray[np.void], state: StreamState, owner: npt.NDArray[np.uint8], told: npt.NDArray[np.bool_]
    ) -> None:
        """seq of every record, and the counter that CNT ACCEPTED tells."""
        accepted = np.zeros(SRC_FRAMER + 1, np.int64)
        accepted[list(state.accepted)] = list(state.accepted.values())
        per_src = np.bincount(owner, minlength=len(accepted))
        order = np.argsort(owner, kind="stable")
        flat = np.empty(out.size, np.int64)
        flat[order] = np.arange(out.size) + (accepted - np.cumsum(per_src) + per_src)[owner[order]]
        position = flat.reshape(out.shape)
        out["seq"] = position & 0xFF
        out["payload"][told, 3] = position[told, 3] & 0xFFFFFFFF
        for src in state.accepted:
            state.accepted[src] += int(per_src[src])

    def _chain(self, frames: npt.NDArray[np.uint8]) -> bytes:
        """Put the CRC-32 of each frame into the SYNC B of the next, whose own CRC-8 follows from it."""
        b = slice(RECORD_BYTES, 2 * RECORD_BYTES)
        for frame in frames:
            frame[b][12:] = np.frombuffer(crc32(self._last).to_bytes(4, "little"), np.uint8)
            frame[RECORD_BYTES + 11] = crc8(frame[b].tobytes())
            self._last = frame.tobytes()
        return frames.tobytes()

    @staticmethod
    def _mask(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
        """One bit a layer from flags of shape (..., layers)."""
        bits = np.uint32(1) << np.arange(flags.shape[-1], dtype=np.uint32)
        return np.asarray((flags * bits).sum(axis=-1, dtype=np.uint32), np.uint32)


def damage(data: bytes, hits: int, seed: int = 1) -> bytes:
    """``data`` with ``hits`` injuries at random places: a flipped bit, or up to 64 bytes cut out, blanked or put in."""
    rng, out = np.random.default_rng(seed), bytearray(data)
    for _ in range(hits):
        at, length, kind = int(rng.integers(0, len(out))), int(rng.integers(1, 65)), int(rng.integers(0, 4))
        if kind == 0:
            out[at] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1 and len(out) > length:
            del out[at : at + length]
        elif kind == 2:
            out[at : at + length] = bytes(len(out[at : at + length]))
        else:
            out[at:at] = rng.bytes(length)
    return bytes(out)
