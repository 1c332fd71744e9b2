# SPDX-License-Identifier: Apache-2.0
"""nps_trace_fetch: payload and time of every sort of record, with sources that answer in 3 clocks."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import FORMAT_MAJOR, FORMAT_MINOR, MAGIC, Cfg, Cnt, Kind, SyncSub
from tb.others import index_of
from tb.signals import known, start

NUM_BP = 2
SRC_OF = {index: src for src, index in index_of(NUM_BP).items()}
FRAMER = max(SRC_OF)
PERIOD, HASH = 5000, 0x1122334455667788  # the bench is built with them
LATENCY = 5
ANSWER = 3  # clocks from an op to the source's word
CHOICE = (
    "valid",
    "index",
    "kind",
    "sub",
    "entry",
    "given",
    "burst",
    "free",
    "last",
    "tq",
    "ts",
    "payload",
    "bp_samples",
)
OWN = ("group_ts", "group_tq", "frame", "first_frame", "previous", "stalled", "crc_closed", "crc_open")


def answer(op):
    """What a source says: a word and, in a burst, a time that depend on all it was shown; 0 if the entry says it."""
    index, kind, sub, entry, burst = op
    if (entry and kind not in (Kind.CLK, Kind.CTX)) or (not entry and (kind, sub) == (Kind.CNT, Cnt.ACCEPTED)):
        return 0, 0, 0
    word = (index << 24 | kind << 16 | sub << 8 | burst) * 0x9E3779B1 & 0xFFFFFFFF
    return (word, word << 20 | index, word & 3) if burst else (word, 0, 0)


def choose():
    """A legal choice, with a framer's record now and then."""
    draw = random.random()
    choice = {"entry": 0, "given": 0, "burst": 0, "index": random.randrange(FRAMER)}
    choice |= {"tq": random.getrandbits(2), "ts": random.getrandbits(63), "payload": random.getrandbits(32)}
    choice |= {"bp_samples": random.getrandbits(32), "free": random.getrandbits(1), "last": random.getrandbits(1)}
    if draw < 0.4:
        kind = random.choice([kind for kind in range(1, 15) if kind not in (Kind.CLK, Kind.CTX)])
        return choice | {"entry": 1, "given": 1, "kind": kind, "sub": random.getrandbits(4)}
    if draw < 0.5:
        kind, sub = random.choice(((Kind.CLK, 1), (Kind.CLK, 7), (Kind.CTX, random.randrange(16))))
        return choice | {"entry": 1, "kind": kind, "sub": sub}
    if draw < 0.7:
        return choice | {
            "burst": 1,
            "kind": random.choice((Kind.LOSS, Kind.STATE, Kind.CFG)),
            "sub": random.getrandbits(3),
        }
    if draw < 0.85:
        kind, sub = random.choice(((Kind.STATE, 1), (Kind.CNT, Cnt.ACCEPTED), (Kind.CNT, Cnt.DROPPED), (Kind.CFG, 14)))
        return choice | {"kind": kind, "sub": sub}
    words = [(Kind.SYNC, sub) for sub in SyncSub] + [(Kind.CNT, Cnt.STALLED), (Kind.CNT, Cnt.ACCEPTED)]
    words += [(Kind.CFG, sub) for sub in (Cfg.VERSION, Cfg.CLK_PERIOD, Cfg.DESC_HASH_LO, Cfg.DESC_HASH_HI)]
    kind, sub = random.choice(words)
    return choice | {"index": FRAMER, "kind": kind, "sub": sub}


def expect(choice, own):
    """(ts, tq, kind, sub, src, payload, index, accepted, last)."""
    index, kind, sub = choice["index"], choice["kind"], choice["sub"]
    src = SRC_OF[index]
    word, ts, tq = answer((index, kind, sub, choice["entry"], choice["burst"]))
    accepted = not choice["entry"] and (kind, sub) == (Kind.CNT, Cnt.ACCEPTED)
    if index == FRAMER:
        word = {
            (Kind.SYNC, SyncSub.A): own["frame"],
            (Kind.SYNC, SyncSub.B): 0 if own["first_frame"] else own["crc_closed"],
            (Kind.SYNC, SyncSub.C): own["previous"] | (HASH & 0xFFFF) << 16,
            (Kind.SYNC, SyncSub.END): own["crc_open"],
            (Kind.CNT, Cnt.STALLED): own["stalled"],
            (Kind.CNT, Cnt.ACCEPTED): 0,
            (Kind.CFG, Cfg.VERSION): FORMAT_MAJOR << 16 | FORMAT_MINOR,
            (Kind.CFG, Cfg.CLK_PERIOD): PERIOD,
            (Kind.CFG, Cfg.DESC_HASH_LO): HASH & 0xFFFFFFFF,
            (Kind.CFG, Cfg.DESC_HASH_HI): HASH >> 32,
        }.get((kind, sub))
    if choice["entry"]:
        ts, tq = choice["ts"], choice["tq"]
        word = choice["payload"] if choice["given"] else word
    elif not choice["burst"]:
        ts, tq = own["group_ts"], own["group_tq"]
    if (kind, sub) == (Kind.SYNC, SyncSub.A):
        ts = MAGIC
    return ts, tq, kind, sub, src, word, index, accepted, choice["last"]


@cocotb.test()
async def test_random(dut):
    """Choices back to back; the framer's own words change when nothing is inside."""
    await start(dut, "restart", *(f"s_{n}" for n in CHOICE), *OWN, "word", "word_ts", "word_tq", "word_cause")
    compared = 0
    for _ in range(60):
        dut.restart.value = 1
        await RisingEdge(dut.clk)
        dut.restart.value = 0
        own = {name: random.getrandbits(len(getattr(dut, name))) for name in OWN}
        for name, value in own.items():
            getattr(dut, name).value = value
        expected, answers, last = [None] * LATENCY, [None] * ANSWER, None
        for clock in range(40 + LATENCY):
            choice = choose() if clock < 40 and random.random() < 0.8 else None
            dut.s_valid.value = choice is not None
            for name, value in (choice or {}).items():
                getattr(dut, f"s_{name}").value = int(value)
            expected.append(expect(choice, own) if choice else None)
            dut.word.value, dut.word_ts.value, dut.word_tq.value = answers.pop(0) or (0, 0, 0)
            await RisingEdge(dut.clk)
            selected = known(dut.op_select)
            assert selected in (0, *(1 << index for index in range(FRAMER)))
            index = selected.bit_length() - 1
            kind, sub = (known(port) >> 4 * max(index, 0) & 15 for port in (dut.op_kind, dut.op_sub))
            op = (index, kind, sub, known(dut.op_entry), known(dut.op_burst)) if selected else None
            answers.append(answer(op) if op else None)
            wanted = expected.pop(0)
            assert known(dut.m_valid) == (wanted is not None)
            if wanted:
                names = ("ts", "tq", "kind", "sub", "src", "payload", "index", "accepted", "last")
                found = [known(getattr(dut, f"m_{name}")) for name in names]
                assert list(wanted) == found
                compared += 1
            if choice and choice["entry"]:
                last = (choice["ts"], choice["tq"])
        await RisingEdge(dut.clk)
        assert not known(dut.busy)
        assert known(dut.last_known) == (last is not None)
        assert last is None or (known(dut.last_ts), known(dut.last_tq)) == last
    assert compared > 1500
