# SPDX-License-Identifier: Apache-2.0
"""nps_bp_probe on both simulators, its illegal parameters, and bugs that its benches must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP = "nps_bp_probe"
RANDOM = "tb.nps_bp_probe.bench_random"
DIRECTED = {"LAYERS": 0x7FFFFFFF, "DRY_MASK": 0xF, "STEADY": 4, "DWELL_SHIFT": 2, "STALE_NS": 0}
BUILDS = {
    "directed": DIRECTED,
    "few": {"LAYERS": 0x8000000F, "DRY_MASK": 0x80000003, "STEADY": 1, "STALE_NS": 200},
    "slow": {"DRY_MASK": 0xFFFF00FF, "STEADY": 65, "TH_ON": 2, "TH_OFF": 1, "LEVEL_STEP": 3, "RAW": 1},
}


def told(parameters):
    """The parameters, for the harness."""
    return {f"P_{name}": str(value) for name, value in parameters.items()}


def test_rules(sim):
    bench(TOP, sim, DIRECTED, env=told(DIRECTED))


@pytest.mark.parametrize("build", BUILDS)
def test_against_the_model(sim, build):
    bench(TOP, sim, BUILDS[build], module=RANDOM, env=told(BUILDS[build]) | {"CLOCKS": "12000"})


UVM = "tb.nps_bp_probe.bench_uvm"
UVM_BUILD = {"LAYERS": 0x7FFF, "DRY_MASK": 0xFF, "STEADY": 8, "STALE_NS": 3000}


def test_uvm(sim):
    bench(TOP, sim, UVM_BUILD, module=UVM, env=told(UVM_BUILD))


def test_uvm_sees_a_planted_bug():
    patch = Patch("nps_bp_probe.v", "wire n_hot = s4_hot ? !s4_off : s4_on;", "wire n_hot = s4_on;")
    caught(TOP, "icarus", patch, UVM_BUILD, module=UVM, tests=["test_traffic"], env=told(UVM_BUILD))


ADJACENT, NEAR = "test_samples_of_one_layer_in_adjacent_clocks", "test_samples_of_one_layer_a_few_clocks_apart"
BUGS = {  # old text, new text, the test that must see it
    "forwarding_of_one": ("if (s3_same1) begin", "if (1'b0) begin", ADJACENT),
    "forwarding_of_two": ("s2_same2 ? n_word\n", "1'b0 ? n_word\n", NEAR),
    "forwarding_of_three": ("s1_same3 ? n_word :", "1'b0 ? n_word :", NEAR),
    "old_limits": ("s4_on <= quiet ? on_new : on_now;", "s4_on <= on_now;", "test_new_limits_judge_the_next_sample"),
    "tick_forgets_seen": ("wire [31:0] silent = LAYERS & ~seen;", "wire [31:0] silent = LAYERS;",
                          "test_silent_layers_become_unknown"),
    "step_forgotten": ("rel_steps[2], wraps && !rel_steps[2]", "1'b0, wraps",
                       "test_relative_step_saturates_dwell_until_exit"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_bp_probe.v", old, new), DIRECTED, tests=[test], env=told(DIRECTED))


def test_planted_bug_on_verilator():
    old, new, test = BUGS["forwarding_of_one"]
    caught(TOP, "verilator", Patch("nps_bp_probe.v", old, new), DIRECTED, tests=[test], env=told(DIRECTED))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, DIRECTED, env=told(DIRECTED))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"LAYERS": 0}, "nps_error__LAYERS_must_not_be_empty"),
        ({"LAYERS": 1, "DRY_MASK": 2}, "nps_error__DRY_MASK_must_be_within_LAYERS"),
        ({"STEADY": 0}, "nps_error__STEADY_must_be_1_to_65535"),
        ({"STEADY": 65536}, "nps_error__STEADY_must_be_1_to_65535"),
        ({"TH_ON": 64}, "nps_error__TH_ON_must_be_1_to_63"),
        ({"TH_OFF": 0}, "nps_error__TH_OFF_must_be_1_to_62"),
        ({"TH_OFF": 56}, "nps_error__TH_OFF_must_be_below_TH_ON"),
        ({"TH_WET": 0}, "nps_error__TH_WET_must_be_1_to_63"),
        ({"LEVEL_STEP": 64}, "nps_error__LEVEL_STEP_must_be_0_to_63"),
        ({"DWELL_SHIFT": 32}, "nps_error__DWELL_SHIFT_must_be_0_to_31"),
        ({"RAW": 2}, "nps_error__RAW_must_be_0_or_1"),
    ],
    ids=lambda value: value.removeprefix("nps_error__") if isinstance(value, str) else "",
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
