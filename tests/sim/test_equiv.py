# SPDX-License-Identifier: Apache-2.0
"""RTL against netlist: synthesis changes nothing, and a netlist that is changed is seen."""

from npuscope.sim import Design
from tb.equiv import FLOW, prove

SOURCE = """\
module small(input wire clk, input wire [3:0] level, output reg high);
    always @(posedge clk) high <= level >= 4'd9;
endmodule
"""


def test_a_netlist_is_the_rtl_and_another_is_not(tmp_path):
    path = tmp_path / "small.v"
    path.write_text(SOURCE)
    made = Design("small", (path,))
    assert prove(made) is None
    changed = ("techmap", "chtype -set $_XOR_ t:$_AND_", *FLOW)
    said = prove(made, changed)
    assert said is not None
    assert "nproven" in said
