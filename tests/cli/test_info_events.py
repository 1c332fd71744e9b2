"""``npuscope info`` of a dump with sync, RAS and token sources: their limits, and the clock epochs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npuscope.cli import run
from npuscope.layout import JitterSub
from npuscope.units import width
from tests.cli.dumps import dump as plain_dump
from tests.tables.dumps import START, pulse, ras, token, writer

Captured = pytest.CaptureFixture[str]
LEAP = 37_000_000_000


def stepped(steps: int = 2) -> bytes:
    made, now = writer(), START + 100
    for number in range(steps + 1):
        if number:
            now += LEAP if number % 2 else -LEAP
            made.step(now, LEAP if number % 2 else -LEAP)
        now += 10
        made.offer(pulse(now, number, JitterSub.STEPPED if number else JitterSub.OK))
        made.offer(ras(now + 1, 5))  # type: ignore[arg-type]
        made.offer(token(now + 2, number))
        now += 90
    made.flush(now)
    return made.data()


def info(data: bytes, folder: Path, capsys: Captured, *more: str) -> str:
    path = folder / "run.npt"
    path.write_bytes(data)
    assert run(["info", str(path), *more]) == 0
    return capsys.readouterr().out


def test_limits_and_sources_have_names(tmp_path: Path, capsys: Captured) -> None:
    out = info(stepped(0), tmp_path, capsys)
    lines = {line.split("  ")[0]: line for line in out.splitlines()}
    assert "nominal 125.000 us, valid only if locked" in lines["sync"]
    assert "R over 12.500 us, A over 40.000 us, S over 100.000 us, R run 5," in lines["RAS limits"]
    assert "tokens, " in lines["src 59"]
    assert "RAS, " in lines["src 60"]
    assert "jitter, " in lines["src 61"]
    assert not any(line.startswith("epoch") for line in out.splitlines())
    assert max(map(width, out.splitlines()[2:])) <= 80


def test_clock_epochs_are_listed(tmp_path: Path, capsys: Captured) -> None:
    out = " ".join(info(stepped(), tmp_path, capsys).split())
    assert "epoch 0 from 2025-11-30T04:00:00.000000000 TAI, lasts 200 ns" in out
    assert "epoch 1 step of +37.000 s told by source 0, from 2025-11-30T04:00:37.000000200 TAI, lasts 100 ns" in out
    assert "epoch 2 step of -37.000 s told by source 0, from 2025-11-30T04:00:00.000000300 TAI, lasts 100 ns" in out
    epochs = json.loads(info(stepped(), tmp_path, capsys, "--json"))["clock_epochs"]
    assert [e["step_ns"] for e in epochs] == [0, LEAP, -LEAP]
    assert epochs[0] == {"epoch": 0, "from_ns": START, "to_ns": START + 200, "step_ns": 0, "src": -1}
    many = info(stepped(30), tmp_path, capsys)
    assert "epoch ...  23 more, see --json" in many.replace("   ", "  ")


def test_a_dump_without_a_step_is_one_epoch(tmp_path: Path, capsys: Captured) -> None:
    epochs = json.loads(info(plain_dump(), tmp_path, capsys, "--json"))["clock_epochs"]
    assert [e["epoch"] for e in epochs] == [0]
