# SPDX-License-Identifier: Apache-2.0
"""nps_token_irq on both simulators, its illegal parameters, and bugs that its benches must catch."""

import pytest

from tb.runner import Patch, bench, caught, killed, refused

TOP = "token_pair"
RULES = "tb.nps_token_irq.bench"
BUILDS = {
    "default": {"MEM_LOW_ON": 10, "MEM_LOW_OFF": 20},
    "long": {"WORDS": 16, "MEM_LOW_ON": 10, "MEM_LOW_OFF": 20},
}


def told(parameters):
    """The parameters, for the harness."""
    return {f"P_{name}": str(value) for name, value in parameters.items()}


@pytest.mark.parametrize("build", BUILDS)
def test_rules(sim, build):
    bench(TOP, sim, BUILDS[build], module=RULES, env=told(BUILDS[build]))


RANDOM = "tb.nps_token_irq.bench_random"


@pytest.mark.parametrize("build", BUILDS)
def test_against_the_models(sim, build):
    bench(TOP, sim, BUILDS[build], module=RANDOM, env=told(BUILDS[build]) | {"CLOCKS": "12000"})


POLLING = "tb.nps_token_irq.bench_polling"


@pytest.mark.parametrize("interval", [16, 64, 256])
def test_against_polling(sim, interval):
    bench(TOP, sim, BUILDS["default"], module=POLLING, env=told(BUILDS["default"]) | {"INTERVAL": str(interval)})


UVM = "tb.nps_token_irq.bench_uvm"


def test_uvm(sim):
    bench(TOP, sim, BUILDS["default"], module=UVM, env=told(BUILDS["default"]))


WAITS = "test_cause_on_the_freeze_clock_and_while_frozen"
BUGS = {  # old text, new text, the test that must see it
    "told_by_force": (" && !s1_forced[LOW]", "", "test_injected_mem_low_hides_no_real_one"),
    "judged_without_room": (
        "wire could_enter = tok_valid && pipe_ready &&", "wire could_enter = tok_valid &&",
        "test_mem_low_is_judged_with_a_token_only",
    ),
    "not_modular": (
        "assign {behind, unused_distance} = tok_ptr - since;",
        "assign {behind, unused_distance} = {tok_ptr < since, 31'd0};", "test_pointer_wraps",
    ),
    "mask_ignored": ("(found | inj_cause) & mask;", "found | inj_cause;", "test_all_causes_at_once_and_every_mask"),
    "ready_not_gated": (
        "assign tok_ready = !pipe_freeze && (pipe_ready || drop);", "assign tok_ready = pipe_ready || drop;",
        "test_freeze_one_clock_after_the_token",
    ),
    "snapshot_moves_on": (
        "if (!pipe_freeze) begin", "if (!was_frozen) begin", "test_freeze_one_clock_after_the_token",
    ),
    "stays_armed": (
        "order_mask != 4'd0 : armed;", "order_mask != 4'd0 : watching;", "test_causes_on_consecutive_tokens"
    ),
    "arming_lost_in_the_hit": ("!(s1_hit && !s1_order)", "!s1_hit", "test_re_arm"),
    "held_is_lost": ("holding <= order ? 4'd0 : held;", "holding <= 4'd0;", "test_memory_while_frozen_is_held"),
    "held_survives_an_order": ("holding <= order ? 4'd0 : held;", "holding <= held;", "test_mask_0_disarms"),
    "counted_every_clock": ("held != 4'd0 && !was_held && nested", "held != 4'd0 && nested", WAITS),
    "released_at_once": (
        "pipe_freeze && !s1_hit && (resume", "pipe_freeze && (resume", "test_resume_in_the_clock_of_conditions"
    ),
    "trims_the_first": ("wire drop = trims && !tok_first;", "wire drop = trims;", "test_trim_is_token_exact"),
    "trims_every_slot": ("trimming && tok_slot == trim_slot;", "trimming;", "test_trim_is_token_exact"),
    "trims_for_ever": ("trim_on && !(s1_trims && s1_enters);", "trim_on;", "test_trim_is_token_exact"),
    "trim_needs_room": ("(pipe_ready || drop);", "pipe_ready;", "test_trim_is_token_exact"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    built = BUILDS["default"]
    caught(TOP, "icarus", Patch("nps_token_irq.v", old, new), built, module=RULES, tests=[test], env=told(built))


@pytest.mark.parametrize("bug", ["ready_not_gated", "held_is_lost"])
def test_planted_bug_on_verilator(bug):
    old, new, test = BUGS[bug]
    built = BUILDS["default"]
    caught(TOP, "verilator", Patch("nps_token_irq.v", old, new), built, module=RULES, tests=[test], env=told(built))


def test_mutant(mutant, mutant_sim):
    built = BUILDS["default"]
    killed(mutant, TOP, mutant_sim, built, folder="nps_token_irq", module=RULES, env=told(built))


def test_uvm_sees_a_planted_bug():
    built = BUILDS["default"]
    patch = Patch("nps_token_irq.v", *BUGS["held_survives_an_order"][:2])
    caught(TOP, "icarus", patch, built, module=UVM, tests=["test_nested"], env=told(built))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"WORDS": 3}, "nps_error__WORDS_must_be_4_to_16"),
        ({"WORDS": 17}, "nps_error__WORDS_must_be_4_to_16"),
        ({"OPCODE": 0x8B, "OPCODE_BITS": 0x7F}, "nps_error__OPCODE_must_be_within_OPCODE_BITS"),
        ({"OPCODE_BITS": 0x10707F}, "nps_error__OPCODE_BITS_must_leave_the_mask_free"),
        ({"MEM_LOW_ON": 65535, "MEM_LOW_OFF": 65535}, "nps_error__MEM_LOW_ON_must_be_0_to_65534"),
        ({"MEM_LOW_OFF": 65536}, "nps_error__MEM_LOW_OFF_must_be_at_most_65535"),
        ({"MEM_LOW_ON": 20, "MEM_LOW_OFF": 20}, "nps_error__MEM_LOW_OFF_must_be_above_MEM_LOW_ON"),
    ],
    ids=lambda value: value.removeprefix("nps_error__") if isinstance(value, str) else "",
)
def test_illegal(any_tool, parameters, error):
    refused("nps_token_irq", any_tool, parameters, error)
