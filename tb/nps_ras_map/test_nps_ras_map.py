# SPDX-License-Identifier: Apache-2.0
"""nps_ras_map on both simulators, its illegal parameters, and bugs that its benches must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP = "nps_ras_map"
DIRECTED = {"REQ_TIMEOUT": 2000, "UNIT": 21}


def told(parameters):
    """The parameters, for the harness."""
    return {f"P_{name}": str(value) for name, value in parameters.items()}


def test_rules(sim):
    bench(TOP, sim, DIRECTED, env=told(DIRECTED))


RANDOM = "tb.nps_ras_map.bench_random"
BUILDS = {
    "book": {"REQ_TIMEOUT": 60},
    "short": {"REQ_TIMEOUT": 2, "UNIT": 31, "S_COUNT": 2, "S_WINDOW": 1000, "A_HOLDOFF": 1, "R_RUN": 1, "R_REARM": 1},
    "long": {"REQ_TIMEOUT": 33, "S_COUNT": 8, "S_WINDOW": 3000, "A_HOLDOFF": 2, "A_BUDGET": 1, "R_RUN": 3},
}


@pytest.mark.parametrize("build", BUILDS)
def test_against_the_model(sim, build):
    bench(TOP, sim, BUILDS[build], module=RANDOM, env=told(BUILDS[build]))


BUGS = {  # file, old text, new text, the test that must see it
    "invalid_is_good": ("nps_ras_map.v", "s2_good <= s1_ok && !s1_over_r;", "s2_good <= s1_sample && !s1_over_r;",
                        "test_rearm"),
    "offset_step_flushes": ("nps_ras_map.v", ".flush(s2_rel_step || !s2_enable)", ".flush(s2_step || !s2_enable)",
                            "test_steps"),
    "disable_keeps_stamps": ("nps_ras_map.v", ".flush(s2_rel_step || !s2_enable)", ".flush(s2_rel_step)",
                             "test_disable_and_enable"),
    "sync_lost_without_option": ("nps_ras_map.v", "js_sync_lost && enable && sync_lost_a;", "js_sync_lost && enable;",
                                 "test_sync_lost"),
    "injection_with_a_sample": ("nps_ras_map.v", "waiting != {CLASSES{1'b0}} && !s2_sample &&",
                                "waiting != {CLASSES{1'b0}} &&", "test_injection"),
    "s_takes_a_limit": ("nps_ras_map.v", "s1_key >= {1'b0, s_limit, 1'b1};", "s1_key >= {1'b0, a_limit, 1'b1};",
                        "test_limits_are_strict_in_the_last_bit"),
    "counts_a_clock_early": ("nps_ras_map.v", ".run_1(s2_run_1)", ".run_1(counts[7:0] - 8'd1)",
                             "test_a_new_configuration_judges_from_its_clock_on"),
    "fire_lost_in_the_ack": ("nps_ras_request.v", "(fire && !merges)", "(fire && !req)",
                             "test_fifth_bad_in_the_clock_of_the_ack"),
    "clear_beats_set": ("nps_ras_latch.v", "held <= (held & ~clear) | sets;", "held <= (held | sets) & ~clear;",
                        "test_latches"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    file, old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch(file, old, new), DIRECTED, tests=[test], env=told(DIRECTED))


@pytest.mark.parametrize("bug", ["s_takes_a_limit", "clear_beats_set"])
def test_planted_bug_on_verilator(bug):
    file, old, new, test = BUGS[bug]
    caught(TOP, "verilator", Patch(file, old, new), DIRECTED, tests=[test], env=told(DIRECTED))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, DIRECTED, env=told(DIRECTED))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"UNIT": 32}, "UNIT_must_be_0_to_31"),
        ({"S_COUNT": 9}, "S_COUNT_must_be_2_to_8"),
        ({"R_LIMIT": 10240001}, "R_LIMIT_must_not_be_above_A_LIMIT"),
        ({"REQ_TIMEOUT": 1}, "REQ_TIMEOUT_must_be_2_to_16777215"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_illegal(any_tool, parameters, reason):
    refused(TOP, any_tool, parameters, f"nps_error__{reason}")


UVM = "tb.nps_ras_map.bench_uvm"
UVM_BUILD = {"REQ_TIMEOUT": 60}


def test_uvm(sim):
    bench(TOP, sim, UVM_BUILD, module=UVM, env=told(UVM_BUILD))


def test_uvm_sees_a_planted_bug():
    patch = Patch("nps_ras_map.v", "s1_key >= {1'b0, a_limit, 1'b1};", "s1_key >= {1'b0, a_limit, 1'b0};")
    caught(TOP, "icarus", patch, UVM_BUILD, module=UVM, tests=["test_jitter"], env=told(UVM_BUILD))
