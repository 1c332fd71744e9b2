# SPDX-License-Identifier: Apache-2.0
"""nps_regs on both simulators, and bugs that its benches must catch."""

import pytest

from tb.nps_regs.map import PARAMETERS
from tb.runner import Patch, bench, caught

TOP = "nps_regs"
UVM = "tb.nps_regs.bench_uvm"


def test_bench(sim):
    bench(TOP, sim, PARAMETERS)


def test_uvm(sim):
    bench(TOP, sim, PARAMETERS, module=UVM)


BUGS = {  # old text, new text, the test that must see it
    "clear_beats_set": (
        "if (int_raw_token_set) int_raw_token",
        "if (int_raw_token_set && !(int_raw_w1 && data[9])) int_raw_token",
        "test_a_set_beats_a_clear",
    ),
    "clears_all": ("else if (cfg_err_w0 && data[1])", "else if (cfg_err_w0)", "test_events_interrupt"),
    "high_word_not_held": (
        "else if (sample && row[2] && column[2])",
        "else",
        "test_coherent_time",
    ),
    "byte_strobe": ("wire bp_stale_w2 = row[2] && column[6] && strobe[2];",
                    "wire bp_stale_w2 = row[2] && column[6] && strobe[1];", "test_random"),
    "neighbour": ("wire a_limit_w1 = row[4] && column[1]", "wire a_limit_w1 = row[4] && column[2]", "test_every_field"),
    "okay_everywhere": ("unmapped <= !(\n", "unmapped <= 1'b0 && !(\n", "test_unmapped"),
    "reset_value": ("bp_limits_th_off <= 6'd48;", "bp_limits_th_off <= 6'd49;", "test_reset_values"),
    "level_instead_of_pulse": ("tok_cmd_resume <= tok_cmd_w0 && data[1];",
                               "tok_cmd_resume <= tok_cmd_resume || tok_cmd_w0 && data[1];", "test_every_command"),
    "mask_ignored": ("int_raw_ras_s & int_mask_ras_s", "int_raw_ras_s", "test_events_interrupt"),
    "wrong_window": ("in_ras <= word[9:3] == 7'd12;", "in_ras <= word[9:4] == 6'd6;", "test_unmapped"),
    "swapped_words": ("({32{column[4]}} & v_s_window)", "({32{column[4]}} & v_a_holdoff)", "test_every_field"),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "icarus", Patch("nps_regs.v", old, new), PARAMETERS, tests=[test])


@pytest.mark.parametrize("bug", ["clear_beats_set", "high_word_not_held", "byte_strobe"])
def test_planted_bug_on_verilator(bug):
    old, new, test = BUGS[bug]
    caught(TOP, "verilator", Patch("nps_regs.v", old, new), PARAMETERS, tests=[test])


def test_planted_bug_in_the_rest():
    patch = Patch("nps_regs_axil.v", "parameter integer SETTLE = 10 ", "parameter integer SETTLE = 8 ")
    caught(TOP, "icarus", patch, PARAMETERS, tests=["test_a_snapshot_has_time"])


def test_uvm_sees_a_planted_bug():
    patch = Patch("nps_regs.v", "bp_limits_k <= 5'd8;", "bp_limits_k <= 5'd9;")
    caught(TOP, "icarus", patch, PARAMETERS, module=UVM, tests=["test_reset_model"])
