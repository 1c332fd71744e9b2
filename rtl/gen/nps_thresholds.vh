// Generated from rtl/spec/thresholds.toml by `make gen`: do not edit.
`ifndef NPS_THRESHOLDS_VH
`define NPS_THRESHOLDS_VH

// A2, 1/64: Code 56 of min(63, floor(64*used/depth)) is exactly '>= 87.5 % full'; the compare is the integer one.
`define NPS_TH_ON 56
`define NPS_TH_ON_MIN 1
`define NPS_TH_ON_MAX 63

// A2, 1/64: Hysteresis of TH_ON: cool below 75 %. Must be below TH_ON, else the configuration is refused.
`define NPS_TH_OFF 48
`define NPS_TH_OFF_MIN 1
`define NPS_TH_OFF_MAX 62

// A4, 1/64: Dry at occupancy 0, wet again from here on: the join walk of the analysis needs it.
`define NPS_TH_WET 4
`define NPS_TH_WET_MIN 1
`define NPS_TH_WET_MAX 63

// A1, clocks: backpressure_en flickers with every token; BP_ON and BP_OFF tell a level that held this long.
`define NPS_STEADY 64
`define NPS_STEADY_MIN 1
`define NPS_STEADY_MAX 65535

// A2, 1/64: LEVEL when the level moved by this much since the last report; 0 reports new peaks only.
`define NPS_LEVEL_STEP 0
`define NPS_LEVEL_STEP_MIN 0
`define NPS_LEVEL_STEP_MAX 63

// A2, log2 ns: Unit of the dwell field: 2^8 ns, saturates at 4.2 ms.
`define NPS_DWELL_SHIFT 8
`define NPS_DWELL_SHIFT_MIN 0
`define NPS_DWELL_SHIFT_MAX 31

// C5, ns: A layer not sampled for a whole period of 100 us becomes unknown; 0 turns the tick off.
`define NPS_STALE_NS 32'h000186A0
`define NPS_STALE_NS_MIN 32'h00000000
`define NPS_STALE_NS_MAX 32'hFFFFFFFF

// A5, 1/256 ns: jitter = interval - T_NOMINAL; 125 us. > 1.5 T is MISSED, < 0.5 T is EARLY. 0 is refused.
`define NPS_T_NOMINAL 48'h000001E84800
`define NPS_T_NOMINAL_MIN 48'h000000000001
`define NPS_T_NOMINAL_MAX 48'hFFFFFFFFFFFF

// A5, clocks: SYNC_LOST after so many clocks without a pulse: three intervals of 125 us at 200 MHz; 0 turns it off.
`define NPS_WATCHDOG 32'h000124F8
`define NPS_WATCHDOG_MIN 32'h00000000
`define NPS_WATCHDOG_MAX 32'hFFFFFFFF

// A5, 2^-32 ns: What a clock of the PTP domain adds to time: 5 ns. 1 to 254 ns: goes forward and fits, whatever the drift.
`define NPS_PTP_PERIOD 40'h0500000000
`define NPS_PTP_PERIOD_MIN 40'h0100000000
`define NPS_PTP_PERIOD_MAX 40'hFE00000000

// A5, clocks: The PTP clock has stopped. More than two of its periods and two clocks; a shorter stop is not seen.
`define NPS_PTP_TIMEOUT 16
`define NPS_PTP_TIMEOUT_MIN 4
`define NPS_PTP_TIMEOUT_MAX 65535

// A5, mask: Options of CFG T_NOMINAL_HI after reset, from bit 0: need_lock, exclude, strobe, sync_lost_a.
`define NPS_JITTER_OPTIONS 1
`define NPS_JITTER_OPTIONS_MIN 0
`define NPS_JITTER_OPTIONS_MAX 15

// A11, blocks: MEM_LOW at a token with this much free memory or less, once. The article has no figure: 64 free KV blocks.
`define NPS_MEM_LOW_ON 64
`define NPS_MEM_LOW_ON_MIN 0
`define NPS_MEM_LOW_ON_MAX 65534

// A11, blocks: Hysteresis of MEM_LOW_ON: a token with this much free memory lets MEM_LOW be met again. Must be above it.
`define NPS_MEM_LOW_OFF 96
`define NPS_MEM_LOW_OFF_MIN 1
`define NPS_MEM_LOW_OFF_MAX 65535

// A6, 1/256 ns: 12.5 us, strict, on the magnitude. Refused unless R <= A <= S. The maximum keeps a saturated jitter above every limit.
`define NPS_R_LIMIT 3200000
`define NPS_R_LIMIT_MIN 0
`define NPS_R_LIMIT_MAX 1073741823

// A6, samples: R fires at the fifth excess in a row; a sample without excess and an invalid one end the run.
`define NPS_R_RUN 5
`define NPS_R_RUN_MIN 1
`define NPS_R_RUN_MAX 255

// A6, samples: Hysteresis of R_RUN: R is armed again after so many good samples in a row, or when the renegotiation is done.
`define NPS_R_REARM 5
`define NPS_R_REARM_MIN 1
`define NPS_R_REARM_MAX 255

// A7, 1/256 ns: 40 us, strict, on the magnitude: one excess switches to the redundant PHY channel.
`define NPS_A_LIMIT 10240000
`define NPS_A_LIMIT_MIN 0
`define NPS_A_LIMIT_MAX 1073741823

// A7, us: No switch within 1 ms of the last one or of the change of the PHY; must be longer than a switch takes.
`define NPS_A_HOLDOFF 1000
`define NPS_A_HOLDOFF_MIN 1
`define NPS_A_HOLDOFF_MAX 262143

// A7, switches: So many switches in an S_WINDOW that opens with the first; beyond it REDUNDANCY_EXHAUSTED and no switch.
`define NPS_A_BUDGET 4
`define NPS_A_BUDGET_MIN 0
`define NPS_A_BUDGET_MAX 255

// A8, 1/256 ns: 100 us, strict, on the magnitude.
`define NPS_S_LIMIT 25600000
`define NPS_S_LIMIT_MIN 0
`define NPS_S_LIMIT_MAX 1073741823

// A8, excesses: At least 3 within the window; fixed when the RTL is built.
`define NPS_S_COUNT 3
`define NPS_S_COUNT_MIN 2
`define NPS_S_COUNT_MAX 8

// A8, ns: 1 s of relative time, sliding, closed: an excess exactly 1 s old counts.
`define NPS_S_WINDOW 1000000000
`define NPS_S_WINDOW_MIN 1000
`define NPS_S_WINDOW_MAX 2147483647

// A6, clocks: A request without ack, or an ack that stays high, is given up and told: 1 ms at 200 MHz.
`define NPS_REQ_TIMEOUT 200000
`define NPS_REQ_TIMEOUT_MIN 2
`define NPS_REQ_TIMEOUT_MAX 16777215

// B1, ns: True streaming: at a scheduler period of 96 ns every token violates it, at 80 ns none does.
`define NPS_TOKEN_INTERVAL 87
`define NPS_TOKEN_INTERVAL_MIN 1
`define NPS_TOKEN_INTERVAL_MAX 8388607

// B1, ns: WARP_SCHED_CTRL period select 0, in force after reset: every token interval violates 87 ns.
`define NPS_SCHED_PERIOD 96
`define NPS_SCHED_PERIOD_MIN 8
`define NPS_SCHED_PERIOD_MAX 65535

// B2, ns: WARP_SCHED_CTRL period select 3 (0xB000): no token interval violates 87 ns. Selects 1 and 2 have no figure: refused.
`define NPS_SCHED_PERIOD_LOW 80
`define NPS_SCHED_PERIOD_LOW_MIN 8
`define NPS_SCHED_PERIOD_LOW_MAX 65535

// B1, warps: Active warps after reset.
`define NPS_SCHED_SLOTS 48
`define NPS_SCHED_SLOTS_MIN 1
`define NPS_SCHED_SLOTS_MAX 64

// B2, warps: Active warps in low-latency mode, WARP_SCHED_CTRL bit 15.
`define NPS_SCHED_SLOTS_LOW 32
`define NPS_SCHED_SLOTS_LOW_MIN 1
`define NPS_SCHED_SLOTS_LOW_MAX 64

// B3, 1/1000: 92.3 %, compared as hits*1000 >= 923*accesses, exactly; no verdict on an empty window.
`define NPS_HITRATE_LIMIT 923
`define NPS_HITRATE_LIMIT_MIN 0
`define NPS_HITRATE_LIMIT_MAX 1000

// B3, ns: Windows of 100 us that follow each other, as the sampling of C5; the article has no figure.
`define NPS_HITRATE_WINDOW 100000
`define NPS_HITRATE_WINDOW_MIN 1000
`define NPS_HITRATE_WINDOW_MAX 1073741823

// B4, 2^-16: 0.082 in u16.16, rounded up: 5374 is the first value that is not below it.
`define NPS_PREFETCH_NORM 32'h000014FE
`define NPS_PREFETCH_NORM_MIN 32'h00000000
`define NPS_PREFETCH_NORM_MAX 32'hFFFFFFFF

// B4, layer: First layer whose samples are looked at.
`define NPS_PREFETCH_FIRST 17
`define NPS_PREFETCH_FIRST_MIN 0
`define NPS_PREFETCH_FIRST_MAX 255

// B4, layer: Last layer whose samples are looked at.
`define NPS_PREFETCH_LAST 24
`define NPS_PREFETCH_LAST_MIN 0
`define NPS_PREFETCH_LAST_MAX 255

// B4, blocks: The window asked for: so many blocks from that of seq_pos + 1 on.
`define NPS_PREFETCH_WINDOW 3
`define NPS_PREFETCH_WINDOW_MIN 1
`define NPS_PREFETCH_WINDOW_MAX 15

// B4, positions: A block; a power of two. A layer asks once for each block it comes to.
`define NPS_PREFETCH_BLOCK 128
`define NPS_PREFETCH_BLOCK_MIN 2
`define NPS_PREFETCH_BLOCK_MAX 4096

// C1, ns: PCIe Gen6: TLP overhead. Strict.
`define NPS_LINK_TLP 120
`define NPS_LINK_TLP_MIN 1
`define NPS_LINK_TLP_MAX 1048575

// C1, ns: PCIe Gen6: PHY. Strict.
`define NPS_LINK_PHY 95
`define NPS_LINK_PHY_MIN 1
`define NPS_LINK_PHY_MAX 1048575

// C1, ns: PCIe Gen6: arbitration, worst case. Strict.
`define NPS_LINK_ARBITRATION 280
`define NPS_LINK_ARBITRATION_MIN 1
`define NPS_LINK_ARBITRATION_MAX 1048575

// C1, ns: PCIe Gen6: what is left for a shard of up to 16 KiB. Strict.
`define NPS_LINK_SHARD 305
`define NPS_LINK_SHARD_MIN 1
`define NPS_LINK_SHARD_MAX 1048575

// C1, ns: PCIe Gen6: end to end; 1200 for Gen5. Strict.
`define NPS_LINK_TOTAL 800
`define NPS_LINK_TOTAL_MIN 1
`define NPS_LINK_TOTAL_MAX 1048575

// B5, pJ: 3.8 mJ, strict. mW times ns are pJ.
`define NPS_ENERGY_LIMIT 42'h000E27F6600
`define NPS_ENERGY_LIMIT_MIN 42'h00000000000
`define NPS_ENERGY_LIMIT_MAX 42'h3FFFFFFFFFF

// B6, pJ: Hysteresis of ENERGY_LIMIT for the governor: 3.8 mJ * (0.72 V / 0.80 V)^2 = 3.08 mJ, rounded down, so that going up stays below the limit.
`define NPS_ENERGY_RELEASE 42'h000B2D05E00
`define NPS_ENERGY_RELEASE_MIN 42'h00000000000
`define NPS_ENERGY_RELEASE_MAX 42'h3FFFFFFFFFF

// B6, mV: 0.80 V, needed by every frequency above DVFS_F_LOW.
`define NPS_DVFS_V_HIGH 800
`define NPS_DVFS_V_HIGH_MIN 1
`define NPS_DVFS_V_HIGH_MAX 4095

// B6, mV: 0.72 V, enough for DVFS_F_LOW.
`define NPS_DVFS_V_LOW 720
`define NPS_DVFS_V_LOW_MIN 1
`define NPS_DVFS_V_LOW_MAX 4095

// B6, mV: A step of 0.02 V; divides the range.
`define NPS_DVFS_V_STEP 20
`define NPS_DVFS_V_STEP_MIN 1
`define NPS_DVFS_V_STEP_MAX 4095

// B6, MHz: 600 MHz.
`define NPS_DVFS_F_HIGH 600
`define NPS_DVFS_F_HIGH_MIN 1
`define NPS_DVFS_F_HIGH_MAX 4095

// B6, MHz: 450 MHz.
`define NPS_DVFS_F_LOW 450
`define NPS_DVFS_F_LOW_MIN 1
`define NPS_DVFS_F_LOW_MAX 4095

// B6, MHz: A step of 50 MHz; divides the range.
`define NPS_DVFS_F_STEP 50
`define NPS_DVFS_F_STEP_MIN 1
`define NPS_DVFS_F_STEP_MAX 4095

// B6, tokens: At most one step in so many tokens: the article's one a token would answer a step before its effect shows.
`define NPS_DVFS_DWELL 4
`define NPS_DVFS_DWELL_MIN 1
`define NPS_DVFS_DWELL_MAX 255

// C5, ns: Busy clocks are sampled every 100 us; longer ones do not fit the count of a 2 ns clock.
`define NPS_UTIL_PERIOD 100000
`define NPS_UTIL_PERIOD_MIN 10000
`define NPS_UTIL_PERIOD_MAX 67108863

// C4, 1/1000: 94.3 %, strict, compared as busy*1000 > 943*window.
`define NPS_UTIL_SATURATION 943
`define NPS_UTIL_SATURATION_MIN 0
`define NPS_UTIL_SATURATION_MAX 1000

// C5, ns: The classes of the watched links are told every 100 us.
`define NPS_LINK_PERIOD 100000
`define NPS_LINK_PERIOD_MIN 10000
`define NPS_LINK_PERIOD_MAX 67108863

`endif
