# SPDX-License-Identifier: Apache-2.0
"""A bench runs on the netlist of its design as on the design, and fails on that of another."""

from dataclasses import replace

import pytest

from npuscope.errors import NpuscopeError
from npuscope.sim import Verdict
from npuscope.sim.gates import netlist
from tests.sim.conftest import BUILD, FIXTURES, TINY


@pytest.fixture
def counter(tmp_path):
    """The tiny design without what only a simulator does; call with a replacement in it."""

    def makes(old="", new="", parameters=TINY.parameters):
        text = (FIXTURES / "nps_tiny.v").read_text()
        lines = [line for line in text.split("\n") if not line.strip().startswith(("if (complain)", "if (give_up)"))]
        assert old in text
        source = tmp_path / "nps_tiny.v"
        source.write_text("\n".join(lines).replace(old, new) if old else "\n".join(lines))
        return netlist(replace(TINY, sources=(source,), parameters=parameters), BUILD / "gate")

    return makes


@pytest.mark.parametrize("parameters", [{}, {"STEP": 3}], ids=["default", "three"])
def test_a_bench_on_gates(tiny, counter, parameters):
    made = counter(parameters=parameters)
    assert "SB_DFF" in made.sources[0].read_text()
    assert "always" not in made.sources[0].read_text()
    assert tiny("ends_well", design=made).verdict is Verdict.PASS


def test_gates_of_another_design(tiny, counter):
    made = counter("count + STEP", "count - STEP")
    result = tiny("ends_well", design=made)
    assert result.verdict is Verdict.FAIL
    assert "AssertionError" in result.reason


def test_no_netlist(tmp_path):
    source = tmp_path / "nps_tiny.v"
    source.write_text("module nps_tiny(input wire clk); nowhere u (); endmodule\n")
    with pytest.raises(NpuscopeError, match="no netlist of nps_tiny"):
        netlist(replace(TINY, sources=(source,)), tmp_path)
