"""Each verb on good and lossy dumps: what it prints, its JSON, its exit codes, its options."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from npuscope.cli import run
from npuscope.errors import Exit
from npuscope.units import width
from tests.cli.dumps import ROUND_NS, ROUNDS, START, dump, graph, toml

Captured = pytest.CaptureFixture[str]
STAGE = "conv3"
LOST = (100, 130)
HOT_NS = 5_000 * ROUNDS


@pytest.fixture
def good(tmp_path: Path) -> str:
    return put(tmp_path, dump(header=True))


@pytest.fixture
def lossy(tmp_path: Path) -> str:
    return put(tmp_path, dump(header=True, lose=LOST), "lossy.npt")


def put(folder: Path, content: bytes | str, name: str = "run.npt") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def answer(arguments: list[str], capsys: Captured, code: int = 0) -> str:
    """stdout of a run that ends with ``code`` and says nothing on stderr when that is 0."""
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert (err == "") == (code == 0), err
    return out


def parsed(arguments: list[str], capsys: Captured, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer([*arguments, "--json"], capsys, code))
    return found


# ---------------------------------------------------------------- info
def test_info_says_what_it_is_and_whether_to_trust_it(
    good: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(Path(good).parent)
    out = answer(["info", "run.npt"], capsys)
    lines = dict(line.split("  ", 1) for line in out.splitlines())
    found = {name: text.strip() for name, text in lines.items()}
    assert found["title"] == "five buffers"
    assert found["format"] == "NPT1 1.0, clock period 5 ns"
    assert found["begins"] == "2025-11-30T04:00:00.000000000 TAI"
    assert found["lasts"] == "402.000 us"
    assert found["loss"] == "none"
    assert found["damage"] == "none"
    assert found["end"] == "END seen"
    assert found["clock"] == "locked throughout"
    assert found["graph"] == f"given, 5 buffers, 6 stages, hash {graph().hash:016x}, as in the stream"
    assert found["limits"].startswith("full from 56/64, free below 48/64, not empty from 4/64")
    assert max(map(width, out.splitlines())) <= 80


def test_info_of_a_lossy_dump(lossy: str, capsys: Captured) -> None:
    assert run(["info", lossy]) == Exit.LOSS
    out, err = capsys.readouterr()
    assert "30 of 459 records (6.5 %), 1 window: fifo full" in out
    assert err == "npuscope: 30 of 459 records lost (6.5 %), allowed are 0 %; see --allow-loss\n"


def test_info_json_is_stable(good: str, capsys: Captured) -> None:
    found = parsed(["info", good], capsys)
    assert found["schema"] == 1
    assert list(found) == [
        "schema",
        "files",
        "title",
        "format",
        "version",
        "bytes",
        "first_tai_ns",
        "last_tai_ns",
        "full_pass_ms",
        "trust",
        "ledger",
        "survey",
        "clock_epochs",
        "time_unit",
    ]
    assert found["first_tai_ns"] == START
    assert found["last_tai_ns"] == START + ROUNDS * ROUND_NS + 2_000
    assert found["bytes"] == len(dump(header=True)) == found["ledger"]["total"]
    assert found["survey"] is None
    assert [t["name"] for t in found["trust"]] == ["loss", "damage", "coverage", "end", "clock", "graph", "limits"]


# ---------------------------------------------------------------- stalls
def test_stalls_names_the_slow_stage_in_its_first_line(
    good: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(Path(good).parent)
    out = answer(["stalls", "run.npt"], capsys)
    assert STAGE in out.splitlines()[0]
    assert max(map(width, out.splitlines()[1:])) <= 80
    assert "look: npuscope show run.npt --around ep:" in out


def test_stalls_by_episode_and_by_chain(good: str, lossy: str, capsys: Captured) -> None:
    out = answer(["stalls", good, "--by", "episode", "--top", "3"], capsys)
    line = next(line for line in out.splitlines() if line.startswith("ep:"))
    assert line.split() == ["ep:0", "2.000", "us", "5.000", "us", "2", "10.000", "us", "q2", "<", "q1", "<", "q0"]
    out = answer(["stalls", good, "--by", "chain"], capsys)
    line = next(line for line in out.splitlines() if line.startswith("q2 < q1 "))
    assert line.split()[3:] == ["40", "200.000", "us", "500", "ns", "500", "ns", "500", "ns"]
    assert max(map(width, out.splitlines()[1:-1])) <= 80
    found = parsed(["stalls", good, "--by", "chain", "--top", "1"], capsys)["chains"]
    assert found == [
        {
            "path": ["q2", "q1"],
            "episodes": ROUNDS,
            "stall_ns": HOT_NS,
            "delay_ns": 500,
            "worst_ns": 500,
            "lag_ns": 500,
        }
    ]
    assert run(["stalls", lossy, "--by", "episode", "--top", "50"]) == Exit.LOSS
    assert "?: a tie, or loss hides" in capsys.readouterr().out


def test_stalls_json_is_stable_and_right(good: str, capsys: Captured) -> None:
    found = parsed(["stalls", good], capsys)
    assert found["schema"] == 1
    assert {
        "verdict",
        "graph_assumed",
        "from_ns",
        "to_ns",
        "buffers",
        "coverage",
        "coverage_min",
        "hot_ns",
        "unknown_ns",
        "unseen_ns",
        "draining_ns",
        "rows",
        "matrix",
        "cycles",
        "evidence",
    } <= set(found)
    assert found["buffers"] == ["q0", "q1", "q2", "q3", "q4"]
    assert found["hot_ns"] == [HOT_NS, HOT_NS, HOT_NS, 0, 0]
    assert found["rows"][0]["culprit"] == STAGE
    assert 0 <= found["rows"][0]["max_ns"] - found["rows"][0]["min_ns"] <= sum(found["unseen_ns"])
    assert found["graph_assumed"] is False


def test_without_a_graph_the_chain_is_assumed_and_said(tmp_path: Path, capsys: Captured) -> None:
    bare = put(tmp_path, dump(), "bare.npt")
    assert "ASSUMED chain of 5 buffers (no description)" in answer(["stalls", bare], capsys)
    with_graph = answer(["stalls", bare, "--graph", put(tmp_path, toml(), "g.toml")], capsys)
    assert STAGE in with_graph.splitlines()[0]
    assert "ASSUMED" not in with_graph
    assert f"--graph {tmp_path}/g.toml --around ep:" in with_graph


def test_a_description_of_another_design_is_refused(tmp_path: Path, capsys: Captured) -> None:
    path = put(tmp_path, dump(hashed=True))
    other = put(tmp_path, toml().replace("conv3", "conv9"), "other.toml")
    assert run(["stalls", path, "--graph", other]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{graph().hash & 0xFFFF:04x}" in err
    assert "--force-desc" in err
    assert run(["stalls", path, "--graph", other, "--force-desc"]) == 0
    out, err = capsys.readouterr()
    assert "conv9" in out.splitlines()[0]
    assert "FORCED" in out
    assert err.startswith("npuscope: note: the description was forced")


def test_loss_only_widens(lossy: str, good: str, capsys: Captured) -> None:
    whole = parsed(["stalls", good], capsys)
    found = parsed(["stalls", lossy], capsys, Exit.LOSS)
    low, high = found["rows"][0]["min_ns"], found["rows"][0]["max_ns"]
    assert found["rows"][0]["culprit"] == STAGE
    assert low < whole["rows"][0]["min_ns"] <= high


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], Exit.LOSS),
        (["--allow-loss", "6"], Exit.LOSS),
        (["--allow-loss", "7"], Exit.OK),
        (["--allow-loss", "7%", "--min-coverage", "99"], Exit.CHECK_FAILED),
        (["--min-coverage", "99"], Exit.LOSS),
        (["--allow-loss", "7", "--min-coverage", "90"], Exit.OK),
        (["--allow-loss", "700"], Exit.USAGE),
        (["--allow-loss", "much"], Exit.USAGE),
    ],
)
def test_exit_codes_and_their_precedence(options: list[str], code: Exit, lossy: str, capsys: Captured) -> None:
    assert run(["stalls", lossy, *options]) == code
    out, err = capsys.readouterr()
    assert bool(out) == (code != Exit.USAGE)
    assert (err == "") == (code == Exit.OK)


def test_quiet_keeps_the_exit_code(lossy: str, capsys: Captured) -> None:
    assert run(["stalls", "-q", lossy]) == Exit.LOSS
    assert capsys.readouterr().err == ""


def test_verbose_prints_the_ledger_on_stderr(lossy: str, capsys: Captured) -> None:
    for verb in (["stalls"], ["export", "--to", "csv", "--table", "records"]):
        assert run([*verb, "-v", lossy]) == Exit.LOSS
        lines = [line.split() for line in capsys.readouterr().err.splitlines()]
        assert ["total", f"{Path(lossy).stat().st_size:,}"] in lines
        assert ["0", "390", "390", "0", "30", "0"] in lines
        assert any(line[-3:] == ["fifo", "full", "30"] for line in lines)


def test_a_window_by_time_and_by_episode(good: str, capsys: Captured) -> None:
    one = parsed(["stalls", f"{good}@0..11us"], capsys)
    assert one["hot_ns"] == [5_000, 5_000, 5_000, 0, 0]
    assert one == parsed(["stalls", good, "--window", "..11us"], capsys)
    assert one == parsed(["stalls", good, "--window", f"tai:{START}..tai:{START + 11_000}"], capsys)
    episode = parsed(["stalls", good, "--window", "ep:3"], capsys)
    assert (episode["from_ns"], episode["to_ns"]) == (START + 12_000, START + 17_000)


@pytest.mark.parametrize(
    ("window", "text"),
    [
        ("1ms..2ms", "the window is outside the recording"),
        ("ep:999", "no episode ep:999: found ep:0 to ep:119"),
        ("5us", "not a window"),
        ("ep:3..ep:1", "the window is empty"),
    ],
)
def test_windows_that_cannot_be(window: str, text: str, good: str, capsys: Captured) -> None:
    assert run(["stalls", good, "--window", window]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert text in err
    assert err.count("\n") == 1


def test_options_from_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    path = put(tmp_path, dump(lose=LOST))
    put(tmp_path, toml(), "g.toml")
    put(tmp_path, 'graph = "g.toml"\n[stalls]\nallow-loss = 7\n', "npuscope.toml")
    monkeypatch.chdir(tmp_path)
    assert STAGE in answer(["stalls", path], capsys).splitlines()[0]
    monkeypatch.setenv("NPUSCOPE_ALLOW_LOSS", "6")
    assert run(["stalls", path]) == Exit.LOSS
    assert run(["stalls", path, "--allow-loss", "7"]) == Exit.OK


def test_several_files_are_one_capture(tmp_path: Path, capsys: Captured) -> None:
    data = dump()
    whole = parsed(["stalls", put(tmp_path, data, "whole.npt")], capsys)
    folder = tmp_path / "parts"
    folder.mkdir()
    names = [put(folder, data[i : i + 2048], f"part{i // 2048}.npt") for i in range(0, len(data), 2048)]
    assert parsed(["stalls", *names], capsys) == whole
    assert parsed(["stalls", str(folder)], capsys) == whole
    assert parsed(["stalls", str(folder / "part*.npt")], capsys) == whole


# ---------------------------------------------------------------- show
def test_show_fits_80_columns_and_draws_loss(lossy: str, capsys: Captured) -> None:
    assert run(["show", lossy, "--allow-loss", "10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(width, lines)) == 80
    assert [line.split()[0] for line in lines[1:7]] == ["q0", "q1", "q2", "q3", "q4", "loss"]
    assert "!" in lines[6]
    assert "?" in lines[1]
    assert "\x1b" not in "".join(lines)


def test_show_draws_the_fullest_buffers_and_says_what_it_leaves_out(good: str, capsys: Captured) -> None:
    lines = answer(["show", good, "--top", "3"], capsys).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["q0", "q1", "q2"]
    assert lines[4:6] == ["", "2 more buffers are full for less of the time: --top 5"]
    assert "more buffers" not in answer(["show", good], capsys)


def test_show_around_an_episode_and_a_time(good: str, capsys: Captured) -> None:
    lines = answer(["show", good, "--around", "ep:60", "--width", "60"], capsys).splitlines()
    assert max(map(width, lines[:-1])) <= 60
    assert lines[0].split()[:2] == ["192.000", "us"]
    at = answer(["show", good, "--around", "204.5us"], capsys).splitlines()
    assert at[0].split()[:2] == ["194.500", "us"]
    assert run(["show", good, "--around", "2ms"]) == Exit.USAGE
    assert "the time is outside the recording" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [["report", "-o", "-"], ["export", "--to", "csv"], ["stalls"], ["info"]])
def test_names_are_no_trouble_for_an_ascii_terminal(verb: list[str], tmp_path: Path) -> None:
    given = put(tmp_path, toml().replace("q2", "grö\u00dfe"), "g.toml")
    done = subprocess.run(
        [sys.executable, "-m", "npuscope", *verb, put(tmp_path, dump()), "--graph", given],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii() == (verb[0] in ("stalls", "info"))


def test_show_is_ascii_where_it_must(good: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "npuscope", "show", good],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"#" in done.stdout


# ---------------------------------------------------------------- report and export
def test_report_is_written_beside_the_dump_and_never_over_another(good: str, capsys: Captured) -> None:
    assert run(["report", good]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"npuscope: wrote {good}.html\n"
    text = Path(f"{good}.html").read_text()
    assert STAGE in text
    assert "five buffers" in text
    assert run(["report", good]) == Exit.USAGE
    assert "output exists; use --force to replace it" in capsys.readouterr().err
    assert run(["report", "-q", "--force", "--title", "again <&>", good]) == 0
    assert capsys.readouterr().err == ""
    assert "<title>again &lt;&amp;&gt;</title>" in Path(f"{good}.html").read_text()


def test_report_never_replaces_its_input(good: str, capsys: Captured) -> None:
    before = Path(good).read_bytes()
    assert run(["report", good, "--force", "-o", good]) == Exit.USAGE
    assert "output is one of the inputs" in capsys.readouterr().err
    assert run(["report", f"{good}@0..9us", "--force", "-o", good]) == Exit.USAGE
    assert Path(good).read_bytes() == before


def test_report_holds_the_same_numbers_as_stalls(good: str, capsys: Captured) -> None:
    found = parsed(["stalls", good], capsys)
    page = answer(["report", good, "-o", "-"], capsys)
    data = json.loads(page.split('id="npuscope-data">')[1].split("</script>")[0])
    assert data["stalls"] == found


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_export_episodes(good: str, capsys: Captured) -> None:
    found = rows(answer(["export", "--to", "csv", good], capsys))
    assert len(found) == 3 * ROUNDS
    assert found[0] == {
        "episode": "ep:0",
        "buffer": "q2",
        "layer": "2",
        "consumer": "conv3",
        "start_ns": "2000",
        "end_ns": "7000",
        "start_tai_ns": str(START + 2000),
        "length_ns": "5000",
        "peak": "61",
        "peak_is_lower_bound": "0",
        "start_seen": "1",
        "end_seen": "1",
        "printed_dwell_ns": "4864",
        "dwell_is_lower_bound": "0",
    }
    assert len(rows(answer(["export", "--to", "csv", f"{good}@..11us"], capsys))) == 3


def test_export_records_has_every_record(good: str, capsys: Captured) -> None:
    found = rows(answer(["export", "--to", "csv", "--table", "records", good], capsys))
    assert len(found) == (len(dump(header=True)) - 4096) // 16
    enters = [row for row in found if row["sub"] == "ENTER"]
    assert len(enters) == 3 * ROUNDS
    assert (enters[0]["layer"], enters[0]["occ"], enters[0]["src"]) == ("2", "57", "0")
    assert found[-1]["kind"] == "SYNC"
    assert found[-1]["sub"] == "END"
    assert run(["export", "--to", "csv", "--table", "records", f"{good}@..1us"]) == Exit.USAGE
    assert "records are exported whole" in capsys.readouterr().err


def test_export_stalls(good: str, tmp_path: Path, capsys: Captured) -> None:
    target = tmp_path / "stalls.csv"
    assert answer(["export", "--to", "csv", "--table", "stalls", good, "-o", str(target)], capsys) == ""
    found = rows(target.read_text())
    assert {row["culprit"] for row in found if row["victim"] == "q2"} == {STAGE}
    whole = parsed(["stalls", good], capsys)
    assert sum(int(row["min_ns"]) for row in found) == sum(row["min_ns"] for row in whole["rows"])


# ---------------------------------------------------------------- doctor
def test_doctor_says_ok_or_fix_for_each_tool(capsys: Captured) -> None:
    code = run(["doctor"])
    out = capsys.readouterr().out
    for line in out.splitlines():
        assert line.split()[1] in ("ok", "FIX")
    found = json.loads(answer(["doctor", "--json"], capsys, code))
    assert found["schema"] == 1
    assert (code == 0) == all(tool["ok"] for tool in found["tools"])
    assert {"icarus", "verilator"} <= {tool["name"] for tool in found["tools"]}
    for tool in found["tools"]:
        assert set(tool) == {"name", "ok", "version", "fix"}
