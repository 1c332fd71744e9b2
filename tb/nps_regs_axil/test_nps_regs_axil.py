# SPDX-License-Identifier: Apache-2.0
"""nps_regs_axil on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP = "nps_regs_axil"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {  # old text, new text, the test that must see it
    "withdrawn": (
        "read || (s_axil_rvalid && !s_axil_rready)",
        "read",
        "test_random",
    ),
    "strobes": ("step[0] && writing ? w_strobe : 4'd0", "step[0] && writing ? 4'd15 : 4'd0", "test_random"),
    "half_a_request": ("aw_held && w_held && !s_axil_bvalid", "aw_held && !s_axil_bvalid", "test_either_order"),
    "no_rest": ("rest <= wrote ? SETTLE[3:0] :", "rest <= wrote ? 4'd1 :", "test_clocks"),
    "greedy": ("can_write && !(can_read && wrote_last)", "can_write", "test_full_speed"),
    "okay": ("s_axil_rresp <= unmapped ? SLVERR : OKAY", "s_axil_rresp <= OKAY", "test_random"),
    "late_sample": ("assign sample = step[3]", "assign sample = step[2]", "test_clocks"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(sim, bug):
    old, new, test = BUGS[bug]
    caught(TOP, sim, Patch("nps_regs_axil.v", old, new), tests=[test])


@pytest.mark.parametrize("width", [2, 33])
def test_illegal_width(any_tool, width):
    refused(TOP, any_tool, {"ADDR_W": width}, "nps_error__ADDR_W_must_be_3_to_32")


@pytest.mark.parametrize("settle", [0, 16])
def test_illegal_settle(any_tool, settle):
    refused(TOP, any_tool, {"SETTLE": settle}, "nps_error__SETTLE_must_be_1_to_15")
