/* Generated from rtl/spec/nps.rdl by `make gen`: do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of nps_top: byte offsets; of each field its bit, its mask (in place) and its reset value. */
#ifndef NPS_REGS_H
#define NPS_REGS_H

/* Which block this is. */
#define NPS_REG_ID 0x000u
#define NPS_ID_MAGIC_LSB 0u
#define NPS_ID_MAGIC_MASK 0xffffffffu
#define NPS_ID_MAGIC_RESET 0x4e505331u

/* Version of this map: a reader refuses another major. */
#define NPS_REG_VERSION 0x004u
#define NPS_VERSION_MINOR_LSB 0u
#define NPS_VERSION_MINOR_MASK 0x0000ffffu
#define NPS_VERSION_MINOR_RESET 0x0u
#define NPS_VERSION_MAJOR_LSB 16u
#define NPS_VERSION_MAJOR_MASK 0xffff0000u
#define NPS_VERSION_MAJOR_RESET 0x1u

/* Version of the trace stream, as CFG VERSION. */
#define NPS_REG_STREAM 0x008u
#define NPS_STREAM_VERSION_LSB 0u
#define NPS_STREAM_VERSION_MASK 0xffffffffu
#define NPS_STREAM_VERSION_RESET 0x10000u

/* What was built in. */
#define NPS_REG_CAPS 0x00cu
#define NPS_CAPS_NUM_BP_LSB 0u
#define NPS_CAPS_NUM_BP_MASK 0x0000003fu
#define NPS_CAPS_JITTER_LSB 8u
#define NPS_CAPS_JITTER_MASK 0x00000100u
#define NPS_CAPS_RAS_LSB 9u
#define NPS_CAPS_RAS_MASK 0x00000200u
#define NPS_CAPS_TOKEN_LSB 10u
#define NPS_CAPS_TOKEN_MASK 0x00000400u

/* Hash of the description that the stream belongs to, 0 = none. */
#define NPS_REG_DESC_HASH_LO 0x010u
#define NPS_DESC_HASH_LO_HASH_LSB 0u
#define NPS_DESC_HASH_LO_HASH_MASK 0xffffffffu

/* Hash of the description that the stream belongs to. */
#define NPS_REG_DESC_HASH_HI 0x014u
#define NPS_DESC_HASH_HI_HASH_LSB 0u
#define NPS_DESC_HASH_HI_HASH_MASK 0xffffffffu

/* Clock period. */
#define NPS_REG_CLK_PERIOD 0x018u
#define NPS_CLK_PERIOD_PERIOD_LSB 0u
#define NPS_CLK_PERIOD_PERIOD_MASK 0xffffffffu

/* Start and end of the stream. */
#define NPS_REG_CONTROL 0x020u
#define NPS_CONTROL_ENABLE_LSB 0u
#define NPS_CONTROL_ENABLE_MASK 0x00000001u
#define NPS_CONTROL_ENABLE_RESET 0x0u
#define NPS_CONTROL_JITTER_LSB 1u
#define NPS_CONTROL_JITTER_MASK 0x00000002u
#define NPS_CONTROL_JITTER_RESET 0x0u
#define NPS_CONTROL_RAS_LSB 2u
#define NPS_CONTROL_RAS_MASK 0x00000004u
#define NPS_CONTROL_RAS_RESET 0x0u

/* What is going on. */
#define NPS_REG_STATUS 0x024u
#define NPS_STATUS_SAMPLING_LSB 0u
#define NPS_STATUS_SAMPLING_MASK 0x00000001u
#define NPS_STATUS_ACTIVE_LSB 1u
#define NPS_STATUS_ACTIVE_MASK 0x00000002u
#define NPS_STATUS_LOCKED_LSB 2u
#define NPS_STATUS_LOCKED_MASK 0x00000004u
#define NPS_STATUS_HOLDOVER_LSB 3u
#define NPS_STATUS_HOLDOVER_MASK 0x00000008u
#define NPS_STATUS_SYNC_LOST_LSB 4u
#define NPS_STATUS_SYNC_LOST_MASK 0x00000010u
#define NPS_STATUS_MARK_WAITING_LSB 5u
#define NPS_STATUS_MARK_WAITING_MASK 0x00000020u

/* Sub of the next MARK. */
#define NPS_REG_MARK_SUB 0x028u
#define NPS_MARK_SUB_SUB_LSB 0u
#define NPS_MARK_SUB_SUB_MASK 0x00000003u
#define NPS_MARK_SUB_SUB_RESET 0x0u

/* A write puts a MARK of this value into the stream. One that still waits (STATUS.mark_waiting) is replaced. */
#define NPS_REG_MARK 0x02cu
#define NPS_MARK_VALUE_LSB 0u
#define NPS_MARK_VALUE_MASK 0xffffffffu

/* Events since they were cleared, masked or not. */
#define NPS_REG_INT_RAW 0x030u
#define NPS_INT_RAW_LOSS_LSB 0u
#define NPS_INT_RAW_LOSS_MASK 0x00000001u
#define NPS_INT_RAW_CFG_LSB 1u
#define NPS_INT_RAW_CFG_MASK 0x00000002u
#define NPS_INT_RAW_SYNC_LOST_LSB 2u
#define NPS_INT_RAW_SYNC_LOST_MASK 0x00000004u
#define NPS_INT_RAW_RAS_R_LSB 3u
#define NPS_INT_RAW_RAS_R_MASK 0x00000008u
#define NPS_INT_RAW_RAS_A_LSB 4u
#define NPS_INT_RAW_RAS_A_MASK 0x00000010u
#define NPS_INT_RAW_RAS_S_LSB 5u
#define NPS_INT_RAW_RAS_S_MASK 0x00000020u
#define NPS_INT_RAW_RAS_EXHAUSTED_LSB 6u
#define NPS_INT_RAW_RAS_EXHAUSTED_MASK 0x00000040u
#define NPS_INT_RAW_RENEG_TIMEOUT_LSB 7u
#define NPS_INT_RAW_RENEG_TIMEOUT_MASK 0x00000080u
#define NPS_INT_RAW_SWITCH_TIMEOUT_LSB 8u
#define NPS_INT_RAW_SWITCH_TIMEOUT_MASK 0x00000100u
#define NPS_INT_RAW_TOKEN_LSB 9u
#define NPS_INT_RAW_TOKEN_MASK 0x00000200u
#define NPS_INT_RAW_TOKEN_NESTED_LSB 10u
#define NPS_INT_RAW_TOKEN_NESTED_MASK 0x00000400u

/* Which events raise the interrupt. */
#define NPS_REG_INT_MASK 0x034u
#define NPS_INT_MASK_LOSS_LSB 0u
#define NPS_INT_MASK_LOSS_MASK 0x00000001u
#define NPS_INT_MASK_LOSS_RESET 0x0u
#define NPS_INT_MASK_CFG_LSB 1u
#define NPS_INT_MASK_CFG_MASK 0x00000002u
#define NPS_INT_MASK_CFG_RESET 0x0u
#define NPS_INT_MASK_SYNC_LOST_LSB 2u
#define NPS_INT_MASK_SYNC_LOST_MASK 0x00000004u
#define NPS_INT_MASK_SYNC_LOST_RESET 0x0u
#define NPS_INT_MASK_RAS_R_LSB 3u
#define NPS_INT_MASK_RAS_R_MASK 0x00000008u
#define NPS_INT_MASK_RAS_R_RESET 0x0u
#define NPS_INT_MASK_RAS_A_LSB 4u
#define NPS_INT_MASK_RAS_A_MASK 0x00000010u
#define NPS_INT_MASK_RAS_A_RESET 0x0u
#define NPS_INT_MASK_RAS_S_LSB 5u
#define NPS_INT_MASK_RAS_S_MASK 0x00000020u
#define NPS_INT_MASK_RAS_S_RESET 0x0u
#define NPS_INT_MASK_RAS_EXHAUSTED_LSB 6u
#define NPS_INT_MASK_RAS_EXHAUSTED_MASK 0x00000040u
#define NPS_INT_MASK_RAS_EXHAUSTED_RESET 0x0u
#define NPS_INT_MASK_RENEG_TIMEOUT_LSB 7u
#define NPS_INT_MASK_RENEG_TIMEOUT_MASK 0x00000080u
#define NPS_INT_MASK_RENEG_TIMEOUT_RESET 0x0u
#define NPS_INT_MASK_SWITCH_TIMEOUT_LSB 8u
#define NPS_INT_MASK_SWITCH_TIMEOUT_MASK 0x00000100u
#define NPS_INT_MASK_SWITCH_TIMEOUT_RESET 0x0u
#define NPS_INT_MASK_TOKEN_LSB 9u
#define NPS_INT_MASK_TOKEN_MASK 0x00000200u
#define NPS_INT_MASK_TOKEN_RESET 0x0u
#define NPS_INT_MASK_TOKEN_NESTED_LSB 10u
#define NPS_INT_MASK_TOKEN_NESTED_MASK 0x00000400u
#define NPS_INT_MASK_TOKEN_NESTED_RESET 0x0u

/* INT_RAW and INT_MASK; the interrupt is high while any is set. */
#define NPS_REG_INT_STATUS 0x038u
#define NPS_INT_STATUS_LOSS_LSB 0u
#define NPS_INT_STATUS_LOSS_MASK 0x00000001u
#define NPS_INT_STATUS_CFG_LSB 1u
#define NPS_INT_STATUS_CFG_MASK 0x00000002u
#define NPS_INT_STATUS_SYNC_LOST_LSB 2u
#define NPS_INT_STATUS_SYNC_LOST_MASK 0x00000004u
#define NPS_INT_STATUS_RAS_R_LSB 3u
#define NPS_INT_STATUS_RAS_R_MASK 0x00000008u
#define NPS_INT_STATUS_RAS_A_LSB 4u
#define NPS_INT_STATUS_RAS_A_MASK 0x00000010u
#define NPS_INT_STATUS_RAS_S_LSB 5u
#define NPS_INT_STATUS_RAS_S_MASK 0x00000020u
#define NPS_INT_STATUS_RAS_EXHAUSTED_LSB 6u
#define NPS_INT_STATUS_RAS_EXHAUSTED_MASK 0x00000040u
#define NPS_INT_STATUS_RENEG_TIMEOUT_LSB 7u
#define NPS_INT_STATUS_RENEG_TIMEOUT_MASK 0x00000080u
#define NPS_INT_STATUS_SWITCH_TIMEOUT_LSB 8u
#define NPS_INT_STATUS_SWITCH_TIMEOUT_MASK 0x00000100u
#define NPS_INT_STATUS_TOKEN_LSB 9u
#define NPS_INT_STATUS_TOKEN_MASK 0x00000200u
#define NPS_INT_STATUS_TOKEN_NESTED_LSB 10u
#define NPS_INT_STATUS_TOKEN_NESTED_MASK 0x00000400u

/* Blocks that refused a configuration; the one before stays in force. */
#define NPS_REG_CFG_ERR 0x03cu
#define NPS_CFG_ERR_BP_LSB 0u
#define NPS_CFG_ERR_BP_MASK 0x00000001u
#define NPS_CFG_ERR_JITTER_LSB 1u
#define NPS_CFG_ERR_JITTER_MASK 0x00000002u
#define NPS_CFG_ERR_RAS_LSB 2u
#define NPS_CFG_ERR_RAS_MASK 0x00000004u
#define NPS_CFG_ERR_TOKEN_LSB 3u
#define NPS_CFG_ERR_TOKEN_MASK 0x00000008u

/* Hand the words written to a block, which takes or refuses them as a whole. One that is not built in refuses. */
#define NPS_REG_APPLY 0x040u
#define NPS_APPLY_BP_LSB 0u
#define NPS_APPLY_BP_MASK 0x00000001u
#define NPS_APPLY_JITTER_LSB 1u
#define NPS_APPLY_JITTER_MASK 0x00000002u
#define NPS_APPLY_RAS_LSB 2u
#define NPS_APPLY_RAS_MASK 0x00000004u
#define NPS_APPLY_TOKEN_LSB 3u
#define NPS_APPLY_TOKEN_MASK 0x00000008u

/* Hold the words of the JITTER window as they are now, until the next time. */
#define NPS_REG_JITTER_SNAP 0x044u
#define NPS_JITTER_SNAP_TAKE_LSB 0u
#define NPS_JITTER_SNAP_TAKE_MASK 0x00000001u

/* Time now. Read the low word first: it holds the high word. */
#define NPS_REG_TIMESTAMP 0x048u
#define NPS_TIMESTAMP_TS_BITS 64u /* two words, low first */

/* Trace port for APPLY.bp. APPLY to one that does not exist is refused. */
#define NPS_REG_BP_PORT 0x050u
#define NPS_BP_PORT_PORT_LSB 0u
#define NPS_BP_PORT_PORT_MASK 0x0000003fu
#define NPS_BP_PORT_PORT_RESET 0x0u

/* Limits, as CFG BP_LIMITS. Refused unless th_off < th_on and none of th_on, th_off, th_wet is 0. */
#define NPS_REG_BP_LIMITS 0x054u
#define NPS_BP_LIMITS_TH_ON_LSB 0u
#define NPS_BP_LIMITS_TH_ON_MASK 0x0000003fu
#define NPS_BP_LIMITS_TH_ON_RESET 0x38u
#define NPS_BP_LIMITS_TH_OFF_LSB 6u
#define NPS_BP_LIMITS_TH_OFF_MASK 0x00000fc0u
#define NPS_BP_LIMITS_TH_OFF_RESET 0x30u
#define NPS_BP_LIMITS_LEVEL_STEP_LSB 12u
#define NPS_BP_LIMITS_LEVEL_STEP_MASK 0x0003f000u
#define NPS_BP_LIMITS_LEVEL_STEP_RESET 0x0u
#define NPS_BP_LIMITS_K_LSB 18u
#define NPS_BP_LIMITS_K_MASK 0x007c0000u
#define NPS_BP_LIMITS_K_RESET 0x8u
#define NPS_BP_LIMITS_RAW_LSB 23u
#define NPS_BP_LIMITS_RAW_MASK 0x00800000u
#define NPS_BP_LIMITS_RAW_RESET 0x0u
#define NPS_BP_LIMITS_TH_WET_LSB 24u
#define NPS_BP_LIMITS_TH_WET_MASK 0x3f000000u
#define NPS_BP_LIMITS_TH_WET_RESET 0x4u

/* Stale period, as CFG STALE. */
#define NPS_REG_BP_STALE 0x058u
#define NPS_BP_STALE_STALE_LSB 0u
#define NPS_BP_STALE_STALE_MASK 0xffffffffu
#define NPS_BP_STALE_STALE_RESET 0x186a0u

/* Nominal sync interval, as CFG T_NOMINAL_LO. An interval of 0 is refused. */
#define NPS_REG_T_NOMINAL_LO 0x060u
#define NPS_T_NOMINAL_LO_LO_LSB 0u
#define NPS_T_NOMINAL_LO_LO_MASK 0xffffffffu
#define NPS_T_NOMINAL_LO_LO_RESET 0x1e84800u

/* Nominal sync interval and options, as CFG T_NOMINAL_HI. */
#define NPS_REG_T_NOMINAL_HI 0x064u
#define NPS_T_NOMINAL_HI_HI_LSB 0u
#define NPS_T_NOMINAL_HI_HI_MASK 0x0000ffffu
#define NPS_T_NOMINAL_HI_HI_RESET 0x0u
#define NPS_T_NOMINAL_HI_NEED_LOCK_LSB 16u
#define NPS_T_NOMINAL_HI_NEED_LOCK_MASK 0x00010000u
#define NPS_T_NOMINAL_HI_NEED_LOCK_RESET 0x1u
#define NPS_T_NOMINAL_HI_EXCLUDE_LSB 17u
#define NPS_T_NOMINAL_HI_EXCLUDE_MASK 0x00020000u
#define NPS_T_NOMINAL_HI_EXCLUDE_RESET 0x0u
#define NPS_T_NOMINAL_HI_STROBE_LSB 18u
#define NPS_T_NOMINAL_HI_STROBE_MASK 0x00040000u
#define NPS_T_NOMINAL_HI_STROBE_RESET 0x0u
#define NPS_T_NOMINAL_HI_SYNC_LOST_A_LSB 19u
#define NPS_T_NOMINAL_HI_SYNC_LOST_A_MASK 0x00080000u
#define NPS_T_NOMINAL_HI_SYNC_LOST_A_RESET 0x0u

/* Watchdog of the sync pulses. */
#define NPS_REG_WATCHDOG 0x068u
#define NPS_WATCHDOG_CLOCKS_LSB 0u
#define NPS_WATCHDOG_CLOCKS_MASK 0xffffffffu
#define NPS_WATCHDOG_CLOCKS_RESET 0x124f8u

/* Events dropped by all sources since reset, modulo 2^32; LOSS records in the stream tell them by source and time. */
#define NPS_REG_LOSS_COUNT 0x070u
#define NPS_LOSS_COUNT_EVENTS_LSB 0u
#define NPS_LOSS_COUNT_EVENTS_MASK 0xffffffffu

/* Sources that dropped any since reset: bit n is the n-th source of the stream, bit 31 the 32nd and later. */
#define NPS_REG_LOSS_SOURCES 0x074u
#define NPS_LOSS_SOURCES_SOURCES_LSB 0u
#define NPS_LOSS_SOURCES_SOURCES_MASK 0xffffffffu

/* Reliability limit. Refused unless R <= A <= S and all counts and times are legal. */
#define NPS_REG_R_LIMIT 0x080u
#define NPS_R_LIMIT_LIMIT_LSB 0u
#define NPS_R_LIMIT_LIMIT_MASK 0x3fffffffu
#define NPS_R_LIMIT_LIMIT_RESET 0x30d400u

/* Availability limit. */
#define NPS_REG_A_LIMIT 0x084u
#define NPS_A_LIMIT_LIMIT_LSB 0u
#define NPS_A_LIMIT_LIMIT_MASK 0x3fffffffu
#define NPS_A_LIMIT_LIMIT_RESET 0x9c4000u

/* Serviceability limit. */
#define NPS_REG_S_LIMIT 0x088u
#define NPS_S_LIMIT_LIMIT_LSB 0u
#define NPS_S_LIMIT_LIMIT_MASK 0x3fffffffu
#define NPS_S_LIMIT_LIMIT_RESET 0x186a000u

/* Counts, as CFG RAS_COUNTS. */
#define NPS_REG_RAS_COUNTS 0x08cu
#define NPS_RAS_COUNTS_R_RUN_LSB 0u
#define NPS_RAS_COUNTS_R_RUN_MASK 0x000000ffu
#define NPS_RAS_COUNTS_R_RUN_RESET 0x5u
#define NPS_RAS_COUNTS_R_REARM_LSB 8u
#define NPS_RAS_COUNTS_R_REARM_MASK 0x0000ff00u
#define NPS_RAS_COUNTS_R_REARM_RESET 0x5u
#define NPS_RAS_COUNTS_S_COUNT_LSB 16u
#define NPS_RAS_COUNTS_S_COUNT_MASK 0x00ff0000u
#define NPS_RAS_COUNTS_A_BUDGET_LSB 24u
#define NPS_RAS_COUNTS_A_BUDGET_MASK 0xff000000u
#define NPS_RAS_COUNTS_A_BUDGET_RESET 0x4u

/* Sliding window of S. */
#define NPS_REG_S_WINDOW 0x090u
#define NPS_S_WINDOW_WINDOW_LSB 0u
#define NPS_S_WINDOW_WINDOW_MASK 0x7fffffffu
#define NPS_S_WINDOW_WINDOW_RESET 0x3b9aca00u

/* No PHY switch within this time of the last. */
#define NPS_REG_A_HOLDOFF 0x094u
#define NPS_A_HOLDOFF_HOLDOFF_LSB 0u
#define NPS_A_HOLDOFF_HOLDOFF_MASK 0x0003ffffu
#define NPS_A_HOLDOFF_HOLDOFF_RESET 0x3e8u

/* Latched classes. Writing 1 to a class clears it with its count, stamps and overflow. */
#define NPS_REG_RAS_PENDING 0x098u
#define NPS_RAS_PENDING_RELIABILITY_LSB 0u
#define NPS_RAS_PENDING_RELIABILITY_MASK 0x00000001u
#define NPS_RAS_PENDING_AVAILABILITY_LSB 1u
#define NPS_RAS_PENDING_AVAILABILITY_MASK 0x00000002u
#define NPS_RAS_PENDING_SERVICEABILITY_LSB 2u
#define NPS_RAS_PENDING_SERVICEABILITY_MASK 0x00000004u
#define NPS_RAS_PENDING_SYNC_LOST_LSB 3u
#define NPS_RAS_PENDING_SYNC_LOST_MASK 0x00000008u
#define NPS_RAS_PENDING_EXHAUSTED_LSB 4u
#define NPS_RAS_PENDING_EXHAUSTED_MASK 0x00000010u
#define NPS_RAS_PENDING_OVERFLOW_LSB 8u
#define NPS_RAS_PENDING_OVERFLOW_MASK 0x00001f00u

/* Copies the latch of a class into the RAS window. */
#define NPS_REG_RAS_SNAP 0x09cu
#define NPS_RAS_SNAP_INDEX_LSB 0u
#define NPS_RAS_SNAP_INDEX_MASK 0x00000007u

/* Test injection: the class fires, marked injected. */
#define NPS_REG_RAS_INJECT 0x0a0u
#define NPS_RAS_INJECT_RELIABILITY_LSB 0u
#define NPS_RAS_INJECT_RELIABILITY_MASK 0x00000001u
#define NPS_RAS_INJECT_AVAILABILITY_LSB 1u
#define NPS_RAS_INJECT_AVAILABILITY_MASK 0x00000002u
#define NPS_RAS_INJECT_SERVICEABILITY_LSB 2u
#define NPS_RAS_INJECT_SERVICEABILITY_MASK 0x00000004u
#define NPS_RAS_INJECT_SYNC_LOST_LSB 3u
#define NPS_RAS_INJECT_SYNC_LOST_MASK 0x00000008u
#define NPS_RAS_INJECT_EXHAUSTED_LSB 4u
#define NPS_RAS_INJECT_EXHAUSTED_MASK 0x00000010u

/* Arm by software: watch tokens from this pointer on. */
#define NPS_REG_TOK_PTR 0x0a8u
#define NPS_TOK_PTR_PTR_LSB 0u
#define NPS_TOK_PTR_PTR_MASK 0xffffffffu
#define NPS_TOK_PTR_PTR_RESET 0x0u

/* What to watch for and what to do. */
#define NPS_REG_TOK_CONTROL 0x0acu
#define NPS_TOK_CONTROL_MASK_LSB 0u
#define NPS_TOK_CONTROL_MASK_MASK 0x0000000fu
#define NPS_TOK_CONTROL_MASK_RESET 0x0u
#define NPS_TOK_CONTROL_TRIM_LSB 8u
#define NPS_TOK_CONTROL_TRIM_MASK 0x00000100u
#define NPS_TOK_CONTROL_TRIM_RESET 0x0u

/* Commands of the token interrupt. */
#define NPS_REG_TOK_CMD 0x0b0u
#define NPS_TOK_CMD_ARM_LSB 0u
#define NPS_TOK_CMD_ARM_MASK 0x00000001u
#define NPS_TOK_CMD_RESUME_LSB 1u
#define NPS_TOK_CMD_RESUME_MASK 0x00000002u

/* MEM_LOW. Refused unless off > on. */
#define NPS_REG_MEM_LOW 0x0b4u
#define NPS_MEM_LOW_ON_LSB 0u
#define NPS_MEM_LOW_ON_MASK 0x0000ffffu
#define NPS_MEM_LOW_ON_RESET 0x40u
#define NPS_MEM_LOW_OFF_LSB 16u
#define NPS_MEM_LOW_OFF_MASK 0xffff0000u
#define NPS_MEM_LOW_OFF_RESET 0x60u

/* What the token interrupt holds. */
#define NPS_REG_TOK_STATUS 0x0b8u
#define NPS_TOK_STATUS_CAUSE_LSB 0u
#define NPS_TOK_STATUS_CAUSE_MASK 0x0000000fu
#define NPS_TOK_STATUS_HELD_LSB 4u
#define NPS_TOK_STATUS_HELD_MASK 0x000000f0u
#define NPS_TOK_STATUS_NESTED_LSB 8u
#define NPS_TOK_STATUS_NESTED_MASK 0x0000ff00u
#define NPS_TOK_STATUS_ARMED_LSB 16u
#define NPS_TOK_STATUS_ARMED_MASK 0x00010000u
#define NPS_TOK_STATUS_FROZEN_LSB 17u
#define NPS_TOK_STATUS_FROZEN_MASK 0x00020000u
#define NPS_TOK_STATUS_TRIMMING_LSB 18u
#define NPS_TOK_STATUS_TRIMMING_MASK 0x00040000u

/* Which tokens get a cause injected, for verification; stable while INJ_CONTROL.enable is 1. */
#define NPS_REG_INJ_TOKEN 0x0c0u
#define NPS_INJ_TOKEN_FIRST_LSB 0u
#define NPS_INJ_TOKEN_FIRST_MASK 0x0000ffffu
#define NPS_INJ_TOKEN_FIRST_RESET 0x0u
#define NPS_INJ_TOKEN_EVERY_LSB 16u
#define NPS_INJ_TOKEN_EVERY_MASK 0xffff0000u
#define NPS_INJ_TOKEN_EVERY_RESET 0x0u

/* Token injection. */
#define NPS_REG_INJ_CONTROL 0x0c4u
#define NPS_INJ_CONTROL_LAYER_LSB 0u
#define NPS_INJ_CONTROL_LAYER_MASK 0x000000ffu
#define NPS_INJ_CONTROL_LAYER_RESET 0x0u
#define NPS_INJ_CONTROL_CAUSE_LSB 8u
#define NPS_INJ_CONTROL_CAUSE_MASK 0x00000f00u
#define NPS_INJ_CONTROL_CAUSE_RESET 0x0u
#define NPS_INJ_CONTROL_ENABLE_LSB 16u
#define NPS_INJ_CONTROL_ENABLE_MASK 0x00010000u
#define NPS_INJ_CONTROL_ENABLE_RESET 0x0u

/* Jitter statistics as JITTER_SNAP holds them: 0 count, 1 min, 2 max since the snapshot before, 3..4 sum, 5..7 sum of squares, 8..9 running TIE, 10 bit 0: min and max hold a sample, bit 1: busy, the words do not stand yet, bit 2: samples are missing. All but min and max are cumulative, modular. */
#define NPS_REG_JITTER 0x140u
#define NPS_REG_JITTER_WORDS 16u

/* The class RAS_SNAP copied: 0 flags (0 pending, 1 overflow, 12:8 count), 1 worst jitter, 2..3 first ts, 4..5 last ts. */
#define NPS_REG_RAS 0x180u
#define NPS_REG_RAS_WORDS 8u

/* Snapshot of the token interrupt: 0..15 context words, 16 token id. */
#define NPS_REG_TOKEN 0x200u
#define NPS_REG_TOKEN_WORDS 32u

#endif
