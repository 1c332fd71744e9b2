"""Generated from rtl/spec/trace.toml and thresholds.toml by `make gen`: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

    RECORD: np.dtype[np.void]
    """One record; ``kindsub`` = kind | sub << 4, ``srctq`` = src | tq << 6."""

FORMAT_NAME: Final = "NPT1"
FORMAT_MAJOR: Final = 1
FORMAT_MINOR: Final = 0
RECORD_BYTES: Final = 16
MAGIC: Final = 0xF9A74353504ED19E
MAGIC_BYTES: Final = bytes.fromhex("9ED14E505343A7F9")
FRAME_RECORDS: Final = 512
GROUP_RECORDS: Final = 9
FRAME_AGE_NS: Final = 1048576
HEARTBEAT_NS: Final = 134217728
CRC8_POLY: Final = 0x07
CRC8_INIT: Final = 0xFF
CRC8_BYTE_ORDER: Final = (7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 12, 13, 14, 15)
SRC_BP_FIRST: Final = 0
SRC_MONITOR: Final = 58
SRC_TOKEN: Final = 59
SRC_RAS: Final = 60
SRC_JITTER: Final = 61
SRC_MARK: Final = 62
SRC_FRAMER: Final = 63
MAX_LAYERS: Final = 32


class Kind(IntEnum):
    """Record kind."""

    PAD = 0
    BP = 1
    JITTER = 2
    RAS = 3
    TOKINT = 4
    CTX = 5
    CNT = 6
    MARK = 7
    CLK = 8
    LOSS = 9
    STATE = 10
    CFG = 11
    TOKEN = 12
    MON = 13
    VENDOR = 14
    SYNC = 15


class TimeQuality(IntEnum):
    """Time quality."""

    FREE_RUN = 0
    HOLDOVER = 1
    LOCKED = 2
    DOUBT = 3


class LossCause(IntEnum):
    """Why events were dropped."""

    FIFO_FULL = 0
    COLLECTOR = 1
    CROSSING = 2
    DISABLED = 3


class Cnt(IntEnum):
    """Cumulative counters, in CNT.sub."""

    ACCEPTED = 0
    DROPPED = 1
    STALLED = 2
    TOKENS = 3
    BP_SAMPLES = 4


class Cfg(IntEnum):
    """Configuration words, in CFG.sub."""

    VERSION = 0
    CLK_PERIOD = 1
    BP_LIMITS = 2
    STALE = 3
    DESC_HASH_LO = 4
    DESC_HASH_HI = 5
    T_NOMINAL_LO = 6
    T_NOMINAL_HI = 7
    R_LIMIT = 8
    A_LIMIT = 9
    S_LIMIT = 10
    RAS_COUNTS = 11
    S_WINDOW = 12
    A_HOLDOFF = 13
    LAYERS = 14
    DRY_MASK = 15


class State(IntEnum):
    """Keyframe words, in STATE.sub."""

    HOT = 0
    BP_EN = 1
    UNKNOWN = 2
    DRY = 3
    LEVEL_0 = 4
    LEVEL_5 = 5
    LEVEL_10 = 6
    LEVEL_15 = 7
    LEVEL_20 = 8
    LEVEL_25 = 9
    LEVEL_30 = 10


class RasClass(IntEnum):
    """What a RAS record reports; from RENEG_DONE on: information that a recomputation needs."""

    R = 0
    A = 1
    S = 2
    SYNC_LOST = 3
    REDUNDANCY_EXHAUSTED = 4
    RENEG_DONE = 5
    PHY_CHANGED = 6
    ENABLED = 7
    DISABLED = 8
    ACK = 9
    REQ_TIMEOUT = 10
    FLUSHED = 11


class Severity(IntEnum):
    """Severity of a RAS record."""

    INFORMATIONAL = 0
    CORRECTED = 1
    RECOVERABLE = 2
    FATAL = 3


class BpSub(IntEnum):
    """Subs of BP."""

    ENTER = 0
    EXIT = 1
    LEVEL = 2
    BP_ON = 3
    BP_OFF = 4
    RAW = 5
    KNOWN = 6
    DRY = 7
    WET = 8


class JitterSub(IntEnum):
    """Subs of JITTER."""

    OK = 0
    SYNC_LOST = 1
    STEPPED = 2
    UNLOCKED = 3
    BACKWARD = 4
    FIRST = 5
    MISSED = 6
    EARLY = 7


class CtxSub(IntEnum):
    """Subs of CTX."""

    HEAD = 0
    POINTER = 1
    MEMORY = 2


class MarkSub(IntEnum):
    """Subs of MARK."""

    USER = 0
    TRIGGER = 1
    START = 2
    FLUSH = 3


class ClkSub(IntEnum):
    """Subs of CLK."""

    STATE = 0
    STEP_LO = 1
    SEC_LO = 2
    SEC_HI = 3
    FREQ = 4
    SERVO = 5
    PPS = 6
    STEP_HI = 7
    REL_LO = 8
    REL_HI = 9


class LossSub(IntEnum):
    """Subs of LOSS."""

    FIRST = 0
    SECOND = 8


class TokenSub(IntEnum):
    """Subs of TOKEN."""

    FIRST = 0
    NEXT = 1
    FROZEN = 2
    RESUMED = 3
    TRIMMED = 4


class MonSub(IntEnum):
    """Subs of MON."""

    INTERVAL = 0
    HITRATE = 1
    ENERGY = 2
    LINK = 3
    UTIL = 4
    SCHED = 5
    DVFS = 6
    PREFETCH = 7
    CLASS = 8


class SyncSub(IntEnum):
    """Subs of SYNC."""

    A = 0
    B = 1
    C = 2
    END = 8


@dataclass(frozen=True)
class Field:
    """Bits ``lsb .. lsb+width-1`` of a record, payload or sub."""

    name: str
    lsb: int
    width: int
    signed: bool
    unit: str
    doc: str

    def get(self, word: int) -> int:
        """The value of this field in ``word``."""
        value = (word >> self.lsb) & ((1 << self.width) - 1)
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value

    def put(self, value: int) -> int:
        """``value`` at its place in a word; raises ValueError when it does not fit."""
        low = -(1 << (self.width - 1)) if self.signed else 0
        if not low <= value < (1 << (self.width - self.signed)):
            raise ValueError(f"{self.name}={value} does not fit {self.width} bits")
        return (value & ((1 << self.width) - 1)) << self.lsb


def __getattr__(name: str) -> Any:
    """RECORD, made when first asked for: a bench has no use for numpy and starts sooner without it."""
    if name != "RECORD":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import numpy

    single = [(name, "u1") for name in ("kindsub", "srctq", "seq", "crc8")]
    globals()["RECORD"] = numpy.dtype([("ts", "<u8"), *single, ("payload", "<u4")])
    return globals()["RECORD"]


RECORD_FIELDS: Final[dict[str, Field]] = {
    "ts": Field("ts", 0, 64, False, "", "ns since the PTP epoch (TAI); bit 63 is 0 but in SYNC-A"),
    "kind": Field("kind", 64, 4, False, "", "record kind"),
    "sub": Field("sub", 68, 4, False, "", "kind's subtype"),
    "src": Field("src", 72, 6, False, "", "source"),
    "tq": Field("tq", 78, 2, False, "", "time quality, latched with ts"),
    "seq": Field("seq", 80, 8, False, "", "per src, assigned at the output; every record but PAD counts"),
    "crc8": Field("crc8", 88, 8, False, "", "CRC-8 of the other bytes"),
    "payload": Field("payload", 96, 32, False, "", "per kind"),
}

PAYLOAD: Final[dict[tuple[Kind, int | None], tuple[Field, ...]]] = {
    (Kind.BP, None): (
        Field("layer", 0, 5, False, "", "layer of this source"),
        Field("occ", 5, 6, False, "1/64", "occupancy code min(63, floor(64*used/depth))"),
        Field("bp_en", 11, 1, False, "", "steady backpressure_en (RAW: the raw bit)"),
        Field("peak", 12, 6, False, "1/64", "highest occ of the episode so far"),
        Field("dwell", 18, 14, False, "2^k ns", "floor((now - enter) >> k), saturates"),
    ),
    (Kind.JITTER, None): (
        Field("jitter", 0, 32, True, "1/256 ns", "saturates at +-(2^31-1); 0 when invalid"),
    ),
    (Kind.RAS, None): (
        Field("unit", 0, 5, False, "", "reporting unit"),
        Field("class", 5, 5, False, "", "see ras_class"),
        Field("injected", 10, 1, False, "", "by test injection"),
        Field("count", 11, 5, False, "", "events latched"),
        Field("syndrome", 16, 16, True, "256 ns", "jitter, for R, A and S"),
    ),
    (Kind.TOKINT, None): (
        Field("token", 0, 32, False, "", "token id"),
    ),
    (Kind.CTX, None): (
        Field("word", 0, 32, False, "", "snapshot word"),
    ),
    (Kind.CTX, 0): (
        Field("words", 0, 5, False, "", "CTX words of this TOKINT, this one included"),
        Field("layer", 5, 8, False, "", "layer"),
        Field("slot", 13, 16, False, "", "sequence or batch slot"),
        Field("injected", 29, 1, False, "", "by test injection"),
        Field("first", 30, 1, False, "", "first token of its sequence"),
        Field("nested", 31, 1, False, "", "met while frozen, held until it entered"),
    ),
    (Kind.CTX, 1): (
        Field("pointer", 0, 32, False, "", "token pointer"),
    ),
    (Kind.CTX, 2): (
        Field("free", 0, 16, False, "blocks", "free memory at the token"),
        Field("limit", 16, 16, False, "blocks", "MEM_LOW_ON in force"),
    ),
    (Kind.CNT, None): (
        Field("value", 0, 32, False, "", "modulo 2^32"),
    ),
    (Kind.MARK, None): (
        Field("value", 0, 32, False, "", "given with the mark"),
    ),
    (Kind.CLK, None): (
        Field("value", 0, 32, False, "", "per sub"),
    ),
    (Kind.CLK, 0): (
        Field("tq", 0, 2, False, "", "time quality"),
        Field("locked", 2, 1, False, "", "PTP locked"),
        Field("holdover", 3, 1, False, "", "PTP in holdover"),
    ),
    (Kind.LOSS, 0): (
        Field("count", 0, 32, False, "", "records dropped, saturates; ts is that of the first"),
    ),
    (Kind.LOSS, 8): (
        Field("layers", 0, 32, False, "", "mask of layers hit, 0 the whole source; ts is that of the last"),
    ),
    (Kind.STATE, None): (
        Field("mask", 0, 32, False, "", "one bit a layer (levels: 5 layers of 6 bits)"),
    ),
    (Kind.CFG, None): (
        Field("word", 0, 32, False, "", "per word"),
    ),
    (Kind.CFG, 0): (
        Field("minor", 0, 16, False, "", "format minor"),
        Field("major", 16, 16, False, "", "format major"),
    ),
    (Kind.CFG, 1): (
        Field("period", 0, 32, False, "ps", "clock period"),
    ),
    (Kind.CFG, 2): (
        Field("th_on", 0, 6, False, "1/64", "hot at occ >= th_on"),
        Field("th_off", 6, 6, False, "1/64", "cool at occ < th_off"),
        Field("level_step", 12, 6, False, "1/64", "LEVEL when moved by this, 0 off"),
        Field("k", 18, 5, False, "", "dwell shift"),
        Field("raw", 23, 1, False, "", "RAW mode"),
        Field("th_wet", 24, 6, False, "1/64", "wet at occ >= th_wet"),
    ),
    (Kind.CFG, 3): (
        Field("stale", 0, 32, False, "ns", "stale period in relative time, 0 off"),
    ),
    (Kind.CFG, 6): (
        Field("t_nominal_lo", 0, 32, False, "1/256 ns", "T_NOMINAL[31:0]"),
    ),
    (Kind.CFG, 7): (
        Field("t_nominal_hi", 0, 16, False, "1/256 ns", "T_NOMINAL[47:32]"),
        Field("need_lock", 16, 1, False, "", "a sample is valid only if locked or in holdover throughout"),
        Field("exclude", 17, 1, False, "", "MISSED and EARLY do not reach the RAS mapper"),
        Field("strobe", 18, 1, False, "", "every clock of sync_valid is a pulse, not only rising edges"),
        Field("sync_lost_a", 19, 1, False, "", "SYNC_LOST drives A"),
    ),
    (Kind.CFG, 8): (
        Field("r_limit", 0, 32, False, "1/256 ns", "R exceeded at abs(jitter) > r_limit"),
    ),
    (Kind.CFG, 9): (
        Field("a_limit", 0, 32, False, "1/256 ns", "A exceeded at abs(jitter) > a_limit"),
    ),
    (Kind.CFG, 10): (
        Field("s_limit", 0, 32, False, "1/256 ns", "S exceeded at abs(jitter) > s_limit"),
    ),
    (Kind.CFG, 11): (
        Field("r_run", 0, 8, False, "", "R run"),
        Field("r_rearm", 8, 8, False, "", "R re-arm"),
        Field("s_count", 16, 8, False, "", "S count"),
        Field("a_budget", 24, 8, False, "", "A switch budget"),
    ),
    (Kind.CFG, 12): (
        Field("s_window", 0, 32, False, "ns", "S: excesses at most this old count"),
    ),
    (Kind.CFG, 13): (
        Field("a_holdoff", 0, 32, False, "us", "A: no switch this long after the last one"),
    ),
    (Kind.TOKEN, None): (
        Field("token", 0, 32, False, "", "token id"),
    ),
    (Kind.MON, 0): (
        Field("interval", 0, 31, False, "1/256 ns", "token interval u23.8"),
        Field("violation", 31, 1, False, "", "limit exceeded"),
    ),
    (Kind.MON, 1): (
        Field("hits", 0, 16, False, "", "hits in the window"),
        Field("accesses", 16, 16, False, "", "accesses in the window, 0 no verdict"),
    ),
    (Kind.MON, 2): (
        Field("energy", 0, 32, False, "1024 pJ", "energy of the token"),
    ),
    (Kind.MON, 3): (
        Field("stage", 0, 3, False, "", "stage"),
        Field("over", 3, 1, False, "", "budget overrun"),
        Field("duration", 4, 28, False, "ns", "time of the stage"),
    ),
    (Kind.MON, 4): (
        Field("channel", 0, 6, False, "", "channel; 63: the window itself"),
        Field("saturated", 6, 1, False, "", "over the saturation limit"),
        Field("busy", 7, 25, False, "clocks", "busy clocks in the window"),
    ),
    (Kind.MON, 8): (
        Field("link", 0, 5, False, "", "watched link"),
        Field("class", 5, 2, False, "", "0 idle, 1 transfer, 2 stalled by the sink, 3 starved by the source"),
        Field("clocks", 7, 25, False, "clocks", "clocks of the class in the window"),
    ),
    (Kind.MON, 5): (
        Field("register", 0, 16, False, "", "WARP_SCHED_CTRL"),
        Field("period", 16, 16, False, "ns", "period in force"),
    ),
    (Kind.MON, 6): (
        Field("voltage", 0, 12, False, "mV", "voltage"),
        Field("frequency", 12, 12, False, "MHz", "frequency"),
        Field("state", 24, 3, False, "", "governor state"),
    ),
    (Kind.MON, 7): (
        Field("seq_pos", 0, 24, False, "", "sequence position"),
        Field("layer", 24, 8, False, "", "layer"),
    ),
    (Kind.SYNC, 0): (
        Field("frame", 0, 32, False, "", "frame number; ts is the magic"),
    ),
    (Kind.SYNC, 1): (
        Field("crc32", 0, 32, False, "", "of previous SYNC-A inclusive to this one exclusive; ts: last event emitted, now if idle"),
    ),
    (Kind.SYNC, 2): (
        Field("records", 0, 16, False, "", "records of the previous frame, its group and PAD included"),
        Field("hash", 16, 16, False, "", "description hash [15:0]"),
    ),
    (Kind.SYNC, 8): (
        Field("crc32", 0, 32, False, "", "since the last SYNC-A inclusive to END exclusive"),
    ),
}
"""Payload fields by (kind, sub); sub None: of every sub without a row of its own."""

SUB_FIELDS: Final[dict[Kind, tuple[Field, ...]]] = {
    Kind.RAS: (
        Field("severity", 0, 2, False, "", "see severity"),
        Field("first", 2, 1, False, "", "first of a burst"),
        Field("overflow", 3, 1, False, "", "count overflowed"),
    ),
    Kind.TOKINT: (
        Field("eos", 0, 1, False, "", "end of sequence"),
        Field("eosp", 1, 1, False, "", "end of sub-phrase"),
        Field("mem_low", 2, 1, False, "", "memory watermark reached"),
        Field("boundary", 3, 1, False, "", "punctuation or sub-word delimiter"),
    ),
    Kind.LOSS: (
        Field("cause", 0, 3, False, "", "why, see loss_cause"),
        Field("second", 3, 1, False, "", "second half"),
    ),
}

OWNED_CFG_FRAMER: Final[tuple[Cfg, ...]] = (Cfg.VERSION, Cfg.CLK_PERIOD, Cfg.DESC_HASH_LO, Cfg.DESC_HASH_HI,)
OWNED_CNT_FRAMER: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.STALLED,)
OWNED_CFG_BP: Final[tuple[Cfg, ...]] = (Cfg.BP_LIMITS, Cfg.STALE, Cfg.LAYERS, Cfg.DRY_MASK,)
OWNED_CNT_BP: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED, Cnt.BP_SAMPLES,)
OWNED_CFG_MONITOR: Final[tuple[Cfg, ...]] = ()
OWNED_CNT_MONITOR: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED,)
OWNED_CFG_TOKEN: Final[tuple[Cfg, ...]] = ()
OWNED_CNT_TOKEN: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED, Cnt.TOKENS,)
OWNED_CFG_RAS: Final[tuple[Cfg, ...]] = (Cfg.R_LIMIT, Cfg.A_LIMIT, Cfg.S_LIMIT, Cfg.RAS_COUNTS, Cfg.S_WINDOW, Cfg.A_HOLDOFF,)
OWNED_CNT_RAS: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED,)
OWNED_CFG_JITTER: Final[tuple[Cfg, ...]] = (Cfg.T_NOMINAL_LO, Cfg.T_NOMINAL_HI,)
OWNED_CNT_JITTER: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED,)
OWNED_CFG_MARK: Final[tuple[Cfg, ...]] = ()
OWNED_CNT_MARK: Final[tuple[Cnt, ...]] = (Cnt.ACCEPTED, Cnt.DROPPED,)


@dataclass(frozen=True)
class Threshold:
    """Default and legal range of one entry of the threshold book."""

    value: int
    min: int
    max: int
    unit: str
    figure: str


THRESHOLDS: Final[dict[str, Threshold]] = {
    "TH_ON": Threshold(56, 1, 63, "1/64", "A2"),
    "TH_OFF": Threshold(48, 1, 62, "1/64", "A2"),
    "TH_WET": Threshold(4, 1, 63, "1/64", "A4"),
    "STEADY": Threshold(64, 1, 65535, "clocks", "A1"),
    "LEVEL_STEP": Threshold(0, 0, 63, "1/64", "A2"),
    "DWELL_SHIFT": Threshold(8, 0, 31, "log2 ns", "A2"),
    "STALE_NS": Threshold(100000, 0, 4294967295, "ns", "C5"),
    "T_NOMINAL": Threshold(32000000, 1, 281474976710655, "1/256 ns", "A5"),
    "WATCHDOG": Threshold(75000, 0, 4294967295, "clocks", "A5"),
    "PTP_PERIOD": Threshold(21474836480, 4294967296, 1090921693184, "2^-32 ns", "A5"),
    "PTP_TIMEOUT": Threshold(16, 4, 65535, "clocks", "A5"),
    "JITTER_OPTIONS": Threshold(1, 0, 15, "mask", "A5"),
    "MEM_LOW_ON": Threshold(64, 0, 65534, "blocks", "A11"),
    "MEM_LOW_OFF": Threshold(96, 1, 65535, "blocks", "A11"),
    "R_LIMIT": Threshold(3200000, 0, 1073741823, "1/256 ns", "A6"),
    "R_RUN": Threshold(5, 1, 255, "samples", "A6"),
    "R_REARM": Threshold(5, 1, 255, "samples", "A6"),
    "A_LIMIT": Threshold(10240000, 0, 1073741823, "1/256 ns", "A7"),
    "A_HOLDOFF": Threshold(1000, 1, 262143, "us", "A7"),
    "A_BUDGET": Threshold(4, 0, 255, "switches", "A7"),
    "S_LIMIT": Threshold(25600000, 0, 1073741823, "1/256 ns", "A8"),
    "S_COUNT": Threshold(3, 2, 8, "excesses", "A8"),
    "S_WINDOW": Threshold(1000000000, 1000, 2147483647, "ns", "A8"),
    "REQ_TIMEOUT": Threshold(200000, 2, 16777215, "clocks", "A6"),
    "TOKEN_INTERVAL": Threshold(87, 1, 8388607, "ns", "B1"),
    "SCHED_PERIOD": Threshold(96, 8, 65535, "ns", "B1"),
    "SCHED_PERIOD_LOW": Threshold(80, 8, 65535, "ns", "B2"),
    "SCHED_SLOTS": Threshold(48, 1, 64, "warps", "B1"),
    "SCHED_SLOTS_LOW": Threshold(32, 1, 64, "warps", "B2"),
    "HITRATE_LIMIT": Threshold(923, 0, 1000, "1/1000", "B3"),
    "HITRATE_WINDOW": Threshold(100000, 1000, 1073741823, "ns", "B3"),
    "PREFETCH_NORM": Threshold(5374, 0, 4294967295, "2^-16", "B4"),
    "PREFETCH_FIRST": Threshold(17, 0, 255, "layer", "B4"),
    "PREFETCH_LAST": Threshold(24, 0, 255, "layer", "B4"),
    "PREFETCH_WINDOW": Threshold(3, 1, 15, "blocks", "B4"),
    "PREFETCH_BLOCK": Threshold(128, 2, 4096, "positions", "B4"),
    "LINK_TLP": Threshold(120, 1, 1048575, "ns", "C1"),
    "LINK_PHY": Threshold(95, 1, 1048575, "ns", "C1"),
    "LINK_ARBITRATION": Threshold(280, 1, 1048575, "ns", "C1"),
    "LINK_SHARD": Threshold(305, 1, 1048575, "ns", "C1"),
    "LINK_TOTAL": Threshold(800, 1, 1048575, "ns", "C1"),
    "ENERGY_LIMIT": Threshold(3800000000, 0, 4398046511103, "pJ", "B5"),
    "ENERGY_RELEASE": Threshold(3000000000, 0, 4398046511103, "pJ", "B6"),
    "DVFS_V_HIGH": Threshold(800, 1, 4095, "mV", "B6"),
    "DVFS_V_LOW": Threshold(720, 1, 4095, "mV", "B6"),
    "DVFS_V_STEP": Threshold(20, 1, 4095, "mV", "B6"),
    "DVFS_F_HIGH": Threshold(600, 1, 4095, "MHz", "B6"),
    "DVFS_F_LOW": Threshold(450, 1, 4095, "MHz", "B6"),
    "DVFS_F_STEP": Threshold(50, 1, 4095, "MHz", "B6"),
    "DVFS_DWELL": Threshold(4, 1, 255, "tokens", "B6"),
    "UTIL_PERIOD": Threshold(100000, 10000, 67108863, "ns", "C5"),
    "UTIL_SATURATION": Threshold(943, 0, 1000, "1/1000", "C4"),
    "LINK_PERIOD": Threshold(100000, 10000, 67108863, "ns", "C5"),
}
