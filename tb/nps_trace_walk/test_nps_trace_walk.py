# SPDX-License-Identifier: Apache-2.0
"""nps_trace_walk for each kind, a bug it must show, parameters it must refuse."""

import pytest

from npuscope.layout import Kind
from tb.others import BUILDS, env
from tb.others import parameters as others_parameters
from tb.runner import Patch, bench, caught, refused


def parameters(kind, num_bp, others=0):
    width = (num_bp + others.bit_count() + 1).bit_length()
    return {"KIND": int(kind), "NUM_BP": num_bp, "INDEX_W": width} | others_parameters(others)


def test_bench(sim):
    bench("nps_trace_walk", sim, parameters(Kind.CNT, 3), env={"KIND": "CNT", "NUM_BP": "3"})


@pytest.mark.parametrize("kind", [Kind.CNT, Kind.CFG])
@pytest.mark.parametrize("others", BUILDS[1:])
def test_other_sources(kind, others):
    told = {"KIND": kind.name, "NUM_BP": "2"} | env(others)
    bench("nps_trace_walk", "icarus", parameters(kind, 2, others), env=told)


@pytest.mark.parametrize("kind", [Kind.CNT, Kind.CFG, Kind.STATE])
@pytest.mark.parametrize("num_bp", [1, 4])
def test_kinds(kind, num_bp):
    bench("nps_trace_walk", "icarus", parameters(kind, num_bp), env={"KIND": kind.name, "NUM_BP": str(num_bp)})


def test_planted_bug():
    """The MARK source's counters left out."""
    patch = Patch(
        "nps_trace_walk.v",
        "`NPS_CNT_BP_SAMPLES, `NPS_CNT_TOKENS: index_next = index + ONE;",
        "`NPS_CNT_BP_SAMPLES, `NPS_CNT_TOKENS: index_next = FRAMER;",
    )
    caught("nps_trace_walk", "icarus", patch, parameters(Kind.CNT, 1), env={"KIND": "CNT", "NUM_BP": "1"})


def test_illegal(any_tool):
    refused("nps_trace_walk", any_tool, {"KIND": 1}, "nps_error__KIND_must_be_CNT_CFG_or_STATE")
