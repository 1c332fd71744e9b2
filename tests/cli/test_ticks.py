"""A dump that does not tell how long its unit of time is: ticks in every view, of every format; never seconds."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import npuscope
from npuscope import cli
from npuscope.capture import Text
from npuscope.errors import Exit
from tests.cli.test_text import CLEAN
from tests.importers.test_aie_reader import LABELS, dump
from tests.importers.test_samples import ILA, SCOPE
from tests.importers.test_waves import HEAD

Captured = pytest.CaptureFixture[str]
SECONDS = re.compile(r"\b[0-9.]+ (?:ns|us|ms|s)\b|[a-z]_ns\b")
LINK = '[[layer]]\nlayer = 0\nvalid = "{0}valid"\nready = "{0}ready"\n'
VCD = HEAD.replace("$timescale 1ns $end\n", "") + "#0\n1v\n0r\n#10000\n1r\n#12000\n0r\n#50000\n1r\n#60000\n"
FORMATS = {
    "vcd": (VCD, LINK.format("tb.l_"), "tick", ["--time-unit", "1ns"]),
    "ila": (ILA, LINK.format("u/"), "tick", ["--clock-period", "5ns"]),
    "litescope": (SCOPE, LINK.format(""), "tick", ["--clock-period", "5ns"]),
    "fwrite": (CLEAN, "", "tick", ["--time-unit", "1ns"]),
    "aie": ("", LABELS, "cycle", ["--clock-period", "1ns"]),
}


@pytest.fixture(params=FORMATS)
def dumped(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[str], str, list[str]]:
    """Arguments that read it, its unit, and the option that tells how long that is."""
    data, mapping, unit, option = FORMATS[request.param]
    path = tmp_path / "dump"
    dump(path) if not data else path.write_text(data)
    if not mapping:
        return [str(path), "--sample-period", "10ticks"], unit, option
    (tmp_path / "map.toml").write_text(mapping)
    return [str(path), "--map", str(tmp_path / "map.toml")], unit, option


@pytest.mark.parametrize(
    "verb",
    [
        "info",
        "stalls",
        "stalls --by chain",
        "show",
        "report",
        "export --to csv",
        "export --to vcd",
        "whatif --set TH_ON=60",
    ],
)
def test_every_view_counts_in_its_unit(
    verb: str, dumped: tuple[list[str], str, list[str]], tmp_path: Path, capsys: Captured
) -> None:
    arguments, unit, _ = dumped
    output = ["-o", str(tmp_path / "out")] if verb == "report" else []
    code = cli.run([*verb.split(), *arguments, *output, "--allow-loss", "100", "--allow-open"])
    out, err = capsys.readouterr()
    assert code == 0, err
    if output:
        out = (tmp_path / "out").read_text().split("</footer>")[0]
    assert unit in out or re.search(rf" 0 {unit[0]}", out)  # of a short strip the axis is cut
    assert not SECONDS.findall(re.sub("full pass.*", "", out))


def test_the_books_are_there(dumped: tuple[list[str], str, list[str]], capsys: Captured) -> None:
    arguments, unit, _ = dumped
    assert cli.run(["info", "--json", *arguments, "--allow-loss", "100", "--allow-open"]) == 0
    fact = json.loads(capsys.readouterr().out)
    assert (fact["time_unit"], fact["ledger"]["time_unit"]) == (unit, unit)
    assert fact["ledger"]["text"] + fact["ledger"]["bad"] + fact["ledger"]["tail"] == fact["bytes"] > 0
    assert {"coverage", "times"} <= {item["name"] for item in fact["trust"]}


def test_a_window_is_in_its_unit_too(dumped: tuple[list[str], str, list[str]], capsys: Captured) -> None:
    arguments, unit, option = dumped
    assert (
        cli.run(
            ["stalls", *arguments, "--json", "--window", f"1{unit}..3{unit}s", "--allow-loss", "100", "--allow-open"]
        )
        == 0
    )
    fact = json.loads(capsys.readouterr().out)
    assert fact["to_ns"] - fact["from_ns"] == 2
    assert cli.run(["show", *arguments, "--window", "0..3ns"]) == Exit.USAGE
    assert "not the recording's unit of time: found 3 ns, expected" in capsys.readouterr().err
    told = [*(each.replace("10ticks", "10ns") for each in arguments), *option]
    assert cli.run(["show", *told, "--window", "0..2ns", "--allow-loss", "100", "--allow-open"]) == 0
    assert cli.run(["diff", *told, "--base", arguments[0], "--window", "0..2ns"]) in (0, Exit.LOSS)


def test_a_base_that_counts_in_another_unit_is_refused(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "map.toml").write_text(LINK.format("tb.l_"))
    (tmp_path / "new.vcd").write_text(VCD)
    common = ["--map", str(tmp_path / "map.toml")]
    saved = ["baseline", "save", str(tmp_path / "new.vcd"), *common, "--time-unit", "1ns", "--name", "run"]
    assert cli.run([*saved, "--dir", str(tmp_path)]) == 0
    assert cli.run(["diff", str(tmp_path / "new.vcd"), *common, "--base", str(tmp_path / "run.json")]) == Exit.USAGE
    assert "do not count time alike: found ns in the base, tick in the new one" in capsys.readouterr().err


def test_two_captures_do_not_mix_their_units(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(LINK.format("tb.l_"))
    (tmp_path / "ticks.vcd").write_text(VCD)
    (tmp_path / "ns.vcd").write_text("$timescale 1ns $end\n" + VCD)
    ticks, ns = (
        npuscope.open(tmp_path / name, text=Text(map=tmp_path / "map.toml")) for name in ("ticks.vcd", "ns.vcd")
    )
    assert "of 48,000 ticks stall time" in ticks.stalls().verdict
    assert "of 48.000 us stall time" in ns.stalls().verdict
    assert "of 48,000 ticks stall time" in ticks.stalls().verdict
