# SPDX-License-Identifier: Apache-2.0
"""nps_jitter on both simulators, its illegal parameters, and bugs that its benches must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP = "nps_jitter"
RANDOM = "tb.nps_jitter.bench_random"
DIRECTED = {"WATCHDOG": 300}
BUILDS = {"book": {}, "strobe": {"T_NOMINAL": 2560, "WATCHDOG": 7, "OPTIONS": 7}}


def told(parameters):
    """The parameters, for the harness."""
    return {f"P_{name}": str(value) for name, value in parameters.items()}


def test_rules(sim):
    bench(TOP, sim, DIRECTED, env=told(DIRECTED))


@pytest.mark.parametrize("build", BUILDS)
def test_against_the_model(sim, build):
    bench(TOP, sim, BUILDS[build], module=RANDOM, env=told(BUILDS[build]) | {"CLOCKS": "10000"})


UVM = "tb.nps_jitter.bench_uvm"


def test_uvm(sim):
    bench(TOP, sim, module=UVM)


def test_uvm_sees_a_planted_bug():
    patch = Patch("nps_jitter.v", "pulse ? steps || wait_hi", "pulse ? wait_hi")
    caught(TOP, "icarus", patch, module=UVM, tests=["test_troubled_time"])


BUGS = {  # old text, new text, the test that must see it
    "late_time": ("if (pulse) base <= now;", "if (s1_pulse) base <= now;", "test_time_is_that_of_the_pulse"),
    "held_level": ("wire rises = sync_valid && (chosen[STROBE] || !was_high);", "wire rises = sync_valid;",
                   "test_a_held_level_is_one_pulse"),
    "no_strobe": ("wire rises = sync_valid && (chosen[STROBE] || !was_high);", "wire rises = sync_valid && !was_high;",
                  "test_pulses_in_adjacent_clocks_with_strobe"),
    "asymmetric": ("s2_neg ? s2_jitter[30:1] == 30'd0 :", "s2_neg ? 1'b0 :", "test_saturation_is_symmetric"),
    "step_forgotten": ("since_step <= stepped && !pulse && enable;", "since_step <= 1'b0;",
                       "test_a_step_between_pulses"),
    "own_step": ("pulse ? steps || wait_hi", "pulse ? wait_hi", "test_a_step_in_the_clock_of_the_pulse"),
    "step_in_every_base": ("pulse ? steps || wait_hi", "pulse ? stepped || wait_hi", "test_a_step_between_pulses"),
    "phy_forgotten": ("wire arms = arming || phy_changed || c1_good;", "wire arms = arming || c1_good;",
                      "test_the_first_interval_after_phy_changed"),
    "backward_valid": ("wire s1_backward = s1_based && s1_interval[T-1];", "wire s1_backward = 1'b0;",
                       "test_backward_is_the_upper_half"),
    "lock_sampled": ("wire unlocked = !(locked || holdover) || since_unlock;", "wire unlocked = !(locked || holdover);",
                     "test_lock_lost_for_one_clock"),
    "holdover_invalid": ("!(locked || holdover) ||", "!locked ||", "test_holdover_is_valid"),
    "zero_taken": ("wire legal = cfg_t_nominal >= `NPS_T_NOMINAL_MIN;", "wire legal = 1'b1;",
                   "test_nominal_zero_is_refused"),
    "mixed_nominals": ("pulse ? steps || wait_hi || c1_good :", "pulse ? steps :",
                       "test_words_wait_for_clocks_without_a_sample_and_samples_for_words"),
    "untold_in_force": ("loads <= commit && !c1_good && !rst;", "loads <= commit && !rst;",
                        "test_a_newer_write_replaces_what_is_not_told"),
    "excluded_mapped": ("!(s3_ok && s3_exclude && (s3_missed || s3_early))", "1'b1", "test_one_missing_pulse"),
    "restart_stops_samples": ("s4_pulse <= s3_pulse && !rst;\n        js_valid <= s3_pulse",
                              "s4_pulse <= s3_pulse && !rst;\n        js_valid <= s3_pulse && lives[LAST-1]",
                              "test_restart_voids_records_but_not_samples"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_jitter.v", old, new), DIRECTED, tests=[test], env=told(DIRECTED))


@pytest.mark.parametrize("bug", ["asymmetric", "own_step"])
def test_planted_bug_on_verilator(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "verilator", Patch("nps_jitter.v", old, new), DIRECTED, tests=[test], env=told(DIRECTED))


def test_mutant(mutant, mutant_sim):
    killed(mutant, TOP, mutant_sim, DIRECTED, env=told(DIRECTED))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"T_NOMINAL": 0}, "nps_error__T_NOMINAL_must_not_be_0"),
        ({"OPTIONS": 16}, "nps_error__OPTIONS_must_be_0_to_15"),
    ],
)
def test_illegal(any_tool, parameters, error):
    refused(TOP, any_tool, parameters, error)
