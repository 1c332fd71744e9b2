# SPDX-License-Identifier: Apache-2.0
"""npu_pipeline equals npuscope.pipeline clock by clock, and the comparison sees planted bugs."""

import pytest

from npuscope.pipeline import KINDS, hdl_parameters, write_hdl
from npuscope.sim import Verdict
from tb.npu_pipeline.cases import CLOCKS, case
from tb.runner import BUILD, Patch, bench

NAMES = ("transformer_block", *(f"{kind}-1" for kind in KINDS))
PARAMETERS = {**hdl_parameters(*(case(name) for name in NAMES)), "SHOW_LEVELS": 1}
CORNERS = {**hdl_parameters(case("corners")), "SHOW_LEVELS": 1}
FOLDER = BUILD / "npu_pipeline"


def files(name, parameters):
    """Write the memory files of a case; gives the options of a run with it."""
    write_hdl(case(name), FOLDER / name, parameters)
    return {"plusargs": [f"+PIPELINE={FOLDER / name}"], "env": {"NPU_CASE": name, "NPU_CLOCKS": str(CLOCKS)}}


@pytest.mark.parametrize("name", NAMES)
def test_pipelines_of_one_source(sim, name):
    bench("npu_pipeline", sim, PARAMETERS, **files(name, PARAMETERS))


def test_corners(sim):
    bench("npu_pipeline", sim, CORNERS, **files("corners", CORNERS))


BUGS = {
    "a full buffer takes a token while it is read": Patch(
        "npu_pipeline_buffer.v", "assign room = used != depth;", "assign room = used != depth || pop;"
    ),
    "a stop does not hold the work": Patch(
        "npu_pipeline_stage.v", "else if (left != 18'd0 && !stopped)", "else if (left != 18'd0)"
    ),
    "a gap one token late": Patch("npu_pipeline_stage.v", "burst_left == 16'd0;", "burst_left == burst - 16'd1;"),
    "a window one clock late": Patch(
        "npu_pipeline.v",
        "[31:0] == next_clock) begin\n                    extra",
        "[31:0] == clock) begin\n                    extra",
    ),
    "a full code of 64": Patch("npu_pipeline.v", "code > 32'd63 ? 6'd63 : code[5:0]", "code[5:0]"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_is_caught(bug):
    result = bench("npu_pipeline", "icarus", CORNERS, patch=BUGS[bug], raises=False, **files("corners", CORNERS))
    assert result.verdict is Verdict.FAIL
    assert "clock" in result.reason or "token" in result.reason, result.reason
