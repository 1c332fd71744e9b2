# SPDX-License-Identifier: Apache-2.0
"""A foreign watermark that wraps to 0 when full is found; the contracts say the same in Python and in Verilog."""

import json
from pathlib import Path

import pytest

from npuscope import cli
from npuscope.dv.adopt import Adopted, _bench, _mutants, load
from npuscope.dv.contracts import Limits, Model, verilog
from npuscope.errors import NpuscopeError
from npuscope.sim import Design, Verdict
from tests.sim.conftest import BUILD

FOREIGN = Path(__file__).parent / "fixtures" / "foreign"
MARK, MAP = FOREIGN / "fill_mark.v", FOREIGN / "fill_mark.toml"


def test_a_watermark_that_wraps_when_full_is_found(capsys, monkeypatch):
    monkeypatch.chdir(BUILD.parent.parent)
    code = cli.run(["dv", "adopt", str(MARK), "--as", "level", "--map", str(MAP), "--sim", "icarus", "--json"])
    assert code == 1
    found = {row["what"]: row for row in json.loads(capsys.readouterr().out)["findings"]}
    first = found["test_boundaries icarus: each limit, one LSB either side, zero, full"]
    assert first["state"] == found["test_full icarus: held full the output stays"]["state"] == "FAIL"
    assert "almost_full is 0 for level 16, expected 1" in first["said"]
    assert found["proof bmc: 9 clocks"] == {
        "what": "proof bmc: 9 clocks",
        "state": "FAIL",
        "said": "holds fails in clock 2",
    }
    assert found["mutants"]["said"] == "the module fails as it is"
    assert found["hysteresis: bins and mutants"]["state"] == "n/a"


def test_the_same_without_the_wrap_keeps_its_contract_and_its_mutants_are_seen():
    adopted = load((MARK,), "level", MAP, None, 1, {"WRAPS": 0})
    assert _bench(adopted, "icarus", BUILD, ()).verdict is Verdict.PASS
    assert [(finding.what, finding.ok) for finding in _mutants(adopted, BUILD)] == [("mutant line 14: >= to >", True)]


@pytest.mark.parametrize(
    ("contract", "limits"),
    [
        ("level-hysteresis", Limits(on=40, full=63, off=30)),
        ("run", Limits(on=40, full=63, count=3)),
        ("window", Limits(on=40, full=63, count=3, window=5)),
    ],
)
def test_model_and_verilog_are_one_contract(tmp_path, contract, limits):
    source = tmp_path / "reference.v"
    source.write_text(
        "module reference (input wire clk, input wire rst, input wire valid,\n"
        "input wire [5:0] level, output wire out);\n" + verilog(contract, limits, 6) + "assign out = want;\nendmodule\n"
    )
    ports = {name: name for name in ("clk", "rst", "valid", "level", "out")}
    adopted = Adopted(Design("reference", (source,)), contract, limits, ports, False, 0, 6)
    result = _bench(adopted, "icarus", BUILD, ())
    assert result.verdict is Verdict.PASS, result.text()


def fires(contract, limits, levels):
    model = Model(contract, limits)
    return "".join(str(int(model.step(level))) for level in levels)


def test_what_the_contracts_mean():
    limits = Limits(on=5, full=9, off=3, count=2, window=2)
    assert fires("level", limits, [4, 5, 6, 4]) == "0110"
    assert fires("level-hysteresis", limits, [4, 5, 4, 3, 2, 4, 5]) == "0111001"
    assert fires("run", limits, [5, 6, 6, 6, 5, 6, 6]) == "0010001"
    assert fires("window", limits, [6, 0, 6, 6, 0, 0, 6, 0, 6]) == "001000001"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("full = 16\n", "contract level lacks on"),
        ("full = 16\non = 14\noff = 3\n", "keys that the contract does not know: found off"),
        ('full = 16\non = 14\nvalid = "fill_ok"\n', "no port fill_ok in fill_mark"),
    ],
)
def test_a_map_that_does_not_fit(tmp_path, text, says):
    path = tmp_path / "map.toml"
    path.write_text('clk = "clk"\nlevel = "fill"\nout = "almost_full"\n' + text)
    with pytest.raises(NpuscopeError, match=says):
        load((MARK,), "level", path, None, 1, {})


def test_a_module_that_is_not_there():
    with pytest.raises(NpuscopeError, match="no module other; --top names it"):
        load((MARK,), "level", MAP, "other", 1, {})
