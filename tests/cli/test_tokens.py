"""``npuscope tokens``: verdicts, interrupts, JSON, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npuscope.cli import run
from npuscope.encode import Entry
from npuscope.errors import Exit
from npuscope.layout import SRC_TOKEN, TokenSub
from npuscope.units import width
from tests.cli.dumps import dump as plain_dump
from tests.tables.dumps import START, context, token, tokint, writer

Captured = pytest.CaptureFixture[str]


def entries() -> list[Entry]:
    """60 tokens at 80 ns, after each twentieth an interrupt with a freeze of 2 us."""
    found, now = [token(START + 1_000, 0, TokenSub.FIRST)], START + 1_000
    for number in range(1, 60):
        now += 80
        if number % 20 == 0:
            words = context(layer=number, slot=7, injected=int(number == 40), own=(1, 2))
            found.append(tokint(now, number, 0b0101, words))
            found.append(token(now + 5, number, TokenSub.FROZEN))
            now += 2_005
            found.append(token(now, number, TokenSub.RESUMED))
        else:
            found.append(token(now, number))
    return found


def dump(lose: tuple[int, int] | None = None) -> bytes:
    made, todo = writer(), entries()
    if lose is not None:
        for entry in todo[: lose[0]]:
            made.offer(entry)
        made.drop(SRC_TOKEN, todo[lose[0] : lose[1]], marked=todo[lose[1]])
        todo = todo[lose[1] + 1 :]
    for entry in todo:
        made.offer(entry)
    made.flush()
    return made.data()


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("run.npt").write_bytes(dump())
    return "run.npt"


def text(arguments: list[str], capsys: Captured, code: int = 0) -> tuple[str, str]:
    assert run(arguments) == code
    return capsys.readouterr()


def parsed(arguments: list[str], capsys: Captured, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text([*arguments, "--json"], capsys, code)[0])
    return found


def test_verdict_and_interrupts(good: str, capsys: Captured) -> None:
    out, err = text(["tokens", good], capsys)
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "True streaming: 60 tokens, median gap 80 ns, none over 87 ns."
    assert "tokens  1 first, 57 next, 2 with an interrupt" in lines
    assert "no gap  2 frozen before them, 1 first of the capture or a run" in lines
    assert "causes  2 eos, mem_low" in lines
    rows = [line.split() for line in lines if "eos, mem_low" in line][1:]
    assert [row[2] for row in rows] == ["20", "40"]
    assert all("2.000 us" in line and "5 words" in line for line in lines if "us  " in line and "eos" in line)
    assert "injected" in out
    assert max(map(width, lines[1:])) <= 80


def test_json(good: str, capsys: Captured) -> None:
    found = parsed(["tokens", good, "--by", "token"], capsys)
    assert list(found) == [
        "schema", "files", "origin_tai_ns", "window_ns", "trust", "verdict", "sentence", "limit_ns", "tokens",
        "by_kind", "lost", "lost_is_lower_bound", "gaps", "gap_histogram", "late", "pauses", "bursts", "bursts_cut",
        "not_measured", "unknown_ns", "freezes", "freezes_open", "interrupts", "interrupts_incomplete",
        "context_words_without_interrupt", "causes", "listed", "longest", "rows",
    ]  # fmt: skip
    assert (found["schema"], found["verdict"], found["limit_ns"]) == (1, "true", 87)
    assert found["by_kind"] == {"first": 1, "next": 57, "trimmed": 0, "interrupt": 2}
    assert (found["gaps"]["count"], found["gaps"]["max_ns"]) == (57, 80)
    assert found["gap_histogram"][-1] == {"up_to_ns": 127, "gaps": 57}
    first = found["listed"][0]
    assert (first["token"], first["causes"], first["layer"], first["slot"]) == (20, ["eos", "mem_low"], 20, 7)
    assert (first["complete"], first["frozen_ns"], first["injected"], first["free"]) == (True, 2_000, 0, 70)
    assert first["context"] == context(layer=20, slot=7, own=(1, 2))
    assert len(found["rows"]) == 60
    assert found["rows"][1] == {"at_ns": 1_080, "token": 1, "how": "next", "gap_ns": 80, "no_gap": None}
    assert found["rows"][21]["no_gap"] == "frozen"
    assert parsed(["tokens", good], capsys)["rows"] is None


def test_every_token_on_request(good: str, capsys: Captured) -> None:
    out, _ = text(["tokens", good, "--by", "token", "--top", "22"], capsys)
    assert "interrupt: eos, mem_low" in out
    assert "38 more tokens, see --top and --json" in out
    assert max(map(width, out.splitlines()[1:])) <= 80


def test_the_limit_is_a_gate(good: str, capsys: Captured) -> None:
    text(["tokens", good, "--limit", "80ns"], capsys)
    out, err = text(["tokens", good, "--limit", "79ns"], capsys, Exit.CHECK_FAILED)
    assert err == "npuscope: 57 of 57 gaps between tokens over the limit of 79 ns\n"
    assert out.startswith("Late: token by token, but 57 of 57 gaps over 79 ns (100.0 %)")
    assert "longest gap: 80 ns before token 1 at 1.080 us" in out


def test_a_lost_interrupt_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "lossy.npt"
    path.write_bytes(dump(lose=(18, 25)))
    assert run(["tokens", str(path)]) == Exit.LOSS
    out, err = capsys.readouterr()
    assert "lost    12 records of the token source" in out
    assert "1 behind a hole or a clock step" in " ".join(out.split())
    assert "records lost" in err
    found = parsed(["tokens", str(path), "--allow-loss", "100"], capsys)
    assert (found["lost"], found["interrupts"], found["freezes_open"]) == (12, 1, 0)


def test_an_incomplete_context_is_told_and_not_invented(tmp_path: Path, capsys: Captured) -> None:
    data = bytearray(dump())
    place = next(i for i in range(0, len(data), 16) if data[i + 8] == 0x45 and data[i + 9] & 63 == SRC_TOKEN)
    data[place + 12] ^= 1  # word 4 of the first context
    path = tmp_path / "bad.npt"
    path.write_bytes(data)
    found = parsed(["tokens", str(path), "--allow-loss", "100"], capsys)
    assert found["interrupts_incomplete"] >= 1
    first = found["listed"][0]
    assert not first["complete"]
    assert first["context"][-1] is None
    assert first["words"] == 5
    out, _ = text(["tokens", str(path), "--allow-loss", "100"], capsys)
    assert " of 5 words" in out


def test_no_tokens(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "plain.npt"
    path.write_bytes(plain_dump())
    out, _ = text(["tokens", str(path)], capsys)
    assert out.startswith("No tokens")
    _, err = text(["tokens", str(path), "--limit", "1us"], capsys, Exit.CHECK_FAILED)
    assert "no gap between tokens" in err


def test_a_window(good: str, capsys: Captured) -> None:
    found = parsed(["tokens", good, "--window", "1us..1500ns"], capsys)
    assert found["tokens"] == 7
    assert found["window_ns"] == [1_000, 1_500]


def test_tokens_are_bounds_of_windows(good: str, capsys: Captured) -> None:
    found = parsed(["tokens", good, "--window", "token:10..token:15"], capsys)
    assert (found["tokens"], found["window_ns"]) == (5, [1_800, 2_200])
    assert parsed(["tokens", f"{good}@token:10..2200ns"], capsys)["tokens"] == 5
    out, _ = text(["show", good, "--around", "token:20"], capsys)
    assert "I" in next(line for line in out.splitlines() if line.startswith("tokens"))
    _, err = text(["show", good, "--window", "token:77..token:99"], capsys, Exit.USAGE)
    assert err == "npuscope: no token 77: found 60 tokens, none of that id\n"
