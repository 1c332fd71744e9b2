# SPDX-License-Identifier: Apache-2.0
"""The proof runner fails when a property fails, a cover is out of reach, a bug is missed or a wire is free."""

import pytest

from npuscope.errors import NpuscopeError
from npuscope.sim import proofs, prove

RTL = """
`default_nettype none
module nps_up (input wire clk, input wire rst, output reg [3:0] n);
    always @(posedge clk) if (rst) n <= 4'd0; else if (n != 4'd9) n <= n + 4'd1;
endmodule
`default_nettype wire
"""
FORMAL = """
`default_nettype none
module formal_up (input wire clk, input wire rst);
    wire [3:0] n;
    nps_up dut (.clk(clk), .rst(rst), .n(n));
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst);
    always @(*) if (started) begin
        below_ten: assert (n < 10);
    end
    always @(posedge clk) if (started) begin
        at_nine: cover (n == 9);
    end
endmodule
`default_nettype wire
"""
TOML = """
[[proof]]
name = "up"
top = "formal_up"
sources = ["nps_up"]
bmc = 14
prove = 2
cover = 14
assumptions = ["rst is high in the first clock"]
asserts = { below_ten = "n stays below 10." }
covers = { at_nine = "n gets to 9." }
[[proof.bug]]
file = "nps_up.v"
old = "n != 4'd9"
new = "n != 4'd10"
finds = "below_ten"
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with one small proof; call with replacements of its three files to get the exit code of a run."""
    (tmp_path / "rtl").mkdir()
    (tmp_path / "tb" / "nps_up").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    def runs(*options, rtl=("", ""), formal=("", ""), toml=("", "")):
        for path, text, (old, new) in (
            ("rtl/nps_up.v", RTL, rtl),
            ("tb/nps_up/formal.sv", FORMAL, formal),
            ("tb/nps_up/proofs.toml", TOML, toml),
        ):
            assert old in text
            (tmp_path / path).write_text(text.replace(old, new) if old else text)
        return prove.main(options)

    return runs


def test_a_good_proof(tree, capsys):
    assert tree() == 0
    rows = [line.split()[1:4] for line in capsys.readouterr().out.splitlines()[1:-1]]
    assert rows == [["bmc", "14", "PASS"], ["prove", "2", "PASS"], ["cover", "14", "PASS"], ["bug0", "14", "FOUND"]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rtl": ("n != 4'd9", "n != 4'd11")}, "FAIL"),
        ({"formal": ("n == 9", "n == 12")}, "not reached: at_nine"),
        ({"toml": ("n != 4'd10", "n != 4'd8")}, "NOT FOUND (PASS)"),
        ({"toml": ('finds = "below_ten"', 'finds = "another"')}, "NOT FOUND (FAIL)"),
        ({"formal": (".rst(rst), ", "")}, "has no driver"),
        ({"formal": ("n < 10", "dut.m < 10")}, "ERROR"),
        ({"formal": ("n < 10", "m < 10")}, "ERROR"),
        ({"toml": ("bmc = 14", "bmc = 4")}, "NOT FOUND (PASS)"),
    ],
    ids=["false", "unreached", "missed", "wrong_label", "free_wire", "hierarchy_typo", "typo", "shallow"],
)
def test_what_must_fail(tree, capsys, change, says):
    if "rtl" in change:  # the planted bug still has to apply
        change = change | {"toml": ("n != 4'd9", "n != 4'd11")}
    assert tree(**change) == 1
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"formal": ("below_ten: assert", "assert")}, "without a label"),
        ({"formal": ("below_ten: assert", "below: assert")}, "labels of asserts differ"),
        ({"toml": ("at_nine =", "at_ten =")}, "labels of covers differ"),
        ({"toml": ("cover = 14\n", "")}, "lacks cover"),
        ({"toml": ("bmc = 14\n", "")}, "needs bmc"),
        ({"toml": ("prove = 2", "proof = 2")}, "unknown keys"),
        ({"toml": ('"nps_up"', '"nps_down"')}, "names no RTL module"),
        ({"toml": ("name =", "name")}, "not TOML"),
    ],
)
def test_what_is_refused(tree, change, says):
    with pytest.raises(NpuscopeError, match=says):
        tree(**change)


def test_only_must_match_a_proof(tree, monkeypatch):
    with pytest.raises(NpuscopeError, match="no proof"):
        tree("--only", "nothing_of_that_name")


def test_texts_are_listed(tree, capsys, tmp_path):
    assert tree("--list") == 0
    assert "assert below_ten: n stays below 10." in capsys.readouterr().out
    assert [proof.name for proof in proofs.load(tmp_path)] == ["up"]
