// SPDX-License-Identifier: Apache-2.0
// `NPS_REFUSE(condition, nps_error__SENTENCE) as a module item refuses an illegal parameter at elaboration, with the
// sentence in the message of the tool. Icarus, Yosys and slang: the name of a missing module. Verilator looks for
// modules even in a generate branch that is not taken; there it is the block around a width divided by zero, which is
// an error in every language mode (elaboration-time $error exists only in SystemVerilog, and -Wno-fatal lets it pass).
`ifndef NPS_REFUSE_VH
`define NPS_REFUSE_VH

`ifdef VERILATOR
`define NPS_REFUSE(condition, sentence) \
    generate if (condition) begin : sentence wire [1/((condition) ? 0 : 1):0] refused; end endgenerate
`else
`define NPS_REFUSE(condition, sentence) \
    generate if (condition) sentence refused (); endgenerate
`endif

`endif
