# SPDX-License-Identifier: Apache-2.0
"""nps_ras_config on both simulators, its illegal parameters, and bugs that its bench must catch."""

import pytest

from tb.runner import Patch, bench, caught, refused

TOP, FILE = "nps_ras_config", "nps_ras_config.v"


def test_bench(sim):
    bench(TOP, sim)


BUGS = {
    "order_strict": ("!(a_limit < r_limit) &&", "(r_limit < a_limit) &&"),
    "window_one_less": ("s_window[WINDOW_W-1:0] < WINDOW_MIN", "s_window[WINDOW_W-1:0] < WINDOW_MIN - 1'b1"),
    "refused_in_force": ("done <= applied && legal && !rst;", "done <= applied && !rst;"),
    "holdoff_ns": ("- {5'd0, triple, 3'd0};", "- {6'd0, triple, 2'd0};"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    caught(TOP, "icarus", Patch(FILE, *BUGS[bug]))


def test_planted_bug_on_verilator():
    caught(TOP, "verilator", Patch(FILE, *BUGS["order_strict"]))


ILLEGAL = [
    ({"R_LIMIT": 10240001}, "R_LIMIT_must_not_be_above_A_LIMIT"),
    ({"R_LIMIT": -1}, "R_LIMIT_must_not_be_negative"),
    ({"A_LIMIT": 25600001}, "A_LIMIT_must_not_be_above_S_LIMIT"),
    ({"S_LIMIT": 1 << 30}, "S_LIMIT_must_not_be_above_1073741823"),
    ({"R_RUN": 0}, "R_RUN_must_be_1_to_255"),
    ({"R_RUN": 256}, "R_RUN_must_be_1_to_255"),
    ({"R_REARM": 0}, "R_REARM_must_be_1_to_255"),
    ({"A_BUDGET": 256}, "A_BUDGET_must_be_0_to_255"),
    ({"S_WINDOW": 999}, "S_WINDOW_must_be_1000_to_2147483647"),
    ({"A_HOLDOFF": 0}, "A_HOLDOFF_must_be_1_to_262143"),
    ({"A_HOLDOFF": 262144}, "A_HOLDOFF_must_be_1_to_262143"),
]


@pytest.mark.parametrize(("parameters", "reason"), ILLEGAL, ids=lambda v: v if isinstance(v, str) else "")
def test_illegal(any_tool, parameters, reason):
    refused(TOP, any_tool, parameters, f"nps_error__{reason}")
