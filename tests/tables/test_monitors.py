"""``npuscope monitors`` and its meter, on a dump with every MON record, against sums made by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from npuscope.cli import run
from npuscope.encode import Entry, SourceConfig, Writer, payload
from npuscope.errors import Exit
from npuscope.layout import SRC_MONITOR, Kind, MonSub
from tests.tables.dumps import START

Captured = pytest.CaptureFixture[str]


def mon(sub: MonSub, **fields: int) -> tuple[MonSub, int]:
    return sub, payload(Kind.MON, sub, **fields)


RECORDS = [
    mon(MonSub.INTERVAL, interval=87 << 8, violation=0),
    mon(MonSub.INTERVAL, interval=(87 << 8) + 1, violation=1),
    mon(MonSub.INTERVAL, interval=80 << 8, violation=0),
    mon(MonSub.HITRATE, hits=923, accesses=1000),
    mon(MonSub.HITRATE, hits=922, accesses=1000),
    mon(MonSub.HITRATE, hits=0, accesses=0),
    mon(MonSub.ENERGY, energy=3_710_937),  # 512 pJ below the limit: cannot be told
    mon(MonSub.ENERGY, energy=3_710_940),
    mon(MonSub.ENERGY, energy=1_000_000),
    mon(MonSub.LINK, stage=2, over=0, duration=280),
    mon(MonSub.LINK, stage=2, over=1, duration=280),  # 280 ns and a fraction
    mon(MonSub.LINK, stage=4, over=0, duration=700),
    mon(MonSub.UTIL, channel=63, saturated=0, busy=1000),
    mon(MonSub.UTIL, channel=0, saturated=0, busy=943),
    mon(MonSub.UTIL, channel=1, saturated=1, busy=944),
    mon(MonSub.SCHED, register=0xB000, period=80),
    mon(MonSub.DVFS, voltage=800, frequency=550, state=1),
    mon(MonSub.DVFS, voltage=720, frequency=450, state=2),
    mon(MonSub.PREFETCH, seq_pos=128, layer=17),
    *(mon(MonSub.CLASS, **{"link": 3, "class": kind, "clocks": 10 * kind}) for kind in range(4)),
]


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    made = Writer([SourceConfig(1)], start_ts=START, frame_records=64, others={SRC_MONITOR: {}})
    for number, (sub, word) in enumerate(RECORDS):
        made.offer(Entry(START + 100 * number, SRC_MONITOR, Kind.MON, sub, word))
    made.flush()
    Path("run.npt").write_bytes(made.data())
    return "run.npt"


def test_json_has_every_limit(good: str, capsys: Captured) -> None:
    assert run(["monitors", good, "--json"]) == Exit.OK
    told = json.loads(capsys.readouterr().out)
    rows = {row["threshold"]: row for row in told["limits"]}
    seen = {
        name: (row["values"], row["violations"], row["marginal"], Fraction(*row["worst"]), Fraction(*row["margin"]))
        for name, row in rows.items()
    }
    assert seen == {
        "TOKEN_INTERVAL": (3, 1, 0, 87 + Fraction(1, 256), Fraction(-1, 256)),
        "HITRATE_LIMIT": (2, 1, 0, Fraction(922, 1000), Fraction(-1, 1000)),
        "ENERGY_LIMIT": (3, 1, 1, 3_710_940 * 1024, 3_800_000_000 - 3_710_940 * 1024),
        "LINK_ARBITRATION": (2, 1, 0, 280, 0),
        "LINK_TOTAL": (1, 0, 0, 700, 100),
        "UTIL_SATURATION": (2, 1, 0, Fraction(944, 1000), Fraction(-1, 1000)),
    }
    assert told["hitrate_windows"] == {"empty": 1, "full": 0}
    assert told["scheduler"] == {"register": 0xB000, "period_ns": 80}
    assert told["governor"] == {"steps": 2, "last": [720, 450]}
    assert told["links"] == [{"link": 3, "idle": 0, "transfer": 10, "stalled": 20, "starved": 30}]
    assert told["utilisation"]["mean"] == pytest.approx(0.9435)
    assert told["utilisation"]["spread"] == pytest.approx(0.0005)


def test_text_and_check(good: str, capsys: Captured) -> None:
    assert run(["monitors", good]) == Exit.OK
    text = capsys.readouterr().out
    assert text.startswith("5 of 13 values violate their limit: token_interval, hitrate_limit, energy_limit,")
    assert "token_interval    at most 87.00 ns  87.00 ns" in text
    assert run(["monitors", good, "--check"]) == Exit.CHECK_FAILED
    assert "limits violated: TOKEN_INTERVAL" in capsys.readouterr().err


def test_other_limits(good: str, capsys: Captured) -> None:
    assert run(["monitors", good, "--json", "--limit", "TOKEN_INTERVAL=79"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["limits"][0]["violations"] == 3
    assert run(["monitors", good, "--limit", "TH_ON=3"]) == Exit.USAGE
    assert "--limit: no limit that is judged here" in capsys.readouterr().err
    assert run(["monitors", good, "--limit", "TOKEN_INTERVAL=0"]) == Exit.USAGE


def test_nothing_told(tmp_path: Path, capsys: Captured) -> None:
    made = Writer([SourceConfig(1)], start_ts=START, frame_records=64)
    made.flush()
    (tmp_path / "run.npt").write_bytes(made.data())
    assert run(["monitors", str(tmp_path / "run.npt"), "--check"]) == Exit.CHECK_FAILED
    out, err = capsys.readouterr()
    assert out == "No monitor told anything: no MON record in this dump.\n"
    assert "no value to hold against a limit" in err
