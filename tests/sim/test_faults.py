# SPDX-License-Identifier: Apache-2.0
"""Random faults: the bench sees those that it looks at, and what it does not see is proven to be nothing, or open."""

import pytest

from npuscope.errors import NpuscopeError
from npuscope.sim import Design
from tb.mutate import equivalent, faults
from tests.sim.conftest import FIXTURES

COUNTER = """
`default_nettype none
module nps_up #(parameter integer STEP = 1) (input wire clk, output reg [7:0] count, output reg [3:0] other);
    initial count = 8'd0;
    initial other = 4'd0;
    always @(posedge clk) count <= count + STEP[7:0];
    always @(posedge clk) other <= other + 4'd3;
endmodule
"""


@pytest.fixture
def counter(tmp_path):
    source = tmp_path / "nps_up.v"
    source.write_text(COUNTER)
    return Design("nps_up", (source,))


def test_what_the_bench_looks_at_is_killed(counter, tmp_path):
    found = faults(counter, "up", (FIXTURES,), 8, 1, tmp_path)
    states = {fault.state for fault in found}
    assert len(found) == 8
    assert states >= {"killed", "open"}, "nobody looks at `other`"
    killed = next(fault.text for fault in found if fault.state == "killed")
    assert equivalent("nps_up", tmp_path / "nps_up", "")
    assert not equivalent("nps_up", tmp_path / "nps_up", killed)


def test_a_bench_that_fails_without_a_fault(counter, tmp_path):
    with pytest.raises(NpuscopeError, match="fails without a fault"):
        faults(counter, "cases", (FIXTURES,), 1, 1, tmp_path, tests=("fails",))
